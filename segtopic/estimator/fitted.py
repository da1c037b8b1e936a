"""What a fitted estimator holds, and what its methods share: the model, its topics in words."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from sklearn.utils.validation import check_is_fitted

from segtopic.config import RunConfig
from segtopic.corpus import Vocabulary
from segtopic.model.topic_model import TopicModel
from segtopic.runs import TrainedModel
from segtopic.segment import Segmenter
from segtopic.segment.segmented import FloatArray
from segtopic.topics import Topic, describe_topics

DESCRIBED_PHRASES = 30


class Fitted:
    """For the estimator to inherit."""

    trained_: TrainedModel
    refine_steps: int | None
    _described: dict[int, list[Topic]]  # by the number of phrases

    @property
    def model_(self) -> TopicModel:
        return self.trained_.model

    @property
    def vocabulary_(self) -> Vocabulary:
        return self.trained_.vocabulary

    @property
    def config_(self) -> RunConfig:
        return self.trained_.config

    @property
    def results_(self) -> Mapping[str, Any]:
        return self.trained_.results

    @property
    def n_topics_(self) -> int:
        return self.trained_.model.n_topics

    def _fitted(self) -> TrainedModel:
        check_is_fitted(self)
        return self.trained_

    def _segmenter(self, refine_steps: int | None = None) -> Segmenter:
        steps = self._refine_steps() if refine_steps is None else refine_steps
        return Segmenter.of(self.trained_, steps)

    def _refine_steps(self) -> int:
        """Those asked for, else those of the training."""
        return self.config_.refinement() if self.refine_steps is None else self.refine_steps

    def _topics(self, n_phrases: int = DESCRIBED_PHRASES) -> list[Topic]:
        """The topics with at least so many phrases, if there are so many, the largest first."""
        n_phrases = max(n_phrases, DESCRIBED_PHRASES)
        if n_phrases not in self._described:
            trained = self.trained_
            self._described[n_phrases] = describe_topics(
                trained.model,
                trained.corpus.train,
                trained.vocabulary,
                n_phrases,
                view=trained.view,
            )
        return self._described[n_phrases]

    def _shares(self, texts: Sequence[str]) -> FloatArray:
        """``(D, G)`` of the topics as the user sees them."""
        theta = torch.from_numpy(self._segmenter().topics(texts))
        shares: FloatArray = self.trained_.view.shares(theta).numpy()
        return shares
