"""A stream of documents cut into batches that fit into memory.

>>> [len(batch) for batch in batches(["a" * 9, "b", "c", "d"], len, 10, most_items=2)]
[2, 2]
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def batches(
    items: Iterable[Item],
    size: Callable[[Item], int],
    most_characters: int,
    most_items: int | None = None,
) -> Iterator[list[Item]]:
    """Runs of documents, in order; a document that is too long has a batch of its own.

    Args:
        items: the documents.
        size: the characters of a document.
        most_characters: of a batch.
        most_items: documents of a batch, however short they are.
    """
    batch: list[Item] = []
    characters = 0
    for item in items:
        if batch and (len(batch) == most_items or characters + size(item) > most_characters):
            yield batch
            batch, characters = [], 0
        batch.append(item)
        characters += size(item)
    if batch:
        yield batch
