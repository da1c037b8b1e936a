"""What a trained model has found: topics as words and phrases."""

from segtopic.explore.topics import Term, Topic, TypicalDocument, describe_topics

__all__ = ["Term", "Topic", "TypicalDocument", "describe_topics"]
