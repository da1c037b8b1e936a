"""Speech to characters, phonemes and words: SWAN beside CTC with the same encoder.

    python scripts/swan_speech.py train an4-chars-s4-ctc-0 an4-chars-s4-swan-L4-0
    python scripts/swan_speech.py evaluate an4-chars-s4-ctc-0 an4-chars-s4-swan-L4-0
    python scripts/swan_speech.py compare an4-chars-s4-swan-L4 an4-chars-s4-ctc   # all seeds
    python scripts/swan_speech.py table                           # docs/results/speech.md

A cell is a corpus (an4; fsdd, strings or unseen: digits), a level (chars, phones, words), a stride,
a model (ctc; swan and ctc+ go on from it), perhaps the longest segment and no-carry, and a seed.
The data are looked for in ``$SEGTOPIC_DATA/swan``. Development speakers are cut from the training
part; nothing is chosen on the test part. What is finished is kept. One thread.
"""

import argparse
import json
from functools import partial
from pathlib import Path

import results
import torch
from speech.cells import Cell
from speech.data import Data
from speech.figures import error_figures, paired_difference, segment_figures
from speech.page import KEPT, write_page
from speech.training import train, trained

from segtopic.swan.model import SwanModel

BEAMS = (1, 10)


def evaluate(name: str, runs: Path) -> None:
    """Errors on the development and the test part, for each beam; segments."""
    cell = Cell.of(name)
    data = Data(cell.corpus, cell.level)
    model, folder, path = trained(name, runs, data), runs / name, KEPT / f"{name}.json"
    results.keep(path, "training", lambda: json.loads((folder / "results.json").read_text()))
    for beam in BEAMS:
        for part, some in (("dev", data.development), ("test", data.test)):
            kept = folder / f"{part}, beam {beam}.npz"
            make = partial(error_figures, model, data, some, beam, kept)
            results.keep(path, f"{part}, beam {beam}", make)
    if isinstance(model, SwanModel):
        results.keep(path, "segments", partial(segment_figures, model, data, data.test))
    shown = {key: value for key, value in results.read(path).items() if key != "training"}
    print(name, json.dumps(shown), flush=True)


def compare(first: str, second: str, runs: Path) -> None:
    """The paired difference of symbols and words wrong over all seeds that both have."""
    seeds = [seed for seed in range(10) if _kept(first, seed, runs) and _kept(second, seed, runs)]
    sides = [[path for seed in seeds if (path := _kept(n, seed, runs))] for n in (first, second)]
    found = {**paired_difference(*sides), "seeds": len(seeds)}
    results.keep(KEPT / "differences.json", f"{first} - {second}", lambda: found, again=True)
    print(f"{first} - {second}: {json.dumps(found)}")


def _kept(name: str, seed: int, runs: Path) -> Path | None:
    """The errors of the widest search; a name may end in its beam, such as ``,1``."""
    name, _, beam = name.partition(",")
    for each in [beam] if beam else ["10", "1"]:
        path = runs / f"{name}-{seed}" / f"test, beam {each}.npz"
        if path.exists():
            return path
    return None


def main() -> None:
    """Read the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("command", choices=["train", "evaluate", "compare", "table"])
    parser.add_argument("names", nargs="*", help="cells, or two cells without their seed")
    parser.add_argument("--runs", type=Path, default=Path("runs/speech"))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    match arguments.command:
        case "table":
            write_page()
        case "compare":
            first, second = arguments.names
            compare(first, second, arguments.runs)
        case "train":
            for name in arguments.names:
                train(name, arguments.runs)
        case "evaluate":
            for name in arguments.names:
                evaluate(name, arguments.runs)


if __name__ == "__main__":
    main()
