"""``segtopic swan``: sequences in, sequences out; a table of commands, no logic."""

from segtopic.commands.table import CommandTable

COMMANDS = {
    "train": "learn from pairs of sequences",
    "decode": "turn new inputs into outputs, with probabilities",
    "align": "tell which input emits which outputs, where both are known",
    "evaluate": "count errors on pairs, with intervals",
    "report": "write alignments and figures of a run to one HTML page",
}
TABLE = CommandTable(
    prog="segtopic swan",
    about="Sequences in, sequences out: spelling to sounds, one writing to another.",
    package="segtopic.commands.swan",
    commands=COMMANDS,
)
run = TABLE.run
