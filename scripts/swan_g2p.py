"""Spelling to phonemes on g014b2b: SWAN beside others, and the paper's claims.

    python scripts/swan_g2p.py train swan --runs runs/g2p       # or ctc, rnnt, small, ...
    python scripts/swan_g2p.py evaluate swan --runs runs/g2p    # into docs/results/swan/swan.json
    python scripts/swan_g2p.py phonetisaurus --runs runs/g2p    # the peer, if it is installed
    python scripts/swan_g2p.py compare swan ctc --runs runs/g2p # the same words: the difference
    python scripts/swan_g2p.py explain ALEXANDER --runs runs/g2p # outputs and their alignments
    python scripts/swan_g2p.py table                            # docs/results/swan.md

The data are looked for in ``$SEGTOPIC_DATA/swan/g2p``. 2,000 development words (seed 0) are cut
from the training words; nothing is chosen on the test words. A training that was interrupted goes
on where it stopped. One thread.
"""

import argparse
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import results
import torch
from g2p.data import Data
from g2p.experiments import EXPERIMENTS
from g2p.figures import error_figures, paired_difference
from g2p.page import KEPT, write_page
from g2p.paths import merging_figures, segment_figures
from g2p.peers import phonetisaurus
from g2p.training import train, trained

from segtopic.swan.model import SwanModel
from segtopic.swan.pairs import Pair
from segtopic.swan.predictor import SwanPredictor


def explain(words: list[str], runs: Path) -> None:
    """The three best outputs of words, each with its alignment."""
    data = Data()
    model = trained("swan", runs, data)
    assert isinstance(model, SwanModel)
    predictor = SwanPredictor(model, data.letters, data.phonemes)
    for word, predictions in zip(words, predictor.predict(words, n_best=3), strict=True):
        for outputs, probability in predictions:
            (aligned,) = predictor.align([Pair(tuple(word), outputs)])
            share = f"{aligned.probability:.3f} of its paths"
            print(f"{word} {probability:.3f} {' '.join(outputs)} | {aligned} ({share})")


def evaluate(name: str, runs: Path, again: bool = False) -> None:
    """Words and phonemes wrong on the test words, for each beam; segments; what can be merged."""
    experiment = EXPERIMENTS[name]
    data = Data(experiment.words)
    model = trained(name, runs, data)
    test, path = data.references(data.test), KEPT / f"{name}.json"

    def keep(key: str, make: Callable[[], Any]) -> None:
        results.keep(path, key, make, again)
        print(name, key, json.dumps(results.read(path)[key])[:200], flush=True)

    keep("training", lambda: json.loads((runs / name / "results.json").read_text()))
    if not isinstance(model, SwanModel):  # CTC has greedy decoding only
        found = runs / name / "beam 1.npz"
        keep("beam 1", lambda: error_figures(lambda: test.errors(model), found))
        return
    keep("segments", lambda: segment_figures(model, data))
    for beam in experiment.beams:
        if beam > 1:
            keep(f"merging, beam {beam}", partial(merging_figures, model, data, beam))
        for merge in (True, False) if beam > 1 else (True,):
            label = f"beam {beam}" if merge else f"beam {beam}, not merged"
            errors = partial(test.errors, model, beam=beam, merge=merge)
            keep(label, partial(error_figures, errors, runs / name / f"{label}.npz"))


def compare(first: str, second: str, runs: Path) -> None:
    """The paired difference of words wrong, in points of a percent."""
    difference = paired_difference(runs / first, runs / second)
    results.keep(KEPT / "differences.json", f"{first} - {second}", lambda: difference, again=True)
    print(f"{first} - {second}: {results.interval(difference, 2)}")


def main() -> None:
    """Read the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "command", choices=["train", "evaluate", "phonetisaurus", "compare", "explain", "table"]
    )
    parser.add_argument("names", nargs="*", help=f"of {', '.join(EXPERIMENTS)}; or words")
    parser.add_argument("--runs", type=Path, default=Path("runs/g2p"))
    parser.add_argument("--again", action="store_true", help="evaluate what is kept already")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    match arguments.command:
        case "table":
            write_page()
        case "phonetisaurus":
            phonetisaurus(arguments.runs)
        case "explain":
            explain(arguments.names, arguments.runs)
        case "compare":
            first, second = arguments.names
            compare(first, second, arguments.runs)
        case "train":
            for name in arguments.names:
                train(name, arguments.runs)
        case "evaluate":
            for name in arguments.names:
                evaluate(name, arguments.runs, arguments.again)


if __name__ == "__main__":
    main()
