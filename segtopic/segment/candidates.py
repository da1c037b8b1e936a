"""Candidates for marked phrases: scored texts in, the probability of every phrase out.

Where a run has a phrase grammar, two experts are multiplied in one lattice over all words of a
text, unknown ones included: the grammar, which knows the roles of words, and the segment model,
which knows what belongs together here. Between two words of one span the model's odds that they
are in one segment, to the power of :data:`TRUST`, weigh every phrase that holds both. A phrase
with a stop word inside ("pomme de terre") is the segment model's alone: it has seen it, or not.

Without a grammar (too little text, or a run of an earlier segtopic) all probabilities are the
segment model's, and only words that it knows can stand in a phrase.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from segtopic.corpus.documents import IntArray
from segtopic.grammar import PhraseGrammar
from segtopic.grammar.clauses import Case, Clauses
from segtopic.grammar.grammar import LONGEST_PHRASE
from segtopic.lattice import Spans, boundary_probabilities, core_posteriors
from segtopic.segment.decided_marks import make_certain, make_impossible, read_decided
from segtopic.segment.decisions import NOTHING_DECIDED, Decisions
from segtopic.segment.segmented import BoolArray, FloatArray
from segtopic.segment.segmenter import ScoredTexts
from segtopic.segment.wishes import Wishes

TRUST = 0.25
"""What the segment model's odds count beside the grammar; 0.15 to 0.35 are as good."""

LEAST_SHARE = 1e-4  # of either side of the odds, as the model may never have seen the words


@dataclass(frozen=True, eq=False)
class Candidates:
    """Phrases of some texts, of ``N`` words.

    Attributes:
        words: As the vocabulary spells them; those it lacks in lower case.
        known: ``(N,)`` whether the vocabulary has the word.
        starts: ``(N,)`` first character in its text.
        ends: ``(N,)`` one after its last character.
        spans: Which words may stand in one phrase.
        text_of_span: ``(S,)``.
        unmarked: ``(N,)`` words that neither begin nor end a phrase.
        probabilities: ``(N, L)`` that exactly ``l`` words from word ``i`` on are a phrase.
        boundaries: ``(N,)`` that no phrase holds both this word and the next.
        joined: ``(N,)`` where a reader has decided that one does.
    """

    words: list[str]
    known: BoolArray
    starts: IntArray
    ends: IntArray
    spans: Spans
    text_of_span: Tensor
    unmarked: Tensor
    probabilities: Tensor
    boundaries: Tensor
    joined: Tensor

    @cached_property
    def text_of_word(self) -> IntArray:
        """``(N,)``"""
        return self.text_of_span[self.spans.span_of_word].numpy()

    @classmethod
    def of_segments(
        cls,
        scored: ScoredTexts,
        vocabulary: tuple[str, ...],
        stop_words: frozenset[str],
        decisions: Decisions = NOTHING_DECIDED,
    ) -> "Candidates":
        """By the segment model alone."""
        encoded, spans = scored.encoded, scored.spans
        longest = scored.scores.shape[1]
        decided = decisions.among(encoded.starts, encoded.ends, spans, longest, "phrase")
        scored = decisions.apply(scored)
        words = [vocabulary[word] for word in encoded.documents.words.tolist()]
        unmarked = torch.tensor([word in stop_words for word in words], dtype=torch.bool)
        per_text = torch.from_numpy(encoded.documents.spans_per_document)
        boundaries = boundary_probabilities(scored.posteriors, spans).clamp(0, 1)
        boundaries[spans.last_word] = 1  # but for rounding, it is
        found = core_posteriors(scored.posteriors, spans, unmarked)
        if decisions:
            cores = found.numpy()
            found = torch.from_numpy(read_decided(lambda _: cores, np.ones(len(words)), decided))
        return cls(
            words=words,
            known=np.ones(len(words), dtype=bool),
            starts=encoded.starts,
            ends=encoded.ends,
            spans=spans,
            text_of_span=torch.arange(len(scored.texts)).repeat_interleave(per_text),
            unmarked=unmarked,
            probabilities=found,
            boundaries=boundaries,
            joined=decided.join,
        )

    @classmethod
    def of_grammar(
        cls,
        scored: ScoredTexts,
        vocabulary: tuple[str, ...],
        stop_words: frozenset[str],
        grammar: PhraseGrammar,
        wishes: Wishes,
        trust: float = TRUST,
        decisions: Decisions = NOTHING_DECIDED,
    ) -> "Candidates":
        """By the grammar and the segment model together, of which the latter is trusted so far."""
        own = cls.of_segments(scored, vocabulary, stop_words)
        clauses = grammar.clauses(scored.texts)
        places = _places(own, clauses)
        words = list(clauses.forms)
        for place, word in zip(places.tolist(), own.words, strict=True):
            words[place] = word
        known = np.zeros(len(words), dtype=bool)
        known[places] = True
        # A stop word with a capital inside a sentence is a name: "Bill", "Inc.", "Third World".
        lower = np.isin(clauses.cases, (Case.LOWER, Case.UNKNOWN))
        unmarked = np.array([form in stop_words for form in clauses.forms], dtype=bool) & lower
        spans = Spans.from_lengths(torch.from_numpy(clauses.lengths))
        longest = max(LONGEST_PHRASE, own.probabilities.shape[1])
        decided = decisions.among(clauses.starts, clauses.ends, spans, longest, "phrase")

        def read(odds: FloatArray) -> FloatArray:
            found = _without(grammar.read(clauses, odds).probabilities, unmarked)
            found = _with_stop_words_inside(found, own, places)
            _fulfil(wishes, found, own, scored, places)
            return found

        odds = _odds(own, places, len(words)) ** trust
        found = read_decided(read, odds, decided) if decisions else read(odds)
        return cls(
            words=words,
            known=known,
            starts=clauses.starts,
            ends=clauses.ends,
            spans=spans,
            text_of_span=torch.from_numpy(clauses.texts[clauses.first]),
            unmarked=torch.from_numpy(unmarked),
            probabilities=torch.from_numpy(found),
            boundaries=torch.from_numpy(1 - _held_together(found)),
            joined=decided.join,
        )


