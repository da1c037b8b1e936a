"""Speech to characters, phonemes and words: SWAN beside CTC with the same encoder.

    python scripts/swan_speech.py train an4-chars-s4-ctc-0 an4-chars-s4-swan-L4-rate2-0
    python scripts/swan_speech.py evaluate an4-chars-s4-ctc-0 an4-chars-s4-swan-L4-rate2-0
    python scripts/swan_speech.py compare an4-chars-s4-swan-L4-rate2 an4-chars-s4-ctc  # all seeds
    python scripts/swan_speech.py table                                # docs/results/speech.md

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
from speech.page import KEPT, PAGE, page
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
            make = partial(error_figures, model, data, some, beam)
            results.keep(path, f"{part}, beam {beam}", make)
    if isinstance(model, SwanModel):
        results.keep(path, "segments", partial(segment_figures, model, data, data.test))
    found = results.read(path)["test, beam 10"]
    print(name, json.dumps({what: found.get(what) for what in ("symbols", "words")}), flush=True)


def compare(first: str, second: str) -> None:
    """Keep the difference of two cells."""
    found = difference(first, second)
    results.keep(KEPT / "differences.json", f"{first} - {second}", lambda: found, again=True)
    print(f"{first} - {second}: {json.dumps(found)}")


def difference(first: str, second: str) -> results.Result:
    """Of what is wrong, paired by recording, over all seeds that both have.

    With the widest beam, unless a name ends in another one, such as ``,1``.
    """
    one, other = _test_figures(first), _test_figures(second)
    seeds = sorted(one.keys() & other.keys())
    if not seeds:
        raise SystemExit(f"{first} and {second} have no seed in common that was evaluated")
    each_seed = [paired_difference([one[seed]], [other[seed]]) for seed in seeds]
    return {
        **paired_difference([one[seed] for seed in seeds], [other[seed] for seed in seeds]),
        "by_seed": [found["symbols"]["mean"] for found in each_seed],
    }


def _test_figures(name: str) -> dict[int, results.Result]:
    """Of every seed of a cell that was evaluated."""
    cell, _, beam = name.partition(",")
    kept = {seed: results.read(KEPT / f"{cell}-{seed}.json") for seed in range(10)}
    key = f"test, beam {beam or max(BEAMS)}"
    return {seed: found[key] for seed, found in kept.items() if key in found}


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
            PAGE.write_text(page())
        case "compare":
            first, second = arguments.names
            compare(first, second)
        case "train":
            for name in arguments.names:
                train(name, arguments.runs)
        case "evaluate":
            for name in arguments.names:
                evaluate(name, arguments.runs)


if __name__ == "__main__":
    main()
