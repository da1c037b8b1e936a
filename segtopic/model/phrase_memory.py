"""The phrase memory: how often the training text continued some words in some way.

A softmax alone does not learn phrases: single words win the posterior early, and what continues a
word gets no gradient. So the words after the first are predicted from counts, smoothed as in a
hierarchical Pitman-Yor language model. With ``c(h, w)`` occurrences of word ``w`` after the words
``h``, ``C(h)`` of any word, ``N(h)`` different words, and ``h'`` for ``h`` without its first word,

    r(w | h) = ((c(h, w) - discount)+ + (strength + discount N(h)) r(w | h')) / (strength + C(h))
    B(h)     = (strength + discount N(h)) / (strength + C(h)) * B(h')

are the mass that the counts give to ``w`` and the mass that is left over for all the words that
they know nothing of; over the empty history, ``r = 0`` and ``B = 1``. What is left over is
natural to a segment's end: the next word is then drawn from the document's topics. A segment is
so a phrase that the memory knows, and a boundary is the place where it has nothing to say. Its log
odds are calibrated by two learned numbers; a recurrent network in their place predicts no better.

While training, the counts of the document itself are left out. With them the model would trust
counts that it will not have on new text.

Of a corpus of more than eight million words only what came at least twice is kept
(:mod:`segtopic.corpus.repeated`): most sequences come once, and memory is not to grow with them.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from segtopic.corpus.documents import Documents, IntArray, ranges
from segtopic.corpus.repeated import counted_sequences
from segtopic.model.liking import Liking
from segtopic.model.lookup import at, find
from segtopic.model.packing import TrieLevel
from segtopic.model.word_classes import Pairs


class PhraseMass(NamedTuple):
    """What the memory says, per level of a trie."""

    known: list[Tensor]  # from the second level on, (P,): r(last word | the words before), liked
    left_over: list[Tensor]  # for every level but the longest, (P,): B(the node's words)
    liked: list[Tensor]  # the same levels, (P,): sum over w of r(w | the node's words) liking(w)


class Seen(NamedTuple):
    """The words that were seen after histories of one length, those of each side by side."""

    begin: Tensor  # of each history's words
    word: Tensor


class PhraseMemory(nn.Module):
    """Counts of 2 .. ``max_length`` words inside spans, and how far to trust them.

    The counts are buffers, saved with the model. Four numbers of each length are learned: discount
    and strength, scale and shift of the log odds of the end.
    """

    def __init__(self, vocabulary_size: int, max_length: int) -> None:
        super().__init__()
        self.vocabulary_size = vocabulary_size
        self.max_length = max_length
        for length in range(2, max_length + 1):
            for name in ("keys", "counts", "totals", "types"):
                empty = torch.zeros(0, dtype=torch.long)
                self.register_buffer(f"{name}_{length}", empty)
        self.discount_logit = nn.Parameter(torch.zeros(max_length - 1))
        self.log_strength = nn.Parameter(torch.zeros(max_length - 1))
        self.end_scale = nn.Parameter(torch.ones(max_length - 1))
        self.end_shift = nn.Parameter(torch.zeros(max_length - 1))
        self._seen: dict[int, tuple[Tensor, Seen]] = {}

    def learn(self, documents: Documents) -> None:
        """Count the training documents.

        A history of one word is numbered by the word, a longer one by its place among the sorted
        keys of its length. ``keys`` are ``history * V + word``.
        """
        n_histories = self.vocabulary_size
        levels = counted_sequences(documents, self.vocabulary_size, self.max_length)
        for length, level in enumerate(levels, start=2):
            columns = {
                "keys": level.parent * self.vocabulary_size + level.word,
                "counts": level.count,
                "totals": np.bincount(level.parent, weights=level.count, minlength=n_histories),
                "types": np.bincount(level.parent, minlength=n_histories),
            }
            for name, column in columns.items():
                setattr(self, f"{name}_{length}", torch.from_numpy(column.astype(np.int64)))
            n_histories = len(level.word)

    def forward(
        self, levels: list[TrieLevel], leave_out: bool, liking: Liking | None = None
    ) -> PhraseMass:
        """Look up all nodes of a batch.

        Args:
            levels: of the batch.
            leave_out: whether the documents were among those counted, and are to be left out.
            liking: how much each document likes each word; all the same if not given.
        """
        mass = PhraseMass([], [], [])
        if not levels:
            return mass
        dtype = self.log_strength.dtype
        history = levels[0].word  # each node's words as a number, NOWHERE if never seen
        document = levels[0].parent
        for length in range(2, self.max_length + 1):
            discount, strength = self.trust(length)
            total, types = (
                at(self.get_buffer(f"{name}_{length}"), history) for name in ("totals", "types")
            )
            if liking is not None and length == 2:
                liked = self._liked_after_a_word(history, document, liking, discount)
            elif liking is not None:
                liked = self._liked(length, history, types, document, liking, discount)
            level = levels[length - 1] if length <= len(levels) else None
            if level is not None:
                # A history that was never seen makes a key below zero, which is not found either.
                keys = history[level.parent] * self.vocabulary_size + level.word
                number = find(self.get_buffer(f"keys_{length}"), keys)
                count = at(self.get_buffer(f"counts_{length}"), number)
                before = (count.to(dtype) - discount).clamp(min=0)
                if leave_out:
                    # What was too rare to be kept is not among the counts, and not left out.
                    own = level.count.masked_fill(count == 0, 0)
                    only_here = (count > 0) & (count == own)
                    total = total.index_add(0, level.parent, -own)
                    types = types.index_add(0, level.parent, -only_here.long())
                    count = count - own
                counted = (count.to(dtype) - discount).clamp(min=0)
                if liking is not None:
                    likes = liking.at(document[level.parent], level.word)
                    liked = liked.index_add(0, level.parent, (counted - before) * likes)
                    counted = counted * likes
            total_, types_ = strength + total.to(dtype), types.to(dtype)
            smoothing = strength + discount * types_
            suffix = levels[length - 2].suffix
            above = mass.left_over[-1][suffix] if length > 2 else 1.0
            mass.left_over.append(smoothing / total_ * above)
            if liking is not None:
                if length > 2:
                    liked = liked + smoothing * mass.liked[-1][suffix]
                mass.liked.append(liked / total_)
            if level is None:
                break
            if length > 2:
                counted = counted + smoothing[level.parent] * mass.known[-1][level.suffix]
            mass.known.append(counted / total_[level.parent])
            history, document = number, document[level.parent]
        return mass

    def _liked(
        self,
        length: int,
        history: Tensor,
        types: Tensor,
        document: Tensor,
        liking: Liking,
        discount: Tensor,
    ) -> Tensor:
        """``(P,)``: the discounted counts of all words after each history, times their liking."""
        node, place = self._followers_of(length, history, types)
        likes = liking.at(document[node], self.seen(length).word[place])
        # No count is below one.
        discounted = self.get_buffer(f"counts_{length}")[place].to(likes.dtype) - discount
        return likes.new_zeros(len(history)).index_add(0, node, discounted * likes)

    def _liked_after_a_word(
        self, history: Tensor, document: Tensor, liking: Liking, discount: Tensor
    ) -> Tensor:
        """The same after histories of one word, for all documents at a time.

        A frequent word has thousands of words after it, and stands in many documents.
        """
        distinct, row = history.unique(return_inverse=True)
        types = at(self.get_buffer("types_2"), distinct)
        _, place = self._followers_of(2, distinct, types)
        begins = types.cumsum(0) - types
        words, counts = self.seen(2).word[place], self.get_buffer("counts_2")[place]
        return liking.summed(words, counts, discount, begins.to(words.dtype))[row, document]

    def _followers_of(self, length: int, history: Tensor, types: Tensor) -> tuple[Tensor, Tensor]:
        """Of all that was seen after histories, of which it was seen, and its place."""
        begin = at(self.seen(length).begin, history)
        node = torch.repeat_interleave(types)
        ahead = types.cumsum(0) - types
        return node, torch.arange(len(node), device=node.device) + (begin - ahead)[node]

    def seen(self, length: int) -> Seen:
        """What was seen after histories of ``length - 1`` words; made once for the same counts."""
        keys, types = (self.get_buffer(f"{name}_{length}") for name in ("keys", "types"))
        of, seen = self._seen.get(length, (None, None))
        if seen is None or of is not keys:
            word = (keys % self.vocabulary_size).to(torch.int32)
            seen = Seen(types.cumsum(0) - types, word)
            self._seen[length] = keys, seen
        return seen

    def pairs(self) -> Pairs:
        """All that was counted of two words."""
        if self.max_length == 1:
            nothing = np.zeros(0, dtype=np.int64)
            return Pairs(nothing, nothing, nothing)
        keys, counts = (
            self.get_buffer(f"{name}_2").numpy(force=True) for name in ("keys", "counts")
        )
        return Pairs(keys // self.vocabulary_size, keys % self.vocabulary_size, counts)

    def followers(self, words: IntArray) -> tuple[IntArray, IntArray]:
        """Every word that was seen after one of ``(B,)`` words, and after which of them."""
        pairs = self.get_buffer("keys_2").numpy(force=True)
        begin = np.searchsorted(pairs, words * self.vocabulary_size)
        count = np.searchsorted(pairs, (words + 1) * self.vocabulary_size) - begin
        after = np.repeat(np.arange(len(words)), count)
        return pairs[ranges(begin, count)] % self.vocabulary_size, after

    def end_log_odds(self, left_over: Tensor, length: int) -> Tensor:
        """Log odds that a segment ends after so many words, from what is left over after them.

        Those of the mass, calibrated; infinite where no continuation is known.
        """
        goes_on = 1 - left_over
        nothing = goes_on <= 0
        odds = left_over.log() - goes_on.masked_fill(nothing, 1).log()
        calibrated = self.end_scale[length - 1] * odds + self.end_shift[length - 1]
        return calibrated.masked_fill(nothing, torch.inf)

    def trust(self, length: int) -> tuple[Tensor, Tensor]:
        """Discount and strength of the counts of a length."""
        return self.discount_logit[length - 2].sigmoid(), self.log_strength[length - 2].exp()

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, *arguments: Any
    ) -> None:
        """Take over the loaded counts, however many they are."""
        for name, buffer in self.named_buffers():
            if prefix + name in state_dict:
                setattr(
                    self, name, torch.empty_like(state_dict[prefix + name], device=buffer.device)
                )
        super()._load_from_state_dict(state_dict, prefix, *arguments)
