"""A prepared corpus: a folder in, encoded documents with their names and original text out.

With it goes a summary: what was read, what was left out, and why.

The folder holds ``manifest.json``, ``vocabulary.txt`` and ``documents.arrow``, which is mapped into
memory and read where it is looked at. Nothing in it is ever executed or unpickled.
"""

import dataclasses
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from segtopic import __version__
from segtopic.config import CorpusConfig, SplitConfig, VocabularyConfig, build
from segtopic.corpus.columns import DOCUMENTS, read_arrays
from segtopic.corpus.copies import Copies, find_copies
from segtopic.corpus.documents import Documents, IntArray
from segtopic.corpus.spans import SpanRules, TextEncoder
from segtopic.corpus.split import Split, split_documents
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.errors import ConfigError, CorpusError

FORMAT = "segtopic-corpus"
FORMAT_VERSION = 2
MANIFEST, VOCABULARY, ARROW = "manifest.json", "vocabulary.txt", "documents.arrow"
EXAMPLES, MOST_UNKNOWN = 3, 10  # that a summary names


@dataclass(frozen=True)
class Summary:
    """Counts of a prepared corpus.

    Attributes:
        documents_read: documents that the source held.
        documents: those that are in the corpus.
        dropped_empty: documents without any text.
        dropped_no_known_word: documents whose words are all left out.
        skipped_lines: what could not be read and was skipped on request, with the first few.
        duplicate_ids: names that came again and got a number, with the first few.
        missing_cells: cells of the text that said NaN or the like, and were read as empty.
        copies: documents with the same words as an earlier one.
        near_copies: further documents with nearly the same words.
        html_documents: documents with HTML in them, with the tags and entities that were read as
            such.
        words_read: words in the documents read, of every kind.
        stop_words: how many of them are stop words.
        never_words: numbers, single letters and the like, which no vocabulary takes in.
        unknown_words: how many of the others are outside the vocabulary.
        words: words in the corpus.
        vocabulary: different words in the corpus.
        spans: runs of words between boundaries.
        longest_span: words in the longest.
        most_frequent_unknown: the words outside the vocabulary that came most often.
    """

    documents_read: int
    documents: int
    dropped_empty: int
    dropped_no_known_word: int
    skipped_lines: int
    skipped_examples: list[str]
    duplicate_ids: int
    duplicate_examples: list[str]
    words_read: int
    stop_words: int
    never_words: int
    unknown_words: int
    words: int
    vocabulary: int
    spans: int
    longest_span: int
    most_frequent_unknown: list[tuple[str, int]]
    # Corpora that were made before these were counted have none of them.
    missing_cells: int = 0
    copies: int = 0
    near_copies: int = 0
    html_documents: int = 0
    html_tags: int = 0
    html_entities: int = 0

    @property
    def mean_span(self) -> float:
        """Words in a span."""
        return self.words / self.spans if self.spans else 0.0

    @property
    def unknown_share(self) -> float:
        """Words outside the vocabulary, among those that could have been in it."""
        content = self.words_read - self.stop_words - self.never_words
        return self.unknown_words / content if content else 0.0

    def to_dict(self) -> dict[str, Any]:
        """For JSON, with the derived numbers."""
        derived = {"mean_span": self.mean_span, "unknown_share": self.unknown_share}
        return {**asdict(self), **derived}

    def with_more(self, more: "Summary") -> "Summary":
        """Of both together, which have the same vocabulary.

        Of the words outside it only those are known that were frequent in one of both.
        """
        counts = Counter(dict(self.most_frequent_unknown)) + Counter(
            dict(more.most_frequent_unknown)
        )
        both = {
            field.name: getattr(self, field.name) + getattr(more, field.name)
            for field in dataclasses.fields(self)
        }
        by_count = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return Summary(
            **{
                **both,
                "vocabulary": self.vocabulary,
                "longest_span": max(self.longest_span, more.longest_span),
                "skipped_examples": both["skipped_examples"][:EXAMPLES],
                "duplicate_examples": both["duplicate_examples"][:EXAMPLES],
                "most_frequent_unknown": by_count[:MOST_UNKNOWN],
            }
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Summary":
        """The inverse of :meth:`to_dict`."""
        stored = {k: v for k, v in values.items() if k not in ("mean_span", "unknown_share")}
        stored["most_frequent_unknown"] = [
            (word, count) for word, count in stored["most_frequent_unknown"]
        ]
        return build(cls, stored)


@dataclass(frozen=True)
class Corpus:
    """Documents with a vocabulary; see ``prepare_corpus`` and ``corpus_from_texts``.

    Attributes:
        table: A row for each document.
        vocabulary: Its words.
        rules: What a word is, and what ends a span.
        summary: What was read and left out.
        chosen_by: How the vocabulary was chosen.
    """

    table: pa.Table
    vocabulary: Vocabulary
    rules: SpanRules
    summary: Summary
    chosen_by: VocabularyConfig

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @cached_property
    def documents(self) -> Documents:
        """Words and spans of all documents, in memory."""
        return read_arrays(self.table.to_batches())

    @cached_property
    def ids(self) -> list[str]:
        """The names of the documents."""
        names: list[str] = self.table["id"].to_pylist()
        return names

    def text(self, document: int) -> str:
        """The original text of a document."""
        text: str = self.table["text"][document].as_py()
        return text

    def texts(self) -> Iterator[str]:
        """The original texts, one after the other, without holding them all."""
        for batch in self.table.to_batches():
            yield from batch["text"].to_pylist()

    def offsets(self, document: int) -> tuple[IntArray, IntArray]:
        """Where the words of a document start and end in its text."""
        starts, ends = (self.table[name][document].values for name in ("starts", "ends"))
        return starts.to_numpy(), ends.to_numpy()

    def split(self, config: SplitConfig | None = None) -> Split:
        """Training, development and test documents."""
        config = config or SplitConfig()
        first = self.copies.first if config.copies_together else None
        return split_documents(len(self), config, first)

    @cached_property
    def copies(self) -> Copies:
        """Which documents are copies of others."""
        return find_copies(self.table)

    def encoder(self) -> TextEncoder:
        """Encodes new text as the text of this corpus was."""
        return TextEncoder(self.vocabulary, self.rules)

    def equals(self, other: "Corpus") -> bool:
        """Whether two corpora hold the same documents, words, offsets, text and rules."""
        return (
            self.vocabulary == other.vocabulary
            and self.rules == other.rules
            and self.summary == other.summary
            and self.table.combine_chunks().equals(other.table.combine_chunks())
        )

    @classmethod
    def load(cls, folder: Path | str) -> "Corpus":
        """Open a prepared corpus."""
        folder = Path(folder)
        manifest = read_manifest(folder)
        vocabulary = Vocabulary.load(folder / VOCABULARY)
        try:
            table = pa.ipc.open_file(pa.memory_map(str(folder / ARROW))).read_all()
            # Checks every offset, so that a damaged file cannot make us read beyond its end.
            table.validate(full=True)
            summary = Summary.from_dict(manifest["summary"])
            rules = SpanRules.from_dict(manifest["rules"])
            names = [field.name for field in dataclasses.fields(VocabularyConfig)]
            chosen_by = build(VocabularyConfig, {name: manifest["config"][name] for name in names})
        except (OSError, pa.ArrowException) as error:
            raise damaged(folder, f"{ARROW}: {str(error).splitlines()[0]}") from None
        except (KeyError, TypeError, ValueError, AttributeError, ConfigError) as error:
            raise damaged(folder, f"{MANIFEST}: {error!r}") from None
        if table.schema != DOCUMENTS:
            raise damaged(folder, f"{ARROW} has other columns than a corpus")
        corpus = cls(table, vocabulary, rules, summary, chosen_by)
        words = corpus.documents.words
        consistent = (
            len(corpus) == summary.documents
            and len(words) == summary.words == int(corpus.documents.span_lengths.sum())
            and len(vocabulary) == summary.vocabulary
            and (not len(words) or 0 <= words.min() <= words.max() < len(vocabulary))
        )
        if not consistent:
            raise damaged(folder, f"{ARROW} does not fit {MANIFEST}")
        return corpus


def is_corpus(folder: Path) -> bool:
    """Whether a folder looks like a prepared corpus, damaged or not."""
    return all((folder / name).is_file() for name in (MANIFEST, VOCABULARY, ARROW))


def manifest_of(
    config: CorpusConfig, source: str, key: str | None, rules: SpanRules, summary: Summary
) -> dict[str, Any]:
    """What is to be known of a corpus: where it is from, how it was made, what it holds."""
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "segtopic": __version__,
        "source": source,
        "key": key,
        "config": dataclasses.asdict(config),
        "summary": summary.to_dict(),
        "rules": rules.to_dict(),
    }


def manifest_text(manifest: Mapping[str, Any]) -> bytes:
    """As it stands in a file."""
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    # A name that is no Unicode holds halves of surrogate pairs, which JSON writes as \\udc...
    return text.encode(errors="backslashreplace")


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a corpus folder, of a version that is understood."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise CorpusError(
            f"{folder}: is not a prepared corpus (no {MANIFEST}); "
            "make one with 'segtopic prepare SOURCE --out DIR'"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise damaged(folder, f"{MANIFEST}: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise CorpusError(f"{folder}: {MANIFEST} belongs to something else than a corpus")
    version = manifest.get("format_version")
    if not isinstance(version, int) or version > FORMAT_VERSION:
        raise CorpusError(
            f"{folder}: has format version {version}, this segtopic reads up to {FORMAT_VERSION}; "
            "update segtopic, or prepare the corpus again"
        )
    return manifest


def damaged(folder: Path, what: str) -> CorpusError:
    """The error for a corpus folder that was cut short or changed."""
    return CorpusError(f"{folder}: the corpus is damaged ({what}); prepare it again")
