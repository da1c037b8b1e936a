import math

import pytest
import torch

from segtopic.errors import ConfigError
from segtopic.swan import BeamSearch, SwanStream
from segtopic.swan.beam import NOTHING, Beams, merged
from tests.lattice.grid_oracle import posteriors
from tests.swan.models import batch_of, everything, tiny_model

SETTINGS = [
    {"carry_over": carry, "pay_last_end": pay} for carry in (True, False) for pay in (True, False)
]
INPUTS = [(0, 1, 2), (1,), (2, 2)]


def decode(model, inputs, **wishes):
    batch = batch_of(*[(x, ()) for x in inputs])
    return model.decode(batch.inputs, batch.input_lengths, **wishes)


@pytest.mark.parametrize("settings", SETTINGS)
def test_a_wide_beam_finds_everything_with_its_exact_probability(settings):
    model = tiny_model(max_segment_length=2, **settings)
    decoded = decode(model, INPUTS, beam=400, n_best=400)
    for inputs, hypotheses in zip(INPUTS, decoded, strict=True):
        expected = everything(model, inputs)
        assert [h.outputs for h in hypotheses] == list(expected)
        scores = [h.log_probability for h in hypotheses]
        assert scores == pytest.approx(list(expected.values()), abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_wider_beams_find_no_less(seed):
    model = tiny_model(max_segment_length=2, seed=seed)
    exact = everything(model, (0, 1, 2))
    best = max(exact.values())
    for beam in (1, 2, 4, 8, 100):
        (hypotheses,) = decode(model, [(0, 1, 2)], beam=beam, n_best=beam)
        for hypothesis in hypotheses:
            # What was searched is a part of all paths.
            assert hypothesis.log_probability <= exact[hypothesis.outputs] + 1e-9
        assert len({h.outputs for h in hypotheses}) == len(hypotheses)
    assert hypotheses[0].log_probability == pytest.approx(best)


def greedy_by_hand(model, inputs):
    network = model.segments
    batch = batch_of((inputs, ()))
    vectors = network.by_input(model.encode(batch.inputs, batch.input_lengths).vectors)[0]
    history, outputs = network.first_history(1), []
    for vector in vectors:
        state = network.begin_segment(vector[None], history)
        for _ in range(network.max_length):
            symbol = network.distribution(state).argmax(-1)
            if symbol == network.end:
                break
            outputs.append(int(symbol))
            history = network.next_history(history, symbol)
            state = network.next_state(state, symbol, vector[None], history)
    return tuple(outputs)


@pytest.mark.parametrize("seed", range(5))
def test_a_beam_of_one_is_greedy(seed):
    model = tiny_model(seed=seed)
    decoded = decode(model, INPUTS)
    assert [best.outputs for (best,) in decoded] == [greedy_by_hand(model, x) for x in INPUTS]


def test_sequences_do_not_depend_on_their_neighbours():
    model = tiny_model(seed=3)
    together = decode(model, INPUTS, beam=3, n_best=3)
    for inputs, expected in zip(INPUTS, together, strict=True):
        (alone,) = decode(model, [inputs], beam=3, n_best=3)
        assert [h.outputs for h in alone] == [h.outputs for h in expected]
        scores = [h.log_probability for h in alone]
        assert scores == pytest.approx([h.log_probability for h in expected])


def test_without_merging_every_candidate_is_one_path():
    model = tiny_model(max_segment_length=2)
    (hypotheses,) = decode(model, [(0, 1, 2)], beam=2000, n_best=2000, merge=False)
    assert len({h.outputs for h in hypotheses}) < len(hypotheses)
    totals: dict[tuple[int, ...], float] = {}
    for outputs, score in hypotheses:
        totals[outputs] = totals.get(outputs, 0.0) + math.exp(score)
    expected = everything(model, (0, 1, 2))
    assert totals == pytest.approx({y: math.exp(score) for y, score in expected.items()})


def test_a_smaller_local_beam_keeps_fewer():
    model = tiny_model(max_segment_length=2)
    (few,) = decode(model, [(0,)], beam=50, local_beam=2, n_best=50)
    (many,) = decode(model, [(0,)], beam=50, n_best=50)
    assert len(few) == 2
    assert len(many) == 7  # nothing, two, four sequences of at most two symbols
    assert few[0] == many[0]


def test_merging_adds_the_probabilities_of_equal_outputs():
    beams = Beams(
        torch.tensor([[0.5, 0.25, 0.125, 0.0]]).log(),
        torch.tensor([[[1, 2], [1, NOTHING], [1, 2], [1, 2]]]),
        torch.tensor([[2, 1, 2, 2]]),
        torch.zeros(1, 4, 3),
    )
    assert merged(beams).scores.exp().tolist() == [[pytest.approx(0.625), 0.25, 0.0, 0.0]]


def test_nothing_to_decode():
    model = tiny_model()
    none = torch.zeros(0, 0, dtype=torch.long)
    assert model.decode(none, torch.zeros(0, dtype=torch.long)) == []


def test_beams_must_be_positive():
    with pytest.raises(ValueError, match="beams must be at least 1, got 0"):
        BeamSearch(tiny_model().segments, beam=0)


@torch.no_grad()
def test_alignments_are_best_paths():
    model = tiny_model(max_segment_length=2)
    batch = batch_of(((0, 1, 2), (0, 1, 1)), ((1,), (1, 1, 0)))
    first, impossible = model.align(batch)
    assert sum(first.lengths) == 3
    assert first.log_probability <= first.log_likelihood <= 0
    torch.testing.assert_close(first.emission.sum(0), torch.ones(3, dtype=torch.float64))
    expected = posteriors(*model.score(batch))[0]
    start = 0
    for at_input, (length, found) in enumerate(zip(first.lengths, first.posteriors, strict=True)):
        assert found == pytest.approx(expected[at_input, start, length].item())
        start += length
    assert impossible.lengths == impossible.posteriors == ()
    assert impossible.log_likelihood == -math.inf
    assert impossible.emission.eq(0).all()


STREAMS = [
    {"layers": 1},
    {"layers": 2, "strides": (2, 1)},
    {"layers": 2, "window": 3, "strides": (3, 2)},
]


@pytest.mark.parametrize("settings", STREAMS)
@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("cuts", [(1,) * 13, (5, 0, 8), (13,)])
def test_a_stream_says_what_the_whole_input_says(settings, beam, cuts):
    model = tiny_model(direction="forward", seed=2, **settings)
    inputs = torch.randint(3, (13,), generator=torch.Generator().manual_seed(0))
    ((expected, *_),) = model.decode(inputs[None], torch.tensor([13]), beam=beam)
    stream = SwanStream(model, beam)
    told = [symbol for some in inputs.split(cuts) for symbol in stream.push(some)]
    if beam == 1:
        assert tuple(told) == expected.outputs  # nothing is held back
    told += stream.finish()
    assert tuple(told) == expected.outputs
    assert stream.finish() == ()


def test_a_stream_needs_an_encoder_that_looks_back_only():
    with pytest.raises(ConfigError, match="train with direction 'forward'"):
        SwanStream(tiny_model())
