"""Random batches of scores for the lattice tests."""

import math

import torch
from hypothesis import strategies as st

from segtopic.lattice import Spans


@st.composite
def batches(draw, max_words=7, max_length=4, forbidden=True, scale=None, dtype=torch.float64):
    """``(scores, spans)``: a few spans with random scores, some of them minus infinity.

    Scores beyond a span's end are not-a-number: nothing may ever look at them.
    """
    lengths = draw(st.lists(st.integers(1, max_words), min_size=1, max_size=5))
    longest = draw(st.integers(1, max_length))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    spans = Spans.from_lengths(lengths)
    scale = draw(st.sampled_from([0.1, 3.0, 30.0, 1000.0])) if scale is None else scale
    scores = scale * torch.randn(spans.n_words, longest, generator=generator, dtype=dtype)
    if forbidden and draw(st.booleans()):
        scores[torch.rand(scores.shape, generator=generator) < 0.3] = -math.inf
    scores[~spans.fits(longest)] = math.nan
    return scores, spans


def span_scores(scores, spans):
    """The scores of each span apart, as the oracle takes them."""
    return list(scores.split(spans.lengths.tolist()))
