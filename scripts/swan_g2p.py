"""Spelling to phonemes on g014b2b: SWAN beside CTC with the same encoder, and the paper's claims.

    python scripts/swan_g2p.py train swan --runs runs/g2p       # or ctc, or another name below
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
import dataclasses
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytorch_lightning as pl
import results
import torch

from segtopic.config import SwanSettings, SwanTraining
from segtopic.evaluate.bootstrap import Interval, bootstrap_difference, bootstrap_interval
from segtopic.evaluate.heldout import DocumentScores
from segtopic.lattice import grid_posteriors
from segtopic.swan.batches import NumberedPairs
from segtopic.swan.ctc import CtcModel
from segtopic.swan.development import Development
from segtopic.swan.encoder import RecurrentEncoder
from segtopic.swan.error_rates import ErrorCounts, count_errors
from segtopic.swan.model import SwanModel
from segtopic.swan.pairs import Entry, Pair, pairs_of, read_entries, split_entries
from segtopic.swan.predictor import SwanPredictor
from segtopic.swan.symbols import SymbolTable
from segtopic.swan.system import SwanSystem
from segtopic.swan.training import fit

KEPT = Path(__file__).parent.parent / "docs" / "results" / "swan"
N_DEVELOPMENT = 2000
LARGE = SwanSettings(max_segment_length=2, dropout=0.3)
LARGE_TRAINING = SwanTraining(epochs=28, precision="bf16-mixed")
SMALL = SwanSettings(units=128, layers=1, segment_units=128, embedding=64, dropout=0.2)
SMALL_TRAINING = SwanTraining(epochs=12, batch_size=64, learning_rate=3e-3, precision="bf16-mixed")


@dataclass(frozen=True)
class Experiment:
    """One model, how it is trained, on how many of the training words, and how it is decoded."""

    kind: str = "swan"
    model: SwanSettings = SMALL
    training: SwanTraining = SMALL_TRAINING
    words: int | None = 20_000
    beams: tuple[int, ...] = (1, 5)


EXPERIMENTS = {
    "swan": Experiment("swan", LARGE, LARGE_TRAINING, None, (1, 5, 10, 40)),
    "ctc": Experiment("ctc", LARGE, LARGE_TRAINING, None, (1,)),
    "small": Experiment(),
    "small-ctc": Experiment("ctc", beams=(1,)),
    "small-no-carry": Experiment(model=dataclasses.replace(SMALL, carry_over=False)),
    "small-L1": Experiment(model=dataclasses.replace(SMALL, max_segment_length=1)),
    "small-L2": Experiment(model=dataclasses.replace(SMALL, max_segment_length=2)),
    "small-L5": Experiment(model=dataclasses.replace(SMALL, max_segment_length=5)),
}


class Data:
    """The words and their tables."""

    def __init__(self, n_words: int | None = None) -> None:
        self.folder = Path(os.environ["SEGTOPIC_DATA"]) / "swan" / "g2p"
        entries = read_entries(self.folder / "g014b2b.train")
        self.test = read_entries(self.folder / "g014b2b.ref")
        self.letters = SymbolTable.of(entry.inputs for entry in entries)
        self.phonemes = SymbolTable.of(r for entry in entries for r in entry.references)
        self.training, self.development = split_entries(entries, N_DEVELOPMENT, seed=0)
        if n_words is not None:
            every = len(self.training) // n_words
            self.training = self.training[::every][:n_words]

    def numbered(self, pairs: list[Pair]) -> NumberedPairs:
        return NumberedPairs(pairs, self.letters, self.phonemes)

    def references(self, entries: list[Entry]) -> Development:
        return Development.of(entries, self.letters, self.phonemes)


def new_model(experiment: Experiment, data: Data) -> CtcModel | SwanModel:
    torch.manual_seed(experiment.training.seed)
    encoder = RecurrentEncoder(experiment.model, len(data.letters))
    if experiment.kind == "ctc":
        return CtcModel(encoder, len(data.phonemes), experiment.model.dropout)
    return SwanModel(experiment.model, encoder, len(data.phonemes))


def is_possible(model: CtcModel | SwanModel, pair: Pair) -> bool:
    if isinstance(model, SwanModel):
        return model.is_possible(len(pair.inputs), len(pair.outputs))
    repeats = sum(first == second for first, second in pairwise(pair.outputs))
    return len(pair.outputs) + repeats <= len(pair.inputs)


class Progress(pl.Callback):
    """A line an epoch, on the screen and in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        figures = {name: round(float(v), 4) for name, v in trainer.callback_metrics.items()}
        assert isinstance(pl_module, SwanSystem)
        line = {"epoch": trainer.current_epoch + 1, "seconds": round(pl_module.seconds), **figures}
        print(json.dumps(line), flush=True)
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")


