"""Settings as frozen dataclasses: the same names in Python, in YAML files and as flags.

Every class checks itself when it is made, so a wrong value is noticed before any work is done. The
lines under *Attributes* are shown as help on the command line.

>>> CorpusConfig(data="my.csv", text_column="title,abstract").text_column
('title', 'abstract')
>>> CorpusConfig(vocabulary_size=0)
Traceback (most recent call last):
segtopic.errors.ConfigError: vocabulary_size is 0, but must be at least 1
"""

import codecs
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import Any, Literal, TypeVar, get_type_hints

from segtopic.errors import ConfigError
from segtopic.typed import fits, in_words, shown

FORMATS = ("text", "lines", "csv", "tsv", "jsonl", "parquet", "sgml")
Format = Literal["text", "lines", "csv", "tsv", "jsonl", "parquet", "sgml"]


@dataclass(frozen=True)
class SourceConfig:
    """Where the text is and how to read it.

    Attributes:
        data: File, folder, archive, '-' for standard input, or a named corpus: lee, ap, citeulike
            or acl ('segtopic data' lists them).
        format: How the file is laid out; by its extension if not given.
        text_column: Column with the text; several, separated by commas, are joined. 'text' if not
            given.
        id_column: Column that names the documents; 'id' if there is one, else they are numbered.
        encoding: Character encoding of the file, utf-8 if not given.
        on_bad_line: Stop at a line that cannot be read, or skip and count it.
        limit: Read only the first so many documents.
        latex: Turn LaTeX escapes such as \\'e into characters; only for citeulike if not given.
    """

    data: str = "lee"
    format: Format | None = None
    text_column: str | Sequence[str] | None = None
    id_column: str | None = None
    encoding: str | None = None
    on_bad_line: Literal["error", "skip"] = "error"
    limit: int | None = None
    latex: bool | None = None

    def __post_init__(self) -> None:
        check_choice(self, "format", (None, *FORMATS))
        check_choice(self, "on_bad_line", ("error", "skip"))
        check_range(self, "limit", at_least=1)
        if not self.data:
            raise ConfigError("data is empty; give a file, a folder, '-' or a named corpus")
        columns = self.text_column
        if columns is not None:
            columns = columns.split(",") if isinstance(columns, str) else columns
            object.__setattr__(self, "text_column", tuple(c.strip() for c in columns))
            if not self.text_column or "" in self.text_column:
                raise ConfigError("text_column holds an empty name; give the names of columns")
        if self.encoding is not None:
            try:
                codecs.lookup(self.encoding)
            except LookupError:
                raise ConfigError(
                    f"encoding is '{self.encoding}', which Python does not know; "
                    "use a name such as utf-8, latin-1, cp1252 or utf-16"
                ) from None


