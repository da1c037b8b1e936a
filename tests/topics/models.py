"""Small models with random weights, of every kind, in double precision."""

import itertools

import numpy as np
import torch

from segtopic.corpus import Documents
from segtopic.model import SegmentScorer
from segtopic.model.encoder import Encoder
from segtopic.model.topic_model import TopicModel
from segtopic.topics.phrases import NO_WORD
from tests.model.continuing import switches

SWITCHES = switches()
V, K = 4, 3
TEXT = [[[0, 1, 2, 3], [1, 2]], [[3, 1, 2], [0, 1, 2], [2, 2, 2]], [[0, 3], [1]]]


def small_model(continuation, last_step, max_length, topic_words=False, seed=0):
    torch.manual_seed(seed)
    scorer = SegmentScorer(V, 5, max_length, 2, continuation, last_step)
    model = TopicModel(Encoder(V, 6, K), scorer, K, topic_scale=1.0, topic_words=topic_words)
    if topic_words:
        model.start_topics(torch.rand(K, V).softmax(1), torch.ones(K) / K)
    scorer.continuation.learn_counts(Documents.from_lists(TEXT))
    if continuation in ("phrases", "three-ways"):
        torch.nn.init.normal_(scorer.continuation.phrases.end_shift)
    if continuation == "three-ways":
        torch.nn.init.normal_(scorer.continuation.way_shift)
        torch.nn.init.normal_(scorer.continuation.further.words.weight)
        torch.nn.init.normal_(scorer.continuation.further.classes.weight)
    if continuation == "roles":
        torch.nn.init.normal_(scorer.continuation.inside)
        torch.nn.init.normal_(scorer.continuation.end)
    torch.nn.init.normal_(scorer.continuation.output.weight)
    return model.double().eval()


def all_phrases(max_length):
    """Every phrase of 1 .. ``max_length`` words, padded."""
    return np.array(
        [
            [*words, *[NO_WORD] * (max_length - length)]
            for length in range(1, max_length + 1)
            for words in itertools.product(range(V), repeat=length)
        ]
    )
