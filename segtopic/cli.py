"""The command line: a table of commands, no logic.

A command is a module of :mod:`segtopic.commands` with ``parser()`` and ``run(arguments) -> exit
code``; it is imported only when it is called, so that ``segtopic --help`` answers at once.
"""

import io
import os
import sys
from collections.abc import Sequence

from segtopic import __version__
from segtopic.commands.table import CommandTable
from segtopic.errors import SegtopicError
from segtopic.harmless import for_line

COMMANDS = {
    "data": "list the named corpora, or download one",
    "prepare": "turn text into a corpus for training",
    "train": "learn topics and phrases from text",
    "evaluate": "tell how well a run predicts unseen documents",
    "segment": "cut new documents into phrases",
    "sample": "draw new documents from a run",
    "phrases": "show the key phrases of documents, or a dictionary of phrases",
    "apply": "make a table of documents with their topics and key phrases",
    "compare": "put a run beside tuned LDA and other baselines",
    "topics": "show the topics of a run by their phrases, words and documents",
    "find": "find documents, topics of a text, or phrases",
    "names": "show the names of topics, or give them others",
    "merge": "take topics together, or reduce them to so many",
    "tree": "show which topics are alike, as a dendrogram",
    "report": "write all that a run shows to one HTML page",
    "serve": "open a page on this machine that reads texts as they are pasted",
    "completion": "let a shell complete commands, flags and choices",
    "swan": "sequences to sequences: train, decode, align, evaluate, report",
}
TABLE = CommandTable(
    prog="segtopic",
    about="Topics made of phrases, from raw text.",
    package="segtopic.commands",
    commands=COMMANDS,
    more=", and so does 'segtopic help COMMAND'; 'segtopic version' tells the version",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a user's mistake becomes one sentence and exit code 2."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that knows fewer characters than the texts is no reason to stop.
        sys.stdout.reconfigure(errors="backslashreplace")
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        match list(arguments):
            case ["version" | "--version"]:
                print(f"segtopic {__version__}")
                return 0
            case ["help", *command]:
                return TABLE.run([*command, "--help"])
        return TABLE.run(arguments)
    except SegtopicError as error:
        print(f"segtopic: {for_line(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("segtopic: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output went away ('segtopic data | head'): that is not an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
