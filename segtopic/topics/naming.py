"""What topics are called: a run in, a name for each topic out.

The user's name, if there is one; else the topic's best phrases; else, where a run has no documents
to find them in, its number.
"""

from segtopic.errors import RunError
from segtopic.runs import TrainedModel
from segtopic.topics.describe import describe_topics
from segtopic.topics.view import TopicView

NAMING_PHRASES = 8


def topic_names(trained: TrainedModel) -> tuple[str, ...]:
    """Of all topics, in the order of the view; no two of them the same."""
    view = TopicView.of(trained.naming, trained.model.n_topics)
    try:
        train = trained.corpus.train
    except RunError:
        return tuple(view.names.get(number, f"topic {number}") for number in view.numbers)
    topics = describe_topics(
        trained.model, train, trained.vocabulary, NAMING_PHRASES, n_documents=0, view=view
    )
    labels = {topic.number: topic.label for topic in topics}
    return tuple(labels[number] for number in view.numbers)
