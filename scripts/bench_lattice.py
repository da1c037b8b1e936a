"""The log partition with its gradient, beside torch-struct's SemiMarkovCRF on the same scores.

    python scripts/bench_lattice.py

Both get their own input format; ours includes the time to arrange the spans. The runs of the two
alternate, and ratios of their medians are printed; the last line is one JSON object. Scaling is
measured on ours alone: words doubled three times, longest segments of 1 to 10 words.
"""

import json
import time
import warnings
from collections.abc import Callable
from statistics import median

import torch
from torch import Tensor

from segtopic.lattice import Spans, log_partition

warnings.filterwarnings("ignore", module="torch_struct")
from torch_struct import SemiMarkovCRF  # noqa: E402

# Spans of 1, 2, ... words in AP with stop words and punctuation as boundaries, 10,000 words.
AP_SPAN_LENGTHS = [186950, 74157, 21611, 6182, 1690, 544, 168, 37, 9, 6, 1, 1]


def ours(scores: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    spans = Spans.from_lengths(lengths)
    scores = scores.detach().requires_grad_()
    total = log_partition(scores, spans)
    total.sum().backward()
    assert scores.grad is not None
    return total.detach(), scores.grad


def torch_struct(edges: Tensor) -> tuple[Tensor, Tensor]:
    edges = edges.detach().requires_grad_()
    total = SemiMarkovCRF(edges).partition
    total.sum().backward()
    assert edges.grad is not None
    return total.detach(), edges.grad


def edges_of(scores: Tensor, lengths: Tensor) -> Tensor:
    """``(S, T, L + 1, 1, 1)``, as torch-struct takes them: by span, start and length from 0.

    Its ``lengths`` argument allows long segments only up to the shortest span's length, which
    gives wrong totals for mixed spans. So the spans are filled up with words that are free as
    segments of their own; that leaves totals and work as they are.
    """
    spans = Spans.from_lengths(lengths)
    padded = spans.pad(scores.masked_fill(~spans.fits(scores.shape[1]), -1e5), -1e5)
    filling = torch.arange(padded.shape[1]) >= lengths[:, None]
    padded[..., 0] = padded[..., 0].masked_fill(filling, 0.0)
    return torch.nn.functional.pad(padded, (1, 0), value=-1e5)[..., None, None]


def seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def compare(name: str, lengths: Tensor, max_length: int, repeats: int) -> float:
    """Median of the peer's time over median of ours; the results are checked to be equal."""
    scores = torch.randn(int(lengths.sum()), max_length) - 1.0
    edges = edges_of(scores, lengths)
    spans = Spans.from_lengths(lengths)
    our_total, our_gradient = ours(scores, lengths)
    their_total, their_gradient = torch_struct(edges)
    torch.testing.assert_close(our_total, their_total, rtol=1e-4, atol=1e-3)
    torch.testing.assert_close(
        our_gradient, spans.pack(their_gradient[:, :, 1:, 0, 0]), rtol=1e-3, atol=1e-3
    )
    our_times, their_times = [], []
    for _ in range(repeats):
        our_times.append(seconds(lambda: ours(scores, lengths)))
        their_times.append(seconds(lambda: torch_struct(edges)))
    ratio = median(their_times) / median(our_times)
    print(
        f"{name}: torch-struct {1e3 * median(their_times):.1f} ms, "
        f"segtopic {1e3 * median(our_times):.1f} ms, {ratio:.1f} times faster"
    )
    return ratio


def scaling(lengths: Tensor, max_length: int, repeats: int = 9) -> float:
    """Milliseconds, the median of a few runs."""
    scores = torch.randn(int(lengths.sum()), max_length) - 1.0
    ours(scores, lengths)
    return 1e3 * median(seconds(lambda: ours(scores, lengths)) for _ in range(repeats))


def relative(times: list[float]) -> list[float]:
    return [round(t / times[0], 2) for t in times]


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(2)
    shares = torch.tensor(AP_SPAN_LENGTHS, dtype=torch.float64)
    short = torch.multinomial(shares, 4096, replacement=True) + 1
    long = torch.full((32,), 2000)
    figures: dict[str, object] = {
        "speedup_short": round(compare("4,096 spans as in AP, L=3", short, 3, 15), 1),
        "speedup_long": round(compare("32 spans of 2,000 words, L=3", long, 3, 15), 1),
    }
    by_words = {
        "short": [scaling(short.repeat(times), 3) for times in (1, 2, 4, 8)],
        "long": [scaling(long * times, 3) for times in (1, 2, 4, 8)],
    }
    by_length = {
        "short": [scaling(short, max_length) for max_length in range(1, 11)],
        "long": [scaling(long, max_length) for max_length in range(1, 11)],
    }
    for kind in ("short", "long"):
        figures[f"relative_time_{kind}_1x_2x_4x_8x_words"] = relative(by_words[kind])
        figures[f"relative_time_{kind}_L_1_to_10"] = relative(by_length[kind])
        milliseconds = ", ".join(f"{t:.1f}" for t in by_words[kind])
        print(f"{kind} spans, 1, 2, 4, 8 times the words: {milliseconds} ms")
        milliseconds = ", ".join(f"{t:.1f}" for t in by_length[kind])
        print(f"{kind} spans, L = 1 .. 10: {milliseconds} ms")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
