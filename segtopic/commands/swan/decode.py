"""``segtopic swan decode RUN FILE``: new inputs to outputs, with probabilities."""

import sys
from collections.abc import Sequence
from dataclasses import replace

from segtopic.commands.arguments import CommandParser, command_parser, parse, settings
from segtopic.commands.display import print_file, remark_skipped
from segtopic.config import DecodeConfig


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "swan decode",
        "Turn inputs, one a line, into outputs: lines of input, output and the probability that "
        "the search found for it.",
        DecodeConfig,
    )
    made.add_argument("run", type=str, help="folder of the run")
    made.add_argument("file", nargs="?", type=str, default="-", help="standard input if '-'")
    return made


def run(arguments: Sequence[str]) -> int:
    """Decode line by line."""
    chosen = parse(parser(), arguments)
    config = settings(chosen, DecodeConfig)
    if chosen.json:
        config = replace(config, format="jsonl")

    from segtopic.corpus.records import BadLines
    from segtopic.swan.lines import decoded_lines
    from segtopic.swan.pairs import input_blocks
    from segtopic.swan.trained import load_swan

    trained = load_swan(chosen.run)
    bad_lines = BadLines(config.on_bad_line)
    predictor = trained.predictor
    blocks = input_blocks(chosen.file, trained.writing, config, bad_lines, predictor.inputs)
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    for lines in decoded_lines(predictor, trained.writing, blocks, config):
        print_file(lines)
        sys.stdout.flush()  # who asks line by line waits for the answer
    remark_skipped(bad_lines.count, bad_lines.examples)
    return 0
