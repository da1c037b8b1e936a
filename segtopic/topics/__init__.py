"""Topics as phrases: a trained model and its training documents in, descriptions out."""

from segtopic.topics.describe import Term, Topic, TypicalDocument, describe_topics

__all__ = ["Term", "Topic", "TypicalDocument", "describe_topics"]
