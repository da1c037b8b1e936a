"""Topics of a run in words, described once: a run in, its topics out, from the cache if there.

To describe topics takes longer than most questions about them, and `names`, `find`, `tree`, `apply`
and others all ask for it. What is stored belongs to the very model, documents, names and code that
it was made by; whatever cannot be read is made again. A model in memory is described anew.
"""

import dataclasses
import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import segtopic
from segtopic.config import DEFAULT_DEFINITION, Definition, Rank
from segtopic.corpus.documents import digest_of_documents
from segtopic.corpus.named import cache_folder
from segtopic.errors import RunError
from segtopic.files import content_digest, write_atomically
from segtopic.runs import TrainedModel
from segtopic.runs.view import TopicView
from segtopic.topics.describe import Term, Topic, TypicalDocument, describe_topics
from segtopic.typed import fits

# What is stored; whoever wants more has it made anew.
PHRASES, DOCUMENTS = 60, 10
PLAIN = (int, float, str)
Kind = TypeVar("Kind", Topic, Term, TypicalDocument)
MADE_BY = ("lattice", "model", "topics")  # parts of the package


def described_topics(
    trained: TrainedModel,
    n_phrases: int = 8,
    n_topics: int | None = None,
    *,
    rank: Rank = "relevance",
    min_words: int = 1,
    definition: Definition = DEFAULT_DEFINITION,
    n_documents: int = 3,
    view: TopicView | None = None,
    before: Callable[[], None] = lambda: None,
) -> list[Topic]:
    """As :func:`~segtopic.topics.describe_topics`, of a run and as its user wants to see them.

    Args:
        trained: the run, with its documents.
        n_phrases: phrases, and words, of each topic.
        n_topics: only so many of the largest.
        rank: what comes first.
        min_words: only phrases of at least so many words.
        definition: which document stands for a topic.
        n_documents: typical documents of each topic.
        view: names and merged topics; the run's own if not given.
        before: called if it will take a while.
    """
    seen = view or trained.view
    made_with: dict[str, Any] = {"rank": rank, "min_words": min_words, "definition": definition}

    def made(phrases: int, documents: int) -> list[Topic]:
        before()
        return describe_topics(
            trained.model,
            trained.corpus.train,
            trained.vocabulary,
            phrases,
            n_documents=documents,
            view=seen,
            **made_with,
        )

    if trained.folder is None or n_phrases > PHRASES or n_documents > DOCUMENTS:
        topics = made(n_phrases, n_documents)
    else:
        path = cache_folder() / "topics" / f"{_key(trained, seen, made_with)}.json"
        stored = _read(path)
        if stored is None:
            stored = made(PHRASES, DOCUMENTS)
            _write(path, stored)
        topics = stored
    return [
        dataclasses.replace(
            topic,
            phrases=topic.phrases[:n_phrases],
            words=topic.words[:n_phrases],
            documents=topic.documents[:n_documents],
        )
        for topic in topics[:n_topics]
    ]


def _key(trained: TrainedModel, view: TopicView, made_with: dict[str, Any]) -> str:
    """What two descriptions share only if they are the same."""
    weights = hashlib.sha256()
    for name, tensor in sorted(trained.model.state_dict().items()):
        weights.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        weights.update(tensor.cpu().contiguous().numpy().tobytes())
    code = hashlib.sha256()
    package = Path(segtopic.__file__).parent
    for part in MADE_BY:
        for path in sorted((package / part).rglob("*.py")):
            code.update(path.read_bytes())
    content = {
        **made_with,
        "weights": weights.hexdigest(),
        "documents": digest_of_documents(trained.corpus.train),
        "words": trained.vocabulary.words,
        "groups": view.groups,
        "names": sorted(view.names.items()),
        "code": code.hexdigest(),
    }
    return content_digest(content).partition(":")[2][:32]


def _read(path: Path) -> list[Topic] | None:
    try:
        content = json.loads(path.read_bytes())
        if content["digest"] != content_digest(content["topics"]):
            return None
        return [
            _typed(
                Topic,
                {
                    **topic,
                    "phrases": tuple(_typed(Term, term) for term in topic["phrases"]),
                    "words": tuple(_typed(Term, term) for term in topic["words"]),
                    "documents": tuple(_typed(TypicalDocument, d) for d in topic["documents"]),
                },
            )
            for topic in content["topics"]
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _typed(kind: type[Kind], values: dict[str, Any]) -> Kind:
    """What a file says, if numbers are numbers and texts are texts."""
    for field in dataclasses.fields(kind):
        if field.type in PLAIN and not fits(values[field.name], field.type):
            raise TypeError(f"{field.name} is of another type")
    return kind(**values)


def _write(path: Path, topics: list[Topic]) -> None:
    values = [dataclasses.asdict(topic) for topic in topics]
    content = {"digest": content_digest(values), "topics": values}
    with suppress(OSError, RunError):  # a cache that cannot be written is none
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(content))
