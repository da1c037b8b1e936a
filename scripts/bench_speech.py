"""What listening costs: a training step beside CTC's, peak memory, the real-time factor.

    python scripts/bench_speech.py steps                  # SWAN's step over CTC's, and memory
    python scripts/bench_speech.py listen RUN SOUNDS      # seconds of work for a second of sound

One thread. On a machine that others use too only ratios mean anything, so SWAN and CTC take their
steps in turn; the real-time factor is processor time over the length of the sounds.
"""

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

import torch
from speech.cells import Cell

from segtopic.config import TranscribeConfig
from segtopic.speech.sound import facts
from segtopic.swan.ctc import CtcModel
from segtopic.swan.heard import load_listener
from segtopic.swan.model import SwanModel
from segtopic.swan.sequence_model import PairBatch
from segtopic.swan.transcribe import transcribed

PAIRS, FRAMES, OUTPUTS, FEATURES, SYMBOLS = 16, 268, 19, 39, 28  # as AN4's on average
CELLS = ("an4-chars-s{}-ctc-0", "an4-chars-s{}-swan-L1-0", "an4-chars-s{}-swan-L4-0")
ROUNDS = 5


class Shape:
    """What a cell asks of its data to make a model."""

    n_features, symbols = FEATURES, range(SYMBOLS)


def batch() -> PairBatch:
    """Numbers that mean nothing."""
    torch.manual_seed(0)
    return PairBatch(
        torch.randn(PAIRS, FRAMES, FEATURES),
        torch.full((PAIRS,), FRAMES),
        torch.randint(SYMBOLS, (PAIRS, OUTPUTS)),
        torch.full((PAIRS,), OUTPUTS),
    )


def step(model: CtcModel | SwanModel, pairs: PairBatch) -> float:
    """Processor seconds of loss and gradient."""
    began = time.process_time()
    model.zero_grad()
    model.losses(pairs, 1.0).losses.mean().backward()
    return time.process_time() - began


def steps() -> None:
    """Ratios to CTC, for each stride; memory in a process of its own."""
    pairs = batch()
    for stride in (2, 4, 8):
        names = [name.format(stride) for name in CELLS]
        models = [Cell.of(name).new_model(Shape()) for name in names]  # type: ignore[arg-type]
        rounds = [[step(model, pairs) for model in models] for _ in range(ROUNDS + 1)][1:]
        for place, name in enumerate(names):
            ratio = statistics.median(row[place] / row[0] for row in rounds)
            asked = [sys.executable, __file__, "memory", name]
            grown = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
            print(f"{name}: {ratio:.2f} of CTC's step, {grown.strip()} MB")


def memory(name: str) -> None:
    """What the greatest resident size grows by in one step."""
    model, pairs = Cell.of(name).new_model(Shape()), batch()  # type: ignore[arg-type]
    before = _peak()
    step(model, pairs)
    print(round((_peak() - before) / 1024))


def _peak() -> int:
    """The greatest resident size in kB, of this program alone: Linux."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


def listen(run: str, sounds: list[str]) -> None:
    """The real-time factor, greedy and with a beam of ten."""
    trained, seconds = load_listener(run), sum(facts(Path(each)).seconds for each in sounds)
    for beam in (1, 10):
        began = time.process_time()
        for each in sounds:
            list(transcribed(trained, Path(each), TranscribeConfig(beam=beam)))
        factor = (time.process_time() - began) / seconds
        print(f"beam {beam}: {factor:.3f} of the time of {seconds:.0f} s of sound")


def main() -> None:
    """Read the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("command", choices=["steps", "memory", "listen"])
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    match arguments.command:
        case "steps":
            steps()
        case "memory":
            memory(arguments.names[0])
        case "listen":
            listen(arguments.names[0], arguments.names[1:])


if __name__ == "__main__":
    main()
