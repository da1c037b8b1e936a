"""Documents repeat themselves: what they hold already in, how probable it is to come again out.

Words: after ``n`` words of which ``c`` were ``w``, the next first word of a segment is ``w`` with
probability ``(a p(w) + c) / (a + n)`` (a Polya urn).

Phrases: after some words of a segment that the document had ``C`` times before, ``c`` times with
``w`` next and with ``N`` different words next, the next word is ``w`` with probability

    ((c - discount)+ + (strength + discount N) p(w)) / (strength + C),

where ``p(w)`` is what the continuation says, and the end of the segment keeps the same share of its
own probability. It is one more level of counts over those of the corpus, as in a hierarchical
Pitman-Yor process: a name that has come once comes again in the same words. Histories of several
words are asked last and their suffixes before them.

What a document holds (:class:`segtopic.model.packing.Urn`) depends on what is asked: in training
what stood *earlier*, so that all words together have one probability; for words to be predicted
what was *observed*; for phrases to be shown all *others* of the document, so that equal words are
cut alike wherever they stand.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from segtopic.model.lookup import at, find
from segtopic.model.packing import PackedBatch, TrieLevel, Urn

FIRST_DISCOUNT, FIRST_STRENGTH = 0.8, 0.5  # near what is learned on news


class OwnPhrases(nn.Module):
    """The urn of a document's phrases; two numbers for each length of a history are learned.

    Args:
        max_length: longest segment in words.
    """

    def __init__(self, max_length: int) -> None:
        super().__init__()
        discounts = torch.full((max_length - 1,), FIRST_DISCOUNT)
        self.discount_logit = nn.Parameter(discounts.logit())
        self.log_strength = nn.Parameter(torch.full((max_length - 1,), FIRST_STRENGTH).log())

    def forward(self, steps: Tensor, ends: Tensor, urn: Urn) -> tuple[Tensor, Tensor]:
        """Log probabilities of words and ends, ``(N, L)`` each, with the urn among their causes.

        Args:
            steps: of the last word of each segment after those before it; the first column, of
                first words, is not changed.
            ends: of the end of each segment.
            urn: what the documents hold.
        """
        dtype = steps.dtype
        discount, strength = self.discount_logit.sigmoid(), self.log_strength.exp()
        seen, size, kinds = (each[:, 1:].to(dtype) for each in urn)
        own = (seen - discount).clamp(min=0) / (strength + size)
        share = (strength + discount * kinds) / (strength + size)
        words, all_ends = [steps[:, 0]], []
        for length in range(1, steps.shape[1]):
            word, end = steps[:, length].exp(), steps.new_zeros(len(steps))
            for suffix in range(1, length + 1):
                later = length - suffix  # where the suffix of the history starts
                own_, share_ = (_moved(each[:, suffix - 1], later) for each in (own, share))
                word = own_ + share_ * word
                end = end + share_.log()
            impossible = (word <= 0) | steps[:, length].isneginf() & (own[:, length - 1] <= 0)
            words.append(word.masked_fill(impossible, 1).log().masked_fill(impossible, -torch.inf))
            all_ends.append(ends[:, length - 1] + end)
        return torch.stack(words, dim=1), torch.stack([*all_ends, ends[:, -1]], dim=1)


def _moved(values: Tensor, places: int) -> Tensor:
    """``values[i + places]``; what would stand after the last one is never asked for."""
    return F.pad(values[places:], (0, places))


def observed_urn(observed: PackedBatch, scored: PackedBatch, vocabulary_size: int) -> Urn:
    """What the documents hold when words of ``scored`` are drawn: their observed words.

    The scored words themselves stay outside, so that none of them helps to predict another.
    """
    places: list[Tensor] = []  # of the scored nodes among the observed ones, NOWHERE if not there
    history = torch.arange(scored.n_documents, device=scored.node.device)
    for depth, wanted in enumerate(scored.levels):
        known = _level(observed, depth)
        above = history[wanted.parent]
        keys = known.parent * vocabulary_size + known.word  # sorted
        # A history that was not observed makes a key below zero, which is not found either.
        history = find(keys, above * vocabulary_size + wanted.word)
        places.append(history)
    return _gathered(observed, scored, places, left_out=0)


def others_urn(batch: PackedBatch) -> Urn:
    """What the documents hold besides the segment in question."""
    places = [torch.arange(len(level.word), device=level.word.device) for level in batch.levels]
    return _gathered(batch, batch, places, left_out=1)


def _gathered(
    holding: PackedBatch, asking: PackedBatch, places: list[Tensor], left_out: int
) -> Urn:
    """The urn of a batch, whose nodes stand at some places among those of another.

    ``left_out`` is how often the asking segment is itself among what is held.
    """
    columns: list[tuple[Tensor, Tensor, Tensor]] = []
    device = asking.node.device
    history = torch.arange(asking.n_documents, device=device)
    node_of_word, begin = asking.document_of_word, 0
    for depth in range(asking.node.shape[1]):
        level = _level(holding, depth)
        n_above = len(_level(holding, depth - 1).word) if depth else holding.n_documents
        size = torch.zeros(n_above, dtype=torch.long, device=device)
        size.index_add_(0, level.parent, level.count)
        kinds = torch.bincount(level.parent, minlength=n_above)
        exists = asking.node[:, depth] < begin + _n_nodes(asking, depth)
        node = (asking.node[:, depth] - begin).masked_fill(~exists, -1)
        above = at(history + 1, node_of_word) - 1
        count = at(level.count, at(places[depth] + 1, node) - 1) if exists.any() else node * 0
        itself = left_out * exists.long()
        only_itself = itself * (count == 1)
        columns.append(
            (
                (count - itself).clamp(min=0),
                at(size, above) - itself,
                at(kinds, above) - only_itself,
            )
        )
        if exists.any():
            history = places[depth]
        node_of_word, begin = node, begin + _n_nodes(asking, depth)
    return Urn(*(torch.stack(column, dim=1) for column in zip(*columns, strict=True)))


def _n_nodes(batch: PackedBatch, depth: int) -> int:
    return len(_level(batch, depth).word)


def _level(batch: PackedBatch, depth: int) -> TrieLevel:
    """A level of a batch's tries; an empty one where they are not so deep."""
    if depth < len(batch.levels):
        return batch.levels[depth]
    none = batch.node.new_zeros(0)
    return TrieLevel(none, none, none, none)
