"""Nodes that nothing follows need no state: the texts have the same scores without."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from segtopic.config import RunConfig
from segtopic.corpus import Documents
from segtopic.model import pack
from segtopic.model.build import build_model
from segtopic.model.packing import Histories

SPANS = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), max_size=4)
COUNTED = [[[0, 1, 2, 3]], [[1, 2], [3, 0]]]
NESTED = st.lists(SPANS, min_size=1, max_size=4)


def packed(nested, max_length):
    documents = Documents.from_lists(nested)
    return documents, pack(documents, max_length)


def named(levels, owner):
    """Every node by its document and its words, per level."""
    found, names = [], [(document, ()) for document in owner]
    for level in levels:
        nodes = zip(level.parent.tolist(), level.word.tolist(), strict=True)
        names = [(names[parent][0], (*names[parent][1], word)) for parent, word in nodes]
        found.append(names)
    return found


@given(nested=NESTED, max_length=st.integers(1, 4))
def test_what_is_followed(nested, max_length):
    _, batch = packed(nested, max_length)
    histories = Histories.followed(batch.levels)
    everything = named(batch.levels, range(len(nested)))
    followed = named(histories.levels, range(len(nested)))
    for depth, names in enumerate(followed):
        parents = {(document, words[:-1]) for document, words in everything[depth + 1]}
        assert names == [name for name in everything[depth] if name in parents]
        assert names == [everything[depth][number] for number in histories.numbers[depth].tolist()]
        places = histories.place[depth].tolist()
        for place, (document, words) in zip(places, everything[depth + 1], strict=True):
            assert names[place] == (document, words[:-1])
        if depth:
            suffixes = histories.levels[depth].suffix.tolist()
            for suffix, (document, words) in zip(suffixes, names, strict=True):
                assert followed[depth - 1][suffix] == (document, words[1:])


@pytest.fixture(scope="module", params=[2, 3, 4])
def model(request):
    torch.manual_seed(request.param)
    config = RunConfig(
        n_topics=2, hidden_size=4, encoder_size=4, max_segment_length=request.param, dropout=0.0
    )
    made = build_model(config, 4).double().eval()
    made.topic_words.copy_(torch.rand(2, 4, dtype=torch.float64).softmax(1))
    made.scorer.continuation.learn_counts(Documents.from_lists(COUNTED))
    with torch.no_grad():
        for parameter in made.scorer.continuation.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return made


@settings(max_examples=30)
@given(nested=st.one_of(NESTED, st.just(COUNTED)))
def test_scores_are_the_same_without_ends_of_spans(model, nested):
    _, batch = packed(nested, model.scorer.max_length)
    context = model.context(torch.full((len(nested), 2), 0.5, dtype=torch.float64))
    context = replace(context, leave_out=nested == COUNTED)
    with torch.no_grad():
        everything = model.scorer.parts(context, batch)
        needed = model.scorer.parts(replace(context, span_ends=False), batch)
        found, expected = needed.rest(batch), everything.rest(batch)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
    torch.testing.assert_close(needed.first_word, everything.first_word, rtol=0, atol=0)


def test_ends_are_told_where_they_are_asked_for(model):
    _, batch = packed([[[0, 1]]], model.scorer.max_length)
    context = model.context(torch.full((1, 2), 0.5, dtype=torch.float64))
    with torch.no_grad():
        asked = model.scorer.parts(context, batch).ends[:-1]
        not_asked = model.scorer.parts(replace(context, span_ends=False), batch).ends[:-1]
    assert (asked < 0).sum() == (3 if model.scorer.max_length > 2 else 2)
    assert (not_asked < 0).sum() == 1  # after the first word, which another one follows
