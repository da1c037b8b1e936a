"""Everything the page of a sequence model shows: a run in, one :class:`SwanContents` out.

The page depends on nothing but the run, the pairs and the arguments, so it can be made again to the
last byte.
"""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

from segtopic import __version__
from segtopic.config import PairsConfig, SearchConfig, SwanSettings, SwanTraining
from segtopic.evaluate.bootstrap import Interval
from segtopic.files import digest_of
from segtopic.harmless import for_page
from segtopic.report.curves import Curves, Wanted, draw_curves
from segtopic.report.figures import Group, bounds, duration, number, settings_in_words, share
from segtopic.report.headline import KeyFigure
from segtopic.report.swan.pictures import FITTING, Picture, draw
from segtopic.report.swan.segments import InputSymbol, frequent_segments
from segtopic.runs.folder import CONFIG, METRICS, WEIGHTS
from segtopic.swan.evaluation import SwanEvaluation, evaluate_pairs
from segtopic.swan.pairs import Entry, Pair, Symbols
from segtopic.swan.predictor import AlignedPair
from segtopic.swan.trained import TrainedSwan

Progress = Callable[[str, int], None]
READ = 1000  # inputs in which segments are counted, if so many are there
LARGEST_PICTURE = 40  # symbols of either side
N_BEST = 5
CHARTS = (
    Wanted(
        "Inputs wrong",
        "% of the development inputs",
        "By greedy search. Lower is better.",
        {"dev_words_wrong": "inputs wrong"},
        digits=1,
        factor=100,
    ),
    Wanted(
        "Symbols wrong",
        "edits, % of the symbols",
        "To the closest right output. Lower is better.",
        {"dev_symbols_wrong": "symbols wrong"},
        digits=1,
        factor=100,
    ),
    Wanted(
        "Negative log likelihood",
        "nats per output symbol",
        "Training pairs are read with dropout. Lower is better.",
        {"dev_nats": "development", "train_nats": "training"},
    ),
)
_GROUPS: tuple[tuple[str, type], ...] = (
    ("Pairs", PairsConfig),
    ("Network", SwanSettings),
    ("Training", SwanTraining),
)


@dataclass(frozen=True)
class Candidate:
    """One of the outputs that were searched."""

    text: str
    probability: str
    right: bool


@dataclass(frozen=True)
class ShownWord:
    """An input, its right outputs, what the search found, and the picture of its alignment."""

    text: str
    references: list[str]
    candidates: list[Candidate]
    picture: Picture
    uncertain: bool


@dataclass(frozen=True)
class SwanContents:
    """What the page shows, in its order.

    Attributes:
        corpus: Name of the training pairs.
        run: Folder of the run.
        summary: What was trained on what.
        figures: The most important ones.
        judged: What they are about.
        n_inputs: How many inputs were judged.
        curves: Of the training; ``None`` if nothing was written down.
        held_out: What the curves are about.
        words: A few inputs with pictures.
        segments: What each input symbol emits.
        n_read: In how many pairs that was counted.
        settings: Names and values by group.
        commands: What they do, and how they are typed.
        version: Of segtopic.
        weights: Digest of the model.
    """

    corpus: str
    run: str
    summary: str
    figures: list[KeyFigure]
    judged: str
    n_inputs: int
    curves: Curves | None
    held_out: str
    words: list[ShownWord]
    segments: list[InputSymbol]
    n_read: int
    settings: list[Group]
    commands: list[tuple[str, str]]
    version: str
    weights: str


def gather(
    trained: TrainedSwan,
    entries: Sequence[Entry] | None,
    source: str | None,
    n_pictures: int,
    seed: int,
    progress: Progress,
    output: Path | None = None,
) -> SwanContents:
    """Evaluate and align; see :func:`segtopic.report.swan.write_swan_report`."""
    judged = "development inputs" if entries is None else for_page(source or "given pairs")
    entries = trained.development if entries is None else entries
    evaluation = evaluate_pairs(trained.predictor, entries, SearchConfig(), progress)
    read = _read(trained, entries, seed)
    return SwanContents(
        corpus=_name(trained.config.data),
        run=for_page(trained.name),
        summary=_summary(trained),
        figures=_figures(evaluation),
        judged=judged,
        n_inputs=len(entries),
        curves=draw_curves(
            trained.saved_folder / METRICS, int(trained.results["best_epoch"]), CHARTS
        ),
        held_out="development inputs",
        words=_words(trained, read, n_pictures),
        segments=frequent_segments(
            (each.aligned for each in read), trained.writing.output_separator
        ),
        n_read=len(read),
        settings=settings_in_words(trained.saved_folder, _GROUPS),
        commands=_commands(trained.saved_folder, source, n_pictures, seed, output),
        version=__version__,
        weights=digest_of(trained.saved_folder / WEIGHTS).partition(":")[2],
    )


