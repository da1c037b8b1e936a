"""What is done with a trained model: how documents are cut, topics read, and pages served."""

import ipaddress
from dataclasses import dataclass, field
from typing import Literal, get_args

from segtopic.config.checks import SWITCH, check_choice, check_range
from segtopic.config.corpus import InputFormat, SourceConfig
from segtopic.errors import ConfigError

OutputFormat = Literal["text", "jsonl", "csv", "html", "gensim", "parquet"]
ShownPhrases = Literal["best", "marked"]
"""What is shown of a document: its best segmentation, or the phrases that a reader would mark."""
TableFormat = Literal["csv", "jsonl", "parquet"]
Definition = Literal["corner", "peak", "direction", "documents"]
"""Which document stands for a topic."""
DEFAULT_DEFINITION: Definition = "direction"
Rank = Literal["relevance", "divergence", "probability", "lift"]
"""What comes first in the list of a topic."""


@dataclass(frozen=True)
class ReadingConfig:
    """How new documents are read.

    Attributes:
        input_format: How the source is laid out; by its extension if not given.
        text_column: Column with the text; several, separated by commas, are joined. If not given,
            those of the training where the source has them, else 'text'.
        id_column: Column that names the documents; that of the training, or 'id', if there is one.
        encoding: Character encoding of the source, utf-8 if not given.
        on_bad_line: Stop at a line that cannot be read, or skip and count it.
        limit: Read only the first so many documents of each source.
    """

    input_format: InputFormat | None = None
    text_column: str | None = None
    id_column: str | None = None
    encoding: str | None = None
    on_bad_line: Literal["error", "skip"] = "error"
    limit: int | None = None

    def source(self, data: str) -> SourceConfig:
        """How one of the sources is read."""
        return SourceConfig(
            data=data,
            input_format=self.input_format,
            text_column=self.text_column,
            id_column=self.id_column,
            encoding=self.encoding,
            on_bad_line=self.on_bad_line,
            limit=self.limit,
        )


@dataclass(frozen=True)
class SegmentConfig(ReadingConfig):
    """How documents are cut, and how they are written.

    Attributes:
        format: Of the output: brackets in the text, JSON lines, a row for each phrase, a page,
            a line of joined_phrases for other tools, or Parquet (with --ray only).
        phrases: The best segmentation, with every known word in a segment; or marked phrases: of
            several words, without stop words at their ends, each probable enough.
        out: File for the output; the standard output if not given.
        k_best: The so many most probable segmentations of each document instead of the best one.
        sample: So many segmentations drawn from the posterior instead of the best one.
        min_probability: Phrases less probable than this fall apart into words. For marked phrases,
            0 stands for the threshold with the best expected F1 in each document.
        join: File with phrases, one a line, that are always in one segment.
        split: File with phrases, one a line, that are never in one segment.
        mark_stop_words: Neither begin nor end a marked phrase: 'english', 'none' or a file with one
            word a line. Those of the run if not given; English where a run has none.
        refine: Infer topics by some gradient steps after the encoder, which is slower, or by the
            encoder alone; as in the training if not given.
        seed: Of the samples.
    """

    format: OutputFormat = "text"
    phrases: ShownPhrases = "best"
    out: str | None = None
    k_best: int = 1
    sample: int | None = None
    min_probability: float = 0.0
    join: str | None = None
    split: str | None = None
    mark_stop_words: str | None = None
    refine: bool | None = field(default=None, metadata=SWITCH)
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice(self, "format", get_args(OutputFormat))
        check_choice(self, "phrases", get_args(ShownPhrases))
        check_range(self, "k_best", at_least=1)
        check_range(self, "sample", at_least=1)
        check_range(self, "seed", at_least=0)
        check_range(self, "min_probability", at_least=0, at_most=1)
        several = self.k_best > 1 or self.sample is not None
        if self.k_best > 1 and self.sample is not None:
            raise ConfigError("k_best and sample exclude each other; give one of them")
        if several and self.format in ("html", "gensim"):
            raise ConfigError(
                f"format {self.format} shows one segmentation of each document; "
                "use text, jsonl or csv for several"
            )
        if several and self.phrases == "marked":
            raise ConfigError(
                "marked phrases come from all segmentations at once; leave out k_best and sample"
            )
        if several and self.min_probability > 0:
            raise ConfigError("min_probability is only for the single best segmentation")


