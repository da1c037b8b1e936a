"""``segtopic swan evaluate RUN PAIRS``: errors on pairs that were not learned, with intervals."""

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from segtopic.commands.arguments import CommandParser, command_parser, parse, settings
from segtopic.commands.display import counting, print_json, print_table, remark_skipped
from segtopic.config import JudgeConfig, SearchConfig, part_of

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.evaluate.bootstrap import Interval
    from segtopic.swan.evaluation import SwanEvaluation


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "swan evaluate",
        "Count wrong outputs on pairs; an output is right if it equals any of its references.",
        JudgeConfig,
    )
    made.add_argument("run", type=str, help="folder of the run")
    made.add_argument(
        "pairs",
        nargs="?",
        type=str,
        help="pairs, or a folder of features; the development part of the run if not given",
    )
    made.add_argument("--part", type=str, default="test", help="of a folder of features")
    return made


def run(arguments: Sequence[str]) -> int:
    """Evaluate and print."""
    chosen = parse(parser(), arguments)
    config = settings(chosen, JudgeConfig)

    from segtopic.commands.swan.speech import evaluate_speech
    from segtopic.corpus.records import BadLines
    from segtopic.swan.evaluation import evaluate_pairs
    from segtopic.swan.heard import is_listener
    from segtopic.swan.pairs import read_entries
    from segtopic.swan.trained import load_swan

    if is_listener(chosen.run):
        evaluate_speech(chosen.run, chosen.pairs, chosen.part, config, chosen.json)
        return 0
    trained = load_swan(chosen.run)
    bad_lines = BadLines(config.on_bad_line)
    entries, search = trained.development, part_of(config, SearchConfig)
    if chosen.pairs is not None:
        known = trained.predictor.inputs
        entries = read_entries(chosen.pairs, trained.writing, config, bad_lines, known)
    with counting("sequences") as progress:
        found = evaluate_pairs(trained.predictor, entries, search, progress)
    remark_skipped(bad_lines.count, bad_lines.examples)
    judged = chosen.pairs or "development pairs"
    if chosen.json:
        wishes = dataclasses.asdict(search)
        skipped = {"skipped_lines": bad_lines.count}
        print_json(
            {"run": chosen.run, "pairs_file": chosen.pairs, **wishes, **skipped, **found.to_dict()}
        )
    else:
        title = f"{chosen.run} on {judged}, beam {search.beam}"
        print_table(title, ("", ""), evaluation_rows(found))
    return 0


def evaluation_rows(found: "SwanEvaluation") -> list[tuple[str, str]]:
    """The figures in words."""
    rows = [
        ("inputs", f"{found.inputs:,}"),
        ("words wrong", _percent(found.words_wrong)),
        ("symbols wrong", _percent(found.symbols_wrong)),
        ("negative log likelihood", f"{found.nats_per_symbol:.4f} nats per symbol"),
        ("outputs per segment", f"{found.segment_length:.3f}"),
        ("inputs that emit nothing", f"{found.empty_segments:.1%}"),
    ]
    if found.impossible_pairs:
        rows.append(("references that the model cannot say", f"{found.impossible_pairs:,}"))
    return rows


def _percent(interval: "Interval") -> str:
    return f"{interval.mean:.2%}  [{interval.low:.2%}, {interval.high:.2%}]"