@dataclass(frozen=True)
class _Read:
    entry: Entry
    pair: Pair
    aligned: AlignedPair


def _read(trained: TrainedSwan, entries: Sequence[Entry], seed: int) -> list[_Read]:
    """Some entries in random order, each aligned with the first reference that is possible."""
    predictor, chosen = trained.predictor, []
    for place in np.random.default_rng(seed).permutation(len(entries)):
        entry = entries[place]
        possible = [
            outputs
            for outputs in entry.references
            if predictor.outputs.knows(outputs)
            and predictor.model.is_possible(len(entry.inputs), len(outputs))
        ]
        if possible:
            chosen.append((entry, Pair(entry.inputs, possible[0])))
        if len(chosen) == READ:
            break
    aligned = predictor.align([pair for _, pair in chosen])
    return [_Read(*both, path) for both, path in zip(chosen, aligned, strict=True)]


def _words(trained: TrainedSwan, read: Sequence[_Read], n_pictures: int) -> list[ShownWord]:
    """Half of them as they were drawn, and half with the least certain alignments."""
    sizes = [max(map(len, each.pair)) for each in read]
    largest = FITTING if min(sizes, default=0) <= FITTING else LARGEST_PICTURE
    fitting = [each for each, size in zip(read, sizes, strict=True) if size <= largest]
    drawn = fitting[: (n_pictures + 1) // 2]
    others = sorted(fitting[len(drawn) :], key=lambda each: each.aligned.probability)
    uncertain = others[: n_pictures - len(drawn)]
    shown = [*drawn, *uncertain]
    predictor, writing = trained.predictor, trained.writing
    pictures = draw(predictor, [each.pair for each in shown], [each.aligned for each in shown])
    found = predictor.predict([each.entry.inputs for each in shown], beam=N_BEST, n_best=N_BEST)

    def said(outputs: Symbols) -> str:
        return for_page(writing.output_separator.join(outputs)) or "∅"

    return [
        ShownWord(
            text=for_page(writing.input_separator.join(each.entry.inputs)),
            references=[said(outputs) for outputs in each.entry.references],
            candidates=[
                Candidate(
                    said(candidate.outputs),
                    share(candidate.probability),
                    candidate.outputs in each.entry.references,
                )
                for candidate in candidates
            ],
            picture=picture,
            uncertain=place >= len(drawn),
        )
        for place, (each, picture, candidates) in enumerate(
            zip(shown, pictures, found, strict=True)
        )
    ]


def _name(data: str) -> str:
    return "standard input" if data == "-" else for_page(Path(data).name)


def _summary(trained: TrainedSwan) -> str:
    results, predictor = trained.results, trained.predictor
    longest = trained.config.max_segment_length
    return (
        f"Sequences of {len(predictor.inputs):,} symbols to sequences of "
        f"{len(predictor.outputs):,}: each input emits a segment of up to {longest} outputs, or "
        f"nothing. Learned from {results['pairs']:,} pairs; the best of {results['epochs']} epochs "
        f"was number {results['best_epoch']}; training took {duration(results['seconds'])}."
    )


def _figures(found: SwanEvaluation) -> list[KeyFigure]:
    words, symbols = found.words_wrong, found.symbols_wrong
    return [
        KeyFigure("inputs wrong", share(words.mean), f"{_percent(words)}, {found.inputs:,} inputs"),
        KeyFigure("symbols wrong", share(symbols.mean), f"{_percent(symbols)}, edits over symbols"),
        KeyFigure(
            "negative log likelihood", number(found.nats_per_symbol), "nats per output symbol"
        ),
        KeyFigure(
            "outputs per segment",
            number(found.segment_length, 2),
            f"{share(found.empty_segments)} of the inputs emit nothing",
        ),
    ]


def _percent(interval: Interval) -> str:
    return bounds(Interval(*(100 * value for value in astuple(interval))), 1) + " %"


def _commands(
    run_folder: Path, source: str | None, n_pictures: int, seed: int, output: Path | None
) -> list[tuple[str, str]]:
    folder, config = (shlex.quote(str(path)) for path in (run_folder, run_folder / CONFIG))
    pairs = f" {shlex.quote(source)}" if source else ""
    elsewhere = f" -o {shlex.quote(str(output))}" if output else ""
    report = f"segtopic swan report {folder}{pairs}{elsewhere} --words {n_pictures} --seed {seed}"
    commands = [
        ("Train again", f"segtopic swan train --config {config} --out NEW_FOLDER"),
        ("Decode", f"segtopic swan decode {folder} INPUTS --n-best 3"),
        ("Evaluate", f"segtopic swan evaluate {folder}{pairs}"),
        ("Make this page", report),
    ]
    return [(what, for_page(command)) for what, command in commands]