@dataclass(frozen=True)
class PhrasesConfig(ReadingConfig):
    """Which phrases of documents are shown.

    Attributes:
        top: So many key phrases of each document, at most.
        dictionary: All phrases of the documents together, with counts, topics and examples,
            instead of the key phrases of each.
        min_count: In the dictionary, only phrases that stand so often in the documents.
        mark_stop_words: Neither begin nor end a phrase: 'english', 'none' or a file with one word a
            line. Those of the run if not given; English where a run has none.
        refine: Infer topics by some gradient steps after the encoder, which is slower, or by the
            encoder alone; as in the training if not given.
    """

    top: int = 10
    dictionary: bool = False
    min_count: int = 2
    mark_stop_words: str | None = None
    refine: bool | None = field(default=None, metadata=SWITCH)

    def __post_init__(self) -> None:
        check_range(self, "top", at_least=1)
        check_range(self, "min_count", at_least=1)
        check_range(self, "limit", at_least=1)


@dataclass(frozen=True)
class ApplyConfig(ReadingConfig):
    """What the table of documents holds, and how it is written.

    Attributes:
        out: File for the table; the standard output if not given.
        format: Of the table: CSV that is safe to open in a spreadsheet, JSON lines, or Parquet; by
            the extension of --out if not given, else CSV.
        key_phrases: So many phrases of each document, at most.
        drop_columns: Columns of the input that are left out, separated by commas.
        refine: Infer topics by some gradient steps after the encoder, which is slower, or by the
            encoder alone; as in the training if not given.
    """

    out: str | None = None
    format: TableFormat | None = None
    key_phrases: int = 5
    drop_columns: str | None = None
    refine: bool | None = field(default=None, metadata=SWITCH)

    def __post_init__(self) -> None:
        check_choice(self, "format", (None, *get_args(TableFormat)))
        check_range(self, "key_phrases", at_least=0)
        check_range(self, "limit", at_least=1)

    @property
    def table_format(self) -> TableFormat:
        """The format asked for, or that of the extension."""
        if self.format is not None:
            return self.format
        ending = self.out.rpartition(".")[2].lower() if self.out else "csv"
        known: dict[str, TableFormat] = {
            **{"csv": "csv", "jsonl": "jsonl", "ndjson": "jsonl"},
            **{"parquet": "parquet", "pq": "parquet"},
        }
        if ending not in known:
            raise ConfigError(
                f"--out {self.out}: cannot tell the format from the extension; "
                "end it in .csv, .jsonl or .parquet, or pass --format"
            )
        return known[ending]

    @property
    def dropped(self) -> frozenset[str]:
        """The columns that are left out."""
        names = self.drop_columns.split(",") if self.drop_columns else []
        return frozenset(name.strip() for name in names)


@dataclass(frozen=True)
class SampleConfig:
    """Which documents are drawn from a model.

    Attributes:
        documents: How many.
        first: Number of the first one; any part of the documents can be drawn by itself.
        truth: Write the topics and segments of each document, too.
        out: File for the JSON lines; the standard output if not given.
        seed: Of everything random.
    """

    documents: int = 1
    first: int = 1
    truth: bool = False
    out: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_range(self, "documents", at_least=1)
        check_range(self, "first", at_least=1)
        check_range(self, "seed", at_least=0)


@dataclass(frozen=True)
class ServeConfig:
    """Where the living page is served, and what it reads.

    Attributes:
        host: Address to listen at; the page is for this machine alone unless another one is given.
        port: To listen at; 0 for any free one.
        max_characters: The longest text that is read.
        refine: Infer topics by some gradient steps after the encoder, which is slower, or by the
            encoder alone; as in the training if not given.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    max_characters: int = 50_000
    refine: bool | None = field(default=None, metadata=SWITCH)

    def __post_init__(self) -> None:
        check_range(self, "port", at_least=0, at_most=65_535)
        check_range(self, "max_characters", at_least=1)

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the page."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"
