"""``segtopic merge RUN [3,7 ...] [--to N]``: topics taken together, and what that costs."""

import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from segtopic.commands.arguments import CommandParser, command_parser, parse
from segtopic.commands.display import (
    counting,
    print_json,
    print_line,
    print_table,
    tell_description,
)
from segtopic.commands.opening import opening
from segtopic.errors import ConfigError

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.runs import TrainedModel
    from segtopic.topics.fuse import MergeCost


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "merge",
        "Take topics together, wherever topics are shown: their shares add up, and the model stays "
        "as it is. Tells what the test documents' likelihood would be if they were one topic.",
    )
    made.add_argument("run", type=str, help="folder of the run")
    made.add_argument(
        "topics",
        nargs="*",
        type=str,
        default=[],
        help="numbers such as 3,7 12,14; the first stands for all",
    )
    made.add_argument("--to", type=int, help="reduce to so many topics: those that are alike")
    made.add_argument("--undo", action="store_true", help="show all topics of the model again")
    made.add_argument(
        "--no-likelihood", action="store_true", help="do not compute what it costs: faster"
    )
    return made


def run(arguments: Sequence[str]) -> int:
    """Merge, and show what is merged."""
    chosen = parse(parser(), arguments)
    groups = [_group(written) for written in chosen.topics]
    if bool(groups) + (chosen.to is not None) + chosen.undo > 1:
        raise ConfigError("numbers, --to and --undo exclude each other; give one of them")

    with opening(chosen.run):
        from segtopic.runs import load_run
        from segtopic.topics.merging import joined, reduced_to
        from segtopic.topics.naming import named

        trained = load_run(chosen.run)
    merged = trained.naming.merged
    if chosen.undo:
        merged = ()
    elif groups:
        merged = joined(merged, groups, trained.model.n_topics)
    elif chosen.to is not None:
        merged = reduced_to(trained, chosen.to)
    if merged != trained.naming.merged:
        trained = named(trained, replace(trained.naming, merged=merged))
    cost = None
    if merged and not chosen.no_likelihood and len(trained.corpus.split.test):
        from segtopic.topics.fuse import merge_cost

        with counting() as progress:
            cost = merge_cost(trained, trained.view, progress)
    _show(trained, cost, chosen.run, chosen.json)
    return 0


def _show(trained: "TrainedModel", cost: "MergeCost | None", name: str, as_json: bool) -> None:
    from segtopic.topics.naming import topic_table

    topics = {topic.number: topic for topic in topic_table(trained, tell_description)}
    together = [group for group in trained.view.groups if len(group) > 1]
    if as_json:
        print_json(
            {
                "run": name,
                "topics": len(trained.view.groups),
                "model_topics": trained.model.n_topics,
                "merged": [
                    {"topics": list(group), "name": topics[group[0]].label}
                    | {"share": topics[group[0]].share}
                    for group in together
                ],
                "likelihood": None if cost is None else asdict(cost),
            }
        )
        return
    title = f"{name}: {len(trained.view.groups)} topics of the model's {trained.model.n_topics}"
    rows = [
        ("+".join(map(str, group)), topics[group[0]].label, f"{topics[group[0]].share:.1%}")
        for group in together
    ]
    if rows:
        print_table(title, ("together", "name", "share"), rows)
    else:
        print_line(f"{title}, each by itself")
    if cost is not None:
        by = cost.difference
        print_line(
            f"predictive log likelihood per word of the test documents: {cost.before.mean:.4f} as "
            f"before, for the model is the same; {cost.after.mean:.4f} if topics that are together "
            f"were one ({by.mean:+.4f} [{by.low:+.4f}, {by.high:+.4f}])"
        )


def _group(written: str) -> tuple[int, ...]:
    parts = re.split("[,+]", written)  # plus signs as the table has them
    if len(parts) < 2 or not all(part.strip().isdecimal() for part in parts):
        raise ConfigError(f"'{written}' names no topics to merge; write numbers such as 3,7")
    return tuple(map(int, parts))
