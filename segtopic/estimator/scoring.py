"""How well a model predicts the rest of documents: a model and documents in, scores out."""

import numpy as np

from segtopic.corpus.documents import Documents
from segtopic.evaluate.heldout import DocumentScores
from segtopic.model.inference import encoder_mean, predictive_scores, refine
from segtopic.model.topics import TopicModel
from segtopic.training.data import HeldOutBatches


def predictive_log_likelihood(
    model: TopicModel, documents: Documents, refine_steps: int
) -> DocumentScores:
    """Topics from the first part of each document; the rest is scored."""
    model.eval()
    likelihood, words = [], []
    for observed, scored in HeldOutBatches(documents, model.scorer.max_length):
        latent = refine(model, encoder_mean(model, observed), observed, refine_steps)
        total = predictive_scores(model, latent, observed, scored).total
        likelihood.append(scored.sum_by_document(total).numpy())
        words.append(scored.sum_by_document(scored.spans.lengths).numpy())
    return DocumentScores(np.concatenate(likelihood), np.concatenate(words))
