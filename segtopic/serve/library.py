"""The documents of a run, by their topics: shares of a text in, documents like it out.

Two documents are alike as far as their topics overlap: the affinity of Bhattacharyya, 1 for equal
shares and 0 where they have no topic in common.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from segtopic.errors import RunError
from segtopic.runs import TrainedModel
from segtopic.segment.segmented import FloatArray
from segtopic.topics.shares import topic_shares

FIRST_CHARACTERS = 160


@dataclass(frozen=True, eq=False)
class Library:
    """Documents with their topics.

    Attributes:
        ids: Of the documents.
        begins: Their first words; empty where the texts are gone.
        roots: ``(D, K)`` square roots of the topic shares.
        missing: Why documents or their texts are not here, in a sentence; empty if they are.
        example: The text of a document, to begin with; empty if there is none.
    """

    ids: list[str]
    begins: list[str]
    roots: FloatArray
    missing: str = ""
    example: str = ""

    @classmethod
    def of(cls, trained: TrainedModel) -> "Library":
        """All documents of a run; what a run was saved without is told, and no error."""
        try:
            documents, ids = trained.corpus.documents, trained.corpus.ids
        except RunError as error:
            return cls([], [], np.empty((0, trained.model.n_topics)), missing=str(error))
        roots = np.sqrt(topic_shares(trained.model, documents).double().numpy())
        try:
            begins = trained.first_words(range(len(ids)), FIRST_CHARACTERS)
            split = trained.corpus.split
            unseen = [*split.test.tolist(), *split.dev.tolist(), *split.train.tolist()][0]
            example = trained.texts([unseen])[unseen]
        except RunError as error:
            return cls(ids, [""] * len(ids), roots, missing=str(error))
        return cls(ids, [begins[number] for number in range(len(ids))], roots, example=example)

    def like(self, shares: FloatArray, n_documents: int) -> list[dict[str, Any]]:
        """The documents whose topics overlap most with ``(K,)`` shares, the best first."""
        affinities = self.roots @ np.sqrt(shares)
        best = np.argsort(-affinities, kind="stable")[:n_documents].tolist()
        return [
            {
                "id": self.ids[number],
                "affinity": round(min(float(affinities[number]), 1.0), 4),
                "begins": self.begins[number],
            }
            for number in best
        ]
