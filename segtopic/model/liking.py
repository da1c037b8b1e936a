"""How much documents like words: their topics in, weights of words out.

A document that is about courts has "york" after "new" less often than one about New York, whatever
the counts of all texts say. Its liking of a word is a power of ``p(w | d) / p(w)``: the share of
the word by the document's topics, against its share in all texts. Gildea and Hofmann (1999) rescale
the unigrams of a language model in the same way.
"""

from functools import cached_property

from torch import Tensor


class Liking:
    """A power of the documents' ratios.

    Args:
        log_by_topics: ``(D, V)`` log probabilities of words by the documents' topics.
        log_frequencies: ``(V,)`` of the words in all texts.
        power: a number; 0 likes all words alike.
    """

    def __init__(self, log_by_topics: Tensor, log_frequencies: Tensor, power: Tensor) -> None:
        self.log_table = power * (log_by_topics - log_frequencies)

    @cached_property
    def table(self) -> Tensor:
        """``(D, V)``: how much each document likes each word."""
        return self.log_table.exp()
