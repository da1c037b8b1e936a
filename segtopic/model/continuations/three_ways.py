"""``three-ways``: a segment ends, goes on as the memory knows, or goes on as the network makes it.

After the words ``h`` of a segment in document ``d``, with the network's state ``s`` after them,

    p(w | h, d) = p(memory) r(w | h) l(w) / Z + p(network) n(w | s, d),

and the rest of the probability is the end's. ``r`` are the counts of the phrase memory
(:mod:`segtopic.model.phrase_memory`), which carry the model from the first epoch on. They are
weighed by how much the document likes a word, ``l(w)`` (:mod:`segtopic.model.liking`); ``Z`` sums
over all that was seen after ``h``. So what follows a word depends on the topic although it is
counted over the whole text. ``n`` is the network's softmax, which likes words as the document does
(:mod:`segtopic.model.class_softmax`). It needs not have seen the words together: it makes phrases
that were never counted.

The three ways share one softmax over the memory's odds, as in ``phrases``, what the document
thinks of the known continuations (``Z``), and the network's state. The network's way can be closed
(``network_words``), and all words liked alike (``liked_words``).
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from segtopic.corpus.documents import IntArray
from segtopic.model.class_softmax import ClassSoftmax, Likes
from segtopic.model.continuations.draws import Draws
from segtopic.model.continuations.first_words import WEIGHT_DEVIATION
from segtopic.model.continuations.phrases import CountedPhrases
from segtopic.model.continuations.protocol import (
    Context,
    Counted,
    NextWords,
    SegmentSettings,
    Steps,
)
from segtopic.model.continuations.three_ways_draws import ThreeWaysDraws
from segtopic.model.liking import Liking
from segtopic.model.packing import Histories, TrieLevel, pack_phrases
from segtopic.model.word_classes import word_classes

FIRST_LIKING = 0.5  # the power of the documents' ratio, at first
NARROW = 64  # numbers of the state that make further words; 128 predict no better
NARROW_DROPOUT = 0.4
NOTHING_KNOWN = -10.0  # stands for the log of nothing in the odds of an end
CLOSED = -30.0  # log weight of a way that nobody takes
FIRST_NETWORK = -2.0  # log weight of the network beside an end, at first: the memory carries


class ThreeWays(CountedPhrases):
    """End, memory or network after each word; see the module's docstring."""

    reads_words = True

    def __init__(self, settings: SegmentSettings) -> None:
        super().__init__(settings)
        n_histories = settings.max_length - 1
        self.narrow = nn.Linear(settings.hidden_size, NARROW, bias=False)
        self.further = ClassSoftmax(settings.vocabulary_size, NARROW)
        self.ways = nn.Linear(settings.hidden_size, 2, bias=False)  # of the memory, the network
        self.way_shift = nn.Parameter(torch.full((n_histories,), FIRST_NETWORK))
        self.way_odds = nn.Parameter(torch.zeros(n_histories))
        self.way_agreement = nn.Parameter(torch.full((n_histories,), FIRST_LIKING))
        self.memory_liking = nn.Parameter(torch.tensor(FIRST_LIKING))
        self.network_liking = nn.Parameter(torch.tensor(FIRST_LIKING))
        self.log_frequencies: Tensor
        self.register_buffer("log_frequencies", torch.zeros(settings.vocabulary_size))

    @torch.no_grad()
    def start(self, counted: Counted) -> None:
        """From counts; the network's further words begin as their frequencies."""
        super().start(counted)
        self.log_frequencies.copy_(counted.frequencies.log())
        counts = counted.documents.word_counts(self.settings.vocabulary_size)
        class_of = word_classes(self.phrases.pairs(), counts)
        self.further.start(counted.frequencies, torch.from_numpy(class_of), WEIGHT_DEVIATION)
        nn.init.zeros_(self.ways.weight)

    def fast_parameters(self) -> Iterable[nn.Parameter]:
        """What weighs counts, and the ways against each other."""
        yield from super().fast_parameters()
        yield from (self.way_shift, self.way_odds, self.way_agreement)

    def freeze_corrections(self) -> None:
        """Close the network's way: what has not learned what follows what would join any words."""
        super().freeze_corrections()
        with torch.no_grad():
            self.way_shift.fill_(CLOSED)
        for part in (self.narrow, self.further, self.ways, self.way_shift, self.way_odds):
            part.requires_grad_(False)

    def forward(self, context: Context, levels: list[TrieLevel]) -> Steps:
        """See :class:`Continuation`."""
        if context.span_ends:
            histories = Histories.all_of(levels, len(self.open_levels(levels)))
        else:
            histories = Histories.followed(levels)
        begin, *states = context.histories(histories.levels)
        log_first = self.logits(context, begin).log_softmax(1)
        words, ends = [log_first[levels[0].parent, levels[0].word]], []
        ratios = self.log_ratios(log_first)
        mass = self.phrases(levels, context.leave_out, self.liking(ratios, self.memory_liking))
        document = [levels[0].parent]
        for level in levels[1:]:
            document.append(document[-1][level.parent])
        made: list[Tensor] = []
        if self._has_network:
            groups = [each[n] for each, n in zip(document, histories.numbers, strict=False)]
            likes = self.likes(log_first)
            made = self._made(states, groups, histories.place, levels[1:], likes)
        for depth, (state, numbers) in enumerate(zip(states, histories.numbers, strict=True)):
            left_over, liked = mass.left_over[depth][numbers], mass.liked[depth][numbers]
            ways = self.log_ways(state, left_over, liked, depth)
            end = ways.end.new_zeros(len(levels[depth].word))
            ends.append(end.index_copy(0, numbers, ways.end))
            if depth + 1 < len(levels):
                parent = histories.place[depth]
                unknown = mass.known[depth] <= 0
                share = mass.known[depth].masked_fill(unknown, 1).log()
                share = share - liked[parent].masked_fill(unknown, 1).log()
                share = (ways.memory[parent] + share).masked_fill(unknown, -torch.inf)
                if made:
                    share = torch.logaddexp(share, ways.network[parent] + made[depth])
                words.append(share)
        ends += [begin.new_zeros(())] * (len(levels) - len(ends))  # they are certain
        return Steps(words, ends)

    @property
    def _has_network(self) -> bool:
        return self.settings.network_words

    def log_ratios(self, log_first: Tensor) -> Tensor:
        """Shares of words among first words to those in all texts, which documents like them by.

        Topics are learned from first words; here they are only used.
        """
        return log_first.detach() - self.log_frequencies

    def liking(self, log_ratios: Tensor, learned: Tensor) -> Liking:
        """By a learned power; zero, if all words are to be liked alike."""
        power = learned if self.settings.liked_words else torch.zeros_like(learned)
        return Liking(log_ratios, power)

    def log_ways(self, state: Tensor, left_over: Tensor, liked: Tensor, depth: int) -> "Ways":
        """How probable each way is after the words of some nodes of a level.

        Args:
            state: ``(P, H)`` the network's.
            left_over: ``(P,)`` what the memory leaves over.
            liked: ``(P,)`` what it says goes on, as far as the documents like it.
            depth: of the level, 0 for that of first words.
        """
        goes_on = 1 - left_over
        nothing = (goes_on <= 0) | (liked <= 0)
        log_goes_on = goes_on.masked_fill(nothing, 1).log()
        agrees = liked.masked_fill(nothing, 1).log() - log_goes_on
        odds = left_over.log() - log_goes_on.masked_fill(nothing, NOTHING_KNOWN)
        by_state = self.ways(state)
        memory = self.way_agreement[depth] * agrees + by_state[:, 0]
        end = self.phrases.end_scale[depth] * odds + self.phrases.end_shift[depth]
        network = self.way_shift[depth] + self.way_odds[depth] * odds + by_state[:, 1]
        memory = memory.masked_fill(nothing, -torch.inf)
        if not self._has_network:
            network = torch.full_like(network, -torch.inf)
        return Ways(*torch.stack([end, memory, network]).log_softmax(0))

    def _made(
        self,
        states: list[Tensor],
        document: list[Tensor],
        parent: list[Tensor],
        levels: list[TrieLevel],
        likes: Likes,
    ) -> list[Tensor]:
        """Log probabilities by the network of the words of levels, of which parents have states."""
        if not levels:
            return []
        sizes = [len(level.word) for level in levels]
        begins = [0, *torch.tensor([len(state) for state in states]).cumsum(0).tolist()]
        above = torch.cat([each + begin for each, begin in zip(parent, begins, strict=False)])
        word = torch.cat([level.word for level in levels])
        rows, row = above.unique_consecutive(return_inverse=True)
        group = torch.cat(document).index_select(0, rows)
        narrowed = self._narrowed(torch.cat(states).index_select(0, rows))
        return list(self.further.log_at(narrowed, row, word, group, likes).split(sizes))

    def likes(self, log_first: Tensor) -> Likes:
        """How much documents like the network's words and classes, by their first words' shares."""
        log_first = log_first.detach()
        in_all_texts = self.further.summed(self.log_frequencies.exp()[None])
        by_class = self.further.summed(log_first.exp()).log() - in_all_texts.log()
        return Likes(
            self.liking(self.log_ratios(log_first), self.network_liking),
            self.liking(by_class, self.network_liking),
        )

    def _narrowed(self, states: Tensor) -> Tensor:
        return F.dropout(self.narrow(states), NARROW_DROPOUT, self.training)

    def propose(self, context: Context, beginnings: IntArray, least_share: Tensor) -> NextWords:
        """All words: the network's share of each, and the memory's of those that it knows."""
        length = beginnings.shape[1]
        batch = pack_phrases(beginnings, self.settings.max_length)
        levels = batch.levels[:length]
        begin, *states = context.histories(levels)
        log_first = self.logits(context, begin).log_softmax(1)
        ratios = self.log_ratios(log_first)
        liking = self.liking(ratios, self.memory_liking)
        node = batch.first_nodes(length)
        mass = self.phrases(batch.levels, leave_out=False, liking=liking)
        left_over, liked = mass.left_over[length - 1], mass.liked[length - 1]
        ways = self.log_ways(states[-1], left_over, liked, length - 1)
        goes_on = torch.logaddexp(ways.memory, ways.network)
        narrowed = self._narrowed(states[-1])
        one_document = torch.zeros(len(narrowed), dtype=torch.long)
        log_made = self.further.log_all(narrowed, one_document, self.likes(log_first))
        by_network = (ways.network - goes_on).nan_to_num(-torch.inf)  # nothing may go on at all
        share = (log_made + by_network[:, None]).exp()[node]
        word, beginning = self.phrases.followers(beginnings[:, -1])
        if len(word):
            continued = np.column_stack([beginnings[beginning], word])
            longer = pack_phrases(continued, self.settings.max_length)
            known = self.phrases(longer.levels, leave_out=False, liking=liking).known[length - 1]
            known = known[longer.first_nodes(length + 1)]
            of, word_ = torch.from_numpy(beginning), torch.from_numpy(word)
            counted = (ways.memory - goes_on)[node][of].exp() * known / liked[node][of]
            share.index_put_((of, word_), counted.nan_to_num(), accumulate=True)
        return NextWords.at_least(share.log(), least_share)

    def draws(self, contexts: Iterable[Context]) -> Draws:
        """Which way first, then a word of it."""
        return ThreeWaysDraws(self, contexts)


class Ways(NamedTuple):
    """Log probabilities after each node of a level, ``(P,)``."""

    end: Tensor
    memory: Tensor
    network: Tensor
