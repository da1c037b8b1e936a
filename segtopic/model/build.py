"""From settings to a model that is ready for training."""

import numpy as np
import torch

from segtopic.config import ModelConfig
from segtopic.corpus.documents import Documents
from segtopic.model.continuations import Counted, check_settings
from segtopic.model.encoder import Encoder
from segtopic.model.lda import sample_topics
from segtopic.model.scorer import SegmentScorer
from segtopic.model.seeds import Seeds, seeded_topics
from segtopic.model.topic_model import TopicModel

LDA_ETA, LDA_ITERATIONS = 0.1, 200
LDA_WORDS = 1 << 21  # of the documents from which first topics are sampled; others are left out
# Below, the corrections overfit within three epochs (Lee, 25,000 words); above, they gain 0.04
# nats per word on the development documents (AP, 350,000 words).
ENOUGH_WORDS = 100_000
UNSEEN = 0.1  # added to every word's count, so that unseen words start low but not at zero


def build_model(config: ModelConfig, vocabulary_size: int) -> TopicModel:
    """A model with random weights; seed torch before."""
    check_settings(config)
    if config.n_topics is None:
        raise ValueError("n_topics is not settled; see RunConfig.settled")
    encoder = Encoder(
        vocabulary_size,
        config.encoder_size,
        config.n_topics,
        hidden_words=config.hidden_words,
        dropout=config.dropout,
        guesses=config.guesses and config.topics == "lda",
    )
    scorer = SegmentScorer(
        vocabulary_size,
        config.hidden_size,
        config.max_segment_length,
        n_layers=config.n_layers,
        continuation=config.continuation,
        last_step=config.last_step,
        dropout=config.dropout,
        network_words=config.network_words,
        liked_words=config.liked_words,
    )
    return TopicModel(
        encoder,
        scorer,
        config.n_topics,
        topic_scale=config.topic_scale,
        background=config.background,
        burstiness=config.burstiness,
        own_phrases=config.own_phrases,
        topic_words=config.topics == "lda",
    )


@torch.no_grad()
def start_from(
    model: TopicModel,
    config: ModelConfig,
    documents: Documents,
    seed: int,
    seeds: Seeds | None = None,
) -> None:
    """Take from the training documents what counts can tell: topics, frequencies and phrases."""
    continuation, size = model.scorer.continuation, model.scorer.vocabulary_size
    counts = documents.word_counts(size) + UNSEEN
    frequencies = torch.from_numpy(counts / counts.sum())
    given_topics = config.topics == "lda"
    if given_topics:
        some = _some_of(documents, seed)
        found = sample_topics(some, size, model.n_topics, LDA_ETA, LDA_ITERATIONS, seed=seed)
        if seeds is not None:
            found = seeded_topics(found, some, seeds, LDA_ETA)
        model.start_topics(torch.from_numpy(found.topics), torch.from_numpy(found.alpha))
    continuation.start(Counted(documents, frequencies, given_topics, config.unigram_start))
    enough = config.corrected == "auto" and documents.n_words >= ENOUGH_WORDS
    if given_topics and not (config.corrected == "yes" or enough):
        continuation.freeze_corrections()


def _some_of(documents: Documents, seed: int) -> Documents:
    """All documents, or so many at random that LDA takes bounded time and memory."""
    if documents.n_words <= LDA_WORDS:
        return documents
    order = np.random.default_rng(seed).permutation(documents.n_documents)
    n_words = np.cumsum(documents.words_per_document[order])
    return documents.select(np.sort(order[: np.searchsorted(n_words, LDA_WORDS)]))
