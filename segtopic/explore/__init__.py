"""What a trained model has found: topics as words and phrases."""

from segtopic.explore.topics import Topic, describe_topics

__all__ = ["Topic", "describe_topics"]
