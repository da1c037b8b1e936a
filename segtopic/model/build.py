"""From settings to a model that is ready for training."""

import torch

from segtopic.config import ENOUGH_WORDS, ModelConfig
from segtopic.corpus.documents import Documents
from segtopic.model.continuations import Counted, check_settings
from segtopic.model.encoder import Encoder
from segtopic.model.first_topics import find_first_topics
from segtopic.model.lda import GibbsTopics
from segtopic.model.scorer import SegmentScorer
from segtopic.model.seeds import Seeds
from segtopic.model.topic_model import TopicModel

UNSEEN = 0.1  # added to every word's count, so that unseen words start low but not at zero


def build_model(config: ModelConfig, vocabulary_size: int) -> TopicModel:
    """A model with random weights; seed torch before."""
    check_settings(config)
    if config.n_topics is None:
        raise ValueError("n_topics is not settled; see RunConfig.settled")
    given_topics = config.topics == "lda"
    common = config.common and given_topics
    encoder = Encoder(
        vocabulary_size,
        config.encoder_size,
        config.n_topics + common,
        hidden_words=config.hidden_words,
        dropout=config.dropout,
        guesses=config.guesses and given_topics,
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
        topic_words=given_topics,
        common=common,
    )


@torch.no_grad()
def start_from(
    model: TopicModel,
    config: ModelConfig,
    documents: Documents,
    seed: int,
    seeds: Seeds | None = None,
    found: GibbsTopics | None = None,
) -> None:
    """Take from the training documents what counts can tell: topics, frequencies and phrases.

    ``found`` are the topics that LDA has found in them, if it was asked already.
    """
    continuation, size = model.scorer.continuation, model.scorer.vocabulary_size
    counts = documents.word_counts(size) + UNSEEN
    frequencies = torch.from_numpy(counts / counts.sum())
    given_topics = config.topics == "lda"
    if given_topics:
        found = found or find_first_topics(
            documents, size, model.n_topics, seed, seeds, common=model.common is not None
        )
        alpha = torch.from_numpy(found.alpha)
        model.start_topics(torch.from_numpy(found.topics), alpha)
        if model.common is not None and found.common is not None:
            words = torch.from_numpy(found.common.words)
            model.start_common(words, alpha.new_tensor(found.common.alpha), alpha)
        elif model.common is not None:
            model.common.start_unused(frequencies)
    continuation.start(Counted(documents, frequencies, given_topics, config.unigram_start))
    # With fewer, the corrections overfit within three epochs (Lee, 25,000 words); with enough, they
    # gain 0.04 nats per word on the development documents (AP, 350,000 words).
    enough = config.corrected == "auto" and documents.n_words >= ENOUGH_WORDS
    if given_topics and not (config.corrected == "yes" or enough):
        continuation.freeze_corrections()
