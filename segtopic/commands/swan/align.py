"""``segtopic swan align RUN PAIRS``: which input emits which outputs."""

import sys
from collections.abc import Sequence

from segtopic.commands.arguments import CommandParser, command_parser, parse, settings
from segtopic.commands.display import print_file, remark_skipped
from segtopic.config import AlignConfig


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "swan align",
        "Tell which input emits which outputs on the best path of each pair: 'X:K+S U:_ S:S' "
        "(several outputs have a plus sign between them, an underscore is nothing). JSON lines "
        "also tell the probability of the path among all paths, and of each of its segments.",
        AlignConfig,
    )
    made.add_argument("run", type=str, help="folder of the run")
    made.add_argument("pairs", nargs="?", type=str, default="-", help="standard input if '-'")
    return made


def run(arguments: Sequence[str]) -> int:
    """Align line by line."""
    chosen = parse(parser(), arguments)
    config = settings(chosen, AlignConfig)

    from segtopic.corpus.records import BadLines
    from segtopic.swan.lines import aligned_lines
    from segtopic.swan.pairs import pair_blocks
    from segtopic.swan.trained import load_swan

    trained = load_swan(chosen.run)
    bad_lines = BadLines(config.on_bad_line)
    predictor = trained.predictor
    blocks = pair_blocks(chosen.pairs, trained.writing, config, bad_lines, predictor.inputs)
    as_json = chosen.json or config.format == "jsonl"
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    for lines in aligned_lines(predictor, blocks, bad_lines, as_json):
        print_file(lines)
        sys.stdout.flush()  # who asks line by line waits for the answer
    remark_skipped(bad_lines.count, bad_lines.examples)
    return 0
