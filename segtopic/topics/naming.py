"""What topics are called: a run in, a name for each topic out.

The user's name, if there is one; else the topic's best phrases; else, where a run has no documents
to find them in, its number.
"""

from collections.abc import Callable
from dataclasses import replace

from segtopic.errors import ConfigError, RunError
from segtopic.runs import TrainedModel
from segtopic.runs.naming import Naming
from segtopic.topics.describe import Topic
from segtopic.topics.described import described_topics

NAMING_PHRASES = 8


def named(trained: TrainedModel, naming: Naming) -> TrainedModel:
    """The same run with other names or merged topics, which its folder keeps, if it has one."""
    problem = naming.problem(trained.model.n_topics)
    if problem is not None:
        raise ConfigError(f"{problem}; nothing was changed")
    if trained.folder is not None:
        naming.save(trained.folder)
    return replace(trained, naming=naming)


def topic_table(trained: TrainedModel, before: Callable[[], None] = lambda: None) -> list[Topic]:
    """The topics as the user sees them, with the phrases that tell most, the largest first.

    ``before`` is called if it will take a while.
    """
    return described_topics(trained, NAMING_PHRASES, n_documents=0, before=before)


def topic_names(trained: TrainedModel) -> tuple[str, ...]:
    """Of all topics, in the order of the view; no two of them the same."""
    view = trained.view
    try:
        labels = {topic.number: topic.label for topic in topic_table(trained)}
    except RunError:  # without documents
        labels = {number: view.name(number) for number in view.numbers}
    return tuple(labels[number] for number in view.numbers)
