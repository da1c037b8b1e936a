"""What analysts ask of a fitted model: topics as tables, over time, by group, named and merged."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from segtopic.config import SampleConfig
from segtopic.errors import ConfigError, RunError
from segtopic.estimator.fitted import Fitted
from segtopic.estimator.inputs import ParameterError, texts_of, value_errors
from segtopic.estimator.tables import document_table, topic_table
from segtopic.explore.changes import Changes
from segtopic.explore.changing import CANDIDATES, changes
from segtopic.explore.find import Finder
from segtopic.explore.values import MOST_GROUPS, Binned, groups, times
from segtopic.sample import DocumentSampler, SampledDocument
from segtopic.topics.merging import joined, reduced_to


class Exploring(Fitted):
    """The methods, for the estimator to inherit."""

    def top_phrases(self, topic: int, n: int = 10) -> list[tuple[str, float, int]]:
        """The phrases that tell most about a topic: phrase, probability, count in training."""
        check_is_fitted(self)
        if not 0 <= topic < self.n_topics_:
            raise ParameterError(f"topic is {topic}, but must be one of 0 to {self.n_topics_ - 1}")
        if topic not in self.trained_.view.numbers:
            raise ParameterError(f"topic {topic} is merged into another one; ask for that one")
        (found,) = (found for found in self._topics(n) if found.number == topic)
        return [(term.text, term.probability, term.count) for term in found.phrases[:n]]

    def get_topics(self, n: int = 10) -> dict[int, list[tuple[str, float]]]:
        """The best phrases of every topic with their probabilities, the largest topic first."""
        check_is_fitted(self)
        return {
            topic.number: [(term.text, term.probability) for term in topic.phrases[:n]]
            for topic in self._topics(n)
        }

    def get_topic_info(self) -> pd.DataFrame:
        """A row for each topic: Topic, Count, Share, Name, Representation."""
        check_is_fitted(self)
        return topic_table(self.trained_, self._topics())

    def get_document_info(self, X: Any) -> pd.DataFrame:
        """A row for each text: Document, Topic, Name, Representation, Probability."""
        check_is_fitted(self)
        texts = texts_of(X)
        index = X.index if isinstance(X, pd.Series) else None
        numbers = self.trained_.view.numbers
        return document_table(self._topics(), numbers, texts, self._shares(texts), index)

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


def _listed(values: Any) -> list[Any]:
    return list(values.tolist() if hasattr(values, "tolist") else values)
