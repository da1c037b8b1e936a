"""Which topics are taken together: wishes or a number of topics in, groups for ``names.yaml`` out.

>>> joined(((3, 7),), [(7, 1), (4, 5)], n_topics=8)
((3, 7, 1), (4, 5))
"""

from collections.abc import Sequence

from segtopic.errors import ConfigError
from segtopic.runs import TrainedModel
from segtopic.topics.tree import reduced, tree_of

Groups = tuple[tuple[int, ...], ...]


def joined(merged: Groups, wanted: Sequence[tuple[int, ...]], n_topics: int) -> Groups:
    """The groups that are merged, with further ones; groups that share a topic become one."""
    for number in (number for group in wanted for number in group):
        if not 0 <= number < n_topics:
            raise ConfigError(f"there is no topic {number}; the topics are 0 to {n_topics - 1}")
    groups = list(merged)
    for group in wanted:
        touched = [other for other in groups if not set(other).isdisjoint(group)]
        together = tuple(dict.fromkeys(n for other in (*touched, group) for n in other))
        if len(together) < 2:
            raise ConfigError(f"topic {group[0]} cannot be merged with itself; name another one")
        groups = [other for other in groups if other not in touched]
        groups.append(together)
    return tuple(groups)


def reduced_to(trained: TrainedModel, n_topics: int) -> Groups:
    """The groups that leave so many topics, those that are alike; what is merged stays so."""
    there = len(trained.view.groups)
    if not 1 <= n_topics <= there:
        raise ConfigError(
            f"--to is {n_topics}, but there are {there} topics; give a number from 1 to {there}"
        )
    groups = reduced(tree_of(trained), trained.view.groups, n_topics)
    return tuple(group for group in groups if len(group) > 1)
