"""Everybody on the same words: documents and contestants in, a row for each model out.

The baselines are tuned on the development part. Contestants (segtopic's runs) come with their
scores of the test documents' scored words, and with what they say of them without segments: over
that the same trigrams are put as over LDA, which tells what the segments are worth. Every row has a
bootstrap interval over documents, and how far a named contestant is ahead of it, paired by
document.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from segtopic.corpus.documents import Documents, IntArray
from segtopic.errors import ConfigError, CorpusError
from segtopic.evaluate.baselines.baseline import Baseline
from segtopic.evaluate.bootstrap import Interval, bootstrap_difference, bootstrap_interval
from segtopic.evaluate.composite import COMPOSITES, WITHOUT_SEGMENTS
from segtopic.evaluate.grid import Grid, quick_grid
from segtopic.evaluate.heldout import DocumentScores, FloatArray, HeldOut
from segtopic.evaluate.tuning import Library, Progress, Settings, Tuned, Tuner, silent
from segtopic.runs import TrainedModel


@dataclass(frozen=True)
class Contestant:
    """A model that was fitted elsewhere, on the same training documents.

    Attributes:
        test: Its scores of the test documents.
        dev: Its development log likelihood per word, if known.
        settings: What a reader of the table should know of it.
        fit_seconds: How long it took to fit, if known.
        document_words: The model without segments, to be given trigrams; ``None`` for no such rows.
    """

    test: DocumentScores
    dev: float | None = None
    settings: Settings = field(default_factory=dict)
    fit_seconds: float | None = None
    document_words: Baseline | None = None

    @classmethod
    def of(cls, run: TrainedModel, test: DocumentScores) -> "Contestant":
        """A run, with its scores."""
        return cls(
            test,
            dev=run.development_likelihood,
            settings={"K": run.model.n_topics, "L": run.config.max_segment_length},
            fit_seconds=run.results["seconds"],
        )


@dataclass(frozen=True)
class ComparisonRow:
    """One model in the table.

    Attributes:
        name: The model.
        settings: What was chosen on the development part.
        dev: Development log likelihood per word.
        test: Test log likelihood per word with its interval.
        reference_ahead: The reference's test log likelihood per word minus this one, paired.
        fit_seconds: How long the chosen settings took to fit; a composite's are those of its base.
        tuning_seconds: How long all settings took; a composite's are those of its bases.
        scores: Per test document.
        words: ``(N,)`` log probability of each scored test word; ``None`` for contestants.
        top_words: ``(K, n)`` the best words of each topic; ``None`` without topics.
    """

    name: str
    settings: Settings
    dev: float | None
    test: Interval
    reference_ahead: Interval | None
    fit_seconds: float | None
    tuning_seconds: float | None
    scores: DocumentScores
    words: FloatArray | None = None
    top_words: IntArray | None = None

    def to_dict(self) -> dict[str, Any]:
        """What a table or a JSON file shows: everything but the arrays."""
        ahead = self.reference_ahead
        return {
            "name": self.name,
            "settings": dict(self.settings),
            "dev": self.dev,
            "test": asdict(self.test),
            "reference_ahead": asdict(ahead) if ahead is not None else None,
            "fit_seconds": self.fit_seconds,
            "tuning_seconds": self.tuning_seconds,
        }


def compare(
    train: Documents,
    dev: Documents,
    test: Documents,
    vocabulary_size: int,
    contestants: Mapping[str, Contestant] | None = None,
    reference: str | None = None,
    grid: Grid | None = None,
    seed: int = 0,
    cache: Path | None = None,
    progress: Progress = silent,
    observed_share: float = 0.75,
) -> list[ComparisonRow]:
    """Tune every baseline and score the test words.

    Args:
        train: What every model was or is fitted to.
        dev: Chooses the settings.
        test: The documents of the contestants' scores.
        vocabulary_size: Of the corpus; every model spreads its probability over so many words.
        contestants: Further models by name.
        reference: The contestant that all rows are compared with; the first one if not given.
        grid: Settings that are tried; the serious ones if not given.
        seed: Of everything random.
        cache: Folder for the results of grid points; a comparison that was interrupted goes on
            where it stopped.
        progress: Called with stage, done and total grid points.
        observed_share: Of each document's words.

    Returns:
        Baselines in the order of their strength of assumptions, then the contestants.
    """
    contestants = contestants or {}
    test_parts = HeldOut.of(test, observed_share)
    reference_scores = _reference_scores(contestants, reference, test_parts)
    dev_parts = HeldOut.of(dev, observed_share)
    tuner = Tuner(
        train, dev_parts, test_parts, vocabulary_size, grid or Grid(), seed, cache, progress
    )
    unigram = tuner.unigram()
    libraries: tuple[Library, ...] = ("gensim", "tomotopy")
    ldas = {library: tuner.lda(library) for library in libraries}
    best = max(libraries, key=lambda library: ldas[library].best.dev)
    tuned = [
        unigram,
        tuner.composite("bigram", [unigram], alone=True),
        *ldas.values(),
        tuner.phrases_lda(ldas[best].best, best),
        *(tuner.composite(name, list(ldas.values())) for name in COMPOSITES),
    ]
    for name, contestant in contestants.items():
        if contestant.document_words is not None:
            words = tuner.given(
                f"topics of {name}",
                contestant.settings,
                contestant.document_words,
                contestant.fit_seconds or 0.0,
            )
            tuned += [tuner.composite(more, [words]) for more in WITHOUT_SEGMENTS]
    return [_row(one, test_parts, reference_scores, seed) for one in tuned] + [
        contestant_row(name, contestant, reference_scores, seed)
        for name, contestant in contestants.items()
    ]


def contestant_row(
    name: str, contestant: Contestant, reference: DocumentScores | None, seed: int = 0
) -> ComparisonRow:
    """A contestant in the table, beside the scores of the reference."""
    return ComparisonRow(
        name=name,
        settings=contestant.settings,
        dev=contestant.dev,
        test=bootstrap_interval(contestant.test, seed=seed),
        reference_ahead=_ahead(reference, contestant.test, seed),
        fit_seconds=contestant.fit_seconds,
        tuning_seconds=None,
        scores=contestant.test,
    )


def quick_lda(
    train: Documents,
    dev: Documents,
    test: Documents,
    vocabulary_size: int,
    seed: int = 0,
    progress: Progress = silent,
    observed_share: float = 0.75,
    reference: DocumentScores | None = None,
) -> ComparisonRow:
    """One LDA, tuned over a small grid: a few seconds for a few hundred documents."""
    test_parts = HeldOut.of(test, observed_share)
    dev_parts = HeldOut.of(dev, observed_share)
    grid = quick_grid(train.n_words)
    tuner = Tuner(train, dev_parts, test_parts, vocabulary_size, grid, seed, None, progress)
    return _row(tuner.lda("tomotopy"), test_parts, reference, seed)


def _row(tuned: Tuned, test: HeldOut, reference: DocumentScores | None, seed: int) -> ComparisonRow:
    best = tuned.best
    scores, top_words = test.scores(best.scores.test), best.scores.top_words
    return ComparisonRow(
        name=best.name,
        settings=best.settings,
        dev=best.dev,
        test=bootstrap_interval(scores, seed=seed),
        reference_ahead=_ahead(reference, scores, seed),
        fit_seconds=best.scores.seconds,
        tuning_seconds=tuned.tuning_seconds,
        scores=scores,
        words=best.scores.test,
        top_words=top_words if len(top_words) else None,
    )


def _ahead(reference: DocumentScores | None, scores: DocumentScores, seed: int) -> Interval | None:
    return None if reference is None else bootstrap_difference(reference, scores, seed=seed)


def _reference_scores(
    contestants: Mapping[str, Contestant], reference: str | None, test: HeldOut
) -> DocumentScores | None:
    """Checked before anything is fitted: a wrong name should not cost minutes."""
    for name, contestant in contestants.items():
        if not np.array_equal(contestant.test.words, test.scored.words_per_document):
            raise CorpusError(
                f"'{name}' was not scored on the words that are compared; "
                "evaluate it on the same corpus, split and observed share"
            )
    if reference is None:
        reference = next(iter(contestants), None)
    if reference is None:
        return None
    if reference not in contestants:
        raise ConfigError(
            f"the reference '{reference}' is not among the contestants: {', '.join(contestants)}"
        )
    return contestants[reference].test
