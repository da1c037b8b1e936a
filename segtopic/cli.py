"""The command line: a table of commands, no logic."""

import argparse
import sys
from collections.abc import Sequence

from segtopic import __version__
from segtopic.errors import SegtopicError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a user's mistake becomes one sentence and exit code 2."""
    parser = argparse.ArgumentParser(
        prog="segtopic", description="Topics made of phrases, from raw text."
    )
    parser.add_argument("--version", action="version", version=f"segtopic {__version__}")
    try:
        parser.parse_args(arguments)
        parser.print_help()
    except SegtopicError as error:
        print(f"segtopic: {error}", file=sys.stderr)
        return 2
    return 0
