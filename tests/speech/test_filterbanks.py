"""Features against a computation of their own, in numpy, from Kaldi's documentation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segtopic.speech.differences import with_differences
from segtopic.speech.filterbanks import FilterBanks
from tests.speech.sounds import spoken


def mel(hertz):
    return 1127 * np.log(1 + hertz / 700)


def computed(samples, rate, n_filters):
    samples = samples.astype(np.float64) * 32768
    size, shift = int(0.025 * rate), int(0.01 * rate)
    n_fft = 2 ** int(np.ceil(np.log2(size)))
    window = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / (size - 1))) ** 0.85
    edges = np.linspace(mel(20), mel(rate / 2), n_filters + 2)
    bins = mel(np.arange(n_fft // 2) * rate / n_fft)
    rows = []
    for begin in range(0, len(samples) - size + 1, shift):
        frame = samples[begin : begin + size]
        frame = frame - frame.mean()
        energy = np.log((frame**2).sum())
        frame = np.append(0.03 * frame[0], frame[1:] - 0.97 * frame[:-1]) * window
        power = np.abs(np.fft.rfft(frame, n_fft))[:-1] ** 2
        rising = (bins - edges[:-2, None]) / np.diff(edges)[:-1, None]
        falling = (edges[2:, None] - bins) / np.diff(edges)[1:, None]
        weights = np.clip(np.minimum(rising, falling), 0, None)
        rows.append([energy, *np.log(weights @ power)])
    return np.array(rows)


@pytest.mark.parametrize(("rate", "filters"), [(8_000, 40), (16_000, 23)])
def test_filter_banks_are_kaldis(rate, filters):
    samples = spoken("CAB", rate)
    banks = FilterBanks(rate=rate, filters=filters)
    expected = computed(samples, rate, filters)
    np.testing.assert_allclose(banks.static(samples), expected, rtol=0, atol=2e-3)
    assert banks.features(samples).shape == (len(expected), banks.width)


def test_the_papers_features_have_123_numbers():
    assert FilterBanks().width == 123


def test_a_sound_shorter_than_a_frame_has_no_input():
    assert FilterBanks(rate=8_000).features(np.ones(100, np.float32)).shape == (0, 123)


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 12), st.integers(1, 3), st.integers(0, 9))
def test_differences_are_slopes_of_five_neighbours(n_inputs, width, seed):
    features = np.random.default_rng(seed).normal(size=(n_inputs, width)).astype(np.float32)
    found = with_differences(features)
    for row in range(n_inputs):
        around = [features[min(max(row + step, 0), n_inputs - 1)] for step in range(-2, 3)]
        slope = np.polyfit(range(-2, 3), np.array(around, float), 1)[0]
        np.testing.assert_allclose(found[row, width : 2 * width], slope, atol=1e-5)
    np.testing.assert_array_equal(found[:, :width], features)
