"""Everything between raw text and a corpus: source, tokens, vocabulary, split."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from segtopic.config.checks import check_choice, check_encoding, check_range
from segtopic.errors import ConfigError

InputFormat = Literal["text", "lines", "csv", "tsv", "jsonl", "parquet", "sgml"]


@dataclass(frozen=True)
class SourceConfig:
    """Where the text is and how to read it.

    Attributes:
        data: File, folder, archive, '-' for standard input, or a named corpus: lee, ap, citeulike
            or acl ('segtopic data' lists them).
        input_format: How the file is laid out; by its extension if not given.
        text_column: Column with the text; several, separated by commas, are joined. 'text' if not
            given.
        id_column: Column that names the documents; 'id' if there is one, else they are numbered.
        encoding: Character encoding of the file, utf-8 if not given.
        on_bad_line: Stop at a line that cannot be read, or skip and count it.
        limit: Read only the first so many documents.
        latex: Turn LaTeX escapes such as \\'e into characters; only for citeulike if not given.
        missing_cells: Cells of a table that say NaN, null, None or N/A and nothing else are
            'empty', or 'text' as any other.
    """

    data: str = "lee"
    input_format: InputFormat | None = None
    text_column: str | Sequence[str] | None = None
    id_column: str | None = None
    encoding: str | None = None
    on_bad_line: Literal["error", "skip"] = "error"
    limit: int | None = None
    latex: bool | None = None
    missing_cells: Literal["empty", "text"] = "empty"
    other_columns: ClassVar[bool] = False  # whether readers hand on what else a row holds

    def __post_init__(self) -> None:
        check_choice(self, "input_format", (None, *get_args(InputFormat)))
        check_choice(self, "on_bad_line", ("error", "skip"))
        check_choice(self, "missing_cells", ("empty", "text"))
        check_range(self, "limit", at_least=1)
        if not self.data:
            raise ConfigError("data is empty; give a file, a folder, '-' or a named corpus")
        columns = self.text_column
        if columns is not None:
            columns = columns.split(",") if isinstance(columns, str) else columns
            object.__setattr__(self, "text_column", tuple(c.strip() for c in columns))
            if not self.text_column or "" in self.text_column:
                raise ConfigError("text_column holds an empty name; give the names of columns")
        check_encoding(self, "encoding")


@dataclass(frozen=True)
class RowsConfig(SourceConfig):
    """As its base, for whoever wants the whole rows of a table: all columns but the id."""

    other_columns: ClassVar[bool] = True


@dataclass(frozen=True)
class TokenConfig:
    """What a word is, and which words and marks end a span.

    Attributes:
        clean_html: Read HTML tags as marks or space and entities as their characters (&eacute; as
            é); otherwise they are taken as they stand.
        stop_words: Words left out of the model: 'english', 'none', a file with one word a line, or
            (in YAML and Python) a list of words.
        stop_words_end_spans: A stop word ends the span; otherwise its neighbours become adjacent.
        unknown_words_end_spans: A word outside the vocabulary ends the span.
        punctuation_ends_spans: A punctuation mark or an empty line ends the span.
        lowercase: Read 'Bank' and 'bank' as the same word.
        split_hyphens: Read 'first-degree' as two adjacent words instead of one.
        numbers_are_words: Take numbers into the vocabulary; otherwise they are unknown words.
        min_word_length: Shorter words are unknown words.
    """

    clean_html: bool = True
    stop_words: str | Sequence[str] = "english"
    stop_words_end_spans: bool = True
    unknown_words_end_spans: bool = True
    punctuation_ends_spans: bool = True
    lowercase: bool = True
    split_hyphens: bool = False
    numbers_are_words: bool = False
    min_word_length: int = 2

    def __post_init__(self) -> None:
        check_range(self, "min_word_length", at_least=1)
        if not self.stop_words:
            raise ConfigError("stop_words is empty; use 'english', 'none', a file or some words")
        if not isinstance(self.stop_words, str):
            object.__setattr__(self, "stop_words", tuple(self.stop_words))


@dataclass(frozen=True)
class VocabularyConfig:
    """Which words the model knows: the best ones by tf-idf.

    Attributes:
        vocabulary_size: At most so many words.
        min_df: Leave out words in fewer documents; a number, or a share if written like 0.01.
        max_df: Leave out words in more documents; a number, or a share if written like 0.5.
    """

    vocabulary_size: int = 10_000
    min_df: int | float = 1
    max_df: int | float = 1.0

    def __post_init__(self) -> None:
        check_range(self, "vocabulary_size", at_least=1)
        for name in ("min_df", "max_df"):
            share = isinstance(getattr(self, name), float)
            check_range(self, name, at_least=0, at_most=1.0 if share else None)


@dataclass(frozen=True)
class SplitConfig:
    """Which documents train, stop early, and test.

    Attributes:
        test_share: Share of all documents that is kept for testing.
        dev_share: Share of all documents, taken from the training part, for early stopping.
        split_seed: Seed of the random split.
        copies_together: Keep texts that are copies of each other, or nearly so, in one part.
    """

    test_share: float = 0.1
    dev_share: float = 0.1
    split_seed: int = 0
    copies_together: bool = True

    def __post_init__(self) -> None:
        check_range(self, "test_share", at_least=0, at_most=0.9)
        check_range(self, "dev_share", at_least=0, at_most=0.9)
        check_range(self, "split_seed", at_least=0)
        if self.test_share + self.dev_share >= 1:
            raise ConfigError(
                f"test_share {self.test_share} and dev_share {self.dev_share} leave nothing to "
                "train on; their sum must be below 1"
            )


@dataclass(frozen=True)
class CorpusConfig(SplitConfig, VocabularyConfig, TokenConfig, SourceConfig):
    """Everything between raw text and a corpus that is ready for training.

    The bases stand in this order because fields are listed from the last base on: source first.
    """

    def __post_init__(self) -> None:
        for part in CorpusConfig.__bases__:
            part.__post_init__(self)  # type: ignore[attr-defined]
