"""Shares of documents by the encoder: a model and documents in, ``(D, K)`` theta out."""

from collections.abc import Iterator

import torch
from torch import Tensor

from segtopic.corpus.documents import Documents
from segtopic.model import packed_batches
from segtopic.model.inference import encoder_mean
from segtopic.model.topic_model import TopicModel

DESCRIBED_WORDS = 1 << 22  # of the documents that tell what topics are about


@torch.no_grad()
def topic_shares(model: TopicModel, documents: Documents) -> Tensor:
    """``(D, K)``, rows sum to one; an empty document has what the model expects of any."""
    return torch.cat([model.theta(zeta) for zeta in _hidden(model, documents)])


@torch.no_grad()
def common_shares(model: TopicModel, documents: Documents) -> Tensor:
    """``(D,)`` shares of the words that all documents have; zero if they are in the topics."""
    return torch.cat([model.common_share(zeta) for zeta in _hidden(model, documents)])


def _hidden(model: TopicModel, documents: Documents) -> Iterator[Tensor]:
    """``zeta``, batch by batch."""
    for batch in packed_batches(documents, max_length=1):  # the encoder reads single words only
        yield encoder_mean(model, batch).zeta
