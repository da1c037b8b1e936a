import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from segtopic.corpus import Documents
from segtopic.lattice import log_partition
from segtopic.model import SegmentScorer, pack, softmax
from tests.model import reference

SWITCHES = list(itertools.product(["joint", "gated"], ["charged", "certain"]))
SPANS = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=5), max_size=3)
NESTED = st.lists(SPANS, min_size=1, max_size=3)


def scorer_of(continuation, last_step, max_length, vocabulary=4, hidden=5, layers=2, seed=0):
    torch.manual_seed(seed)
    scorer = SegmentScorer(vocabulary, hidden, max_length, layers, continuation, last_step)
    return scorer.double()


def packed(nested, max_length):
    documents = Documents.from_lists(nested)
    return documents, pack(documents, max_length)


@pytest.mark.parametrize(("continuation", "last_step"), SWITCHES)
@settings(max_examples=25)
@given(
    nested=NESTED, max_length=st.integers(1, 4), layers=st.integers(1, 3), seed=st.integers(0, 99)
)
def test_scores_equal_the_reference(continuation, last_step, nested, max_length, layers, seed):
    scorer = scorer_of(continuation, last_step, max_length, layers=layers, seed=seed)
    documents, batch = packed(nested, max_length)
    x = torch.randn(len(nested), 5, dtype=torch.float64)
    expected = reference.score_documents(scorer, x, documents)
    torch.testing.assert_close(scorer(x, batch), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("continuation", "last_step"), SWITCHES)
def test_gradients_equal_the_reference(continuation, last_step):
    scorer = scorer_of(continuation, last_step, max_length=3)
    documents, batch = packed([[[0, 1, 2, 3], [1, 2]], [], [[3, 3, 3, 3, 3], [0]]], 3)
    x = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    parameters = {"x": x, **dict(scorer.named_parameters())}

    def gradients(scores):
        total = log_partition(scores, batch.spans).sum()
        found = torch.autograd.grad(total, list(parameters.values()), allow_unused=True)
        return dict(zip(parameters, found, strict=True))

    fast = gradients(scorer(x, batch))
    # The reference copies the GRU's weights, so it is differentiated through functional_call.
    gru = reference.torch_gru(scorer)
    weights = {
        f"{name}_l{k}": getattr(cell, name)
        for k, cell in enumerate(scorer.layers)
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    }
    live_gru = lambda *inputs: torch.func.functional_call(gru, weights, inputs)  # noqa: E731
    rows = [
        [
            reference.segment_log_probability(
                scorer, live_gru, vector, span[start : start + size], start + size == len(span)
            )
            if start + size <= len(span)
            else x.new_tensor(-math.inf)
            for size in (1, 2, 3)
        ]
        for vector, document in zip(x, documents.to_lists(), strict=True)
        for span in document
        for start in range(len(span))
    ]
    slow = gradients(torch.stack([torch.stack(row) for row in rows]))
    assert fast["x"][1].eq(0).all()  # the empty document
    for name, gradient in fast.items():
        assert gradient is not None, name
        torch.testing.assert_close(gradient, slow[name], rtol=1e-8, atol=1e-10, msg=name)


