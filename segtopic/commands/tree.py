"""``segtopic tree RUN``: which topics are alike, as a dendrogram."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from segtopic.commands.arguments import CommandParser, command_parser, parse
from segtopic.commands.display import print_json, print_line, tell_description
from segtopic.commands.opening import opening
from segtopic.errors import ConfigError
from segtopic.files import write_atomically

ENDINGS = (".svg", ".html")


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "tree",
        "Show which topics of a run are alike: a dendrogram by the words that they add.",
    )
    made.add_argument("run", type=str, help="folder of the run")
    made.add_argument("-o", "--out", type=str, help="write a picture (.svg) or a page (.html)")
    return made


def run(arguments: Sequence[str]) -> int:
    """Print or draw the tree."""
    chosen = parse(parser(), arguments)
    if chosen.out and Path(chosen.out).suffix not in ENDINGS:
        raise ConfigError(f"--out is '{chosen.out}', but must end in {' or '.join(ENDINGS)}")

    with opening(chosen.run):
        from segtopic.runs import load_run
        from segtopic.topics.dendrogram import tree_lines, tree_page, tree_svg
        from segtopic.topics.naming import topic_table
        from segtopic.topics.tree import tree_of

        trained = load_run(chosen.run)
    by_number = {topic.number: topic for topic in topic_table(trained, tell_description)}
    topics = [by_number[number] for number in trained.view.numbers]
    tree = tree_of(trained)
    if chosen.out:
        svg = tree_svg(tree, [t.label for t in topics], [t.share for t in topics])
        write_atomically(Path(chosen.out), tree_page(svg) if chosen.out.endswith("html") else svg)
    if chosen.json:
        print_json(
            {
                "run": chosen.run,
                "topics": [{"topic": t.number, "name": t.label, "share": t.share} for t in topics],
                "merges": [asdict(merge) for merge in tree.merges],
            }
        )
    elif not chosen.out:
        names = [f"{t.number}: {t.label} ({t.share:.1%})" for t in topics]
        print_line(f"{chosen.run}: topics that are alike; the lower the figure, the more so")
        for line in tree_lines(tree, names):
            print_line(line)
    return 0
