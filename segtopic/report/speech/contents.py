"""Everything the page of a speech model shows: a run in, one :class:`SpeechContents` out."""

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
from segtopic.report.curves import Curves, draw_curves
from segtopic.report.figures import Group, bounds, duration, number, settings_in_words, share
from segtopic.report.headline import KeyFigure
from segtopic.report.speech.lettering import NOTHING, shown
from segtopic.report.speech.picture import SpeechPicture, draw_utterance
from segtopic.report.speech.sound import Sound, sound_of
from segtopic.report.speech.unaligned import unaligned_in_words, why_unaligned
from segtopic.report.swan.contents import CHARTS
from segtopic.runs.folder import CONFIG, METRICS, WEIGHTS
from segtopic.swan.heard import TrainedListener
from segtopic.swan.hearing import SpeechEvaluation, evaluate_listener
from segtopic.swan.spoken import LEVELS, Utterance, written

Progress = Callable[[str, int], None]
N_BEST = 3
SMALLEST = 0.001  # probability that is written as it is
_GROUPS: tuple[tuple[str, type], ...] = (
    ("Recordings", PairsConfig),
    ("Network", SwanSettings),
    ("Training", SwanTraining),
)


@dataclass(frozen=True)
class ShownUtterance:
    """An utterance with its picture.

    Attributes:
        name: Of the recording.
        said: What was said; empty if nobody knows.
        unaligned: Why what was said is not in the picture; empty if it is.
        candidates: What was heard, how probable it is, whether it is right.
        picture: Of the best path.
        path: The segments of the picture.
        sound: To play.
    """

    name: str
    said: str
    unaligned: str
    candidates: list[tuple[str, str, bool]]
    picture: SpeechPicture
    path: str
    sound: Sound


@dataclass(frozen=True)
class SpeechContents:
    """What the page shows, in its order; names as in the page of a sequence model."""

    corpus: str
    run: str
    summary: str
    figures: list[KeyFigure]
    judged: str
    scored: str
    n_inputs: int
    curves: Curves | None
    held_out: str
    utterances: list[ShownUtterance]
    unaligned: list[str]
    segments: list[tuple[str, int]]
    settings: list[Group]
    commands: list[tuple[str, str]]
    version: str
    weights: str


def gather(
    trained: TrainedListener,
    some: Sequence[Utterance],
    judged: str,
    n_pictures: int,
    seed: int,
    progress: Progress,
) -> SpeechContents:
    """Evaluate, align, draw; see :func:`segtopic.report.speech.write_speech_report`."""
    listener, folder = trained.listener, trained.saved_folder
    known = [each for each in some if each.outputs]
    found = evaluate_listener(listener, known, SearchConfig(), progress) if known else None
    drawn = [some[place] for place in np.random.default_rng(seed).permutation(len(some))]
    drawn.sort(key=lambda each: why_unaligned(listener, each) is not None)
    results, config = trained.results, trained.config
    quoted, config_path = (shlex.quote(str(path)) for path in (folder, folder / CONFIG))
    commands = [
        ("Train again", f"segtopic swan train --config {config_path} --out NEW_FOLDER"),
        ("Transcribe", f"segtopic swan transcribe {quoted} SOUND --n-best 3"),
        ("Evaluate", f"segtopic swan evaluate {quoted} FEATURES --part test"),
    ]
    return SpeechContents(
        corpus=for_page(Path(config.data).name),
        run=for_page(trained.name),
        summary=(
            f"Speech to {LEVELS[listener.level]}: each {1000 * listener.seconds_per_vector:.0f} ms "
            f"of sound emits a segment of up to {config.max_segment_length} of "
            f"{len(listener.outputs)} symbols, or nothing. Learned from {results['pairs']:,} "
            f"recordings in {duration(results['seconds'])}."
        ),
        figures=_figures(found) if found else [],
        judged=for_page(judged),
        scored=found.scored if found else "",
        n_inputs=len(known),
        curves=draw_curves(folder / METRICS, int(results["best_epoch"]), CHARTS),
        held_out="development recordings",
        utterances=[_shown(trained, each) for each in drawn[:n_pictures]],
        unaligned=unaligned_in_words(listener, some),
        segments=[
            (for_page(text), count) for text, count in (found.frequent_segments if found else [])
        ],
        settings=settings_in_words(folder, _GROUPS),
        commands=[(what, for_page(command)) for what, command in commands],
        version=__version__,
        weights=digest_of(folder / WEIGHTS).partition(":")[2],
    )


def _shown(trained: TrainedListener, utterance: Utterance) -> ShownUtterance:
    listener, level = trained.listener, trained.listener.level
    found = listener.transcribe(utterance.inputs, SearchConfig(), N_BEST)
    unaligned = why_unaligned(listener, utterance)
    outputs = utterance.outputs if unaligned is None else found[0].symbols
    aligned = listener.align(utterance.inputs, outputs)
    picture = draw_utterance(
        utterance.inputs.numpy(),
        aligned.segments if unaligned is None else None,
        found[0].segments,
        utterance.marks,
        aligned.alignment.emission.numpy(),
        listener.seconds_per_vector,
        len(utterance.inputs) * listener.seconds_per_vector / trained.config.stride,
        level,
    )
    return ShownUtterance(
        name=for_page(utterance.name),
        said=for_page(written(utterance.outputs, level)),
        unaligned=unaligned or "",
        candidates=[
            (
                for_page(written(each.symbols, level)) or NOTHING,
                _probability(each.probability),
                each.symbols == utterance.outputs,
            )
            for each in found
        ],
        picture=picture,
        path=" · ".join(shown(each.symbols, level) for each in aligned.segments),
        sound=sound_of(utterance, listener.banks),
    )


def _figures(found: SpeechEvaluation) -> list[KeyFigure]:
    wrong = [("recordings wrong", found.utterances_wrong), ("symbols wrong", found.symbols_wrong)]
    if found.words_wrong is not None:
        wrong.append(("words wrong", found.words_wrong))
    figures = [
        KeyFigure(name, share(interval.mean), f"{_percent(interval)}, {found.utterances:,} heard")
        for name, interval in wrong
    ]
    if found.segment_length is not None and found.empty_segments is not None:
        figures.append(
            KeyFigure(
                "symbols per segment",
                number(found.segment_length, 2),
                f"{share(found.empty_segments)} of the inputs emit nothing",
            )
        )
    return figures


def _probability(value: float) -> str:
    return share(value) if value >= SMALLEST else f"below {share(SMALLEST)}"


def _percent(interval: Interval) -> str:
    return bounds(Interval(*(100 * value for value in astuple(interval))), 1) + " %"
