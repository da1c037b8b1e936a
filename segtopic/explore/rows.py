"""Documents with the columns that stand beside their text: sources in, a stream of records out.

The columns of a stream are those of the first document of each source, because a table has its
header before its rows. What later documents have besides is left out and counted.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import chain, islice
from typing import Any

from segtopic.config import RunConfig, SourceConfig, did_you_mean
from segtopic.config.corpus import RowsConfig
from segtopic.config.use import ReadingConfig
from segtopic.corpus.records import BadLines, DuplicateIds, Record
from segtopic.corpus.sources import Source, locate, read_documents
from segtopic.corpus.split import PARTS
from segtopic.errors import ConfigError, CorpusError, RunError
from segtopic.runs import TrainedModel
from segtopic.runs.trained import IN_MEMORY

REMEMBERED = ("text_column", "id_column", "latex")


def new_sources(names: Iterable[str], config: ReadingConfig, run: RunConfig) -> list[Source]:
    """Where new documents come from; columns that are not named are those of the run."""
    found = []
    for name in names:
        values = vars(config.source(name))
        of_run = {key: getattr(run, key) for key in REMEMBERED if values[key] is None}
        found.append(locate(RowsConfig(**{**values, **of_run})))
    return found


def own_sources(trained: TrainedModel, config: ReadingConfig, remedy: str) -> list[Source]:
    """Where the run's own documents are read again; nowhere, if the run keeps their texts.

    ``remedy`` is what to do if they are not there any more.
    """
    if trained.config.data in ("-", IN_MEMORY):
        return []
    given = {key: value for key, value in vars(config.source("-")).items() if value is not None}
    values = {each.name: getattr(trained.config, each.name) for each in fields(SourceConfig)}
    values |= {**given, "data": trained.config.data, "on_bad_line": trained.config.on_bad_line}
    try:
        return [locate(RowsConfig(**values))]
    except CorpusError as error:
        raise RunError(f"the documents of the run cannot be read: {error}; {remedy}") from None


def kept_documents(trained: TrainedModel) -> Iterator[Record]:
    """The run's own documents with the texts that it keeps."""
    if not trained.corpus.has_texts:
        raise RunError(f"{trained.name}: keeps no texts; name the files with the documents")
    texts = trained.corpus.table["text"]
    return (
        Record(name, text.as_py(), f"{trained.name}: document '{name}'")
        for name, text in zip(trained.corpus.ids, texts, strict=True)
    )


class RowStream:
    """Documents one after the other, each with the same columns.

    Args:
        streams: of the documents.
        first: documents that tell the columns.
        dropped: columns that are not wanted.

    Attributes:
        columns: In the order in which they were met first.
        left_out: How often a column was met that is none of them.
    """

    def __init__(
        self,
        streams: Sequence[Iterable[Record]],
        first: Iterable[Record],
        dropped: frozenset[str] = frozenset(),
    ) -> None:
        met: dict[str, None] = {}
        for record in first:
            met.update(dict.fromkeys(record.columns or {}))
        if unknown := sorted(dropped - met.keys()):
            raise ConfigError(
                f"--drop-columns: there is no column '{unknown[0]}'"
                + (did_you_mean(unknown[0], list(met)) if met else " in documents without columns")
            )
        self.columns = tuple(column for column in met if column not in dropped)
        self.left_out: Counter[str] = Counter()
        self._known = {*self.columns, *dropped}
        self._streams = streams

    @classmethod
    def of(
        cls, sources: Sequence[Source], bad_lines: BadLines, dropped: frozenset[str] = frozenset()
    ) -> "RowStream":
        """The documents of several sources; each is opened, so that what is wrong is told now."""
        streams: list[Iterable[Record]] = []
        begun: list[Record] = []
        for source in sources:
            stream = read_documents(source, bad_lines, DuplicateIds())
            if source.path is None:  # read only once
                first = list(islice(stream, 1))
                streams.append(chain(first, stream))
            else:
                looked_at = BadLines(bad_lines.policy)
                first = list(islice(read_documents(source, looked_at, DuplicateIds()), 1))
                streams.append(stream)
            begun += first
        return cls(streams, begun, dropped)

    def __iter__(self) -> Iterator[Record]:
        for record in chain.from_iterable(self._streams):
            others: Mapping[str, Any] = record.columns or {}
            self.left_out.update(others.keys() - self._known)
            yield record._replace(columns={name: others.get(name) for name in self.columns})


def parts_by_digest(trained: TrainedModel) -> dict[bytes, str]:
    """Of each document of a run, by the digest of its text: train, dev or test.

    A text that stands in several parts is one that the model was trained on.
    """
    table = trained.corpus.table
    pairs = zip(table["digest"].to_pylist(), table["part"].to_pylist(), strict=True)
    found: dict[bytes, int] = {}
    for digest, part in pairs:
        found[digest] = min(part, found.get(digest, part))
    return {digest: PARTS[part] for digest, part in found.items()}
