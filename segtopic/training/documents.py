"""``documents.safetensors``: documents as numbers of words, without their text."""

from dataclasses import fields
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from segtopic.corpus.documents import Documents
from segtopic.errors import RunError
from segtopic.training.files import write_atomically

COLUMNS = tuple(field.name for field in fields(Documents))


def save_documents(path: Path, documents: Documents) -> None:
    """Write the file."""
    columns = {name: getattr(documents, name).astype(np.int32) for name in COLUMNS}
    write_atomically(path, save(columns))


def load_documents(path: Path, vocabulary_size: int) -> Documents:
    """Read the file; its numbers must fit each other and the vocabulary."""
    try:
        columns = load(path.read_bytes())
        documents = Documents(**{name: columns[name] for name in COLUMNS})
        words, lengths = documents.words, documents.span_lengths
        fit = (
            all(columns[name].ndim == 1 for name in COLUMNS)
            and int(lengths.sum()) == len(words)
            and int(documents.spans_per_document.sum()) == len(lengths)
            and lengths.min(initial=1) >= 1
            and documents.spans_per_document.min(initial=0) >= 0
            and (not len(words) or 0 <= words.min() <= words.max() < vocabulary_size)
        )
    except (OSError, SafetensorError, KeyError) as error:
        raise RunError(f"{path}: is damaged ({error}); save the model again") from None
    if not fit:
        raise RunError(f"{path}: does not fit the model beside it; save the model again")
    return documents
