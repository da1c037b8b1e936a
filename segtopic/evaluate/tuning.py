"""The best of several settings: training documents and a grid in, the one with the best dev out.

The test words of every grid point are scored beside the development words, so that nothing has to
be fitted again; the choice never looks at them.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import numpy as np

from segtopic.corpus.documents import Documents, digest_of_documents
from segtopic.errors import CorpusError
from segtopic.evaluate.baselines.baseline import Baseline
from segtopic.evaluate.baselines.bigram import BigramCounts, NeighbourCounts
from segtopic.evaluate.baselines.gensim_lda import fit_gensim
from segtopic.evaluate.baselines.lda import Lda
from segtopic.evaluate.baselines.phrases_lda import PhraseMerger, PhrasesLda
from segtopic.evaluate.baselines.tomotopy_lda import fit_tomotopy
from segtopic.evaluate.baselines.unigram import Unigram
from segtopic.evaluate.baselines.urn import ObservedWords
from segtopic.evaluate.cache import ResultCache, WordScores
from segtopic.evaluate.grid import Grid
from segtopic.evaluate.heldout import FloatArray, HeldOut

Library = Literal["gensim", "tomotopy"]
Settings = Mapping[str, Any]
Progress = Callable[[str, int, int], None]
Transform = Callable[[FloatArray, float], FloatArray]
# Part of every key: to be raised when a baseline computes something else than before.
_RESULTS_VERSION = 1
_NO_TOPICS = np.zeros((0, 0), dtype=np.int64)


def silent(stage: str, done: int, total: int) -> None:
    """Progress that nobody wants to hear of."""


@dataclass(frozen=True)
class Tuned:
    """The grid point with the best development likelihood.

    Attributes:
        name: Of the baseline.
        settings: What was chosen.
        scores: What it says.
        dev: Its development log likelihood per word.
        tuning_seconds: How long it took to fit the whole grid; the chosen point alone is in
            ``scores``.
    """

    name: str
    settings: Settings
    scores: WordScores
    dev: float
    tuning_seconds: float


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

        return self._best("unigram", [{"smoothing": value} for value in self.grid.smoothing], fit)

    def lda(self, library: Library) -> Tuned:
        """LDA over single words."""

        def fit(point: Settings) -> WordScores:
            return self._fitted(lambda: self._fit_lda(library, point)(*self._words))

        points = [
            {"topics": topics, "eta": eta, **_effort(library, self.grid)}
            for topics in self.grid.topics
            for eta in self.grid.eta
        ]
        return self._best(f"LDA ({library})", points, fit, (library,))

    def phrases_lda(self, lda: Tuned, library: Library) -> Tuned:
        """Phrases merged by gensim, then the LDA whose settings were best over single words."""

        def fit(point: Settings) -> WordScores:
            fit_lda = self._fit_lda(library, lda.settings)
            return self._fitted(
                lambda: PhrasesLda.fit(
                    self.train, PhraseMerger.learn(*self._words, point["threshold"]), fit_lda
                )
            )

        points = [{**lda.settings, "threshold": value} for value in self.grid.phrase_thresholds]
        return self._best(f"Phrases + LDA ({library})", points, fit, ("gensim", library))

    def bigram(self, base: Tuned, name: str) -> Tuned:
        """A bigram that backs off to what was tuned before."""
        dev, test = self._neighbours
        return self._over(base, name, "mu", self.grid.mu, dev.smoothed, test.smoothed)

    def urn(self, base: Tuned, name: str) -> Tuned:
        """A memory of each document's own words over what was tuned before."""
        dev, test = self._observed
        return self._over(base, name, "urn", self.grid.urn, dev.drawn, test.drawn)

    def _over(
        self,
        base: Tuned,
        name: str,
        setting: str,
        values: Sequence[float],
        on_dev: Transform,
        on_test: Transform,
    ) -> Tuned:
        """A model made of another one's log probabilities, and one number."""

        def fit(point: Settings) -> WordScores:
            return replace(
                base.scores,
                dev=on_dev(base.scores.dev, point[setting]),
                test=on_test(base.scores.test, point[setting]),
            )

        points = [{**base.settings, setting: value} for value in values]
        # The base was fitted once, not once for every value.
        return replace(self._best(name, points, fit), tuning_seconds=base.tuning_seconds)

    @property
    def _words(self) -> tuple[Documents, int]:
        return self.train, self.vocabulary_size

    @cached_property
    def _neighbours(self) -> tuple[NeighbourCounts, NeighbourCounts]:
        counts = BigramCounts.of(*self._words)
        return counts.look_up(self.dev.scored), counts.look_up(self.test.scored)

    @cached_property
    def _observed(self) -> tuple[ObservedWords, ObservedWords]:
        size = self.vocabulary_size
        return ObservedWords.of(self.dev, size), ObservedWords.of(self.test, size)

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

    def _best(
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
        for done, point in enumerate(points):
            self.progress(name, done, len(points))
            key = {"baseline": name, "settings": point, "versions": versions, **self._data_key}
            tried.append(cache.get(key, partial(fit, point)))
        self.progress(name, len(points), len(points))
        likelihoods = [self.dev.scores(scores.dev).per_word for scores in tried]
        best = int(np.argmax(likelihoods))
        return Tuned(
            name=name,
            settings=points[best],
            scores=tried[best],
            dev=likelihoods[best],
            tuning_seconds=sum(scores.seconds for scores in tried),
        )


def _effort(library: Library, grid: Grid) -> Settings:
    """What is not tuned, but changes the result."""
    if library == "gensim":
        return {"passes": grid.gensim_passes}
    return {"iterations": grid.tomotopy_iterations, "states": grid.tomotopy_states}
