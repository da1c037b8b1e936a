"""Seeds as a prior: names, words and a text encoder in, further counts of the LDA's prior out.

The topics of LDA have a Dirichlet prior with the same pseudo-count for every word. A seed adds to
it in its topic, in proportion to how often the training text has the word,

    eta_kw = eta + strength * n_w,

so that a strength of 1 is as if the whole text had been read once before, each seed in its topic.
That gives a seeded topic its place from the first sample on, whatever the size of the corpus, and
is outweighed where the documents say otherwise. The topics that LDA finds stay in the model as they
are; the network can correct, but not replace them, so the prior holds to the end of training.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segtopic.corpus.documents import IntArray
from segtopic.corpus.spans import TextEncoder
from segtopic.errors import ConfigError
from segtopic.model.lda import FloatArray

SHOWN = 5


class UnknownSeeds(UserWarning):
    """Some seeds are not in the vocabulary."""


@dataclass(frozen=True, eq=False)
class Seeds:
    """What the first topics are to be about.

    Attributes:
        words: Of each seeded topic, by its number: numbers of words, each once.
        strength: Times that the prior has seen each seed, for each time that the text has it.
    """

    words: tuple[IntArray, ...]
    strength: float

    @classmethod
    def of(cls, rows: Sequence[Sequence[str]], encoder: TextEncoder, strength: float) -> "Seeds":
        """Seeds in numbers; a phrase seeds its words. What is unknown is told in a warning."""
        found: list[IntArray] = []
        unknown: list[str] = []
        for name, *seeds in rows:
            encoded = encoder.encode(seeds).documents
            known = encoded.words_per_document > 0
            unknown += [seed for seed, is_known in zip(seeds, known, strict=True) if not is_known]
            if not encoded.n_words:
                raise ConfigError(
                    f"seeds: topic '{name}' has no seed that the corpus knows; give it other words"
                )
            found.append(np.unique(encoded.words).astype(np.int64))
        if unknown:
            more = f" and {len(unknown) - SHOWN} more" if len(unknown) > SHOWN else ""
            named = ", ".join(f"'{seed}'" for seed in unknown[:SHOWN])
            warnings.warn(
                f"seeds that are no words of the corpus are left out: {named}{more}",
                UnknownSeeds,
                stacklevel=2,
            )
        return cls(tuple(found), strength)

    def pseudo_counts(self, n_topics: int, counts: FloatArray) -> FloatArray:
        """``(K, V)``, what is added to the prior of a text with ``(V,)`` counts of words."""
        added = np.zeros((n_topics, len(counts)))
        for topic, words in enumerate(self.words):
            added[topic, words] = self.strength * counts[words]
        return added
