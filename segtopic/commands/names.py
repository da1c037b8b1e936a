"""``segtopic names RUN [NUMBER=NAME ...]``: what topics are called, everywhere."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from segtopic.commands.arguments import CommandParser, command_parser, parse
from segtopic.commands.display import print_json, print_line, print_table, tell_description
from segtopic.commands.opening import opening
from segtopic.errors import ConfigError


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "names",
        "Show the names of a run's topics, or give them others: 3='Machine translation'. Names are "
        "kept in names.yaml in the run, which can be edited, and are used wherever topics are "
        "named.",
    )
    made.add_argument("run", type=str, help="folder of the run")
    made.add_argument(
        "names",
        nargs="*",
        type=str,
        default=[],
        help="such as 3='Machine translation'; 3= takes a name away",
    )
    made.add_argument(
        "--write", action="store_true", help="write all names to names.yaml, for an editor"
    )
    made.add_argument("--clear", action="store_true", help="take all names away")
    return made


def run(arguments: Sequence[str]) -> int:
    """Change the names, if that is wanted, and show them."""
    chosen = parse(parser(), arguments)
    if chosen.clear and (chosen.names or chosen.write):
        raise ConfigError("--clear takes all names away; give no others")
    given = dict(map(_name, chosen.names))

    with opening(chosen.run):
        from segtopic.runs import load_run
        from segtopic.runs.naming import NAMES
        from segtopic.topics.naming import named, topic_table

        trained = load_run(chosen.run)
    naming = trained.naming
    if chosen.clear:
        naming = replace(naming, names={})
    elif given:
        naming = replace(naming, names=_changed(naming.names, given))
    if naming != trained.naming:
        trained = named(trained, naming)
    topics = topic_table(trained, tell_description)
    if chosen.write:
        every = {**{topic.number: topic.label for topic in topics}, **naming.names}
        trained = named(trained, replace(naming, names=every))
    if chosen.json:
        by_hand = trained.naming.names
        print_json(
            {
                "run": chosen.run,
                "topics": [
                    {
                        "topic": topic.number,
                        "name": topic.label,
                        "by_hand": topic.number in by_hand,
                        "members": list(trained.view.group(topic.number)),
                        "share": topic.share,
                        "phrases": [term.text for term in topic.phrases],
                    }
                    for topic in topics
                ],
            }
        )
        return 0
    rows = [
        (
            "+".join(map(str, trained.view.group(topic.number))),
            topic.label,
            "by hand" if topic.number in trained.naming.names else "",
            f"{topic.share:.1%}",
            ", ".join(term.text for term in topic.phrases[:5]),
        )
        for topic in topics
    ]
    print_table(f"{chosen.run}: topics by name", ("topic", "name", "", "share", "phrases"), rows)
    if trained.naming.names:
        print_line(f"names by hand: {trained.saved_folder / NAMES}")
    return 0


def _name(assignment: str) -> tuple[int, str]:
    number, equals, name = assignment.partition("=")
    if not equals or not number.strip().isdecimal():
        raise ConfigError(
            f"'{assignment}' names no topic; write NUMBER=NAME, such as 3='Machine translation'"
        )
    return int(number), name.strip()


def _changed(names: Mapping[int, str], given: Mapping[int, str]) -> dict[int, str]:
    return {number: name for number, name in {**names, **given}.items() if name}
