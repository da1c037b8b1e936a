"""The grid's likelihood with its gradient beside CTC and the sequence transducer; training steps.

    python scripts/bench_swan.py

Losses: the same numbers of inputs and outputs for all; each gets what it takes. CTC gets ``(T', B,
V)`` log probabilities, the transducer (torchaudio's, if it is installed) ``(B, T', T + 1, V)``
logits, ours ``(B, T', T + 1, L + 1)`` scores. The runs alternate; ratios of medians are printed.
Memory is how much the greatest resident size of a process of its own grows in the loss and its
gradient. Growth is measured on ours alone: T, T' and L doubled. Steps: forward, backward and update
of whole models over the same encoder, on made-up words as long as those of g014b2b. One thread; the
last line is one JSON object.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

import torch
from torch import Tensor
from torch.nn import functional as F

from segtopic.lattice import Grid, grid_log_partition
from segtopic.swan import PairBatch, RecurrentEncoder, SwanModel, SwanSettings
from segtopic.swan.ctc import CtcModel
from segtopic.swan.guide import Guide

try:
    from torchaudio.functional import rnnt_loss
except (ImportError, OSError) as error:
    print(f"torchaudio cannot be used ({type(error).__name__}): no transducer in this run")
    rnnt_loss = None

SYMBOLS = 40
# (batch, inputs, outputs): words; a second of speech a symbol; long speech.
SIZES = {"words": (128, 8, 7), "sentences": (32, 100, 40), "speech": (8, 800, 150)}
LONGEST = 3


def lengths(size: tuple[int, int, int]) -> tuple[Tensor, Tensor]:
    batch, inputs, outputs = size
    return torch.full((batch,), inputs), torch.full((batch,), outputs)


def ours(size: tuple[int, int, int], max_length: int = LONGEST) -> Callable[[], None]:
    batch, inputs, outputs = size
    scores = torch.randn(batch, inputs, outputs + 1, max_length + 1) - 3
    scores.requires_grad_()
    grid = Grid.from_lengths(*lengths(size))
    return lambda: grid_log_partition(scores, grid).sum().backward()


def ctc(size: tuple[int, int, int]) -> Callable[[], None]:
    batch, inputs, outputs = size
    log_probs = torch.randn(inputs, batch, SYMBOLS).log_softmax(-1).requires_grad_()
    targets = torch.randint(1, SYMBOLS, (batch, outputs))
    n_inputs, n_outputs = lengths(size)
    return lambda: F.ctc_loss(log_probs, targets, n_inputs, n_outputs, reduction="sum").backward()


def transducer(size: tuple[int, int, int]) -> Callable[[], None]:
    batch, inputs, outputs = size
    logits = torch.randn(batch, inputs, outputs + 1, SYMBOLS, requires_grad=True)
    targets = torch.randint(1, SYMBOLS, (batch, outputs), dtype=torch.int32)
    n_inputs, n_outputs = (n.int() for n in lengths(size))
    return lambda: rnnt_loss(
        logits, targets, n_inputs, n_outputs, blank=0, reduction="sum"
    ).backward()


LOSSES = {"ours": ours, "ctc": ctc} | ({"transducer": transducer} if rnnt_loss else {})


def seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def medians(functions: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Milliseconds; the functions take turns."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    for name, function in functions.items():
        function()
        times[name].clear()
    for _ in range(repeats):
        for name, function in functions.items():
            times[name].append(1e3 * seconds(function))
    return {name: median(values) for name, values in times.items()}


def peak(loss: str, size: str) -> float:
    """Megabytes that a loss with its gradient needs beyond its input."""
    program = (
        "import bench_swan as b; b.torch.set_num_threads(1);"
        f"run = b.LOSSES[{loss!r}](b.SIZES[{size!r}]); print(b.growth_of_memory(run))"
    )
    folder = Path(__file__).resolve().parent
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    return float(found.stdout.splitlines()[-1])


def growth_of_memory(run: Callable[[], object]) -> float:
    """Megabytes between the resident size before and the greatest one during a call; Linux only."""
    Path("/proc/self/clear_refs").write_text("5")  # the greatest so far is the present one
    before = _resident("VmRSS")
    run()
    return _resident("VmHWM") - before


def _resident(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:"))


def training_steps() -> dict[str, Callable[[], object]]:
    """A step of each model on words of 5 to 10 letters."""
    torch.manual_seed(0)
    n_inputs = torch.randint(5, 11, (128,)).sort().values
    n_outputs = (n_inputs - torch.randint(0, 3, (128,))).clamp(min=1)
    batch = PairBatch(
        torch.randint(27, (128, 10)), n_inputs, torch.randint(39, (128, 10)), n_outputs
    )
    steps: dict[str, Callable[[], object]] = {}
    for name, max_length in (
        ("ctc", 1),
        ("swan, L = 1", 1),
        ("swan, L = 2", 2),
        ("swan, L = 3", 3),
    ):
        settings = SwanSettings(max_segment_length=max_length)
        encoder = RecurrentEncoder(settings, 27)
        ctc = CtcModel(encoder, Guide(encoder.width, 39))
        model = ctc if name == "ctc" else SwanModel(settings, encoder, 39)
        optimiser = torch.optim.AdamW(model.parameters(), foreach=True)

        def step(
            model: CtcModel | SwanModel = model, optimiser: torch.optim.Optimizer = optimiser
        ) -> None:
            optimiser.zero_grad()
            likelihood = model.log_likelihood(batch)
            (-likelihood[likelihood.isfinite()].mean()).backward()
            optimiser.step()

        steps[name] = step
    return steps


def growth(sizes: list[tuple[tuple[int, int, int], int]]) -> list[float]:
    """Times relative to the first."""
    functions = {str(number): ours(*size) for number, size in enumerate(sizes)}
    times = list(medians(functions, 9).values())
    return [round(each / times[0], 2) for each in times]


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    figures: dict[str, object] = {}
    for name, size in SIZES.items():
        found = medians({loss: make(size) for loss, make in LOSSES.items()}, 9)
        memory = {loss: peak(loss, name) for loss in LOSSES}
        shown = ", ".join(f"{loss} {found[loss]:.1f} ms, {memory[loss]:.0f} MB" for loss in LOSSES)
        print(f"{name} (B, T', T) = {size}, L = {LONGEST}: {shown}")
        figures[f"loss_{name}"] = {
            loss: {
                "time_over_ours": round(found[loss] / found["ours"], 2),
                "megabytes": round(memory[loss], 1),
            }
            for loss in LOSSES
        }
    base = (16, 100, 50)
    doublings = (1, 2, 4, 8)
    figures["growth_T"] = growth([((16, 100, 50 * k), 3) for k in doublings])
    figures["growth_inputs"] = growth([((16, 100 * k, 50), 3) for k in doublings])
    figures["growth_L_1_2_4_8"] = growth([(base, k) for k in doublings])
    for name in ("growth_T", "growth_inputs", "growth_L_1_2_4_8"):
        print(f"{name} (1, 2, 4, 8 times): {figures[name]}")
    steps = medians(training_steps(), 5)
    ratios = {name: round(each / steps["ctc"], 2) for name, each in steps.items()}
    print(f"a training step over CTC's: {ratios}")
    figures["step_over_ctc"] = ratios
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
