"""How well a run finds content phrases, beside a rule of one line and gensim's ``Phrases``.

The protocol: the run and gensim learn from the training documents of the run, and see the judged
text cut into the same spans; the rule of one line sees every word of the text. No found phrase
begins or ends with a stop word. Gensim's settings are those with the best F1 on ``tuned_on``, which
should be another part of the gold text than the one that is judged. Nothing of the run is fitted to
gold phrases.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product
from typing import Any, NamedTuple

import numpy as np

from segtopic.config import TokenConfig
from segtopic.corpus.documents import Documents
from segtopic.corpus.spans import EncodedTexts, SpanRules
from segtopic.evaluate.baselines.phrases_lda import PhraseMerger
from segtopic.evaluate.content import ContentAgreement, ContentText, Places
from segtopic.evaluate.heldout import BoolArray
from segtopic.evaluate.segmenters import GensimPhrases
from segtopic.runs import TrainedModel
from segtopic.segment.marking import Marker, shown_stop_words
from segtopic.segment.segmented import SegmentedDocument
from segtopic.segment.segmenter import ScoredTexts, Segmenter

RULE_LENGTHS = (2, 3, 4)
Progress = Callable[[str, int], None]


class PhrasesSetting(NamedTuple):
    """Of gensim's ``Phrases``."""

    scoring: str
    threshold: float
    min_count: int
    passes: int

    def __str__(self) -> str:
        shape = f"min_count {self.min_count}, {self.passes} pass" + "es" * (self.passes > 1)
        return f"{self.scoring} {self.threshold:g}, {shape}"


PHRASES_GRID = tuple(
    PhrasesSetting(scoring, threshold, min_count, passes)
    for scoring, thresholds in (
        ("default", (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)),
        ("npmi", (0.0, 0.1, 0.2, 0.3, 0.4, 0.6)),
    )
    for threshold, min_count, passes in product(thresholds, (1, 5), (1, 2))
)


@dataclass(frozen=True)
class ContentJudged:
    """One way to find phrases."""

    name: str
    agreement: ContentAgreement

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"name": self.name, **self.agreement.to_dict()}


def judge_content(
    trained: TrainedModel,
    gold: ContentText,
    tuned_on: ContentText,
    progress: Progress = lambda stage, done: None,
    grid: Sequence[PhrasesSetting] = PHRASES_GRID,
) -> list[ContentJudged]:
    """The simpler ways, then the run."""
    stop_words = shown_stop_words(trained.corpus.rules)
    judged = [
        ContentJudged(
            f"stop-word-free runs of {'2' if longest == 2 else f'2 to {longest}'} words",
            gold.agreement(stop_word_free_runs(gold.texts, stop_words, longest)),
        )
        for longest in RULE_LENGTHS
    ]
    setting, merger = _best_phrases(trained, tuned_on, grid, stop_words, progress)
    encoded = trained.encoder.encode(gold.texts)
    ends = GensimPhrases(merger)(encoded.documents)
    found = _trimmed_segments(trained, encoded, ends, stop_words)
    judged.append(ContentJudged(f"gensim Phrases, {setting}", gold.agreement(found)))
    progress("segtopic", 0)
    return judged + [
        ContentJudged(f"segtopic, {name}", gold.agreement(places))
        for name, places in _of_the_run(trained, gold.texts).items()
    ]


def stop_word_free_runs(texts: Sequence[str], stop_words: frozenset[str], longest: int) -> Places:
    """The rule of one line: runs of 2 to ``longest`` words between stop words, marks and numbers.

    What a word is, is settled by the default rules; a longer run is no phrase.
    """
    rules = SpanRules(TokenConfig(), stop_words)
    tokeniser = rules.tokeniser()

    def runs() -> Iterator[tuple[int, int, int]]:
        for number, text in enumerate(texts):
            tokens = tokeniser.tokens(text)
            for is_run, run in groupby(tokens, lambda token: rules.may_be_word(token.form)):
                words = list(run)
                if is_run and 1 < len(words) <= longest:
                    yield number, words[0].start, words[-1].end

    return Places.of(runs())


def _of_the_run(trained: TrainedModel, texts: Sequence[str]) -> dict[str, Places]:
    """What the run finds, in several ways; the texts are scored once."""
    segmenter = Segmenter.of(trained)
    marker = Marker.of(trained, segmenter)
    ways: dict[str, Callable[[ScoredTexts], list[SegmentedDocument]]] = {
        "best segmentation": lambda scored: segmenter.read_off(scored, segmenter.best(scored)),
        "marked phrases": marker.read_off,
        "marked where they stay together": replace(marker, posterior="together").read_off,
    }
    if marker.grammar is not None:
        ways["marked by the grammar alone"] = replace(marker, trust=0.0).read_off
        ways["marked by the segment model alone"] = replace(marker, grammar=None).read_off
    found: dict[str, list[SegmentedDocument]] = {name: [] for name in ways}
    for batch in segmenter.batches(texts, len):
        scored = segmenter.score(batch)
        for name, way in ways.items():
            found[name] += way(scored)
    return {name: phrase_places(documents) for name, documents in found.items()}


def phrase_places(documents: Sequence[SegmentedDocument]) -> Places:
    """Where the phrases of several words stand in some texts."""
    return Places.of(
        (number, phrase.start, phrase.end)
        for number, document in enumerate(documents)
        for phrase in document.phrases
        if len(phrase.words) > 1
    )


def _best_phrases(
    trained: TrainedModel,
    tuned_on: ContentText,
    grid: Sequence[PhrasesSetting],
    stop_words: frozenset[str],
    progress: Progress,
) -> tuple[PhrasesSetting, PhraseMerger]:
    encoded = trained.encoder.encode(tuned_on.texts)
    train: Documents = trained.corpus.train
    best: tuple[float, PhrasesSetting, PhraseMerger] | None = None
    for done, setting in enumerate(grid):
        progress("gensim Phrases", done)
        merger = PhraseMerger.learn(train, len(trained.vocabulary), **setting._asdict())
        ends = GensimPhrases(merger)(encoded.documents)
        places = _trimmed_segments(trained, encoded, ends, stop_words)
        f1 = tuned_on.agreement(places).exact.f1
        if best is None or f1 > best[0]:
            best = f1, setting, merger
    if best is None:
        raise ValueError("the grid of settings is empty")
    return best[1:]


def _trimmed_segments(
    trained: TrainedModel, encoded: EncodedTexts, ends: BoolArray, stop_words: frozenset[str]
) -> Places:
    """Segments of several words, without the stop words at their ends."""
    is_stop = np.array([word in stop_words for word in trained.vocabulary.words], dtype=bool)
    unmarked = is_stop[encoded.documents.words].tolist()
    document = np.repeat(
        np.arange(encoded.documents.n_documents), encoded.documents.words_per_document
    ).tolist()
    rows, first = [], 0
    for end in (np.flatnonzero(ends) + 1).tolist():
        begin, last, first = first, end - 1, end
        while begin < last and unmarked[begin]:
            begin += 1
        while begin < last and unmarked[last]:
            last -= 1
        if begin < last:
            rows.append((document[begin], int(encoded.starts[begin]), int(encoded.ends[last])))
    return Places.of(rows)