@dataclass(frozen=True)
class TokenConfig:
    """What a word is, and which words and marks end a span.

    Attributes:
        stop_words: Words left out of the model: 'english', 'none', or a file with one word a line.
        stop_words_end_spans: A stop word ends the span; otherwise its neighbours become adjacent.
        unknown_words_end_spans: A word outside the vocabulary ends the span.
        punctuation_ends_spans: A punctuation mark or an empty line ends the span.
        lowercase: Read 'Bank' and 'bank' as the same word.
        split_hyphens: Read 'first-degree' as two adjacent words instead of one.
        numbers_are_words: Take numbers into the vocabulary; otherwise they are unknown words.
        min_word_length: Shorter words are unknown words.
    """

    stop_words: str = "english"
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
            raise ConfigError("stop_words is empty; use 'english', 'none' or a file")


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
    """

    test_share: float = 0.1
    dev_share: float = 0.1
    split_seed: int = 0

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


@dataclass(frozen=True)
class ModelConfig:
    """The model.

    Attributes:
        n_topics: Topics, the dimensions of each document's hidden vector; by the number of
            training words if not given (a twelfth of its square root, at most 100).
        max_segment_length: Longest phrase in words.
        hidden_size: Width of document vectors, word embeddings and recurrent layers.
        n_layers: Recurrent layers.
        encoder_size: Units in both layers of the inference network.
        continuation: What follows the words of a phrase - 'phrases' counts them, 'roles' learns
            which words begin, continue and end phrases (for reading, with stop words kept),
            'gated' and 'joint' leave it to a softmax ('joint' as in the paper).
        last_step: Whether an end that cannot be otherwise is 'certain' or 'charged' (the paper).
        background: Give each document a share of words from all the vocabulary.
        burstiness: Let documents repeat their own words.
        topics: Where topics come from - 'lda' samples them by LDA first, 'network' leaves them to
            the network (the paper).
        corrected: Let the network correct the topics that LDA found; 'auto' if the training text
            has enough words that it does not overfit.
        unigram_start: Start the network's softmax at the words' frequencies, where there is no LDA.
        topic_scale: Deviation of the initial topic vectors; small ones hide the topics at first.
        dropout: Share of units dropped in training.
        hidden_words: Share of the words hidden from the inference network in training.
    """

    n_topics: int | None = None
    max_segment_length: int = 3
    hidden_size: int = 150
    n_layers: int = 2
    encoder_size: int = 256
    continuation: Literal["phrases", "roles", "gated", "joint"] = "phrases"
    last_step: Literal["certain", "charged"] = "certain"
    background: bool = True
    burstiness: bool = True
    topics: Literal["lda", "network"] = "lda"
    corrected: Literal["auto", "yes", "no"] = "auto"
    unigram_start: bool = True
    topic_scale: float = 3.0
    dropout: float = 0.3
    hidden_words: float = 0.25

    def __post_init__(self) -> None:
        for name in (
            "n_topics",
            "max_segment_length",
            "hidden_size",
            "n_layers",
            "encoder_size",
        ):
            check_range(self, name, at_least=1)
        check_choice(self, "continuation", ("phrases", "roles", "gated", "joint"))
        check_choice(self, "last_step", ("certain", "charged"))
        check_choice(self, "topics", ("lda", "network"))
        check_choice(self, "corrected", ("auto", "yes", "no"))
        check_range(self, "topic_scale", at_least=0)
        check_range(self, "dropout", at_least=0, at_most=0.95)
        check_range(self, "hidden_words", at_least=0, at_most=0.95)
        if self.continuation == "phrases" and self.last_step == "charged":
            raise ConfigError(
                "continuation 'phrases' needs last_step 'certain'; "
                "for the paper's model use continuation 'joint' with last_step 'charged'"
            )
        if self.continuation == "roles" and self.last_step == "certain":
            raise ConfigError(
                "continuation 'roles' needs last_step 'charged': "
                "it learns where phrases end from the ends of spans"
            )
        if self.topics == "lda" and self.continuation in ("gated", "joint"):
            raise ConfigError(
                f"continuation '{self.continuation}' makes first words by its own softmax; "
                "use topics 'network' with it"
            )


@dataclass(frozen=True)
class TrainingConfig:
    """How the model is trained.

    Attributes:
        epochs: Most passes over the training documents.
        batch_size: Documents in a batch; by their number if not given (a thirtieth, at most 32).
        learning_rate: Of Adam.
        scalar_learning_rate: Of the few numbers that say how far to trust counts.
        weight_decay: Decoupled, on matrices.
        kl_warmup: Epochs over which the divergence from the prior gets its full weight; if not
            given, those of about 600 batches, between 3 and 10.
        patience: Stop after so many epochs without a better development likelihood.
        stop_on: Which development likelihood - 'refined', or the encoder's 'mean' (the paper).
        refine_steps: Gradient steps that refine a document's topics.
        seed: Of everything random in training.
    """

    epochs: int = 60
    batch_size: int | None = None
    learning_rate: float = 1e-3
    scalar_learning_rate: float = 2e-2
    weight_decay: float = 0.3
    kl_warmup: int | None = None
    patience: int = 5
    stop_on: Literal["refined", "mean"] = "refined"
    refine_steps: int = 30
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size", "patience"):
            check_range(self, name, at_least=1)
        for name in ("learning_rate", "scalar_learning_rate", "weight_decay", "kl_warmup"):
            check_range(self, name, at_least=0)
        check_range(self, "refine_steps", at_least=0)
        check_range(self, "seed", at_least=0)
        check_choice(self, "stop_on", ("refined", "mean"))
        if self.stop_on == "refined" and self.refine_steps == 0:
            raise ConfigError("stop_on 'refined' needs refine_steps of at least 1")


@dataclass(frozen=True)
class TrainerConfig:
    """What Lightning runs on; all are passed on to its Trainer.

    Attributes:
        accelerator: 'auto', 'cpu', 'gpu', ...
        devices: How many processes or devices.
        strategy: 'auto', 'ddp', ...
        precision: Of the numbers.
        max_time: Stop after this time, as DD:HH:MM:SS.
        gradient_clip: Largest norm of the gradient.
        threads: Threads of each process on the CPU; all cores if not given.
    """

    accelerator: str = "auto"
    devices: int = 1
    strategy: str = "auto"
    precision: Literal["32-true", "64-true", "bf16-mixed", "16-mixed"] = "32-true"
    max_time: str | None = None
    gradient_clip: float = 5.0
    threads: int | None = None

    def __post_init__(self) -> None:
        check_range(self, "devices", at_least=1)
        check_range(self, "gradient_clip", at_least=0)
        check_range(self, "threads", at_least=1)
        if self.max_time is not None and not re.fullmatch(r"\d+:\d\d:\d\d:\d\d", self.max_time):
            raise ConfigError(
                f"trainer.max_time is '{self.max_time}', but must look like DD:HH:MM:SS"
            )


@dataclass(frozen=True)
class RunConfig(TrainingConfig, ModelConfig, CorpusConfig):
    """Everything that makes a run, but for the machine it runs on."""

    def settled(self, n_documents: int, n_words: int) -> "RunConfig":
        """With what was not given chosen by the size of the training part."""
        batch_size = self.batch_size or min(max(n_documents // 30, 4), 32)
        warmup = min(max(600 * batch_size // max(n_documents, 1), 3), 10)
        return replace(
            self,
            n_topics=self.n_topics or min(max(math.isqrt(n_words) // 12, 2), 100),
            batch_size=batch_size,
            kl_warmup=warmup if self.kl_warmup is None else self.kl_warmup,
        )

    def __post_init__(self) -> None:
        for part in RunConfig.__bases__:
            part.__post_init__(self)  # type: ignore[attr-defined]


Settings = TypeVar("Settings")


def build(settings: type[Settings], values: Mapping[str, Any]) -> Settings:
    """Make a settings dataclass from a mapping, as files hold it.

    An unknown key names the nearest valid one; a value of another type tells the right one.
    """
    names = [field.name for field in fields(settings)]  # type: ignore[arg-type]
    types = get_type_hints(settings)
    for key, value in values.items():
        if key not in names:
            key = shown(key)
            raise ConfigError(f"unknown setting '{key}'{did_you_mean(key, names)}")
        if not fits(value, types[key]):
            raise ConfigError(f"{key} is '{shown(value)}', but must be {in_words(types[key])}")
    return settings(**values)


def part_of(settings: Any, part: type[Settings]) -> Settings:
    """The fields of a smaller settings class, taken from a larger one."""
    return part(**{field.name: getattr(settings, field.name) for field in fields(part)})  # type: ignore[arg-type]


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """``"; did you mean 'x'?"``, or the list of all when nothing is near."""
    near = get_close_matches(word, known, n=1, cutoff=0.5)
    return f"; did you mean '{near[0]}'?" if near else f"; use one of {', '.join(known)}"


def check_choice(settings: object, name: str, choices: Sequence[str | None]) -> None:
    """Refuse a value that is not one of the choices."""
    value = getattr(settings, name)
    if value not in choices:
        known = [choice for choice in choices if choice is not None]
        raise ConfigError(f"{name} is '{value}'{did_you_mean(str(value), known)}")


def check_range(settings: object, name: str, at_least: float, at_most: float | None = None) -> None:
    """Refuse a number outside the range; ``None`` (not given) passes."""
    value = getattr(settings, name)
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ConfigError(f"{name} is '{value}', but must be a number")
    if not value >= at_least:
        raise ConfigError(f"{name} is {value}, but must be at least {at_least}")
    if at_most is not None and not value <= at_most:
        raise ConfigError(f"{name} is {value}, but must be at most {at_most}")
