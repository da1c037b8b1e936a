"""Marked phrases: what a reader is shown of a text, from exact posteriors.

A reader wants the phrases of a text: two or more words, without a stop word at either end (one may
stand inside), none inside another, each with its probability
(:mod:`segtopic.segment.candidates`). A phrase is marked if that is above a threshold; where none is
given, it is the one with the best expected F1 in the document, so that a document's marks are its
own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from segtopic.corpus.spans import SpanRules
from segtopic.corpus.words import load_stop_words
from segtopic.grammar import PhraseGrammar
from segtopic.lattice import Marks, best_marks, best_threshold, together_probabilities
from segtopic.runs import TrainedModel
from segtopic.segment.candidates import TRUST, Candidates
from segtopic.segment.decisions import NOTHING_DECIDED, Decisions
from segtopic.segment.segmented import SegmentedDocument
from segtopic.segment.segmenter import ScoredTexts, Segmenter

Posterior = Literal["exact", "together"]


def shown_stop_words(rules: SpanRules, name: str | None = None) -> frozenset[str]:
    """The words that neither begin nor end a marked phrase.

    Those with the name, or in the file; if none is given those of the run, and where a run has stop
    words as words like any other, the English ones.
    """
    if name is None:
        return rules.function_words
    return load_stop_words(name, rules.config.lowercase)


@dataclass(frozen=True, eq=False)
class Marker:
    """Marks phrases.

    Attributes:
        segmenter: Scores the texts.
        stop_words: Neither begin nor end a phrase.
        threshold: Least probability; by the best expected F1 of each document if not given.
        posterior: ``exact``: that these words, stop words beside them left out, are one phrase;
            ``together``: that they are in one phrase, maybe with others.
        grammar: Knows the roles of words, those that the model does not know included.
        trust: What the segment model counts beside the grammar.
    """

    segmenter: Segmenter
    stop_words: frozenset[str]
    threshold: float | None = None
    posterior: Posterior = "exact"
    grammar: PhraseGrammar | None = None
    trust: float = TRUST

    @classmethod
    def of(
        cls,
        trained: TrainedModel,
        segmenter: Segmenter | None = None,
        threshold: float | None = None,
        posterior: Posterior = "exact",
        stop_words: str | None = None,
    ) -> "Marker":
        """A marker with a trained model; ``stop_words`` as in :func:`shown_stop_words`."""
        words = shown_stop_words(trained.corpus.rules, stop_words)
        grammar = trained.corpus.grammar
        return cls(segmenter or Segmenter.of(trained), words, threshold, posterior, grammar)

    def mark(self, texts: Sequence[str], trained_on: bool = False) -> list[SegmentedDocument]:
        """The marked phrases of each text; see :meth:`Segmenter.score`."""
        found: list[SegmentedDocument] = []
        for batch in self.segmenter.batches(texts, len):
            found += self.read_off(self.segmenter.score(batch, trained_on))
        return found

    def read_off(self, scored: ScoredTexts) -> list[SegmentedDocument]:
        """The marked phrases of scored texts."""
        return self.choose(scored, self.candidates(scored))

    def candidates(self, scored: ScoredTexts, decisions: Decisions = NOTHING_DECIDED) -> Candidates:
        """All phrases with their probabilities; of one text also under a reader's decisions."""
        words = self.segmenter.vocabulary.words
        if self.grammar is None:
            return Candidates.of_segments(scored, words, self.stop_words, decisions)
        wishes = self.segmenter.wishes
        return Candidates.of_grammar(
            scored, words, self.stop_words, self.grammar, wishes, self.trust, decisions
        )

    def choose(self, scored: ScoredTexts, candidates: Candidates) -> list[SegmentedDocument]:
        """The candidates that are marked."""
        return _documents(scored, candidates, self._marks(scored, candidates))

    def _marks(self, scored: ScoredTexts, candidates: Candidates) -> Marks:
        probabilities, spans = candidates.probabilities, candidates.spans
        text = candidates.text_of_span
        if self.threshold is None:
            thresholds = best_threshold(probabilities, spans, text, len(scored.texts))[text]
        else:
            thresholds = probabilities.new_full((spans.n_spans,), self.threshold)
        if self.posterior == "together":
            probabilities = together_probabilities(probabilities, spans, candidates.unmarked)
        return best_marks(probabilities, spans, thresholds, candidates.joined)


def _documents(
    scored: ScoredTexts, candidates: Candidates, marks: Marks
) -> list[SegmentedDocument]:
    """The documents with these phrases; of the other words only those that the model knows."""
    n_words = candidates.spans.n_words
    ends, shown = np.ones(n_words, dtype=bool), candidates.known.copy()
    probabilities = candidates.probabilities[:, 0].clamp(0, 1).numpy().copy()
    first, lengths = marks.first.numpy(), marks.lengths.numpy()
    for more in range(int(lengths.max(initial=0))):
        shown[first[lengths > more] + more] = True
        ends[first[lengths > more + 1] + more] = False
    probabilities[first] = marks.probabilities.clamp(0, 1).numpy()
    found = []
    for number, text in enumerate(scored.texts):
        mine = np.flatnonzero(shown & (candidates.text_of_word == number))
        found.append(
            SegmentedDocument(
                text=text,
                starts=candidates.starts[mine],
                ends=candidates.ends[mine],
                words=tuple(candidates.words[place] for place in mine.tolist()),
                segment_ends=ends[mine],
                boundaries=candidates.boundaries.numpy()[mine],
                probabilities=probabilities[mine],
                topics=scored.topics[number],
                common=scored.common_share(number),
                marked=True,
            )
        )
    return found
