"""Beam search with merging, the paper's Algorithm 1, for many sequences at once.

For each input a left-to-right search finds the segments that it may emit after each of the outputs
so far (the *local* beam). Different segmentations may have led to the same outputs: what an input
emits next depends on the outputs alone, so they are merged and their probabilities added. The best
of what is left goes on (the *global* beam). A beam of one is greedy search.
"""

import dataclasses
import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from segtopic.swan.emission import EmissionNetwork

NOTHING = -1  # behind the last output


@dataclass(frozen=True)
class Beams:
    """The outputs that are still thought of, best first: ``K`` for each of ``N`` sequences.

    Attributes:
        scores: ``(N, K)`` log probabilities; minus infinity where there are fewer than ``K``.
        outputs: ``(N, K, M)`` symbols, then ``NOTHING``.
        lengths: ``(N, K)`` how many symbols.
        history: ``(N, K, H)`` what is carried over.
    """

    scores: Tensor
    outputs: Tensor
    lengths: Tensor
    history: Tensor

    def choose(self, places: Tensor) -> "Beams":
        """Other candidates in another order, by their places, ``(N, K')``."""
        rows = torch.arange(len(places), device=places.device)[:, None]
        return Beams(*(part[rows, places] for part in self._parts()))

    def part(self, begin: int, end: int) -> "Beams":
        """Those of some sequences."""
        return Beams(*(part[begin:end] for part in self._parts()))

    def _parts(self) -> tuple[Tensor, ...]:
        return self.scores, self.outputs, self.lengths, self.history


class BeamSearch:
    """One step for each input.

    Args:
        segments: the network.
        beam: candidates that go on to the next input.
        local_beam: segments that are searched at one input; as many as ``beam`` if not given.
        merge: whether candidates with equal outputs become one.
    """

    def __init__(
        self,
        segments: EmissionNetwork,
        beam: int = 5,
        local_beam: int | None = None,
        merge: bool = True,
    ) -> None:
        local_beam = beam if local_beam is None else local_beam
        if beam < 1 or local_beam < 1:
            raise ValueError(f"beams must be at least 1, got {beam} and {local_beam} at each input")
        self.segments = segments
        self.beam = beam
        self.local_beam = local_beam
        self.merge = merge

    def start(self, n_sequences: int) -> Beams:
        """Nothing is emitted yet."""
        history = self.segments.first_history(n_sequences)[:, None]
        lengths = torch.zeros(n_sequences, 1, dtype=torch.long, device=history.device)
        outputs = lengths.new_empty(n_sequences, 1, 0)
        return Beams(history.new_zeros(n_sequences, 1), outputs, lengths, history)

    @torch.no_grad()
    def advance(self, beams: Beams, by_input: Tensor) -> Beams:
        """One more input.

        Args:
            beams: of ``N`` sequences.
            by_input: ``(N, H)``, as :meth:`EmissionNetwork.by_input` makes it.
        """
        found = self._emitted(beams, by_input)
        if self.merge:
            found = merged(found)
        best = found.scores.topk(min(self.beam, found.scores.shape[1]), dim=1)
        return dataclasses.replace(found.choose(best.indices), scores=best.values)

    def _emitted(self, beams: Beams, by_input: Tensor) -> Beams:
        """What the input may make of the candidates: at most ``local_beam`` for a sequence."""
        network = self.segments
        live = _append(beams, None)
        live_rows = _rows(live)
        state = by_input.new_zeros(*live.scores.shape, network.units)
        state[live_rows] = network.begin_segment(by_input[live_rows[0]], live.history[live_rows])
        wanted = torch.full_like(live.lengths[:, 0], self.local_beam)
        finished: list[Beams] = []
        for _ in range(network.max_length):
            following = live.scores.new_full((*live.scores.shape, network.n_symbols + 1), -math.inf)
            following[live_rows] = network.distribution(state[live_rows])
            following += live.scores[:, :, None]
            scores, place = _first(following.flatten(1), wanted, self.local_beam)
            parent = place // (network.n_symbols + 1)
            symbol = place % (network.n_symbols + 1)
            ends = (symbol == network.end) & (scores > -math.inf)
            chosen = dataclasses.replace(live.choose(parent), scores=scores)
            finished.append(_only(chosen, ends))
            wanted = wanted - ends.sum(1)
            live = _append(_only(chosen, ~ends), symbol)
            live_rows = _rows(live)
            if not len(live_rows[0]):
                break
            read = symbol[live_rows]
            rows = torch.arange(len(parent), device=parent.device)[:, None]
            before, state = state[rows, parent], torch.zeros_like(state[rows, parent])
            history = network.next_history(live.history[live_rows], read)
            live.history[live_rows] = history
            state[live_rows] = network.next_state(
                before[live_rows], read, by_input[live_rows[0]], history
            )
        else:
            if network.pay_last_end:
                live.scores[live_rows] += network.distribution(state[live_rows])[:, network.end]
            scores, place = _first(live.scores, wanted, self.local_beam)
            finished.append(dataclasses.replace(live.choose(place), scores=scores))
        return _best_of(finished, self.local_beam)


