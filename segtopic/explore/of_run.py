"""What a run's own documents have in a column of their source, and topics over it.

The source is read again. A document is known by its id and the digest of its text, so the order and
the place of the source do not matter.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from segtopic.config import did_you_mean
from segtopic.config.use import ReadingConfig
from segtopic.corpus.records import BadLines
from segtopic.errors import ConfigError, RunError
from segtopic.explore.changes import Changes
from segtopic.explore.changing import CANDIDATES, changes
from segtopic.explore.rows import RowStream, own_sources
from segtopic.explore.values import MOST_GROUPS, Binned, groups, times
from segtopic.files import text_digest
from segtopic.runs import TrainedModel
from segtopic.topics.described import described_topics
from segtopic.topics.shares import topic_shares


def run_columns(trained: TrainedModel, columns: Sequence[str]) -> dict[str, list[Any]]:
    """The values of the run's documents in each of these columns; ``None`` where none is found."""
    sources = own_sources(trained, ReadingConfig(), "tell where they are now with --data")
    if not sources:
        raise RunError(
            f"{trained.name}: its documents were not read from a file, so they have no column "
            f"'{columns[0]}'; tell where a table of them is with --data"
        )
    # The first so many documents may be others now.
    sources = [replace(each, config=replace(each.config, limit=None)) for each in sources]
    rows = RowStream.of(sources, BadLines(trained.config.on_bad_line))
    for column in columns:
        if column not in rows.columns:
            near = did_you_mean(column, rows.columns) if rows.columns else "; it has none"
            raise ConfigError(f"{sources[0].label}: has no column '{column}'{near}")
    numbers = {name: number for number, name in enumerate(trained.corpus.ids)}
    digests = trained.corpus.table["digest"].to_pylist()
    by_digest = {digest: number for number, digest in enumerate(digests)}
    found: dict[str, list[Any]] = {column: [None] * len(digests) for column in columns}
    n_found = 0
    for record in rows:
        digest = text_digest(record.text)
        number = numbers.get(record.id or "")
        if number is None or digests[number] != digest:
            number = by_digest.get(digest)
        if number is not None and record.columns is not None:
            n_found += 1
            for column in columns:
                found[column][number] = record.columns[column]
    if not n_found:
        raise RunError(
            f"{sources[0].label}: holds none of the documents of {trained.name}; tell where they "
            "are with --data"
        )
    return found


def changes_of_run(
    trained: TrainedModel, values: Sequence[Binned], n_phrases: int = 5, seed: int = 0
) -> list[Changes]:
    """All documents of a run over each of some columns; the largest topic first."""
    view = trained.view
    documents = trained.corpus.documents
    topics = described_topics(trained, CANDIDATES, n_documents=0)
    places = [view.numbers.index(topic.number) for topic in topics]
    theta = topic_shares(trained.model, documents)
    shares = view.shares(theta).double().numpy()[:, places]
    return [
        changes(topics, shares, documents, trained.vocabulary, each, n_phrases, seed)
        for each in values
    ]


def over_columns(
    trained: TrainedModel,
    time_column: str | None = None,
    group_column: str | None = None,
    time_bins: str = "year",
    most_groups: int = MOST_GROUPS,
    n_phrases: int = 5,
    seed: int = 0,
) -> dict[str, Changes]:
    """Topics of a run ``over_time`` and ``by_group``, as far as columns are named."""
    wanted = [column for column in (time_column, group_column) if column is not None]
    if not wanted:
        return {}
    found = run_columns(trained, wanted)
    values: dict[str, Binned] = {}
    if time_column is not None:
        values["over_time"] = times(found[time_column], time_column, time_bins)
    if group_column is not None:
        values["by_group"] = groups(found[group_column], group_column, most_groups)
    made = changes_of_run(trained, list(values.values()), n_phrases, seed)
    return dict(zip(values, made, strict=True))
