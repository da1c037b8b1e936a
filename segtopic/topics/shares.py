"""Topic shares of documents by the encoder: a model and documents in, ``(D, K)`` theta out."""

import numpy as np
import torch
from torch import Tensor

from segtopic.corpus.documents import Documents
from segtopic.model import PackedCorpus
from segtopic.model.inference import encoder_mean
from segtopic.model.topic_model import TopicModel

BATCH = 64


@torch.no_grad()
def topic_shares(model: TopicModel, documents: Documents) -> Tensor:
    """``(D, K)``, rows sum to one; an empty document has what the model expects of any."""
    packed = PackedCorpus(documents, max_length=1)  # the encoder reads single words only
    parts = []
    for begin in range(0, len(packed), BATCH):
        batch = packed.batch(np.arange(begin, min(begin + BATCH, len(packed))))
        parts.append(model.theta(encoder_mean(model, batch).zeta))
    return torch.cat(parts)
