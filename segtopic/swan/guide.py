"""A second loss that teaches the encoder, and tells where on the grid to look.

Connectionist temporal classification learns an encoder from few sounds faster than a network that
may also rely on the outputs so far. Its own best alignment says which outputs stand near which
input; in training only nodes of the grid within a band around it are looked at, which is most of
what a step costs (the idea of pruned transducers: Kuang et al., 2022). What lies outside the band
counts as impossible, so the likelihood that is learned is a lower bound of the exact one.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from segtopic.swan.dropout import SequenceDropout
from segtopic.swan.encoder import Encoded


class Guide(nn.Module):
    """One linear layer over the encoder's vectors.

    Args:
        width: of the vectors.
        n_symbols: of the outputs; the blank has the number ``n_symbols``.
        dropout: on the vectors in training.
    """

    def __init__(self, width: int, n_symbols: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.symbols = nn.Linear(width, n_symbols + 1)
        self.dropout = SequenceDropout(dropout)
        self.blank = n_symbols

    def distributions(self, vectors: Tensor) -> Tensor:
        """``(B, T', V + 1)``: log probabilities of the symbols and of the blank."""
        logits: Tensor = self.symbols(self.dropout(vectors))
        return logits.to(self.symbols.weight.dtype).log_softmax(-1)

    def log_likelihood(self, encoded: Encoded, targets: Tensor, target_lengths: Tensor) -> Tensor:
        """``(B,)``: of the outputs; minus infinity where there are too few vectors."""
        losses = self.losses(
            self.distributions(encoded.vectors), encoded.lengths, targets, target_lengths
        )
        return (-losses).masked_fill(
            fewest_inputs(targets, target_lengths) > encoded.lengths, -math.inf
        )

    def losses(
        self, distributions: Tensor, lengths: Tensor, targets: Tensor, target_lengths: Tensor
    ) -> Tensor:
        """``(B,)``: the negative log likelihood; zero where there are too few vectors.

        Otherwise the gradient of what is impossible would be no number.
        """
        return F.ctc_loss(
            distributions.transpose(0, 1),
            targets,
            lengths,
            target_lengths,
            blank=self.blank,
            reduction="none",
            zero_infinity=True,
        )

    @torch.no_grad()
    def near(
        self,
        distributions: Tensor,
        encoded: Encoded,
        targets: Tensor,
        target_lengths: Tensor,
        band: int,
    ) -> Tensor:
        """``(B, T', T + 1)``: the nodes within so many positions of the best alignment.

        All nodes of a pair without an alignment.
        """
        begun = begun_symbols(
            distributions.detach(), encoded.lengths, targets, target_lengths, self.blank
        )
        position = torch.arange(targets.shape[1] + 1, device=targets.device)
        return ((position - begun[:, :, None]).abs() <= band) | (begun < 0)[:, :, None]


def begun_symbols(
    distributions: Tensor, lengths: Tensor, targets: Tensor, target_lengths: Tensor, blank: int
) -> Tensor:
    """``(B, T')``: how many outputs have begun before each input, on the best alignment.

    Minus one everywhere if a pair has none. The states of an alignment are the outputs with a blank
    before, between and after them; one stays, goes on, or leaves out a blank between two different
    outputs.
    """
    n_pairs, n_inputs = distributions.shape[:2]
    n_outputs = targets.shape[1]
    labels = torch.full((n_pairs, 2 * n_outputs + 1), blank, device=targets.device)
    labels[:, 1::2] = targets
    skips = torch.zeros_like(labels, dtype=torch.bool)
    skips[:, 3::2] = targets[:, 1:] != targets[:, :-1]
    emitted = distributions.gather(2, labels[:, None].expand(-1, n_inputs, -1))
    best = torch.full_like(emitted[:, 0], -math.inf)
    best[:, :2] = emitted[:, 0, :2]
    choices = torch.zeros(n_inputs, n_pairs, labels.shape[1], dtype=torch.long)
    ends, last = best.clone(), (lengths - 1).clamp(min=0)
    for step in range(1, n_inputs):
        two = F.pad(best, (2, 0), value=-math.inf)[:, :-2].masked_fill(~skips, -math.inf)
        one = F.pad(best, (1, 0), value=-math.inf)[:, :-1]
        best, choices[step] = torch.stack([best, one, two]).max(0)
        best = best + emitted[:, step]
        ends = torch.where((last == step)[:, None], best, ends)
    final = torch.stack([2 * target_lengths, (2 * target_lengths - 1).clamp(min=0)], dim=1)
    scores, which = ends.gather(1, final).max(1)
    state = final.gather(1, which[:, None]).squeeze(1)
    begun = torch.zeros(n_pairs, n_inputs, dtype=torch.long)
    rows = torch.arange(n_pairs)
    for step in reversed(range(n_inputs)):
        moved = torch.where(step <= last, choices[step, rows, state], 0)
        after = state
        state = state - moved
        # Output k is state 2 k + 1: before this input those of the state before had begun.
        before = state if step else torch.zeros_like(state)
        begun[:, step] = torch.where(step <= last, (before + 1) // 2, (after + 1) // 2)
    impossible = (scores == -math.inf) | (lengths < 1)
    return begun.masked_fill(impossible[:, None], -1)


def fewest_inputs(targets: Tensor, lengths: Tensor) -> Tensor:
    """``(B,)``: one input for each output, and a blank between equal neighbours."""
    pair = torch.arange(max(targets.shape[1] - 1, 0), device=targets.device)
    equal = (targets[:, 1:] == targets[:, :-1]) & (pair < lengths[:, None] - 1)
    return lengths + equal.sum(1)
