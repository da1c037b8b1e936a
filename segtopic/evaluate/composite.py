"""Models with more and more of what segtopic has: word scores and counts in, better ones out.

Topics know what a document is about. What segtopic has beside them can be put over any model of a
document's words, level by level (:mod:`segtopic.evaluate.baselines.pitman_yor`):

- an *urn* of the document's observed words, with segtopic's one number or with a discount;
- a *bigram* of the training text with Dirichlet smoothing, its one number called ``mu``;
- a *trigram* of the training text, which backs off to a bigram, each with discount and strength;
- the document's *own bigrams*, counted in its observed words.

Histories are words before the scored one in the same span, scored ones among them, as inside a
segment. What is counted of the document are its observed words only. A trigram over Kneser-Ney's
counts of kinds is 0.02 nats per word worse on AP, and a fourth word gains nothing: spans are short.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from segtopic.evaluate.baselines.counts import Seen, SequenceCounts, observed_counts
from segtopic.evaluate.baselines.pitman_yor import Level, Trust, fit_trusts, stacked
from segtopic.evaluate.heldout import FloatArray, HeldOut


@dataclass(frozen=True)
class Evidence:
    """Everything that counts say of the scored words of held-out documents."""

    bigrams: Seen
    trigrams: Seen
    own_words: Seen
    own_bigrams: Seen

    @classmethod
    def of(cls, train: SequenceCounts, held_out: HeldOut) -> "Evidence":
        """Look up in the counts of the training text, and count the observed words."""
        _, bigrams, trigrams = train.look_up(held_out.scored)
        return cls(bigrams, trigrams, *observed_counts(held_out, train.vocabulary_size, longest=2))


@dataclass(frozen=True)
class Ingredient:
    """A level of a composite.

    Attributes:
        counts: Its field in :class:`Evidence`.
        start: Where the search for its numbers begins; a discount of 0 is kept.
    """

    counts: Literal["bigrams", "trigrams", "own_words", "own_bigrams"]
    start: Trust

    def seen(self, evidence: Evidence) -> Seen:
        """Its counts."""
        found: Seen = getattr(evidence, self.counts)
        return found


_URN = Ingredient("own_words", Trust(300.0))
_DISCOUNTED_URN = Ingredient("own_words", Trust(100.0, 0.7))
_TRIGRAM = {
    "bigram": Ingredient("bigrams", Trust(1.0, 0.7)),
    "trigram": Ingredient("trigrams", Trust(1.0, 0.7)),
}
_OWN_BIGRAMS = {"own bigrams": Ingredient("own_bigrams", Trust(0.3, 0.8))}

# What each composite adds to its base, the lowest level first, by the name in its settings.
COMPOSITES: Mapping[str, Mapping[str, Ingredient]] = {
    "bigram": {"mu": Ingredient("bigrams", Trust(30.0))},
    "urn": {"urn": _URN},
    "urn + bigram": {"urn": _URN, "mu": Ingredient("bigrams", Trust(30.0))},
    "urn + trigram": {"urn": _URN, **_TRIGRAM},
    "urn + trigram + own bigrams": {"urn": _URN, **_TRIGRAM, **_OWN_BIGRAMS},
    "discounted urn + trigram + own bigrams": {
        "urn": _DISCOUNTED_URN,
        **_TRIGRAM,
        **_OWN_BIGRAMS,
    },
}
# Those that have all that segtopic has but segments.
WITHOUT_SEGMENTS = tuple(name for name in COMPOSITES if "trigram" in name)


@dataclass(frozen=True)
class FittedComposite:
    """A composite over a certain base, its numbers found on development words."""

    name: str
    trusts: list[Trust]

    @classmethod
    def fit(cls, name: str, base: FloatArray, evidence: Evidence) -> "FittedComposite":
        """Find all numbers together, for ``(N,)`` log probabilities of the base."""
        levels = [Level(one.seen(evidence), one.start) for one in COMPOSITES[name].values()]
        return cls(name, fit_trusts(base, levels))

    def word_log_probabilities(self, base: FloatArray, evidence: Evidence) -> FloatArray:
        """``(N,)`` over those of the base."""
        seen = [ingredient.seen(evidence) for ingredient in COMPOSITES[self.name].values()]
        return stacked(base, seen, self.trusts)

    @property
    def settings(self) -> dict[str, Any]:
        """Each level's strength, or its discount and strength."""
        return {
            name: [trust.discount, trust.strength] if ingredient.start.discount else trust.strength
            for (name, ingredient), trust in zip(
                COMPOSITES[self.name].items(), self.trusts, strict=True
            )
        }
