"""What a corpus was read from, in words: its summary in, rows of a table or lines out."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.corpus.corpus import Summary


def findings(summary: "Summary", copies_together: bool) -> list[tuple[str, str]]:
    """What is worth a look: what was left out, cleaned or held together, with counts."""
    kept = "kept in one part" if copies_together else "wherever they fall"
    found = [
        ("dropped: no text", summary.dropped_empty, ""),
        ("dropped: no known word", summary.dropped_no_known_word, ""),
        (
            "skipped: not readable",
            summary.skipped_lines,
            _examples(summary.skipped_examples, summary.skipped_lines),
        ),
        (
            "ids that came again, numbered",
            summary.duplicate_ids,
            _examples(summary.duplicate_examples, summary.duplicate_ids),
        ),
        ("cells that say NaN or null", summary.missing_cells, ""),
        (f"copies, {kept}", summary.copies, ""),
        (f"near copies, {kept}", summary.near_copies, ""),
        (
            "documents with HTML, cleaned",
            summary.html_documents,
            f" ({summary.html_tags:,} tags, {summary.html_entities:,} entities)",
        ),
    ]
    return [(what, f"{count:,}{more}") for what, count, more in found if count]


def told(summary: "Summary", copies_together: bool) -> Iterator[str]:
    """A line on the documents and words, and one for everything that was found."""
    yield (
        f"read {summary.documents_read:,} documents: {summary.documents:,} in the corpus, "
        f"{summary.words:,} words, {summary.vocabulary:,} different ones"
    )
    yield from (f"  {what}: {count}" for what, count in findings(summary, copies_together))


def _examples(examples: list[str], count: int) -> str:
    return f" ({'; '.join(examples)}{'; ...' if count > len(examples) else ''})"
