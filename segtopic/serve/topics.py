"""The topics as the living page names and colours them: a run in, names and words out."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from segtopic.corpus.vocabulary import Vocabulary
from segtopic.errors import RunError
from segtopic.report.topic_list import gather_topics, topics_of_phrases
from segtopic.runs import TrainedModel
from segtopic.runs.naming import Naming
from segtopic.runs.view import TopicView
from segtopic.segment.segmented import FloatArray, SegmentedDocument


@dataclass(frozen=True, eq=False)
class LiveTopics:
    """Topics by their numbers in the model.

    Attributes:
        described: For each topic its number, label, share of the training documents (``None`` if
            unknown), hue and phrases.
        words: ``(K, V)`` distributions of words; ``None`` for a run without its documents, whose
            topics have no more than numbers.
    """

    described: list[dict[str, Any]]
    words: FloatArray | None

    @classmethod
    def of(cls, trained: TrainedModel) -> "LiveTopics":
        """The topics of a run, with names where its documents are there to tell them."""
        n_topics = trained.model.n_topics
        # The shares of a text are those of the model's own topics, as `segtopic segment` has them.
        apart = TopicView.of(Naming(trained.naming.names), n_topics)
        try:
            found = gather_topics(trained, apart)
        except RunError:
            numbered: list[dict[str, Any]] = [
                {
                    "number": number,
                    "label": f"topic {number}",
                    "share": None,
                    "hue": round(360 * number / n_topics),
                    "phrases": [],
                }
                for number in range(n_topics)
            ]
            return cls(numbered, None)
        described: list[dict[str, Any]] = [
            {
                "number": topic.number,
                "label": topic.label,
                "share": round(topic.share, 5),
                "hue": topic.hue,
                "phrases": [phrase.text for phrase in topic.phrases],
            }
            for topic in found.shown
        ]
        by_number = np.argsort(found.order)
        described.sort(key=lambda topic: topic["number"])
        return cls(described, found.words[by_number])

    def of_phrases(self, document: SegmentedDocument, vocabulary: Vocabulary) -> list[int]:
        """The most probable topic of each phrase."""
        if self.words is None:
            return [int(document.topics.argmax())] * len(document.phrases)
        return topics_of_phrases(document, vocabulary, document.topics, self.words)
