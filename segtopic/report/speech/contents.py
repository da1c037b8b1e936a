"""Everything the page of a speech model shows: a run in, one :class:`SpeechContents` out."""

import base64
import io
import shlex
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

from segtopic import __version__
from segtopic.config import PairsConfig, SearchConfig, SwanSettings, SwanTraining
from segtopic.errors import CorpusError
from segtopic.evaluate.bootstrap import Interval
from segtopic.files import digest_of
from segtopic.harmless import for_page
from segtopic.report.curves import Curves, draw_curves
from segtopic.report.figures import Group, bounds, duration, number, settings_in_words, share
from segtopic.report.headline import KeyFigure
from segtopic.report.speech.picture import SpeechPicture, draw_utterance
from segtopic.report.swan.contents import CHARTS
from segtopic.runs.folder import CONFIG, METRICS, WEIGHTS
from segtopic.speech.extra import soundfile
from segtopic.speech.sound import read_sound
from segtopic.swan.heard import TrainedListener
from segtopic.swan.hearing import SpeechEvaluation, evaluate_listener
from segtopic.swan.spoken import LEVELS, Utterance, written

Progress = Callable[[str, int], None]
N_BEST = 3
LONGEST_SOUND = 30.0  # seconds that a page holds of an utterance
_GROUPS: tuple[tuple[str, type], ...] = (
    ("Recordings", PairsConfig),
    ("Network", SwanSettings),
    ("Training", SwanTraining),
)


@dataclass(frozen=True)
class ShownUtterance:
    """An utterance: its picture, its sound, what was said and what was heard."""

    name: str
    said: str
    candidates: list[tuple[str, str, bool]]
    picture: SpeechPicture
    sound: str | None
    path: str


@dataclass(frozen=True)
class SpeechContents:
    """What the page shows, in its order; names as in the page of a sequence model."""

    corpus: str
    run: str
    summary: str
    figures: list[KeyFigure]
    judged: str
    n_inputs: int
    curves: Curves | None
    held_out: str
    utterances: list[ShownUtterance]
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
    found = evaluate_listener(listener, some, SearchConfig(), progress)
    possible = [each for each in some if each.outputs and listener.can_say(each)]
    order = np.random.default_rng(seed).permutation(len(possible))[:n_pictures]
    results, config = trained.results, trained.config
    quoted = shlex.quote(str(folder))
    commands = [
        ("Train again", f"segtopic swan train --config {shlex.quote(str(folder / CONFIG))}"),
        ("Transcribe", f"segtopic swan transcribe {quoted} SOUND --n-best 3"),
        ("Evaluate", f"segtopic swan evaluate {quoted} FEATURES --part test"),
    ]
    return SpeechContents(
        corpus=for_page(Path(config.data).name),
        run=for_page(trained.name),
        summary=(
            f"Speech to {LEVELS[listener.level]}: each {1000 * listener.seconds_per_vector:.0f} ms "
            f"of sound emit a segment of up to {config.max_segment_length} of "
            f"{len(listener.outputs)} symbols, or nothing. Learned from {results['pairs']:,} "
            f"recordings in {duration(results['seconds'])}."
        ),
        figures=_figures(found),
        judged=for_page(judged),
        n_inputs=len(some),
        curves=draw_curves(folder / METRICS, int(results["best_epoch"]), CHARTS),
        held_out="development recordings",
        utterances=[_shown(trained, possible[place]) for place in order],
        segments=[(for_page(text), count) for text, count in found.frequent_segments],
        settings=settings_in_words(folder, _GROUPS),
        commands=[(what, for_page(command)) for what, command in commands],
        version=__version__,
        weights=digest_of(folder / WEIGHTS).partition(":")[2],
    )


def _shown(trained: TrainedListener, utterance: Utterance) -> ShownUtterance:
    listener = trained.listener
    known = listener.align(utterance.inputs, utterance.outputs)
    found = listener.transcribe(utterance.inputs, SearchConfig(), N_BEST)
    seconds = len(utterance.inputs) * listener.seconds_per_vector / trained.config.stride
    picture = draw_utterance(
        utterance.inputs.numpy(),
        known.segments,
        found[0].segments if found else (),
        utterance.marks,
        known.alignment.emission.numpy(),
        seconds,
        len(known.alignment.lengths) * listener.seconds_per_vector,
    )
    return ShownUtterance(
        for_page(utterance.name),
        for_page(written(utterance.outputs, listener.level)),
        [
            (
                for_page(written(each.symbols, listener.level)) or "∅",
                share(each.probability),
                each.symbols == utterance.outputs,
            )
            for each in found
        ],
        picture,
        _sound(trained, utterance),
        for_page(" · ".join("".join(each.symbols) for each in known.segments)),
    )


def _sound(trained: TrainedListener, utterance: Utterance) -> str | None:
    """The sound as a WAV file in base64; None if it is not there any more."""
    banks = trained.listener.banks
    if banks is None or not utterance.audio:
        return None
    try:
        samples = np.concatenate(
            [read_sound(path, banks.rate, LONGEST_SOUND) for path in utterance.audio]
        )
    except CorpusError:
        return None
    file = io.BytesIO()
    soundfile().write(file, samples, banks.rate, format="WAV", subtype="PCM_16")
    return base64.b64encode(file.getvalue()).decode()


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


def _percent(interval: Interval) -> str:
    return bounds(Interval(*(100 * value for value in astuple(interval))), 1) + " %"
