"""Segmentations of whole documents: the best one, the ``k`` best, or samples from the posterior.

The spans of a document are independent given its topics, so its best segmentations are the best
ways to choose one of each span's best ones.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from segtopic.corpus.documents import IntArray, document_generator
from segtopic.lattice import k_best, log_partition, sample_segmentations, segmentation_score
from segtopic.segment.segmented import FloatArray, SegmentedDocument
from segtopic.segment.segmenter import ScoredTexts, Segmenter


@dataclass(frozen=True)
class Alternative:
    """A segmentation of a document, and the logarithm of its posterior probability.

    Marked phrases come from all segmentations and have none.
    """

    document: SegmentedDocument
    log_probability: float | None


def best_alternative(segmenter: Segmenter, scored: ScoredTexts) -> list[list[Alternative]]:
    """What the segmenter takes for the best segmentation of each document, alone in its list."""
    return _versions(segmenter, scored, [segmenter.best(scored)])


def best_alternatives(segmenter: Segmenter, scored: ScoredTexts, k: int) -> list[list[Alternative]]:
    """The up to ``k`` most probable segmentations of each document, best first."""
    best = k_best(scored.scores, scored.spans, k)
    log_probabilities = (best.scores - log_partition(scored.scores, scored.spans)).numpy()
    ranks = np.zeros((k, scored.spans.n_spans), dtype=np.int64)
    exists = np.zeros((k, len(scored.texts)), dtype=bool)
    begin = 0
    for document, n_spans in enumerate(scored.encoded.documents.spans_per_document.tolist()):
        spans = slice(begin, begin + n_spans)
        chosen = _best_choices(log_probabilities[:, spans])
        ranks[: len(chosen), spans] = chosen
        exists[: len(chosen), document] = True
        begin += n_spans
    words = torch.arange(scored.spans.n_words)
    versions = (
        best.ends[torch.as_tensor(rank)[scored.spans.span_of_word], words] for rank in ranks
    )
    return [
        [alternative for alternative, there in zip(found, exists[:, number], strict=True) if there]
        for number, found in enumerate(_versions(segmenter, scored, versions))
    ]


def sampled_alternatives(
    segmenter: Segmenter, scored: ScoredTexts, n_samples: int, ids: Sequence[str], seed: int
) -> list[list[Alternative]]:
    """``n_samples`` segmentations of each document, each drawn with its probability.

    They depend on the seed and the document's id, not on its place or its neighbours.
    """
    n_words = scored.encoded.documents.words_per_document.tolist()
    uniform = [
        document_generator(seed, id_.encode()).random((n_samples, n))
        for id_, n in zip(ids, n_words, strict=True)
    ]
    drawn = sample_segmentations(
        scored.scores,
        scored.spans,
        n_samples,
        uniform=torch.from_numpy(np.concatenate(uniform, axis=1)),
    )
    return _versions(segmenter, scored, drawn)


def _versions(
    segmenter: Segmenter, scored: ScoredTexts, versions: Iterable[Tensor]
) -> list[list[Alternative]]:
    """For each document, its alternatives in the order of the versions."""
    total = log_partition(scored.scores, scored.spans)
    per_document = scored.encoded.documents.spans_per_document
    document_of_span = np.repeat(np.arange(len(scored.texts)), per_document)
    found: list[list[Alternative]] = [[] for _ in scored.texts]
    for ends in versions:
        by_span = (segmentation_score(scored.scores, scored.spans, ends) - total).numpy()
        by_document = np.bincount(document_of_span, by_span, minlength=len(scored.texts))
        documents = segmenter.read_off(scored, ends)
        for own, document, value in zip(found, documents, by_document.tolist(), strict=True):
            own.append(Alternative(document, min(value, 0.0)))
    return found


def _best_choices(values: FloatArray) -> IntArray:
    """Ways to choose one of the ``k`` sorted values of every column, by their sum, best first.

    >>> _best_choices(np.log([[0.6, 0.9], [0.4, 0.1]])).tolist()
    [[0, 0], [1, 0]]
    """
    k, n_columns = values.shape
    sums = np.zeros(1)
    steps: list[tuple[int, IntArray, IntArray]] = []  # column, chosen row, way so far
    for column in np.flatnonzero(values[1] > -np.inf).tolist() if k > 1 else ():
        loss = values[:, column] - values[0, column]
        loss = loss[loss > -np.inf]
        candidates = (sums[:, None] + loss).ravel()
        order = np.argsort(-candidates, kind="stable")[:k]
        steps.append((column, order % len(loss), order // len(loss)))
        sums = candidates[order]
    chosen = np.zeros((len(sums), n_columns), dtype=np.int64)
    way: IntArray = np.arange(len(sums))
    for column, rows, before in reversed(steps):
        chosen[:, column] = rows[way]
        way = before[way]
    return chosen
