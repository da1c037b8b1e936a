"""The words that topics add: a model and what stands for its topics in, distributions out."""

import numpy as np
import torch
from torch import Tensor

from segtopic.model.topic_model import TopicModel
from segtopic.segment.segmented import FloatArray

SMALLEST_RISE = 1e-4


@torch.no_grad()
def topic_words(model: TopicModel, mean: Tensor, at_peak: Tensor) -> FloatArray:
    """``(K, V)`` words that topics add, from the ``(K,)`` average and ``(K, K)`` peak documents.

    Topic ``k`` is what its weight changes between the average document, with words ``p`` and share
    ``m_k``, and the same document with topic ``k`` at its peak ``h_k``, with words ``p_k``. Were a
    document a mixture of topics, ``p = m_k t_k + (1 - m_k) r_k`` and
    ``p_k = h_k t_k + (1 - h_k) r_k`` with the rest ``r_k``, so

        t_k = ((1 - m_k) p_k - (1 - h_k) p) / (h_k - m_k).

    For topics of LDA this is exact; for those of a network it is the line through what real
    documents show, cut off at zero.
    """
    words = model.first_word_distribution(torch.cat([at_peak, mean[None]])).double().numpy()
    peak_words, average = words[:-1], words[-1]
    shares, highest = mean.double().numpy(), at_peak.diagonal().double().numpy()
    rise = (highest - shares)[:, None]
    line = (1 - shares)[:, None] * peak_words - (1 - highest)[:, None] * average
    added = (line / np.maximum(rise, SMALLEST_RISE)).clip(min=0)
    # A topic that every document has to the same share says what the average document says.
    added = np.where((rise < SMALLEST_RISE) | (added.sum(1, keepdims=True) == 0), peak_words, added)
    distributions: FloatArray = added / added.sum(1, keepdims=True)
    return distributions