def merged(beams: Beams) -> Beams:
    """Candidates with equal outputs as one, at the place of the first; the others get -inf."""
    outputs, possible = beams.outputs, beams.scores > -math.inf
    equal = (outputs[:, :, None] == outputs[:, None]).all(-1)  # (N, K, K)
    equal &= possible[:, :, None] & possible[:, None]
    total = beams.scores[:, None].masked_fill(~equal, -math.inf).logsumexp(-1)
    place = torch.arange(outputs.shape[1], device=outputs.device)
    is_first = equal.int().argmax(-1) == place  # of equal ones argmax takes the first
    return dataclasses.replace(beams, scores=total.masked_fill(~is_first, -math.inf))


def _first(scores: Tensor, wanted: Tensor, most: int) -> tuple[Tensor, Tensor]:
    """The best ``wanted[n]`` of each row, at most ``most``; minus infinity for the rest."""
    best = scores.topk(min(most, scores.shape[1]), dim=1)
    rank = torch.arange(best.values.shape[1], device=scores.device)
    return best.values.masked_fill(rank >= wanted[:, None], -math.inf), best.indices


def _only(beams: Beams, kept: Tensor) -> Beams:
    return dataclasses.replace(beams, scores=beams.scores.masked_fill(~kept, -math.inf))


def _rows(beams: Beams) -> tuple[Tensor, Tensor]:
    """The places of the candidates that are possible."""
    sequence, place = (beams.scores > -math.inf).nonzero().unbind(1)
    return sequence, place


def _append(beams: Beams, symbol: Tensor | None) -> Beams:
    """One more symbol for each possible candidate, ``(N, K)``; with none, a copy to write into."""
    history = beams.history.clone()
    if symbol is None:
        return dataclasses.replace(beams, scores=beams.scores.clone(), history=history)
    outputs = F.pad(beams.outputs, (0, 1), value=NOTHING)
    outputs.scatter_(2, beams.lengths[:, :, None], symbol[:, :, None])
    return Beams(beams.scores, outputs, beams.lengths + 1, history)


def _best_of(parts: list[Beams], most: int) -> Beams:
    """The best candidates of several lists."""
    width = max(part.outputs.shape[2] for part in parts)
    outputs = [F.pad(p.outputs, (0, width - p.outputs.shape[2]), value=NOTHING) for p in parts]
    together = Beams(
        torch.cat([part.scores for part in parts], dim=1),
        torch.cat(outputs, dim=1),
        torch.cat([part.lengths for part in parts], dim=1),
        torch.cat([part.history for part in parts], dim=1),
    )
    best = together.scores.topk(min(most, together.scores.shape[1]), dim=1)
    chosen = dataclasses.replace(together.choose(best.indices), scores=best.values)
    longest = int(chosen.lengths.masked_fill(best.values == -math.inf, 0).max())
    return dataclasses.replace(chosen, outputs=chosen.outputs[:, :, :longest])
