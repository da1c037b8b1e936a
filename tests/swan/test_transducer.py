"""The transducer against the recursion that defines it, against enumeration, and as it decodes."""

import math

import pytest
import torch

from segtopic.swan import RecurrentEncoder, SwanSettings
from segtopic.swan.transducer import TransducerModel
from tests.lattice.test_grid_peers import transducer
from tests.swan.models import TINY, batch_of, everything, tiny_model
from tests.swan.test_decode import INPUTS, decode, greedy_by_hand
from tests.swan.test_segments import SETTINGS

PAIRS = [((0, 1, 2, 2), (0, 1)), ((1,), (1, 1, 0)), ((2, 2), ()), ((0, 2), (1, 0, 1))]


def tiny_transducer(**settings):
    return tiny_model(kind=TransducerModel, **settings)


def distributions(model, inputs, outputs):
    """``(T', T + 1, V + 1)``: of every node, made one by one."""
    network, batch = model.segments, batch_of((inputs, outputs))
    vectors = network.by_input(model.encode(batch.inputs, batch.input_lengths).vectors)[0]
    histories = [network.first_history(1)]
    for symbol in outputs:
        histories.append(network.next_history(histories[-1], torch.tensor([symbol])))
    rows = [
        torch.cat([network.distribution(network.begin_segment(v[None], h)) for h in histories])
        for v in vectors
    ]
    return torch.stack(rows)


@pytest.mark.parametrize("carry_over", [True, False])
def test_without_a_limit_it_is_the_recursion_of_the_transducer(carry_over):
    model = tiny_transducer(max_segment_length=3, pay_last_end=True, carry_over=carry_over)
    found = model.log_likelihood(batch_of(*PAIRS))
    expected = [
        transducer(distributions(model, *pair), pair[1], blank=model.segments.end) for pair in PAIRS
    ]
    torch.testing.assert_close(found, torch.stack(expected))
    weights = [weight for name, weight in model.named_parameters() if "embedding" not in name]
    ours = torch.autograd.grad(found.sum(), weights)
    theirs = torch.autograd.grad(torch.stack(expected).sum(), weights)
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other)


def test_it_is_the_rnnt_loss_of_torchaudio():
    try:
        from torchaudio.functional import rnnt_loss
    except (ImportError, OSError) as error:  # the latter if it is made for another torch
        pytest.skip(f"torchaudio cannot be used ({type(error).__name__})")
    inputs, outputs = (0, 1, 2, 2, 1), (0, 1, 1)
    model = tiny_transducer(max_segment_length=3, pay_last_end=True, sharpness=1.0)
    loss = rnnt_loss(
        distributions(model, inputs, outputs)[None].float(),
        torch.tensor([outputs], dtype=torch.int32),
        torch.tensor([5], dtype=torch.int32),
        torch.tensor([3], dtype=torch.int32),
        blank=model.segments.end,
        reduction="none",
    )
    torch.testing.assert_close(-loss, model.log_likelihood(batch_of((inputs, outputs))).float())


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_probabilities_of_all_outputs_sum_to_one(settings):
    total = sum(map(math.exp, everything(tiny_transducer(**settings), (1, 2)).values()))
    if settings["pay_last_end"]:
        assert total < 1 - 1e-6
    else:
        assert total == pytest.approx(1, abs=1e-12)


def test_impossible_pairs_leave_the_others_gradient_alone():
    model = tiny_transducer(max_segment_length=2)
    likelihood = model.log_likelihood(batch_of(((0,), (0, 1, 0)), ((1, 2), (1,))))
    assert likelihood[0] == -math.inf
    alone = model.log_likelihood(batch_of(((1, 2), (1,))))
    torch.testing.assert_close(likelihood[1:], alone)
    weights = list(model.parameters())
    together = torch.autograd.grad(likelihood.sum(), weights)
    for one, other in zip(together, torch.autograd.grad(alone.sum(), weights), strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("settings", SETTINGS[4:8])
def test_a_wide_beam_finds_everything_with_its_exact_probability(settings):
    model = tiny_transducer(**settings)
    decoded = decode(model, INPUTS, beam=400, n_best=400)
    for inputs, hypotheses in zip(INPUTS, decoded, strict=True):
        # In no order: without carry-over one input emits 'ab' and 'ba' with equal probability.
        assert dict(hypotheses) == pytest.approx(everything(model, inputs), abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_a_beam_of_one_is_greedy(seed):
    model = tiny_transducer(seed=seed)
    decoded = decode(model, INPUTS)
    assert [best.outputs for (best,) in decoded] == [greedy_by_hand(model, x) for x in INPUTS]


def test_of_at_most_one_symbol_it_is_swan():
    """What follows the first symbol of a segment is all that they differ in."""
    settings = SwanSettings(**TINY, max_segment_length=1)
    torch.manual_seed(0)
    swan = tiny_model(max_segment_length=1)
    peer = TransducerModel(settings, RecurrentEncoder(settings, n_symbols=3), 2).double().eval()
    weights = {k: v for k, v in swan.state_dict().items() if "cell" not in k}
    peer.load_state_dict(weights)
    batch = batch_of(*PAIRS)
    torch.testing.assert_close(swan.log_likelihood(batch), peer.log_likelihood(batch))
