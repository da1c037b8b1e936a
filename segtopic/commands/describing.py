"""Topics described before they are needed, so that a user is told what takes so long."""

from contextlib import suppress
from typing import TYPE_CHECKING

from segtopic.commands.display import tell_description
from segtopic.errors import RunError

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.runs import TrainedModel


def describe_first(trained: "TrainedModel") -> None:
    """Once for a run, some seconds; later they are in the cache. Nothing without documents."""
    from segtopic.topics.naming import topic_table

    with suppress(RunError):
        topic_table(trained, tell_description)
