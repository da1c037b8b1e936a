"""How much documents like words: their topics in, weights of words out.

A document that is about courts has "york" after "new" less often than one about New York, whatever
the counts of all texts say. Its liking of a word is a power of ``p(w | d) / p(w)``: the share of
the word by the document's topics, against its share in all texts. Gildea and Hofmann (1999) rescale
the unigrams of a language model in the same way.
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F


class Liking:
    """A power of the documents' ratios.

    Args:
        log_ratios: ``(D, V)`` logarithms of the ratios.
        power: a number; 0 likes all words alike.
    """

    def __init__(self, log_ratios: Tensor, power: Tensor) -> None:
        self.log_ratios, self.power = log_ratios, power

    def at(self, document: Tensor, word: Tensor) -> Tensor:
        """``(F,)``: how much documents like words; few are asked for, of all that there are."""
        return self.log_at(document, word).exp()

    def log_at(self, document: Tensor, word: Tensor) -> Tensor:
        """Its logarithm, of the shape that documents and words have together."""
        place = document * self.log_ratios.shape[1] + word
        ratio = self.log_ratios.view(-1).index_select(0, place.reshape(-1)).view(place.shape)
        return self.power * ratio.to(torch.promote_types(ratio.dtype, self.power.dtype))

    def summed(self, words: Tensor, counts: Tensor, discount: Tensor, begins: Tensor) -> Tensor:
        """``(B, D)``: of bags of words, the discounted counts times how much documents like them.

        Args:
            words: ``(F,)`` of one bag after the other.
            counts: ``(F,)`` of them.
            discount: of each count.
            begins: ``(B,)`` where the bags begin.
        """
        summed: Tensor = _Summed.apply(
            self.power, discount, self.log_ratios.detach(), words, counts, begins
        )
        return summed

    def log_of(self, document: Tensor) -> Tensor:
        """``(F, V)``: of all words, the logarithm of how much documents like them."""
        return self.power * self.log_ratios[document]


class _Summed(torch.autograd.Function):
    """A product of few sparse rows and many documents, which ``embedding_bag`` is made for.

    Ratios are given, so the gradient of the power is one more such product: all likes move
    together. Through the likes themselves it would be scattered over the vocabulary.
    """

    @staticmethod
    def forward(
        ctx: Any,
        power: Tensor,
        discount: Tensor,
        log_ratios: Tensor,
        words: Tensor,
        counts: Tensor,
        begins: Tensor,
    ) -> Tensor:
        dtype = torch.promote_types(log_ratios.dtype, power.dtype)
        by_word = log_ratios.t().to(dtype).contiguous()
        likes = (power * by_word).exp_()
        weights = counts.to(dtype) - discount
        ctx.save_for_backward(by_word, likes, words, weights, begins)
        return _bags(words, likes, begins, weights)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        by_word, likes, words, weights, begins = ctx.saved_tensors
        learns_power, learns_discount, *_ = ctx.needs_input_grad
        d_power = d_discount = None
        if learns_power:
            d_power = (gradient * _bags(words, likes * by_word, begins, weights)).sum()
        if learns_discount:
            d_discount = -(gradient * _bags(words, likes, begins, torch.ones_like(weights))).sum()
        return d_power, d_discount, None, None, None, None


def _bags(words: Tensor, rows: Tensor, begins: Tensor, weights: Tensor) -> Tensor:
    return F.embedding_bag(words, rows, begins, mode="sum", per_sample_weights=weights)
