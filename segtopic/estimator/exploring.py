"""What analysts ask of a fitted model: topics over time and by group."""

from collections.abc import Sequence
from typing import Any

from sklearn.utils.validation import check_is_fitted

from segtopic.estimator.inputs import ParameterError, texts_of, value_errors
from segtopic.explore.changes import CANDIDATES, Changes, changes
from segtopic.explore.values import MOST_GROUPS, Binned, groups, times
from segtopic.runs import TrainedModel
from segtopic.segment import Segmenter
from segtopic.segment.segmented import FloatArray
from segtopic.topics import Topic
from segtopic.topics.view import TopicView


class Exploring:
    """The methods, for the estimator to inherit."""

    trained_: TrainedModel

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

    def _changes(self, X: Any, values: Binned, n_phrases: int) -> Changes:
        check_is_fitted(self)
        texts = texts_of(X)
        if len(texts) != len(values.place):
            raise ParameterError(
                f"there are {len(texts)} texts, but {len(values.place)} values; give one for each"
            )
        topics = self._topics(CANDIDATES)
        numbers = TopicView.of(self.trained_.naming, self.trained_.model.n_topics).numbers
        shares = self._shares(texts)[:, [numbers.index(topic.number) for topic in topics]]
        documents = self.trained_.encoder.encode(texts).documents
        return changes(topics, shares, documents, self.trained_.vocabulary, values, n_phrases)

    def _shares(self, texts: Sequence[str]) -> FloatArray:
        """``(D, G)`` of the topics as the user sees them."""
        import torch

        view = TopicView.of(self.trained_.naming, self.trained_.model.n_topics)
        theta = self._segmenter().topics(texts)
        shares: FloatArray = view.shares(torch.from_numpy(theta)).numpy()
        return shares

    def _segmenter(self, refine_steps: int | None = None) -> Segmenter:
        raise NotImplementedError

    def _topics(self, n_phrases: int = 0) -> list[Topic]:
        raise NotImplementedError


def _listed(values: Any) -> list[Any]:
    return list(values.tolist() if hasattr(values, "tolist") else values)
