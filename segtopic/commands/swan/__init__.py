"""``segtopic swan``: sequences in, sequences out; a table of commands, no logic."""

from segtopic.commands.table import CommandTable

COMMANDS = {
    "features": "turn recorded speech into features to learn from",
    "train": "learn from pairs of sequences, or from recorded speech",
    "decode": "turn new inputs into outputs, with probabilities",
    "align": "tell which input emits which outputs, where both are known",
    "evaluate": "count errors on pairs, with intervals",
    "transcribe": "write down what is said in sound files, with times",
    "report": "write alignments and figures of a run to one HTML page",
}
TABLE = CommandTable(
    prog="segtopic swan",
    about="Sequences in, sequences out: spelling to sounds, one writing to another, speech.",
    package="segtopic.commands.swan",
    commands=COMMANDS,
)
run = TABLE.run
