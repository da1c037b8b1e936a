"""What analysts ask of a fitted model: topics over time, by group, named and merged."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from segtopic.config import SampleConfig
from segtopic.errors import ConfigError, RunError
from segtopic.estimator.inputs import ParameterError, texts_of, value_errors
from segtopic.explore.changes import CANDIDATES, Changes, changes
from segtopic.explore.find import Finder
from segtopic.explore.values import MOST_GROUPS, Binned, groups, times
from segtopic.runs import TrainedModel
from segtopic.sample import DocumentSampler, SampledDocument
from segtopic.segment import Segmenter
from segtopic.segment.segmented import FloatArray
from segtopic.topics import Topic
from segtopic.topics.merging import joined, reduced_to


class Exploring:
    """The methods, for the estimator to inherit."""

    trained_: TrainedModel
    _described: dict[int, list[Topic]]

    def topics_over_time(
        self, X: Any, times_of_texts: Any, *, bins: str | int = "year", n_phrases: int = 5
    ) -> Changes:
        """Shares of the topics in texts of each year, with intervals and phrases.

        Args:
            X: texts.
            times_of_texts: years, or dates such as ``2019-03-01``, one a text.
            bins: 'year', 'decade', 'quarter', 'month', or a number of bins.
            n_phrases: of each topic and time.
        """
        with value_errors():
            values = times(_listed(times_of_texts), "time", str(bins))
        return self._changes(X, values, n_phrases)

    def topics_by_group(
        self, X: Any, groups_of_texts: Any, *, most: int = MOST_GROUPS, n_phrases: int = 5
    ) -> Changes:
        """Shares of the topics in texts of each group, with intervals and phrases.

        Args:
            X: texts.
            groups_of_texts: their names, one a text.
            most: groups; smaller ones are 'others'.
            n_phrases: of each topic and group.
        """
        with value_errors():
            values = groups(_listed(groups_of_texts), "group", most)
        return self._changes(X, values, n_phrases)

    def sample(
        self, n_documents: int = 1, *, first: int = 1, seed: int = 0
    ) -> list[SampledDocument]:
        """Documents drawn from the model, each with its text, topics and segments.

        Args:
            n_documents: so many.
            first: number of the first one; a number and a seed always give the same document.
            seed: of everything random.
        """
        check_is_fitted(self)
        with value_errors():
            config = SampleConfig(documents=n_documents, first=first, seed=seed)
            sampler = DocumentSampler(self.trained_, config.seed)
            return list(sampler.documents(config.documents, config.first))

    def finder(self) -> Finder:
        """Finds documents that the model was fitted to, topics of texts, and phrases."""
        return Finder(self._fitted())

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """The names of the topics, in the order of the columns of ``transform``.

        Args:
            input_features: not used, for a text has no features; as scikit-learn checks them.
        """
        trained = self._fitted()
        _check_feature_names_in(self, input_features, generate_names=False)
        try:
            names = {topic.number: topic.label for topic in self._topics()}
        except RunError:  # saved without the documents that tell the topics' phrases
            names = {number: trained.view.name(number) for number in trained.view.numbers}
        return np.array([names[number] for number in trained.view.numbers], dtype=object)

    def name_topics(self, names: Mapping[int, str]) -> Self:
        """Call topics by these names, everywhere; a saved model keeps them when it is saved again.

        Args:
            names: by the numbers of topics; those that are not in it keep theirs, and an empty name
                takes one away.
        """
        given = {**self._fitted().naming.names, **names}
        return self._renamed(names={number: name for number, name in given.items() if name})

    def merge_topics(self, groups: Iterable[Sequence[int]]) -> Self:
        """Take the topics of each group together, and only these; no group parts all topics again.

        The first topic of a group stands for it. Shares add up; the model stays as it is.
        """
        wanted = [tuple(group) for group in groups]
        with value_errors():
            return self._renamed(merged=joined((), wanted, self._fitted().model.n_topics))

    def reduce_topics(self, n_topics: int) -> Self:
        """Take topics that are alike together until so many are left."""
        with value_errors():
            return self._renamed(merged=reduced_to(self._fitted(), n_topics))

    def _fitted(self) -> TrainedModel:
        check_is_fitted(self)
        return self.trained_

    def _renamed(self, **changed: Any) -> Self:
        naming = replace(self._fitted().naming, **changed)
        with value_errors():
            problem = naming.problem(self.trained_.model.n_topics)
            if problem is not None:
                raise ConfigError(problem)
        self.trained_ = replace(self.trained_, naming=naming)
        self._described = {}
        return self

    def _changes(self, X: Any, values: Binned, n_phrases: int) -> Changes:
        check_is_fitted(self)
        texts = texts_of(X)
        if len(texts) != len(values.place):
            raise ParameterError(
                f"there are {len(texts)} texts, but {len(values.place)} values; give one for each"
            )
        topics = self._topics(CANDIDATES)
        numbers = self.trained_.view.numbers
        shares = self._shares(texts)[:, [numbers.index(topic.number) for topic in topics]]
        documents = self.trained_.encoder.encode(texts).documents
        return changes(topics, shares, documents, self.trained_.vocabulary, values, n_phrases)

    def _shares(self, texts: Sequence[str]) -> FloatArray:
        """``(D, G)`` of the topics as the user sees them."""
        theta = torch.from_numpy(self._segmenter().topics(texts))
        shares: FloatArray = self.trained_.view.shares(theta).numpy()
        return shares

    def _segmenter(self, refine_steps: int | None = None) -> Segmenter:
        raise NotImplementedError

    def _topics(self, n_phrases: int = 0) -> list[Topic]:
        raise NotImplementedError


def _listed(values: Any) -> list[Any]:
    return list(values.tolist() if hasattr(values, "tolist") else values)
