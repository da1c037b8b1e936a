"""From settings to a model that is ready for training."""

import numpy as np
import torch
from torch import nn

from segtopic.config import ModelConfig
from segtopic.corpus.documents import Documents
from segtopic.model.continuation import GatedPhrases
from segtopic.model.encoder import Encoder
from segtopic.model.scorer import SegmentScorer
from segtopic.model.topics import TopicModel

UNSEEN = 0.1  # added to every word's count, so that unseen words start low but not at zero


def build_model(config: ModelConfig, vocabulary_size: int) -> TopicModel:
    """A model with random weights; seed torch before."""
    encoder = Encoder(
        vocabulary_size,
        config.encoder_size,
        config.n_topics,
        hidden_words=config.hidden_words,
        dropout=config.dropout,
    )
    scorer = SegmentScorer(
        vocabulary_size,
        config.hidden_size,
        config.max_segment_length,
        n_layers=config.n_layers,
        continuation=config.continuation,
        last_step=config.last_step,
        dropout=config.dropout,
    )
    return TopicModel(
        encoder,
        scorer,
        config.n_topics,
        topic_scale=config.topic_scale,
        background=config.background,
        burstiness=config.burstiness,
    )


@torch.no_grad()
def start_from(model: TopicModel, config: ModelConfig, documents: Documents) -> None:
    """Take from the training documents what can be counted: word frequencies and phrases."""
    continuation = model.scorer.continuation
    if config.unigram_start:
        size = model.scorer.vocabulary_size
        counts = np.bincount(documents.words, minlength=size) + UNSEEN
        continuation.output.bias[:size] = torch.from_numpy(np.log(counts / counts.sum()))
        nn.init.normal_(continuation.output.weight, std=0.02)
    if isinstance(continuation, GatedPhrases):
        continuation.phrases.learn(documents)