def test_tiling_changes_nothing(monkeypatch):
    torch.manual_seed(0)
    hidden = torch.randn(70, 6, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(9, 6, dtype=torch.float64, requires_grad=True)
    bias = torch.randn(9, dtype=torch.float64, requires_grad=True)
    row, word = torch.randint(70, (200,)), torch.randint(9, (200,))
    upstream = torch.randn(200, dtype=torch.float64)
    expected = (hidden @ weight.t() + bias).log_softmax(1)[row, word]
    expected_gradients = torch.autograd.grad((expected * upstream).sum(), (hidden, weight, bias))
    for elements, kept in itertools.product((1, 9 * 17, 1 << 20), (0, 9 * 30, 1 << 20)):
        monkeypatch.setattr(softmax, "TILE_ELEMENTS", elements)
        monkeypatch.setattr(softmax, "SMALLEST_TILE", 7)
        monkeypatch.setattr(softmax, "KEPT_ELEMENTS", kept)
        found = softmax.log_softmax_at(hidden, weight, bias, row, word)
        gradients = torch.autograd.grad((found * upstream).sum(), (hidden, weight, bias))
        torch.testing.assert_close(found, expected)
        torch.testing.assert_close(gradients, expected_gradients)


def test_extreme_logits_stay_finite():
    hidden = torch.tensor([[1000.0], [-1000.0]], requires_grad=True)
    weight, bias = torch.tensor([[1.0], [-1.0], [0.0]]), torch.zeros(3)
    found = softmax.log_softmax_at(hidden, weight, bias, torch.tensor([0, 1]), torch.tensor([0, 0]))
    assert found.tolist() == [0.0, -2000.0]
    found.sum().backward()
    assert hidden.grad.tolist() == [[0.0], [2.0]]


def test_rounded_products_change_little():
    torch.manual_seed(0)
    hidden, weight, bias = (
        (scale * torch.randn(*shape) + shift).requires_grad_()
        for shape, scale, shift in (((70, 16), 1, 0), ((500, 16), 0.3, 0), ((500,), 1, -8))
    )
    row, word = torch.randint(70, (200,)), torch.randint(500, (200,))
    inputs = (hidden, weight, bias)

    def found(rounded: bool) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        with torch.autocast("cpu", torch.bfloat16, enabled=rounded):
            values = softmax.log_softmax_at(hidden, weight, bias, row, word)
        assert values.dtype == torch.float32
        return values.detach(), torch.autograd.grad(values.sum(), inputs)

    (exact, exact_gradients), (rounded, gradients) = found(False), found(True)
    assert not torch.equal(exact, rounded)  # the products are rounded indeed
    torch.testing.assert_close(rounded, exact, rtol=0, atol=0.02)
    for gradient, expected in zip(gradients, exact_gradients, strict=True):
        assert (gradient - expected).norm() < 0.01 * expected.norm()


def test_dropout_only_in_training_and_seeded():
    torch.manual_seed(0)
    scorer = SegmentScorer(4, 5, 2, dropout=0.5)
    _, batch = packed([[[0, 1, 2], [3]]], 2)
    x = torch.randn(1, 5)
    scorer.eval()
    assert torch.equal(scorer(x, batch), scorer(x, batch))
    scorer.train()
    draws = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        draws.append(scorer(x, batch))
    assert torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2])


def test_a_batch_without_words():
    scorer = scorer_of("gated", "certain", 2)
    _, batch = packed([[], []], 2)
    x = torch.zeros(2, 5, dtype=torch.float64, requires_grad=True)
    scores = scorer(x, batch)
    assert scores.shape == (0, 2)
    assert batch.sum_by_document(log_partition(scores, batch.spans)).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"vocabulary_size": 0}, "vocabulary_size must be at least 1, got 0"),
        ({"max_length": 0}, "max_length must be at least 1"),
        ({"n_layers": 0}, "n_layers must be at least 1"),
        ({"dropout": 1.0}, r"dropout must be in \[0, 1\), got 1.0"),
        (
            {"continuation": "gate"},
            "continuation must be one of three-ways, phrases, roles, gated, joint, got 'gate'",
        ),
        ({"last_step": "free"}, "last_step must be one of charged, certain, got 'free'"),
    ],
)
def test_impossible_settings_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        SegmentScorer(**{"vocabulary_size": 3, "hidden_size": 2, "max_length": 2, **arguments})


def test_vectors_and_batches_that_do_not_fit_are_refused():
    scorer = scorer_of("gated", "certain", 2)
    _, batch = packed([[[0]], [[1]]], 2)
    with pytest.raises(ValueError, match=r"each of the 2 documents, got shape \(3, 5\)"):
        scorer(torch.zeros(3, 5).double(), batch)
    _, longer = packed([[[0]], [[1]]], 3)
    with pytest.raises(ValueError, match="packed for segments of 3 words"):
        scorer(torch.zeros(2, 5).double(), longer)
