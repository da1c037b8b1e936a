"""How many phrases a model finds: documents in, phrases of several words per document out.

A model that has only learned phrases by heart finds many in the documents it was trained on and
few in others.
"""

import torch

from segtopic.corpus.documents import Documents
from segtopic.lattice import segment_lengths, viterbi
from segtopic.model import packed_batches
from segtopic.model.inference import encoder_mean
from segtopic.model.topic_model import TopicModel
from segtopic.model.urn import others_urn


@torch.no_grad()
def phrases_per_document(model: TopicModel, documents: Documents, trained_on: bool) -> float:
    """Segments of several words in the best segmentation, per document.

    Args:
        model: trained.
        documents: to count in.
        trained_on: whether it was trained on them; their own counts are left out then.
    """
    model.eval()
    found = 0
    for batch in packed_batches(documents, model.scorer.max_length):
        latent = encoder_mean(model, batch)
        scores = model.scores(latent, batch, others_urn(batch), leave_out=trained_on)
        ends = viterbi(scores.double(), batch.spans).ends
        found += int((segment_lengths(ends, batch.spans) > 1).sum())
    return found / max(documents.n_documents, 1)
