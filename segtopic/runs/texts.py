"""The original texts of a run's documents: from the run, or found again at their source.

Only what shows text asks for it. A document of the source is known by the digest of its text, so
its order and place do not matter; a text that has changed is refused.
"""

from collections.abc import Iterable
from dataclasses import replace

from segtopic.config import CorpusConfig, SourceConfig, part_of
from segtopic.corpus.records import BadLines, DuplicateIds
from segtopic.corpus.sources import locate, read_documents
from segtopic.errors import CorpusError, RunError
from segtopic.files import text_digest
from segtopic.runs.corpus import RunCorpus


def original_texts(
    corpus: RunCorpus, config: CorpusConfig, numbers: Iterable[int]
) -> dict[int, str]:
    """The texts of the documents with these numbers, by number."""
    wanted = list(numbers)
    if corpus.has_texts:
        return {number: corpus.table["text"][number].as_py() for number in wanted}
    digests = {number: corpus.table["digest"][number].as_py() for number in wanted}
    missing = set(digests.values())
    found: dict[bytes, str] = {}
    try:
        records = read_documents(
            # The first so many documents may be others now; the loop ends when all are found.
            locate(replace(part_of(config, SourceConfig), limit=None)),
            BadLines(config.on_bad_line),
            DuplicateIds(),
        )
        for record in records:
            if not missing:
                break
            digest = text_digest(record.text)
            if digest in missing:
                missing.discard(digest)
                found[digest] = record.text
    except CorpusError as error:
        raise RunError(f"the texts of the run cannot be shown: {error}") from None
    if missing:
        changed = [corpus.ids[number] for number in wanted if digests[number] in missing]
        more = f" and {len(changed) - 1} more documents" if len(changed) > 1 else ""
        raise RunError(
            f"{config.data}: the text of '{changed[0]}'{more} has changed or is gone since the "
            "training; bring it back, tell where it is with --data, or train again"
        )
    return {number: found[digest] for number, digest in digests.items()}
