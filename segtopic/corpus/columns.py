"""The Arrow columns: a row for each document, in batches, written as a stream and mapped back.

Tokens wait in a scratch file of :data:`TOKENS` until the vocabulary is known; :data:`DOCUMENTS` is
what a corpus keeps. Lists are stored as Arrow stores them: all values in one array, and offsets.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from segtopic.corpus.documents import Documents, IntArray, joined

TOKENS = pa.schema(
    [
        ("id", pa.large_string()),
        ("text", pa.large_string()),
        ("forms", pa.large_list(pa.int32())),
        ("starts", pa.large_list(pa.int32())),
        ("lengths", pa.large_list(pa.int32())),
    ]
)
DOCUMENTS = pa.schema(
    [
        ("id", pa.large_string()),
        ("text", pa.large_string()),
        ("words", pa.large_list(pa.int32())),
        ("span_lengths", pa.large_list(pa.int32())),
        ("starts", pa.large_list(pa.int32())),
        ("ends", pa.large_list(pa.int32())),
    ]
)


def lists(values: IntArray, lengths: IntArray) -> pa.Array:
    """A list column from all values one after the other and the length of each list."""
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return pa.LargeListArray.from_arrays(
        pa.array(offsets), pa.array(np.ascontiguousarray(values, dtype=np.int32))
    )


def values_of(column: pa.Array) -> IntArray:
    """All values of a list column, one after the other, without a copy."""
    values: IntArray = column.flatten().to_numpy()
    return values


def lengths_of(column: pa.Array) -> IntArray:
    """The length of each list of a column."""
    return np.diff(column.offsets.to_numpy())


def document_columns(documents: Documents) -> tuple[pa.Array, pa.Array]:
    """The columns ``words`` and ``span_lengths``."""
    return (
        lists(documents.words, documents.words_per_document),
        lists(documents.span_lengths, documents.spans_per_document),
    )


def document_batch(
    ids: pa.Array | Sequence[str],
    texts: pa.Array | Sequence[str],
    documents: Documents,
    starts: IntArray,
    ends: IntArray,
) -> pa.RecordBatch:
    """Rows of :data:`DOCUMENTS`."""
    per_document = documents.words_per_document
    return pa.record_batch(
        [
            pa.array(ids, pa.large_string()),
            pa.array(texts, pa.large_string()),
            *document_columns(documents),
            lists(starts, per_document),
            lists(ends, per_document),
        ],
        schema=DOCUMENTS,
    )


def read_arrays(batches: Iterable[pa.RecordBatch]) -> Documents:
    """The words and spans of all batches in three arrays."""
    words, span_lengths, spans_per_document = [], [], []
    for batch in batches:
        words.append(values_of(batch["words"]))
        span_lengths.append(values_of(batch["span_lengths"]))
        spans_per_document.append(lengths_of(batch["span_lengths"]).astype(np.int32))
    empty: IntArray = np.empty(0, dtype=np.int32)
    return Documents(
        joined(words or [empty]),
        joined(span_lengths or [empty]),
        joined(spans_per_document or [empty]),
    )
