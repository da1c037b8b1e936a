"""Documents repeat themselves: what they hold already in, how probable it is to come again out.

Words: after ``n`` words of which ``c`` were ``w``, the next first word of a segment is ``w`` with
probability ``(a p(w) + c) / (a + n)`` (a Polya urn). Where documents repeat their phrases, too, the
urn has a discount as below, with ``a`` for the strength: a word that came once is less certain to
come again than a count of one says.

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

from segtopic.model.lookup import NOWHERE, at, find
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
            impossible = word <= 0
            words.append(word.masked_fill(impossible, 1).log().masked_fill(impossible, -torch.inf))
            all_ends.append(ends[:, length - 1] + end)
        return torch.stack(words, dim=1), torch.stack([*all_ends, ends[:, -1]], dim=1)


def _moved(values: Tensor, places: int) -> Tensor:
    """``values[i + places]``; what would stand after the last one is never asked for."""
    return F.pad(values[places:], (0, min(places, len(values))))


def observed_urn(observed: PackedBatch, scored: PackedBatch, vocabulary_size: int) -> Urn:
    """What the documents hold when words of ``scored`` are drawn: their observed words.

    The scored words themselves stay outside, so that none of them helps to predict another.
    """
    places: list[Tensor] = []  # of the scored nodes among the observed ones, NOWHERE if not there
    history = torch.arange(scored.n_documents, device=scored.node.device)
    for known, wanted in zip(_all_levels(observed), _all_levels(scored), strict=True):
        keys = known.parent * vocabulary_size + known.word  # sorted
        # A history that was not observed makes a key below zero, which is not found either.
        history = find(keys, history[wanted.parent] * vocabulary_size + wanted.word)
        places.append(history)
    return _gathered(observed, scored, places, among=False)


def others_urn(batch: PackedBatch) -> Urn:
    """What the documents hold besides the segment in question."""
    places = [torch.arange(len(level.word), device=level.word.device) for level in batch.levels]
    places += [batch.node.new_zeros(0)] * (batch.node.shape[1] - len(places))
    return _gathered(batch, batch, places, among=True)


def _gathered(holding: PackedBatch, asking: PackedBatch, places: list[Tensor], among: bool) -> Urn:
    """The urn of a batch whose nodes stand at these places among those of the other.

    ``among``: the two are one, and every segment is to be left out of what it is asked of.
    """
    device, levels = asking.node.device, _all_levels(holding)
    columns: list[tuple[Tensor, Tensor, Tensor]] = []
    history = torch.arange(asking.n_documents, device=device)[asking.document_of_word]
    n_histories, first_node = holding.n_documents, 0
    for depth, (level, place) in enumerate(zip(levels, places, strict=True)):
        size = torch.zeros(n_histories, dtype=torch.long, device=device)
        size.index_add_(0, level.parent, level.count)
        kinds = torch.bincount(level.parent, minlength=n_histories)
        node = asking.node[:, depth] - first_node
        exists = node < len(place)
        node = place.new_full(node.shape, NOWHERE).masked_scatter(exists, place[node[exists]])
        count = at(level.count, node)
        itself = (exists & among).long()
        columns.append(
            (
                count - itself,
                at(size, history) - itself,
                at(kinds, history) - itself * (count == 1),
            )
        )
        history, n_histories, first_node = node, len(level.word), first_node + len(place)
    return Urn(*(torch.stack(column, dim=1) for column in zip(*columns, strict=True)))


def _all_levels(batch: PackedBatch) -> list[TrieLevel]:
    """The levels of a batch's tries, with empty ones where they are not so deep."""
    missing = batch.node.shape[1] - len(batch.levels)
    return batch.levels + [TrieLevel.empty().to(batch.node.device)] * missing
