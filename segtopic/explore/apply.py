"""Documents in, their topics and key phrases out, any number of them: what ``segtopic apply`` does.

>>> import segtopic
>>> trained = segtopic.load("runs/ap")  # doctest: +SKIP
>>> job = ApplyJob.of(trained, ApplyConfig())  # doctest: +SKIP
>>> for rows in job.rows([Record("1", "The Supreme Court ruled.", "")]):  # doctest: +SKIP
...     print(rows[0].key_phrases)
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from segtopic.config import ApplyConfig
from segtopic.corpus.records import Record
from segtopic.errors import RunError
from segtopic.explore.parquet import ParquetTable
from segtopic.explore.rows import parts_by_digest
from segtopic.explore.table import DocumentRow, TableColumns, TextTable
from segtopic.files import text_digest
from segtopic.runs import TrainedModel
from segtopic.runs.view import TopicView
from segtopic.segment.key_phrases import KeyPhrase, KeyPhraseFinder
from segtopic.segment.marking import Marker
from segtopic.segment.output import ResumableFile
from segtopic.segment.segmented import FloatArray
from segtopic.segment.segmenter import Segmenter
from segtopic.topics.naming import topic_names

Progress = Callable[[str, int], None]
NEW = "new"
DECIMALS = 6  # of a share


class _Read(NamedTuple):
    topics: FloatArray  # (K,)
    common: float | None
    n_words: int
    phrases: list[KeyPhrase]


@dataclass(frozen=True)
class ApplyJob:
    """What is told of each document.

    Attributes:
        finder: Finds topics and key phrases.
        view: Which topics there are.
        names: Of the topics in the view's order.
        parts: Of the run's own documents, by the digests of their texts.
        n_key_phrases: At most.
    """

    finder: KeyPhraseFinder
    view: TopicView
    names: tuple[str, ...]
    parts: Mapping[bytes, str]
    n_key_phrases: int

    @classmethod
    def of(cls, trained: TrainedModel, config: ApplyConfig) -> "ApplyJob":
        """The job of a trained model; without its documents all texts are new to it."""
        try:
            parts = parts_by_digest(trained)
        except RunError:
            parts = {}
        segmenter = Segmenter.of(trained, trained.config.refinement(config.refine))
        return cls(
            finder=KeyPhraseFinder.of(trained, Marker.of(trained, segmenter)),
            view=trained.view,
            names=topic_names(trained),
            parts=parts,
            n_key_phrases=config.key_phrases,
        )

    def rows(self, records: Iterable[Record]) -> Iterator[list[DocumentRow]]:
        """Every record once, in order, in batches."""
        for batch in Segmenter.batches(records, _size):
            parts = [self.parts.get(text_digest(record.text), NEW) for record in batch]
            read = self._read([record.text for record in batch], [p == "train" for p in parts])
            yield [
                self._row(record, part, found)
                for record, part, found in zip(batch, parts, read, strict=True)
            ]

    def write(
        self, records: Iterable[Record], write: Callable[[str], object], table: TextTable
    ) -> None:
        """Hand the table to ``write``, piece by piece."""
        write(table.begin())
        for rows in self.rows(records):
            write(table.rows(rows))

    def save(
        self, records: Iterable[Record], output: ResumableFile, table: TextTable, progress: Progress
    ) -> None:
        """Write a file, from where an earlier attempt with the same records stopped."""
        if output.documents == 0:
            output.write(table.begin())
        for rows in self.rows(islice(records, output.documents, None)):
            output.write(table.rows(rows))
            output.keep(len(rows))
            progress("applying", output.documents)

    def save_parquet(
        self,
        records: Iterable[Record],
        path: Path,
        columns: TableColumns,
        overwrite: bool,
        progress: Progress,
    ) -> None:
        """Write a Parquet file, which is whole or not there."""
        done = 0
        with ParquetTable(path, columns, overwrite) as table:
            for rows in self.rows(records):
                table.write(rows)
                done += len(rows)
                progress("applying", done)

    def _read(self, texts: Sequence[str], trained_on: Sequence[bool]) -> list[_Read]:
        """Texts that the model was trained on are read without their own counts."""
        found: dict[int, _Read] = {}
        for known in (False, True):
            places = [place for place, own in enumerate(trained_on) if own == known]
            if not places:
                continue
            scored = self.finder.marker.segmenter.score([texts[place] for place in places], known)
            phrases = self.finder.read_off(scored, self.n_key_phrases)
            n_words = scored.encoded.documents.words_per_document.tolist()
            common = map(scored.common_share, range(len(places)))
            read = map(_Read, scored.topics, common, n_words, phrases)
            found.update(zip(places, read, strict=True))
        return [found[place] for place in range(len(texts))]

    def _row(self, record: Record, part: str, found: _Read) -> DocumentRow:
        shares = self.view.seen(found.topics)
        best = int(np.argmax(shares)) if found.n_words else None
        return DocumentRow(
            id=record.id or "",
            columns=record.columns or {},
            part=part,
            shares=tuple(round(share, DECIMALS) for share in shares.tolist()),
            best=best,
            best_number=None if best is None else self.view.numbers[best],
            key_phrases=tuple(phrase.text for phrase in found.phrases),
            common=None if found.common is None else round(found.common, DECIMALS),
        )


def _size(record: Record) -> int:
    """Characters of a record, all its columns included."""
    others = (record.columns or {}).values()
    return len(record.text) + sum(len(value) for value in others if isinstance(value, str))
