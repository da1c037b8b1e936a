"""The best of several settings: training documents and a grid in, the one with the best dev out.

The test words of every grid point are scored beside the development words, so that nothing has to
be fitted again; the choice never looks at them. A composite is tuned as a whole: its own numbers
are found over every grid point of its base, and the pair that is best on the development words is
chosen. The best LDA alone need not be the best one under a bigram.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from segtopic.corpus.documents import Documents, digest_of_documents
from segtopic.errors import CorpusError
from segtopic.evaluate.baselines.baseline import Baseline
from segtopic.evaluate.baselines.counts import SequenceCounts
from segtopic.evaluate.baselines.gensim_lda import fit_gensim
from segtopic.evaluate.baselines.lda import Lda
from segtopic.evaluate.baselines.phrases_lda import PhraseMerger, PhrasesLda
from segtopic.evaluate.baselines.tomotopy_lda import fit_tomotopy
from segtopic.evaluate.baselines.unigram import Unigram
from segtopic.evaluate.cache import ResultCache, WordScores
from segtopic.evaluate.composite import Evidence, FittedComposite
from segtopic.evaluate.grid import Grid
from segtopic.evaluate.heldout import HeldOut

Library = Literal["gensim", "tomotopy"]
Settings = Mapping[str, Any]
Progress = Callable[[str, int, int], None]
Point = TypeVar("Point")
# Part of every key: to be raised when a baseline computes something else than before.
_RESULTS_VERSION = 1
_NO_TOPICS = np.zeros((0, 0), dtype=np.int64)


def silent(stage: str, done: int, total: int) -> None:
    """Progress that nobody wants to hear of."""


@dataclass(frozen=True)
class Fitted:
    """One grid point of a baseline.

    Attributes:
        name: Of the baseline.
        settings: The grid point.
        scores: What it says.
        dev: Its development log likelihood per word.
    """

    name: str
    settings: Settings
    scores: WordScores
    dev: float


@dataclass(frozen=True)
class Tuned:
    """All grid points of a baseline.

    Attributes:
        tried: In the order of the grid; composites are built over every one of them.
        tuning_seconds: How long it took to fit them all.
    """

    tried: Sequence[Fitted]
    tuning_seconds: float

    @property
    def best(self) -> Fitted:
        """The one with the best development likelihood."""
        return max(self.tried, key=lambda fitted: fitted.dev)


@dataclass(frozen=True)
class Tuner:
    """Fits the grid points of every baseline on the same documents.

    ``progress(stage, done, total)`` hears of each grid point; what it raises ends the tuning, and
    the points that were done are found in the ``cache`` folder again.
    """

    train: Documents
    dev: HeldOut
    test: HeldOut
    vocabulary_size: int
    grid: Grid
    seed: int = 0
    cache: Path | None = None
    progress: Progress = silent

    def __post_init__(self) -> None:
        if not self.train.n_words:
            raise CorpusError("the training part holds no word; give more documents")
        if not self.dev.scored.n_words:
            raise CorpusError(
                "the development part holds no word to choose the baselines' settings by; "
                "give more documents, or a dev_share above 0"
            )
        if not self.test.scored.n_words:
            raise CorpusError(
                "the test part holds no word to score; give more documents, or a test_share above 0"
            )

    def unigram(self) -> Tuned:
        """The smoothed unigram."""

        def fit(point: Settings) -> WordScores:
            return self._fitted(lambda: Unigram.fit(self.train, self.vocabulary_size, **point))

        return self._tuned("unigram", [{"smoothing": value} for value in self.grid.smoothing], fit)

    def lda(self, library: Library) -> Tuned:
        """LDA over single words."""

        def fit(point: Settings) -> WordScores:
            return self._fitted(lambda: self._fit_lda(library, point)(*self._words))

        points = [
            {"topics": topics, "eta": eta, **_effort(library, self.grid)}
            for topics in self.grid.topics
            for eta in self.grid.eta
        ]
        return self._tuned(f"LDA ({library})", points, fit, (library,))

    def phrases_lda(self, lda: Fitted, library: Library) -> Tuned:
        """Phrases merged by gensim, then the LDA whose settings were best over single words.

        Every other setting would have to be fitted again, so this one is not tuned jointly.
        """

        def fit(point: Settings) -> WordScores:
            fit_lda = self._fit_lda(library, lda.settings)
            return self._fitted(
                lambda: PhrasesLda.fit(
                    self.train, PhraseMerger.learn(*self._words, point["threshold"]), fit_lda
                )
            )

        points = [{**lda.settings, "threshold": value} for value in self.grid.phrase_thresholds]
        return self._tuned(f"Phrases + LDA ({library})", points, fit, ("gensim", library))

    def given(self, name: str, settings: Settings, model: Baseline, seconds: float) -> Tuned:
        """A model that was fitted elsewhere, in so many seconds."""

        def fit(_: Settings) -> WordScores:
            return replace(self._fitted(lambda: model), seconds=seconds)

        return self._tuned(name, [settings], fit)

    def composite(self, name: str, bases: Sequence[Tuned], alone: bool = False) -> Tuned:
        """A composite over every grid point of the bases, named after them unless ``alone``.

        Its seconds are those of the bases: they were fitted once, and the search takes less than
        a second for each.
        """
        points = [fitted for base in bases for fitted in base.tried]
        stage = " or ".join(dict.fromkeys(fitted.name for fitted in points)) + f" + {name}"
        dev, test = self._evidence
        tried = []
        for base in self._counted(stage, points):
            composite = FittedComposite.fit(name, base.scores.dev, dev)
            scores = replace(
                base.scores,
                dev=composite.word_log_probabilities(base.scores.dev, dev),
                test=composite.word_log_probabilities(base.scores.test, test),
            )
            settings = {**base.settings, **composite.settings}
            title = name if alone else f"{base.name} + {name}"
            tried.append(self._judged(title, settings, scores))
        return Tuned(tried, sum(base.tuning_seconds for base in bases))

    @property
    def _words(self) -> tuple[Documents, int]:
        return self.train, self.vocabulary_size

    @cached_property
    def _evidence(self) -> tuple[Evidence, Evidence]:
        counts = SequenceCounts.of(*self._words, longest=3)
        return Evidence.of(counts, self.dev), Evidence.of(counts, self.test)

    @cached_property
    def _data_key(self) -> Settings:
        parts = (self.dev.observed, self.dev.scored, self.test.observed, self.test.scored)
        return {
            "documents": digest_of_documents(self.train, *parts),
            "vocabulary_size": self.vocabulary_size,
            "seed": self.seed,
            "results_version": _RESULTS_VERSION,
        }

    def _fit_lda(self, library: Library, settings: Settings) -> Callable[[Documents, int], Lda]:
        fit = {"gensim": fit_gensim, "tomotopy": fit_tomotopy}[library]
        return partial(fit, seed=self.seed, **settings)

    def _fitted(self, fit: Callable[[], Baseline]) -> WordScores:
        begin = time.perf_counter()
        model = fit()
        seconds = time.perf_counter() - begin
        return WordScores(
            dev=model.word_log_probabilities(self.dev),
            test=model.word_log_probabilities(self.test),
            seconds=seconds,
            top_words=model.top_words() if isinstance(model, Lda) else _NO_TOPICS,
        )

    def _tuned(
        self,
        name: str,
        points: Sequence[Settings],
        fit: Callable[[Settings], WordScores],
        libraries: Sequence[str] = (),
    ) -> Tuned:
        """Only what comes from a library takes long enough to be stored."""
        cache = ResultCache(self.cache if libraries else None)
        versions = {library: version(library) for library in ("numpy", *libraries)}
        tried = []
        for point in self._counted(name, points):
            key = {"baseline": name, "settings": point, "versions": versions, **self._data_key}
            tried.append(self._judged(name, point, cache.get(key, partial(fit, point))))
        return Tuned(tried, sum(fitted.scores.seconds for fitted in tried))

    def _judged(self, name: str, settings: Settings, scores: WordScores) -> Fitted:
        return Fitted(name, settings, scores, self.dev.scores(scores.dev).per_word)

    def _counted(self, stage: str, points: Sequence[Point]) -> Iterator[Point]:
        """The points one by one, and progress before, between and after them."""
        for done, point in enumerate(points):
            self.progress(stage, done, len(points))
            yield point
        self.progress(stage, len(points), len(points))


def _effort(library: Library, grid: Grid) -> Settings:
    """What is not tuned, but changes the result."""
    if library == "gensim":
        return {"passes": grid.gensim_passes}
    return {"iterations": grid.tomotopy_iterations, "states": grid.tomotopy_states}
