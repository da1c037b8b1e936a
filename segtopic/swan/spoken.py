"""Recordings with features in; inputs and outputs of a sequence model out, at one level."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from segtopic.config.swan import CHARACTERS, PHONES, SPACES
from segtopic.corpus.records import BadLines
from segtopic.errors import ConfigError
from segtopic.speech.recordings import Mark, Recording
from segtopic.speech.store import Normaliser
from segtopic.swan.pairs import Symbols

LEVELS = {CHARACTERS: "characters", SPACES: "words", PHONES: "phones"}
_JOINED = {CHARACTERS: "", SPACES: " ", PHONES: " "}


class Utterance(NamedTuple):
    """A recording as a model hears it, and what is said in it."""

    name: str
    speaker: str
    inputs: Tensor  # (T'', F) normalised
    outputs: Symbols
    words: str
    audio: tuple[Path, ...]
    marks: tuple[Mark, ...]


def outputs_of(recording: Recording, level: str) -> Symbols | None:
    """The symbols of what is said: characters, words or phones; None if nobody wrote it down.

    >>> outputs_of(Recording("a", words="GO ON", phones=("G", "OW", "AA", "N")), "spaces")
    ('GO', 'ON')
    """
    if level not in LEVELS:
        raise ConfigError(
            f"output_symbols is '{level}', but speech is written in "
            f"'{CHARACTERS}', '{SPACES}' (words) or '{PHONES}'"
        )
    said = recording.phones if level == PHONES else recording.words
    if said is None:
        return None
    return tuple(said.split()) if level == SPACES and isinstance(said, str) else tuple(said)


def written(symbols: Sequence[str], level: str) -> str:
    """The symbols as one text."""
    return _JOINED[level].join(symbols)


def utterances(
    recordings: Iterable[Recording],
    level: str,
    normaliser: Normaliser,
    bad_lines: BadLines | None = None,
) -> list[Utterance]:
    """As a model hears them.

    Args:
        recordings: with features.
        level: of what is said.
        normaliser: of the training part.
        bad_lines: what to do where nobody wrote down what is said; if not given, nothing is said.
    """
    return [
        Utterance(
            each.name,
            each.speaker,
            torch.from_numpy(normaliser(each.features)),
            outputs,
            each.words or "",
            each.audio,
            each.marks,
        )
        for each, outputs in with_outputs(recordings, level, bad_lines)
    ]


def with_outputs(
    recordings: Iterable[Recording], level: str, bad_lines: BadLines | None = None
) -> Iterator[tuple[Recording, Symbols]]:
    """Recordings with what is said in them; see :func:`utterances`."""
    for each in recordings:
        outputs = outputs_of(each, level)
        if outputs is None and bad_lines is not None:
            missing = "phones" if level == PHONES else "transcript"
            bad_lines.report(f"{each.name}:", f"has no {missing}")
        else:
            yield each, outputs or ()
