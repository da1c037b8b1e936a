"""How much documents like words: their topics in, weights of words out.

A document that is about courts has "york" after "new" less often than one about New York, whatever
the counts of all texts say. Its liking of a word is a power of ``p(w | d) / p(w)``: the share of
the word by the document's topics, against its share in all texts. Gildea and Hofmann (1999) rescale
the unigrams of a language model in the same way.
"""

import torch
from torch import Tensor


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

    def log_of(self, document: Tensor) -> Tensor:
        """``(F, V)``: of all words, the logarithm of how much documents like them."""
        return self.power * self.log_ratios[document]
