"""A softmax over a large vocabulary in two steps: the class of a word, then the word in its class.

With hidden values ``s``, classes ``c(w)`` (:mod:`segtopic.model.word_classes`) and a document
``d``,

    p(w | s, d) = p(c(w) | s, d) p(w | c(w), s, d),

where the first factor is a softmax over the classes, the second one over the words of a class
(Goodman 2001). A word so needs two hundred logits out of ten thousand, and its probability is
exact. Both softmaxes are offset by how much the document likes words (:mod:`segtopic.model.liking`)
and classes: their share of its words, against that in all texts.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from segtopic.model.liking import Liking
from segtopic.model.word_classes import number_of_classes


class ClassSoftmax(nn.Module):
    """Makes words of hidden values.

    Args:
        vocabulary_size: number of words ``V``.
        width: of the hidden values, ``H``.
    """

    def __init__(self, vocabulary_size: int, width: int) -> None:
        super().__init__()
        self.n_classes = number_of_classes(vocabulary_size)
        self.words = nn.Linear(width, vocabulary_size)
        self.classes = nn.Linear(width, self.n_classes)
        self.class_of: Tensor
        self.register_buffer("class_of", torch.arange(vocabulary_size) % self.n_classes)

    @torch.no_grad()
    def start(self, frequencies: Tensor, class_of: Tensor, deviation: float) -> None:
        """From given classes: every word as frequent as it is, nearly whatever the hidden values.

        Args:
            frequencies: ``(V,)`` of the words.
            class_of: ``(V,)``; no class is empty.
            deviation: of the weights.
        """
        self.class_of.copy_(class_of)
        self.words.bias.copy_(frequencies.log())
        self.classes.bias.copy_(self.summed(frequencies[None])[0].log())
        nn.init.normal_(self.words.weight, std=deviation)
        nn.init.normal_(self.classes.weight, std=deviation)

    def summed(self, of_words: Tensor) -> Tensor:
        """``(D, V)`` to ``(D, C)``: over the words of each class."""
        sums = of_words.new_zeros(len(of_words), self.n_classes)
        return sums.index_add(1, self.class_of, of_words)

    def log_at(
        self, hidden: Tensor, row: Tensor, word: Tensor, document: Tensor, likes: "Likes"
    ) -> Tensor:
        """``(P,)`` log probabilities of a few words.

        Args:
            hidden: ``(R, H)``.
            row: ``(P,)`` which row of ``hidden``; a row may be asked for many words, or for none.
            word: ``(P,)``.
            document: ``(R,)`` of each row.
            likes: of the documents.
        """
        with torch.autocast(hidden.device.type, enabled=False):
            return self._log_at(hidden.to(self.words.weight.dtype), row, word, document, likes)

    def _log_at(
        self, hidden: Tensor, row: Tensor, word: Tensor, document: Tensor, likes: "Likes"
    ) -> Tensor:
        its_class = self.class_of[word]
        log_class = self.log_classes(hidden, document, likes)[row, its_class]
        # Each row once for every class that it is asked for, ordered by class.
        asked, place = (its_class * len(hidden) + row).unique(return_inverse=True)
        rows = asked % max(len(hidden), 1)
        per_class = torch.bincount(asked // max(len(hidden), 1), minlength=self.n_classes)
        weight, bias = self.words.weight, self.words.bias
        order, sizes = self._by_class()
        sums: Tensor = _LogSums.apply(
            hidden.index_select(0, rows),
            weight,
            bias,
            likes.words.power,
            likes.words.log_ratios,
            document[rows],
            order,
            list(zip(_slices(per_class), _slices(sizes), strict=True)),
        )
        logit = (hidden[row] * weight[word]).sum(1) + bias[word]
        return log_class + logit + likes.words.log_at(document[row], word) - sums[place]

    def log_all(self, hidden: Tensor, document: Tensor, likes: "Likes") -> Tensor:
        """``(R, V)`` log probabilities of all words; see :meth:`log_at`."""
        logits = self.words(hidden) + likes.words.log_of(document)
        classes = self.class_of.expand(logits.shape)
        top = logits.new_full((len(hidden), self.n_classes), -torch.inf)
        top = top.scatter_reduce(1, classes, logits.detach(), "amax")
        sums = self.summed((logits - top.gather(1, classes)).exp()).log() + top
        return logits + (self.log_classes(hidden, document, likes) - sums)[:, self.class_of]

    def log_classes(self, hidden: Tensor, document: Tensor, likes: "Likes") -> Tensor:
        """``(R, C)`` log probabilities of the classes."""
        return (self.classes(hidden) + likes.classes.log_of(document)).log_softmax(1)

    def logits(self, hidden: Tensor, document: Tensor, words: Tensor, liking: Liking) -> Tensor:
        """``(R, M)`` of the words of one class."""
        of_words = torch.addmm(self.words.bias[words], hidden, self.words.weight[words].t())
        return of_words + liking.log_at(document[:, None], words)

    def members(self) -> Sequence[Tensor]:
        """The words of each class."""
        order, sizes = self._by_class()
        return order.split(sizes.tolist())

    def _by_class(self) -> tuple[Tensor, Tensor]:
        """All words, class by class, and how many each has."""
        sizes = torch.bincount(self.class_of, minlength=self.n_classes)
        return self.class_of.argsort(stable=True), sizes


class Likes(NamedTuple):
    """How much documents like words and classes."""

    words: Liking
    classes: Liking


def _slices(sizes: Tensor) -> list[slice]:
    """Of so many things each, one after the other."""
    ends = sizes.cumsum(0).tolist()
    return [slice(*edges) for edges in pairwise([0, *ends])]


class _LogSums(torch.autograd.Function):
    """``(Q,)``: of rows that are ordered by class, the log of the sum over the words of the class.

    Words are laid out class by class, so that all that is needed of a class lies together. Autograd
    alone would make ten times as many operations on these small matrices.
    """

    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        weight: Tensor,
        bias: Tensor,
        power: Tensor,
        log_ratios: Tensor,
        document: Tensor,
        order: Tensor,
        classes: list[tuple[slice, slice]],
    ) -> Tensor:
        weight, bias = weight.index_select(0, order), bias.index_select(0, order)
        log_ratios = log_ratios.to(hidden.dtype).index_select(1, order)
        power = power.to(hidden.dtype)
        sums = hidden.new_empty(len(hidden))
        kept: list[Tensor] = []
        classes = [(rows, words) for rows, words in classes if rows.start < rows.stop]
        for rows, words in classes:
            ratios = log_ratios[:, words].index_select(0, document[rows])
            logits = torch.addmm(bias[words], hidden[rows], weight[words].t())
            logits.addcmul_(ratios, power)
            sums[rows] = logits.logsumexp(1)
            if any(ctx.needs_input_grad):
                kept += [logits.sub_(sums[rows, None]).exp_(), ratios]
        ctx.save_for_backward(hidden, weight, order, *kept)
        ctx.classes = classes
        return sums

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        hidden, weight, order, *kept = ctx.saved_tensors
        d_hidden, d_weight = torch.empty_like(hidden), torch.zeros_like(weight)
        d_bias, d_power = weight.new_zeros(len(weight)), weight.new_zeros(())
        for (rows, words), shares, ratios in zip(ctx.classes, kept[::2], kept[1::2], strict=True):
            shares = shares * gradient[rows, None]
            d_hidden[rows] = shares @ weight[words]
            d_weight[words] = shares.t() @ hidden[rows]
            d_bias[words] = shares.sum(0)
            d_power += (shares * ratios).sum()
        place = order.argsort()
        return d_hidden, d_weight[place], d_bias[place], d_power, None, None, None, None
