"""Sounds that nobody recorded: features stretched in time, with pieces silenced, in training only.

Silencing follows SpecAugment (Park et al., 2019); what is silenced becomes zero, the mean of
normalised features. Everything is drawn from torch's generator, so a resumed training draws alike.
"""

import torch
from torch import Tensor, nn

from segtopic.config import SwanSettings

PIECES = 2


class Augment(nn.Module):
    """``(B, T, F)`` features and their lengths in, others out."""

    def __init__(self, settings: SwanSettings) -> None:
        super().__init__()
        self.stretch = settings.stretch
        self.time_mask, self.feature_mask = settings.time_mask, settings.feature_mask

    def forward(self, features: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """As they are, unless in training."""
        if not self.training:
            return features, lengths
        if self.stretch:
            features, lengths = stretched(features, lengths, self._tempo(len(features)))
        if self.time_mask:
            silent = _pieces(lengths, features.shape[1], self.time_mask)
            features = features.masked_fill(silent[:, :, None], 0)
        if self.feature_mask:
            n_features = torch.full_like(lengths, features.shape[2])
            silent = _pieces(n_features, features.shape[2], self.feature_mask)
            features = features.masked_fill(silent[:, None], 0)
        return features, lengths

    def _tempo(self, n_sequences: int) -> Tensor:
        return 1 + self.stretch * (2 * torch.rand(n_sequences) - 1)


def stretched(features: Tensor, lengths: Tensor, factors: Tensor) -> tuple[Tensor, Tensor]:
    """Each sequence longer by its factor; values between two inputs are on the line between them.

    The new lengths are rounded down; an input is never lost altogether.
    """
    new_lengths = (lengths * factors).long().clamp(min=1).minimum(2 * lengths)
    place = torch.arange(int(new_lengths.max()) if len(lengths) else 0, device=lengths.device)
    last = (lengths - 1).clamp(min=0)
    step = last / (new_lengths - 1).clamp(min=1)
    wanted = torch.minimum(place * step[:, None], last[:, None].float())  # (B, T)
    before = wanted.long()
    after = torch.minimum(before + 1, last[:, None])
    rows = torch.arange(len(features), device=lengths.device)[:, None]
    share = (wanted - before).to(features.dtype)[:, :, None]
    return torch.lerp(features[rows, before], features[rows, after], share), new_lengths


def _pieces(lengths: Tensor, longest: int, share: float) -> Tensor:
    """``(B, T)``: true in pieces that together cover at most the share of each length."""
    place = torch.arange(longest, device=lengths.device)
    silent = torch.zeros(len(lengths), longest, dtype=torch.bool, device=lengths.device)
    for _ in range(PIECES):
        size = (torch.rand(len(lengths)) * lengths * share / PIECES).long()
        begin = (torch.rand(len(lengths)) * (lengths - size + 1)).long()
        silent |= (place >= begin[:, None]) & (place < (begin + size)[:, None])
    return silent
