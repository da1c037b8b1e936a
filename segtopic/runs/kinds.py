"""The two kinds of run, what each is called, and which files it has.

A command that is given a run of the other kind says so, from its settings or from its seal.
"""

from dataclasses import dataclass

from segtopic.config import RunConfig, SwanConfig

CONFIG, CORPUS, VOCABULARY, DOCUMENTS, WEIGHTS, METRICS, SYMBOLS, DEVELOPMENT = (
    "config.yaml",
    "corpus.json",
    "vocabulary.txt",
    "documents.arrow",
    "model.safetensors",
    "metrics.csv",
    "symbols.json",
    "development.jsonl",
)


@dataclass(frozen=True)
class RunKind:
    """A kind of run.

    Attributes:
        format: Its name in the seal.
        version: That is written.
        readable: Versions that can be read.
        holds: What such a folder holds, in words.
        command: That makes it, after ``segtopic``.
        users: The commands that take it, in words.
        settings: The class of its settings.
        changeable: Settings that may change when a training goes on.
        sealed: Files whose digests are kept; not all runs have all of them.
    """

    format: str
    version: int
    readable: tuple[int, ...]
    holds: str
    command: str
    users: str
    settings: type
    changeable: tuple[str, ...]
    sealed: tuple[str, ...]


TOPICS = RunKind(
    format="segtopic-run",
    version=4,
    readable=(3, 4),  # runs of version 3 have no documents
    holds="a topic model",
    command="train",
    users="'segtopic segment', 'topics', 'evaluate' and the like",
    settings=RunConfig,
    changeable=("epochs",),
    sealed=(CONFIG, CORPUS, VOCABULARY, DOCUMENTS, WEIGHTS, METRICS),
)
SEQUENCES = RunKind(
    format="segtopic-swan-run",
    version=1,
    readable=(1,),
    holds="a sequence model",
    command="swan train",
    users="'segtopic swan decode', 'swan align', 'swan evaluate' or 'swan report'",
    settings=SwanConfig,
    changeable=("threads",),  # the schedule is planned for the epochs
    sealed=(CONFIG, SYMBOLS, DEVELOPMENT, WEIGHTS, METRICS),
)
KINDS = (TOPICS, SEQUENCES)