def train(name: str, runs: Path) -> None:
    experiment = EXPERIMENTS[name]
    data = Data(experiment.words)
    model = new_model(experiment, data)
    pairs = pairs_of(data.training)
    possible = [pair for pair in pairs if is_possible(model, pair)]
    folder = runs / name
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{name}: {len(possible)} of {len(pairs)} pairs are possible", flush=True)
    figures = fit(
        model,
        data.numbered(possible),
        data.numbered(pairs_of(data.development)),
        data.references(data.development),
        experiment.training,
        folder,
        [Progress(folder / "epochs.jsonl")],
    )
    figures |= {"pairs": len(possible), "parameters": sum(p.numel() for p in model.parameters())}
    figures |= {"settings": dataclasses.asdict(experiment)}
    (folder / "results.json").write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures))


def trained(name: str, runs: Path, data: Data) -> CtcModel | SwanModel:
    """The model of the best epoch."""
    model = new_model(EXPERIMENTS[name], data)
    best = runs / name / "checkpoints" / "best.ckpt"
    weights = torch.load(best, weights_only=True)["state_dict"]
    model.load_state_dict({key.removeprefix("model."): value for key, value in weights.items()})
    return model.eval()


def _best(folder: Path) -> Path:
    """The best epoch of a training; those before runs had a folder for checkpoints lie above it."""
    return next(
        path
        for path in (folder / "checkpoints" / "best.ckpt", folder / "best.ckpt")
        if path.exists()
    )


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
    """Words and phonemes wrong on the test words, for each beam."""
    experiment = EXPERIMENTS[name]
    data = Data(experiment.words)
    model = trained(name, runs, data)
    test, path = data.references(data.test), KEPT / f"{name}.json"

    def keep(key: str, make: Callable[[], Any]) -> None:
        results.keep(path, key, make, again)
        print(name, key, json.dumps(results.read(path)[key])[:200], flush=True)

    keep("training", lambda: json.loads((runs / name / "results.json").read_text()))
    for beam in experiment.beams:
        # CTC has greedy decoding only.
        for merge in (True, False) if beam > 1 else (True,):
            label = f"beam {beam}" if merge else f"beam {beam}, not merged"
            wishes = {} if experiment.kind == "ctc" else {"beam": beam, "merge": merge}
            found = runs / name / f"{label}.npz"
            keep(
                label,
                partial(_figures, partial(test.errors, model, **wishes), found),
            )
    if isinstance(model, SwanModel):
        keep("segments", lambda: _segments(model, data))


def _figures(errors: Callable[[], ErrorCounts], kept: Path) -> dict[str, Any]:
    started = time.monotonic()
    counts = errors()
    np.savez(kept, **counts._asdict())
    return {
        "words": dataclasses.asdict(_percent(bootstrap_interval(_scores(counts.wrong)))),
        "phonemes": dataclasses.asdict(
            _percent(bootstrap_interval(_scores(counts.edits, counts.symbols)))
        ),
        "seconds": round(time.monotonic() - started, 1),
    }


def _scores(errors: np.ndarray, counts: np.ndarray | None = None) -> DocumentScores:
    """Errors of each word over what could be wrong, as the bootstrap takes them."""
    counts = np.ones_like(errors) if counts is None else counts
    return DocumentScores(errors.astype(float), counts)


def _percent(interval: Interval) -> Interval:
    return Interval(*(round(100 * value, 2) for value in dataclasses.astuple(interval)))


@torch.no_grad()
def _segments(model: SwanModel, data: Data) -> dict[str, Any]:
    """How many phonemes a letter emits, in expectation over all paths of the test words."""
    possible = [pair for pair in pairs_of(data.test) if is_possible(model, pair)]
    counts = torch.zeros(model.settings.max_segment_length + 1, dtype=torch.float64)
    for batch in data.numbered(possible).in_order(256):
        counts += grid_posteriors(*model.score(batch)).double().sum((0, 1, 2))
    sizes = torch.arange(len(counts))
    return {
        "share_by_length": [round(float(share), 4) for share in counts / counts.sum()],
        "mean_length_not_empty": round(float((counts * sizes).sum() / counts[1:].sum()), 4),
    }


def compare(first: str, second: str, runs: Path) -> None:
    """The paired difference of words wrong, in points of a percent."""
    wrong: list[DocumentScores] = []
    for name in (first, second):
        beams = [f"beam {beam}.npz" for beam in (5, 1)] + ["best.npz"]
        kept = next(runs / name / beam for beam in beams if (runs / name / beam).exists())
        wrong.append(_scores(np.load(kept)["wrong"]))
    difference = _percent(bootstrap_difference(wrong[0], wrong[1]))
    path = KEPT / "differences.json"
    results.keep(path, f"{first} - {second}", lambda: dataclasses.asdict(difference), again=True)
    print(f"{first} - {second}: {difference}")


