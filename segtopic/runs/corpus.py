"""The corpus of a run: what a model was trained, stopped and tested on.

A run keeps its documents as numbers of words, each with its id, the digest of its text and its part
of the split. So whatever becomes of the source, the run knows its documents, and no training
document is ever taken for a test document. The texts themselves are kept only where the source
cannot be read again (standard input, texts in memory).
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from segtopic.config import CorpusConfig, part_of
from segtopic.corpus import Corpus, Documents, SpanRules, Split, TextEncoder, Vocabulary
from segtopic.corpus.columns import document_columns, read_arrays
from segtopic.corpus.corpus import Summary, manifest_of, manifest_text
from segtopic.corpus.documents import IntArray
from segtopic.corpus.prepare import Progress, prepare_corpus
from segtopic.corpus.split import PARTS
from segtopic.errors import RunError
from segtopic.files import text_digest, write_atomically, written_atomically
from segtopic.files.digests import TEXT_BYTES
from segtopic.grammar import PhraseGrammar, every_so_many
from segtopic.runs.folder import CORPUS, DOCUMENTS, GRAMMAR, UNREADABLE, VOCABULARY

KEPT = pa.schema(
    [
        ("id", pa.large_string()),
        ("part", pa.int8()),
        ("digest", pa.binary(TEXT_BYTES)),
        ("words", pa.large_list(pa.int32())),
        ("span_lengths", pa.large_list(pa.int32())),
    ]
)
TEXT = pa.field("text", pa.large_string())
READ_BYTES = 1 << 28  # of the rows that are read into memory; a larger file is mapped


@dataclass(frozen=True, eq=False)
class RunCorpus:
    """Documents with ids and parts, and how text becomes words.

    Attributes:
        manifest: Of the corpus, as ``segtopic prepare`` writes it.
        vocabulary: The words that the model knows.
        rules: What a word is, and what ends a span.
        open_table: Gives the rows of ``documents.arrow``; called when they are first wanted.
        open_grammar: Gives the phrase grammar; called when it is first wanted.
    """

    manifest: Mapping[str, Any]
    vocabulary: Vocabulary
    rules: SpanRules
    open_table: Callable[[], pa.Table]
    open_grammar: "Callable[[], PhraseGrammar | None]"

    @classmethod
    def of(cls, corpus: Corpus, config: CorpusConfig, keep_texts: bool) -> "RunCorpus":
        """A corpus that is about to be trained on, split by the settings."""
        split = corpus.split(config)
        table = document_rows(corpus.ids, corpus.documents, corpus.texts(), split, keep_texts)
        manifest = manifest_of(
            part_of(config, CorpusConfig), config.data, None, corpus.rules, corpus.summary
        )
        grammar = _LearnedGrammar(corpus, split.train)
        return cls(manifest, corpus.vocabulary, corpus.rules, _Rows(table), grammar)

    @classmethod
    def to_learn(
        cls, config: CorpusConfig, folder: Path, began: bool, preparing: Progress
    ) -> "RunCorpus":
        """What to train on: the documents that a run began with, or those of the source.

        Args:
            config: names the source.
            folder: of the run.
            began: whether documents that are in the folder are those of this training.
            preparing: called while the source is prepared.
        """
        if began and (folder / DOCUMENTS).exists():
            return cls.load(folder, before_reading=lambda: None)
        prepared = prepare_corpus(part_of(config, CorpusConfig), progress=preparing)
        return cls.of(prepared.load(), config, config.data == "-")

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @property
    def summary(self) -> Summary:
        """What was read and left out."""
        return Summary.from_dict(self.manifest["summary"])

    @cached_property
    def encoder(self) -> TextEncoder:
        """Encodes new text as the training text was."""
        return TextEncoder(self.vocabulary, self.rules)

    @cached_property
    def table(self) -> pa.Table:
        """A row for each document."""
        return self.open_table()

    @cached_property
    def grammar(self) -> PhraseGrammar | None:
        """Which words begin, continue and end phrases, if the training texts tell."""
        return self.open_grammar()

    def learned(self) -> "RunCorpus":
        """Itself, when its grammar is there: learning one takes longer than reading the texts."""
        _ = self.grammar
        return self

    @cached_property
    def documents(self) -> Documents:
        """Words and spans of all documents."""
        return read_arrays(self.table.to_batches())

    @cached_property
    def ids(self) -> list[str]:
        """The ids of all documents."""
        ids: list[str] = self.table["id"].to_pylist()
        return ids

    @cached_property
    def split(self) -> Split:
        """The numbers of the documents of each part."""
        part = self.table["part"].to_numpy()
        return Split(*(np.flatnonzero(part == place) for place in range(len(PARTS))))

    @cached_property
    def train(self) -> Documents:
        """What the model has learned from."""
        return self.documents.select(self.split.train)

    @cached_property
    def dev(self) -> Documents:
        """What told when to stop."""
        return self.documents.select(self.split.dev)

    @cached_property
    def test(self) -> Documents:
        """What the model has never seen."""
        return self.documents.select(self.split.test)

    def digests_of(self, part: str) -> list[bytes]:
        """By which the documents of a part are known, in order of the digests."""
        chosen = self.table["digest"].take(pa.array(getattr(self.split, part)))
        return sorted(chosen.to_pylist())

    @property
    def has_texts(self) -> bool:
        """Whether the original texts are kept here, because their source cannot be read again."""
        return "text" in self.table.column_names

    def with_more(self, table: pa.Table, summary: Summary) -> "RunCorpus":
        """The same corpus with more documents; their texts are kept if those of all others are.

        Args:
            table: their rows.
            summary: of what they were made from.
        """
        both = pa.concat_tables([self.table, table.select(self.table.column_names)])
        together = self.summary.with_more(summary)
        manifest = {**self.manifest, "summary": together.to_dict()}
        return RunCorpus(manifest, self.vocabulary, self.rules, _Rows(both), self.open_grammar)

    def save(self, folder: Path, documents: bool = True) -> None:
        """Write the files of the corpus."""
        write_atomically(folder / CORPUS, manifest_text(self.manifest))
        self.vocabulary.save(folder / VOCABULARY)
        if self.grammar is not None:
            self.grammar.save(folder / GRAMMAR)
        if documents:
            with (
                written_atomically(folder / DOCUMENTS) as path,
                pa.OSFile(str(path), "wb") as sink,
                pa.ipc.new_file(sink, self.table.schema) as writer,
            ):
                writer.write_table(self.table)

    @classmethod
    def load(cls, folder: Path, before_reading: Callable[[], None]) -> "RunCorpus":
        """Open the files; ``before_reading`` is called before the documents are first read."""
        path = folder / CORPUS
        try:
            manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            rules = SpanRules.from_dict(manifest["rules"])
            Summary.from_dict(manifest["summary"])
        except UNREADABLE as error:
            raise RunError(f"{path}: is missing or damaged ({error}); restore it") from None
        vocabulary = Vocabulary.load(folder / VOCABULARY)
        stored = _StoredRows(folder / DOCUMENTS, len(vocabulary), before_reading)
        path = folder / GRAMMAR
        grammar = _KnownGrammar(PhraseGrammar.load(path, rules) if path.exists() else None)
        return cls(manifest, vocabulary, rules, stored, grammar)


def document_rows(
    ids: Sequence[str], documents: Documents, texts: Iterable[str], split: Split, keep_texts: bool
) -> pa.Table:
    """Rows of ``documents.arrow``."""
    parts = np.empty(documents.n_documents, dtype=np.int8)
    for place, name in enumerate(PARTS):
        parts[getattr(split, name)] = place
    kept: list[str] = []

    def digests() -> Iterator[bytes]:
        for text in texts:
            if keep_texts:
                kept.append(text)
            yield text_digest(text)

    columns = [
        pa.array(ids, pa.large_string()),
        pa.array(parts),
        pa.array(digests(), pa.binary(TEXT_BYTES)),
        *document_columns(documents),
    ]
    table = pa.Table.from_arrays(columns, schema=KEPT)
    return table.append_column(TEXT, pa.array(kept, TEXT.type)) if keep_texts else table


@dataclass(frozen=True)
class _Rows:
    """Rows in memory."""

    table: pa.Table

    def __call__(self) -> pa.Table:
        return self.table


@dataclass(frozen=True)
class _KnownGrammar:
    """A grammar of a run, if it has one."""

    grammar: PhraseGrammar | None

    def __call__(self) -> PhraseGrammar | None:
        return self.grammar


class _LearnedGrammar:
    """A grammar that is learned from the training texts when it is wanted, and once.

    It takes longer than first topics do, and nobody should wait for them.
    """

    def __init__(self, corpus: Corpus, train: IntArray) -> None:
        self._corpus: Corpus | None = corpus
        self._train = train
        self._grammar: PhraseGrammar | None = None

    def __call__(self) -> PhraseGrammar | None:
        if self._corpus is not None:
            corpus = self._corpus
            every = every_so_many(corpus.table["text"].nbytes)
            enough = set(self._train[::every].tolist())
            texts = [text for number, text in enumerate(corpus.texts()) if number in enough]
            self._grammar = PhraseGrammar.learn(texts, corpus.rules, corpus.rules.function_words)
            self._corpus = None  # the texts are needed no more
        return self._grammar


@dataclass(frozen=True)
class _StoredRows:
    """Rows in a file, read when they are wanted."""

    path: Path
    vocabulary_size: int
    before_reading: Callable[[], None]

    def __call__(self) -> pa.Table:
        self.before_reading()
        return _read_table(self.path, self.vocabulary_size)


def _read_table(path: Path, vocabulary_size: int) -> pa.Table:
    """The rows, whose numbers must fit each other and the vocabulary."""
    remedy = "bring back a copy, or train again with --overwrite"
    try:
        # Mapped only where memory would be short: a run may be replaced while it is looked at. What
        # segtopic itself replaces stays readable, but not what others write over.
        mapped = path.stat().st_size > READ_BYTES
        with pa.memory_map(str(path)) if mapped else pa.OSFile(str(path)) as file:
            table = pa.ipc.open_file(file).read_all()
        # Checks every offset, so that a damaged file cannot make us read beyond its end.
        table.validate(full=True)
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise RunError(f"{path}: is missing or damaged ({reason}); {remedy}") from None
    if table.schema not in (KEPT, KEPT.append(TEXT)):
        raise RunError(f"{path}: has other columns than a run's documents; {remedy}")
    documents = read_arrays(table.to_batches())
    words, parts = documents.words, table["part"].to_numpy()
    fits = (
        int(documents.span_lengths.sum()) == len(words)
        and documents.span_lengths.min(initial=1) >= 1
        and (not len(words) or 0 <= words.min() <= words.max() < vocabulary_size)
        and bool(np.isin(parts, range(len(PARTS))).all())
        and not any(column.null_count for column in table.columns)
    )
    if not fits:
        raise RunError(f"{path}: does not fit the model beside it; {remedy}")
    return table
