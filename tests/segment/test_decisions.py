"""Boundaries decided by a reader, against every segmentation that keeps to them."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from segtopic.corpus.spans import EncodedTexts
from segtopic.errors import ConfigError
from segtopic.lattice import Spans, log_partition, segment_posteriors
from segtopic.segment.decisions import Decisions
from segtopic.segment.segmenter import ScoredTexts
from tests import oracle

LONGEST = 3


def scored_words(scores, lengths):
    """A text of two-letter words with these scores of segments."""
    places = 3 * np.arange(len(scores))
    encoded = EncodedTexts(None, places, places + 2)
    spans = Spans.from_lengths(lengths)
    return ScoredTexts(["x"], encoded, scores, spans, np.ones((1, 1)), np.zeros(1))


def end_of(word):
    return 3 * word + 2


@st.composite
def decided_texts(draw):
    lengths = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    n_words = sum(lengths)
    values = draw(
        st.lists(
            st.lists(
                st.floats(-5, 0) | st.just(-math.inf), min_size=LONGEST - 1, max_size=LONGEST - 1
            ),
            min_size=n_words,
            max_size=n_words,
        )
    )
    ones = draw(st.lists(st.floats(-5, 0), min_size=n_words, max_size=n_words))
    rows = [[one, *more] for one, more in zip(ones, values, strict=True)]
    last = np.cumsum(lengths) - 1
    inner = [word for word in range(n_words) if word not in last]
    kinds = [draw(st.sampled_from(["join", "cut", None])) for _ in inner]
    chosen = dict(zip(inner, kinds, strict=True))
    return torch.tensor(rows, dtype=torch.float64), lengths, chosen


def longest_run(chosen):
    longest = run = 1
    for word in range(max(chosen, default=0) + 1):
        run = run + 1 if chosen.get(word) == "join" else 1
        longest = max(longest, run)
    return longest


@given(decided_texts())
def test_posteriors_are_those_of_the_segmentations_that_are_left(case):
    scores, lengths, chosen = case
    kinds = {
        kind: {end_of(w) for w, own in chosen.items() if own == kind} for kind in chosen.values()
    }
    decisions = Decisions(frozenset(kinds.get("join", ())), frozenset(kinds.get("cut", ())))
    scored = scored_words(scores, lengths)
    if longest_run(chosen) > LONGEST:
        with pytest.raises(ConfigError, match="would be one segment"):
            decisions.apply(scored)
        return
    after = decisions.apply(scored)
    posteriors = segment_posteriors(after.scores, after.spans)
    begin = 0
    for total, length in zip(log_partition(after.scores, after.spans), lengths, strict=True):
        own = scores[begin : begin + length]
        kept = {}
        for path, score in oracle.all_paths(own).items():
            ends = dict(enumerate(oracle.ends_of(path)))
            wanted = {
                word - begin: kind == "cut"
                for word, kind in chosen.items()
                if kind and begin <= word < begin + length
            }
            if all(ends[word] == cut for word, cut in wanted.items()):
                kept[path] = float(score)
        possible = {path: score for path, score in kept.items() if score > -math.inf}
        assert total > -math.inf  # also where the model takes what was joined for impossible
        if possible:
            expected = torch.zeros_like(own)
            norm = math.log(sum(math.exp(score) for score in possible.values()))
            assert float(total) == pytest.approx(norm)
            for path, score in possible.items():
                start = 0
                for size in path:
                    expected[start, size - 1] += math.exp(score - norm)
                    start += size
            found = posteriors[begin : begin + length].clone()
            reach = torch.arange(length)[:, None] + torch.arange(LONGEST) < length
            torch.testing.assert_close(found * reach, expected)
        begin += length


def test_nothing_decided_changes_nothing():
    scored = scored_words(torch.zeros(2, LONGEST, dtype=torch.float64), [2])
    assert Decisions().apply(scored) is scored


@pytest.mark.parametrize(
    ("decisions", "sentence"),
    [
        (Decisions(frozenset({2}), frozenset({2})), "both to be joined and to be cut"),
        (Decisions(frozenset({1})), "join: no known word ends at character 1"),
        (Decisions(cut=frozenset({10**9})), "cut: no known word ends at character"),
        (Decisions(frozenset({5})), "join: a span ends at character 5"),
        (Decisions(frozenset({8, 11, 14})), "4 words from character 6 on would be one segment"),
    ],
)
def test_impossible_decisions_are_a_sentence(decisions, sentence):
    scored = scored_words(torch.zeros(6, LONGEST, dtype=torch.float64), [2, 4])
    with pytest.raises(ConfigError, match=sentence):
        decisions.apply(scored)