def phonetisaurus(runs: Path) -> None:
    """The n-gram transducer of the package ``phonetisaurus``, with its own settings."""
    data, folder = Data(), runs / "phonetisaurus"
    folder.mkdir(parents=True, exist_ok=True)
    model, lexicon = (folder / name for name in ("model.fst", "lexicon.txt"))
    command = [sys.executable, "-m", "phonetisaurus"]
    if not model.exists():
        pairs = pairs_of(read_entries(data.folder / "g014b2b.train"))
        lines = [f"{''.join(pair.inputs)} {' '.join(pair.outputs)}\n" for pair in pairs]
        lexicon.write_text("".join(lines))
        files = ["--corpus", str(folder / "corpus.txt"), "--model", str(model), str(lexicon)]
        subprocess.run([*command, "train", *files], check=True)
    words = ["".join(entry.inputs) for entry in data.test]
    said = subprocess.run(
        [*command, "predict", "--model", str(model)],
        input="\n".join(words) + "\n",
        text=True,
        capture_output=True,
        check=True,
    ).stdout
    outputs = dict(line.split(" ", 1) for line in said.splitlines() if " " in line)
    references = [entry.references for entry in data.test]
    found = [outputs.get(word, "").split() for word in words]
    figures = _figures(lambda: count_errors(found, references), folder / "best.npz")
    results.keep(KEPT / "phonetisaurus.json", "best", lambda: figures, again=True)
    print(json.dumps(figures))


def table() -> None:
    """All that was found, as Markdown."""
    kept = {path.stem: results.read(path) for path in sorted(KEPT.glob("*.json"))}
    lines = [
        "# Spelling to phonemes: g014b2b",
        "",
        "Made by `python scripts/swan_g2p.py table` from the files beside this page. Test words: "
        "12,000, none of them in training; 95 % bootstrap intervals over words.",
        "",
        *results.table(_HEADER, _rows(kept, ("swan", "ctc", "phonetisaurus"))),
        "",
        *(
            f"- {names}, paired: {results.interval(found, 2)} points of words wrong."
            for names, found in kept.get("differences", {}).items()
        ),
        "",
        *_small_table(kept),
        "## Segments",
        "",
        *results.table(
            ("model", "segments of 0, 1, 2, ... phonemes", "mean length if not empty"),
            [
                (
                    name,
                    ", ".join(f"{100 * share:.1f} %" for share in found["share_by_length"]),
                    f"{found['mean_length_not_empty']:.3f}",
                )
                for name, result in kept.items()
                if (found := result.get("segments"))
            ],
        ),
    ]
    KEPT.with_suffix(".md").write_text("\n".join(lines) + "\n")


def _small_table(kept: dict[str, results.Result]) -> list[str]:
    small = _rows(kept, [name for name in kept if name.startswith("small")])
    if not small:
        return []
    return [
        "## The paper's claims, on 20,000 words",
        "",
        "One layer of 128 units, twelve epochs, the same for all.",
        "",
        *results.table(_HEADER, small),
        "",
    ]


_HEADER = ("model", "decoding", "words wrong, %", "phonemes wrong, %", "epochs, minutes")


def _rows(kept: dict[str, results.Result], names: Iterable[str]) -> list[tuple[str, ...]]:
    rows = []
    for name in names:
        training = kept.get(name, {}).get("training", {})
        spent = f"{training['epochs']}, {training['minutes']:.0f}" if training else ""
        rows += [
            (name, label, *(results.interval(found[of], 2) for of in ("words", "phonemes")), spent)
            for label, found in kept.get(name, {}).items()
            if "words" in found
        ]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "command", choices=["train", "evaluate", "phonetisaurus", "compare", "explain", "table"]
    )
    parser.add_argument("names", nargs="*", help=f"of {', '.join(EXPERIMENTS)}; or words")
    parser.add_argument("--runs", type=Path, default=Path("runs/g2p"))
    parser.add_argument("--again", action="store_true", help="evaluate what is kept already")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.command == "table":
        table()
    elif arguments.command == "phonetisaurus":
        phonetisaurus(arguments.runs)
    elif arguments.command == "explain":
        explain(arguments.names, arguments.runs)
    elif arguments.command == "compare":
        first, second = arguments.names
        compare(first, second, arguments.runs)
    else:
        for name in arguments.names:
            if arguments.command == "train":
                train(name, arguments.runs)
            else:
                evaluate(name, arguments.runs, arguments.again)


if __name__ == "__main__":
    main()
