"""``--time-column`` and ``--group-column``: their flags, and how topics over them are shown."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from jsonargparse import Namespace

from segtopic.commands.arguments import CommandParser
from segtopic.commands.describing import describe_first
from segtopic.commands.display import print_line, print_table, remark
from segtopic.errors import ConfigError

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.explore.changes import Changes, TopicChange
    from segtopic.runs import TrainedModel

MOST_GROUPS = 12
TOLD = 5  # topics that changed most, whose phrases are told


def add_column_flags(made: CommandParser) -> None:
    """The flags of the commands that know them."""
    add = made.add_argument
    add("--time-column", type=str, help="years or dates: show how topics change over them")
    add("--group-column", type=str, help="names, such as of venues: show how topics differ by them")
    add(
        "--time-bins",
        type=str,
        default="year",
        help="dates by year, decade, quarter or month, or a number of bins of about equal size",
    )
    add(
        "--text-column",
        type=str,
        help="of the table that --data names, if the text has another name there than in training",
    )
    add("--max-groups", type=int, default=MOST_GROUPS, help="groups; smaller ones are 'others'")


def found_changes(
    trained: "TrainedModel", chosen: Namespace, n_phrases: int = 5
) -> dict[str, "Changes"]:
    """Topics ``over_time`` and ``by_group``, as far as columns are named."""
    if not chosen.time_column and not chosen.group_column:
        return {}
    from segtopic.explore.of_run import over_columns

    describe_first(trained)
    found = over_columns(
        trained,
        chosen.time_column,
        chosen.group_column,
        chosen.time_bins,
        chosen.max_groups,
        n_phrases,
    )
    for each in found.values():
        if each.without:
            some = ", ".join(f"'{value}'" for value in each.unread)
            what = f", or one that is no time, as {some}" if some else ""
            remark(
                f"{each.without:,} documents have no value in '{each.column}'{what}; "
                "they are left out"
            )
    return found


def changes_csv(found: Mapping[str, "Changes"]) -> str:
    """One file; the header stands once."""
    if len(found) > 1:
        raise ConfigError("CSV holds one of --time-column and --group-column; give one, or --json")
    (only,) = found.values()
    return only.to_csv()


def print_changes(run: str, found: Mapping[str, "Changes"], n_topics: int) -> None:
    """Tables for people."""
    if "over_time" in found:
        _print_times(run, found["over_time"], n_topics)
    if "by_group" in found:
        _print_groups(run, found["by_group"], n_topics)


def _print_times(run: str, over_time: "Changes", n_topics: int) -> None:
    from segtopic.explore.changes import sparkline

    first, last = over_time.values[0], over_time.values[-1]
    order = sorted(over_time.topics, key=lambda topic: -topic.change)
    shown = sorted(order, key=lambda topic: -abs(topic.change))[:n_topics]
    rows = [
        (
            str(topic.topic),
            topic.name,
            sparkline(topic.share),
            _interval(topic, 0),
            _interval(topic, -1),
            f"{topic.change:+.1%}{'' if topic.is_certain else ' ?'}",
        )
        for topic in order
        if topic in shown
    ]
    title = f"{run}: shares of topics from {first} to {last}, with 95 % intervals over documents"
    header = ("topic", "name", over_time.column, first, last, "change")
    print_table(title, header, rows)
    print_line("? where the intervals meet")
    for topic in sorted(shown, key=lambda topic: -abs(topic.change))[:TOLD]:
        _print_phrases(topic, over_time)


def _print_groups(run: str, by_group: "Changes", n_topics: int) -> None:
    rows = []
    for topic in by_group.topics[:n_topics]:
        order = sorted(range(len(topic.share)), key=lambda place: -topic.share[place])
        most, least = order[0], order[-1]
        rows.append(
            (
                str(topic.topic),
                topic.name,
                f"{by_group.values[most]}: {_interval(topic, most)}",
                f"{by_group.values[least]}: {_interval(topic, least)}",
                ", ".join(topic.phrases[most][:3]),
            )
        )
    title = f"{run}: where topics have their largest and smallest shares, by {by_group.column}"
    print_table(title, ("topic", "name", "most", "least", "phrases where it is most"), rows)
    sizes = zip(by_group.values, by_group.documents, strict=True)
    print_line("documents: " + ", ".join(f"{value} {count:,}" for value, count in sizes))


def _print_phrases(topic: "TopicChange", over_time: "Changes") -> None:
    print_line(f"\ntopic {topic.topic}: {topic.name}".lstrip("\n"))
    width = max(map(len, over_time.values))
    for value, share, phrases in zip(over_time.values, topic.share, topic.phrases, strict=True):
        print_line(f"  {value:<{width}}  {share:6.1%}  {', '.join(phrases)}")


def _interval(topic: "TopicChange", place: int) -> str:
    return f"{topic.share[place]:.1%} [{topic.low[place]:.1%}, {topic.high[place]:.1%}]"
