"""Words drawn from the phrase memory: histories in, what it knows of them and a word of it out.

The memory is a mixture of levels: what followed the whole history, what followed it without its
first word, and so on. So a level is drawn first, and then one of the words that were seen there,
weighed by how much the document likes it. No word is looked at that was never seen.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from segtopic.model.liking import Liking
from segtopic.model.lookup import NOWHERE, at, find
from segtopic.model.phrase_memory import PhraseMass, PhraseMemory


class _Followers(NamedTuple):
    """The words that were seen after the histories of one length, those of each side by side."""

    word: Tensor  # (F,)
    sums: Tensor  # (F + 1,) of discounted counts times liking, up to each word
    begin: Tensor  # (M,) of each history's words
    size: Tensor  # (M,)
    passed: Tensor  # (M,) mass of the shorter histories
    own: Tensor  # (M,) mass of these words

    def pick(self, chosen: Tensor, uniform: Tensor) -> Tensor:
        """A word of each of the chosen histories."""
        begin, size = self.begin[chosen], self.size[chosen]
        low, high = self.sums[begin], self.sums[begin + size]
        place = torch.searchsorted(self.sums, low + uniform * (high - low), right=True) - 1
        return self.word[place.clamp(begin, begin + size - 1)].long()


class Known(NamedTuple):
    """What the memory knows of some histories of one length."""

    mass: PhraseMass  # of each suffix, the shortest first; without words
    levels: list[_Followers]

    def pick(self, chosen: Tensor, uniform: Tensor) -> Tensor:
        """A word for each of the chosen histories, of which something is known.

        Args:
            chosen: ``(C,)`` numbers of histories.
            uniform: ``(C, 2)``.
        """
        words = torch.full_like(chosen, NOWHERE)
        waiting = torch.arange(len(chosen))
        left = uniform[:, 0].clone()
        for level in reversed(self.levels):
            own, passed = level.own[chosen[waiting]], level.passed[chosen[waiting]]
            share = own / (own + passed)
            here = (left[waiting] < share) | (passed <= 0)
            now, waiting_ = waiting[here], waiting[~here]
            words[now] = level.pick(chosen[now], uniform[now, 1])
            left[waiting_] = (left[waiting_] - share[~here]) / (1 - share[~here])
            waiting = waiting_
        return words


class MemoryDraws:
    """Looks up histories and draws what follows them.

    Args:
        memory: counts.
        liking: of words in the documents.
    """

    def __init__(self, memory: PhraseMemory, liking: Liking) -> None:
        self._memory, self._liking = memory, liking

    @torch.no_grad()
    def known(self, document: Tensor, histories: Tensor) -> Known:
        """What is known of ``(M, l)`` histories in ``(M,)`` documents."""
        found = Known(PhraseMass([], [], []), [])
        above: Tensor | float = 1.0
        liked_above: Tensor | float = 0.0
        for suffix in range(1, histories.shape[1] + 1):
            followers, total, smoothing = self._followers(document, histories[:, -suffix:])
            passed = smoothing * liked_above
            above = smoothing / total * above
            liked_above = (followers.own + passed) / total
            found.mass.left_over.append(above)
            found.mass.liked.append(liked_above)
            found.levels.append(followers._replace(passed=passed))
        return found

    def _followers(self, document: Tensor, words: Tensor) -> tuple[_Followers, Tensor, Tensor]:
        """What was seen after ``(M, l)`` words, the counts' total, and the mass of the rest."""
        memory, length = self._memory, words.shape[1] + 1
        history = words[:, 0]
        for shorter in range(2, length):
            keys = memory.get_buffer(f"keys_{shorter}")
            history = find(keys, history * memory.vocabulary_size + words[:, shorter - 1])
        seen, counts = memory.seen(length), memory.get_buffer(f"counts_{length}")
        total, size = (
            at(memory.get_buffer(f"{name}_{length}"), history) for name in ("totals", "types")
        )
        first = at(seen.begin, history)
        of = torch.repeat_interleave(size)
        begin = size.cumsum(0) - size
        place = torch.arange(len(of)) + (first - begin)[of]
        word = seen.word[place]
        discount, strength = memory.trust(length)
        likes = self._liking.at(document[of], word)
        sums = likes.new_zeros(len(of) + 1)
        torch.cumsum((counts[place] - discount) * likes, 0, out=sums[1:])
        own = sums[begin + size] - sums[begin]
        followers = _Followers(word, sums, begin, size, own, own)
        return followers, strength + total, strength + discount * size
