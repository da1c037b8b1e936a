"""Typical documents: a run in, for every topic the documents of the corpus with most of it out.

Shares are those that the page shows, inferred as by the run. They are known for all documents that
are read anyway, which is a small corpus as a whole, and for each topic's best by the encoder.

And how a topic sounds there: one of its phrases with the words around it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from segtopic.harmless import for_page
from segtopic.runs import TrainedModel
from segtopic.segment.segmented import FloatArray, SegmentedDocument
from segtopic.topics.shares import topic_shares

TYPICAL = 3  # documents of a topic
CANDIDATES = 10  # for them, by the encoder; the shares that are shown tell which are best
AROUND = 32  # characters on either side of a phrase


@dataclass(frozen=True)
class Context:
    """A phrase as it stands in a document.

    Attributes:
        before: What stands before it; with dots where it does not begin the text.
        phrase: As it is written there; empty where a document has no phrase of the topic.
        after: What stands after it.
    """

    before: str
    phrase: str
    after: str


def candidates(run: TrainedModel) -> list[int]:
    """The numbers of documents that may be typical of some topic, by the encoder, which is quick.

    Documents without a known word say nothing of any topic and are left out.
    """
    documents = run.corpus.documents
    spoken = np.flatnonzero(documents.words_per_document)
    if not len(spoken):
        return []
    shares = run.view.shares(topic_shares(run.model, documents.select(spoken))).numpy()
    best = np.argsort(-shares, axis=0, kind="stable")[:CANDIDATES]
    return best_first(spoken[best].T.tolist())


def typical_documents(shares: Mapping[int, FloatArray], n_topics: int, n: int) -> list[list[int]]:
    """For each topic the ``n`` documents with the largest shares of it, from ``(K,)`` of each.

    >>> typical_documents({7: np.array([0.9, 0.1]), 4: np.array([0.2, 0.8])}, 2, 1)
    [[7], [4]]
    """
    return [sorted(shares, key=lambda d: -shares[d][topic])[:n] for topic in range(n_topics)]


def best_first(typical: Sequence[Sequence[int]]) -> list[int]:
    """All of them once: the best of every topic, then the second best, ...

    >>> best_first([[4, 2], [2, 7]])
    [4, 2, 7]
    """
    ranks = range(max(map(len, typical), default=0))
    return list(dict.fromkeys(of[rank] for rank in ranks for of in typical if rank < len(of)))


def context(documents: Sequence[SegmentedDocument], phrases: Iterable[str]) -> Context | None:
    """The first of a topic's phrases that stands in its documents; without any, the first words.

    Args:
        documents: the most typical first.
        phrases: the most telling first, in the words of the vocabulary, made visible.
    """
    for wanted in phrases:
        for document in documents:
            for found in document.phrases:
                if for_page(" ".join(found.words)) == wanted:
                    return around(document.text, found.start, found.end)
    return around(documents[0].text, 0, 0) if documents else None


def around(text: str, start: int, end: int) -> Context:
    """A part of a text and what stands beside it, in whole words; line breaks are spaces."""
    text = for_page(text)  # one for one, so places stay
    first = text.rfind(" ", 0, start - AROUND) + 1 if start > AROUND else 0
    last = text.find(" ", end + AROUND) if end + AROUND < len(text) else len(text)
    last = last if end <= last <= end + 2 * AROUND else min(end + AROUND, len(text))
    first = max(first, start - 2 * AROUND)
    before, after = _one_line(text[first:start]).lstrip(), _one_line(text[end:last]).rstrip()
    return Context(
        before=f"… {before}" if first else before,
        phrase=_one_line(text[start:end]),
        after=f"{after} …" if last < len(text) else after,
    )


def _one_line(text: str) -> str:
    """Runs of white space as one space, at the ends, too."""
    inner = " ".join(text.split())
    lead = " " if text[:1].isspace() else ""
    trail = " " if inner and text[-1:].isspace() else ""
    return f"{lead}{inner}{trail}"
