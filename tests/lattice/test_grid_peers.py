"""CTC and the sequence transducer are grids with particular scores; so their losses must agree."""

import math
from itertools import combinations

import pytest
import torch
from torch.nn import functional as F

from segtopic.lattice.grids import Grid, grid_log_partition


def ctc_by_grids(log_probs, target):
    """CTC of one pair: the outputs are the labels with blanks (0) between and around them.

    A frame stays where it is, goes one symbol on, or two from a label to a different one. The last
    label or the blank after it may be the end.
    """
    extended = [0]
    for label in target:
        extended += [label, 0]
    n_frames = len(log_probs)
    scores = torch.full((n_frames, len(extended) + 1, 3), -math.inf, dtype=log_probs.dtype)
    columns = []
    for position in range(len(extended) + 1):
        for length in range(3):
            end = position + length
            if end == 0 or end > len(extended):
                continue
            skips = length == 2 and position > 0
            symbol = extended[end - 1]
            if skips and (symbol == 0 or symbol == extended[position - 1]):
                continue
            columns.append((position, length, symbol))
    for position, length, symbol in columns:
        # At the first frame only the start exists, at position 0; later nothing is left there.
        index = torch.arange(n_frames)
        allowed = index == 0 if position == 0 else index > 0
        scores[index[allowed], position, length] = log_probs[index[allowed], symbol]
    n_ends = 2 if target else 1
    ends = [len(extended), len(extended) - 1][:n_ends]
    grid = Grid.from_lengths([n_frames] * n_ends, ends)
    return grid_log_partition(scores.expand(n_ends, -1, -1, -1), grid).logsumexp(0)


@pytest.mark.parametrize("target", [[], [1], [1, 2, 1], [2, 2], [1, 1, 3, 3, 2]])
def test_ctc_is_a_grid(target):
    generator = torch.Generator().manual_seed(len(target))
    logits = torch.randn(8, 4, generator=generator, dtype=torch.float64)
    ours, theirs = (logits.clone().requires_grad_() for _ in range(2))
    total = ctc_by_grids(ours.log_softmax(-1), target)
    expected = -F.ctc_loss(
        theirs.log_softmax(-1)[:, None],
        torch.tensor([target], dtype=torch.long).view(1, -1),
        torch.tensor([8]),
        torch.tensor([len(target)]),
        reduction="sum",
    )
    torch.testing.assert_close(total, expected)
    total.backward()
    expected.backward()
    torch.testing.assert_close(ours.grad, theirs.grad)


def test_too_long_for_ctc_is_minus_infinity():
    log_probs = torch.zeros(2, 3, dtype=torch.float64).log_softmax(-1)
    assert ctc_by_grids(log_probs, [1, 1]).item() == -math.inf  # needs a blank between them


@pytest.mark.parametrize("n_outputs", [0, 1, 4])
def test_one_symbol_or_none_for_each_input(n_outputs):
    """Segments of at most one symbol, without collapsing: choose which inputs emit."""
    generator = torch.Generator().manual_seed(n_outputs)
    emits, sleeps = torch.randn(2, 4, generator=generator, dtype=torch.float64)
    scores = torch.stack([sleeps, emits], dim=1)[None, :, None].expand(1, 4, n_outputs + 1, 2)
    total = grid_log_partition(scores, Grid.from_lengths([4], [n_outputs]))
    expected = [
        sum(emits[t] if t in chosen else sleeps[t] for t in range(4))
        for chosen in _subsets(range(4), n_outputs)
    ]
    torch.testing.assert_close(total[0], torch.stack(expected).logsumexp(0))


def _subsets(items, size):
    return [set(chosen) for chosen in combinations(items, size)]


def transducer(log_probs, target, blank=0):
    """The sequence transducer's forward recursion, node by node; ``(T', T + 1, V)``."""
    n_frames, n_positions = log_probs.shape[:2]
    alpha = {}
    for frame in range(n_frames):
        for position in range(n_positions):
            arriving = []
            if frame == position == 0:
                arriving.append(log_probs.new_zeros(()))
            if frame:
                arriving.append(alpha[frame - 1, position] + log_probs[frame - 1, position, blank])
            if position:
                label = target[position - 1]
                arriving.append(alpha[frame, position - 1] + log_probs[frame, position - 1, label])
            alpha[frame, position] = torch.stack(arriving).logsumexp(0)
    return alpha[n_frames - 1, n_positions - 1] + log_probs[-1, -1, blank]


def transducer_by_grids(log_probs, target, blank=0):
    """The same as segments of any length: labels, then the blank that leads to the next input."""
    n_frames, n_positions = log_probs.shape[:2]
    ends = log_probs[:, :, blank]
    columns = [ends]
    emitted = torch.zeros_like(ends)
    labels = torch.tensor([*target, blank])
    own = log_probs.gather(2, labels.expand(n_frames, -1)[:, :, None]).squeeze(2)  # (T', T + 1)
    for length in range(1, n_positions):
        emitted = emitted + F.pad(own, (0, length))[:, length - 1 : length - 1 + n_positions]
        columns.append(emitted + F.pad(ends, (0, length))[:, length : length + n_positions])
    scores = torch.stack(columns, dim=-1)[None]
    return grid_log_partition(scores, Grid.from_lengths([n_frames], [len(target)]))[0]


@pytest.mark.parametrize("target", [[1], [2, 2], [1, 3, 2, 1, 1, 2]])
def test_the_sequence_transducer_is_a_grid(target):
    generator = torch.Generator().manual_seed(len(target))
    shape = (5, len(target) + 1, 4)
    logits = torch.randn(shape, generator=generator, dtype=torch.float64)
    ours, theirs = (logits.clone().requires_grad_() for _ in range(2))
    total = transducer_by_grids(ours.log_softmax(-1), target)
    expected = transducer(theirs.log_softmax(-1), target)
    torch.testing.assert_close(total, expected)
    total.backward()
    expected.backward()
    torch.testing.assert_close(ours.grad, theirs.grad)
