"""Scorers with random weights for every continuation of the registry, and what must hold for all.

The checks know nothing of any particular continuation, so they also judge one that a test adds.
"""

import itertools
import math
from typing import get_args

import numpy as np
import pytest
import torch

from segtopic.corpus import Documents
from segtopic.errors import ConfigError
from segtopic.lattice import log_partition
from segtopic.model import SegmentScorer, pack
from segtopic.model.continuations import CONTINUATIONS, Context, Counted, LastStep
from segtopic.model.packing import pack_phrases

V, H = 3, 5
COUNTED = [[[0, 1, 2], [0, 1]], [[0, 1, 2, 2], [2, 0], [1]]]
FREQUENCIES = torch.tensor([0.3, 0.4, 0.3], dtype=torch.float64)


def switches():
    """Every continuation with every last step that it allows."""
    allowed = []
    for name, last_step in itertools.product(CONTINUATIONS, get_args(LastStep)):
        try:
            CONTINUATIONS[name].check(name, {"last_step": last_step})
        except ConfigError:
            continue
        allowed.append((name, last_step))
    return allowed


def random_scorer(name, last_step, max_length, seed=0):
    """Has counted, and then moved every parameter of the continuation somewhere else."""
    torch.manual_seed(seed)
    scorer = SegmentScorer(V, H, max_length, continuation=name, last_step=last_step).double()
    counted = Counted(Documents.from_lists(COUNTED), FREQUENCIES, False, True)
    scorer.continuation.start(counted)
    with torch.no_grad():
        for parameter in scorer.continuation.parameters():
            parameter.add_(0.5 * torch.randn_like(parameter))
    return scorer.eval()


def some_context(scorer, offset=None):
    generator = torch.Generator().manual_seed(3)
    return Context(scorer, torch.randn(1, H, generator=generator, dtype=torch.float64), offset)


def sequences(length):
    return np.array(list(itertools.product(range(V), repeat=length)))


def step(scorer, context, words):
    """Log probabilities of the words of ``(B, l)`` beginnings, and of the end after them."""
    batch = pack_phrases(words, scorer.max_length)
    parts = scorer.parts(context, batch)
    node = batch.node[batch.spans.first_word, words.shape[1] - 1]
    first = parts.first_word[batch.node[batch.spans.first_word, 0]]
    return first + parts.words[node], parts.ends[node]


def check_segments_sum_to_one(scorer):
    """Those of 1 .. L words, and what leaks to longer ones where the last end is charged."""
    context, total = some_context(scorer), 0.0
    for length in range(1, scorer.max_length + 1):
        begun, end = step(scorer, context, sequences(length))
        total += (begun + end).exp().sum().item()
    leaks = (begun.exp() - (begun + end).exp()).sum().item()
    if scorer.last_step == "certain":
        assert leaks == 0
    else:
        assert leaks > 0.001
    assert total + leaks == pytest.approx(1, abs=1e-12)


def check_texts_sum_to_one(scorer):
    """Lattice and scorer together: all texts of a length in one span.

    Where ends are charged, the texts have what all ways to fill the span with segments have.
    """
    context = some_context(scorer)
    by_length = [
        sum(step(scorer, context, sequences(length))).exp().sum().item()
        for length in range(1, scorer.max_length + 1)
    ]
    fill = [1.0]
    for n in range(1, 5):
        segments = enumerate(by_length[:n], start=1)
        fill.append(sum(mass * fill[n - length] for length, mass in segments))
        texts = Documents.from_lists([[words] for words in sequences(n).tolist()])
        batch = pack(texts, scorer.max_length)
        x = context.x.expand(texts.n_documents, -1)
        total = log_partition(scorer(x, batch), batch.spans).exp().sum().item()
        expected = 1.0 if scorer.last_step == "certain" else fill[n]
        assert total == pytest.approx(expected, abs=1e-12)


def check_first_words_agree(scorer, offset=None):
    """The whole distribution, the words of a bag, and the first step of a trie."""
    context = some_context(scorer, offset)
    distribution = scorer.continuation.first_word_distribution(context)
    assert distribution.shape == (1, V)
    assert distribution.sum().item() == pytest.approx(1, abs=1e-12)
    batch = pack(Documents.from_lists([[[2, 0], [2]]]), scorer.max_length)
    expected = distribution[0, [0, 2]].log()
    torch.testing.assert_close(scorer.continuation.score_bags(context, batch.levels[0]), expected)
    torch.testing.assert_close(scorer.parts(context, batch).first_word, expected)
    if offset is not None:
        without = scorer.continuation.first_word_distribution(some_context(scorer))
        moved = without * offset.exp()
        torch.testing.assert_close(distribution, moved / moved.sum())


def check_proposals_are_exact(scorer):
    """A word's share, times going on, is what scoring the longer beginning gives."""
    context = some_context(scorer)
    for length in range(1, scorer.max_length):
        beginnings = sequences(length)[::-1]  # no order of their own is to be relied on
        begun, end = step(scorer, context, beginnings)
        everything = torch.full((len(beginnings),), -math.inf, dtype=torch.float64)
        found = scorer.continuation.propose(context, beginnings, everything)
        proposed = torch.zeros(len(beginnings), V, dtype=torch.float64)
        proposed[found.beginning, found.word] = found.log_share.exp()
        goes_on = begun.exp() - (begun + end).exp()
        longer, _ = step(scorer, context, sequences(length + 1))
        expected = longer.exp().view(-1, V).flip(0)
        torch.testing.assert_close(goes_on[:, None] * proposed, expected, rtol=0, atol=1e-12)
        least = torch.full((len(beginnings),), math.log(0.3), dtype=torch.float64)
        fewer = scorer.continuation.propose(context, beginnings, least)
        kept = torch.zeros_like(proposed)
        kept[fewer.beginning, fewer.word] = fewer.log_share.exp()
        assert torch.equal(kept[proposed >= 0.3], proposed[proposed >= 0.3])


def check_fast_parameters_are_its_own(scorer):
    own = {id(parameter) for parameter in scorer.continuation.parameters()}
    fast = [id(parameter) for parameter in scorer.continuation.fast_parameters()]
    assert len(set(fast)) == len(fast)
    assert own.issuperset(fast)