def _places(own: Candidates, clauses: Clauses) -> IntArray:
    """Where the words that the model knows stand among all words."""
    longest = int(max(own.starts.max(initial=0), clauses.starts.max(initial=0))) + 1
    everywhere = clauses.texts * longest + clauses.starts
    found: IntArray = np.searchsorted(everywhere, own.text_of_word * longest + own.starts)
    return found


def _neighbours(own: Candidates, places: IntArray) -> BoolArray:
    """``(N,)`` whether the next known word of the span is also the next word of the text."""
    inside = np.ones(len(places), dtype=bool)
    inside[own.spans.last_word.numpy()] = False
    inside[:-1] &= np.diff(places) == 1
    return inside


def _odds(own: Candidates, places: IntArray, n_words: int) -> FloatArray:
    """``(N,)`` of all words: what the segment model thinks of each word and the next."""
    odds = np.ones(n_words)
    inside = _neighbours(own, places)
    apart = own.boundaries.numpy()[inside]
    odds[places[inside]] = (1 - apart + LEAST_SHARE) / (apart + LEAST_SHARE)
    return odds


def _without(probabilities: FloatArray, unmarked: BoolArray) -> FloatArray:
    """The same without phrases that begin or end with an unmarked word."""
    found = probabilities.copy()
    found[unmarked] = 0
    for length in range(2, found.shape[1] + 1):
        found[: max(len(found) - length + 1, 0), length - 1][unmarked[length - 1 :]] = 0
    return found


def _with_stop_words_inside(found: FloatArray, own: Candidates, places: IntArray) -> FloatArray:
    """The same with the segment model's phrases that hold a stop word."""
    longest = own.probabilities.shape[1]
    if longest > found.shape[1]:
        found = np.pad(found, ((0, 0), (0, longest - found.shape[1])))
    stop, inside = own.unmarked.numpy(), _neighbours(own, places)
    for length in range(3, longest + 1):
        first = np.arange(max(len(places) - length + 1, 0))
        together = np.all([inside[first + more] for more in range(length - 1)], axis=0)
        holds = np.any([stop[first + more] for more in range(1, length - 1)], axis=0)
        chosen = first[together & holds]
        found[places[chosen], length - 1] = own.probabilities[chosen, length - 1].clamp(0, 1)
    return found


def _fulfil(
    wishes: Wishes, found: FloatArray, own: Candidates, scored: ScoredTexts, places: IntArray
) -> None:
    """Phrases to join are phrases for certain; no phrase holds one to split."""
    words = scored.encoded.documents.words
    longest = found.shape[1]
    for begin, length in wishes.splits(words, own.spans):
        make_impossible(found, places[begin], places[begin + length - 1])
    for begin, length in wishes.joins(words, own.spans):
        first, last = places[begin], places[begin + length - 1]
        if last - first != length - 1 or length > longest:
            continue
        make_certain(found, first, length)


def _held_together(found: FloatArray) -> FloatArray:
    """``(N,)`` the probability that one phrase holds a word and the next one."""
    together = np.zeros(len(found))
    for length in range(2, found.shape[1] + 1):
        for more in range(length - 1):
            together[more:] += found[: max(len(found) - more, 0), length - 1]
    return together.clip(0, 1)
