"""Topics and documents as tables, with the columns that users of BERTopic know."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from segtopic.runs import TrainedModel
from segtopic.segment.segmented import FloatArray
from segtopic.topics import Topic
from segtopic.topics.shares import topic_shares

SHOWN_PHRASES = 10


def topic_table(learned: TrainedModel, topics: Sequence[Topic]) -> pd.DataFrame:
    """A row for each topic, the largest first.

    Columns: Topic, Count (training documents of which it is the largest part), Share (of all
    training documents), Name, Representation (its phrases).
    """
    shares = learned.view.shares(topic_shares(learned.model, learned.corpus.train))
    numbers = np.array(learned.view.numbers)[shares.argmax(1).numpy()]
    counts = np.bincount(numbers, minlength=learned.model.n_topics)
    return pd.DataFrame(
        {
            "Topic": [topic.number for topic in topics],
            "Count": [int(counts[topic.number]) for topic in topics],
            "Share": [topic.share for topic in topics],
            "Name": [topic.label for topic in topics],
            "Representation": [_phrases(topic) for topic in topics],
        }
    )


def document_table(
    topics: Sequence[Topic],
    numbers: Sequence[int],
    texts: Sequence[str],
    shares: FloatArray,
    index: pd.Index | None,
) -> pd.DataFrame:
    """A row for each text: Document, Topic (its largest), Name, Representation, Probability.

    ``numbers`` are those of the topics in the columns of ``shares``.
    """
    by_number = {topic.number: topic for topic in topics}
    largest = np.array(numbers)[shares.argmax(1)]
    main = [by_number[number] for number in largest.tolist()]
    return pd.DataFrame(
        {
            "Document": texts,
            "Topic": largest,
            "Name": [topic.label for topic in main],
            "Representation": [_phrases(topic) for topic in main],
            "Probability": shares.max(1, initial=0.0),
        },
        index=index,
    )


def _phrases(topic: Topic) -> list[str]:
    return [term.text for term in topic.phrases[:SHOWN_PHRASES]]
