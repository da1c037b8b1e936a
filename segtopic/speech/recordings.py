"""What a reader of a corpus tells of each recording, before any sound is looked at."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Features = NDArray[np.float32]
TRAIN = "train"  # the part that is learned from
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class Mark(NamedTuple):
    """A symbol and when it is said, in seconds."""

    symbol: str
    begin: float
    end: float


@dataclass(frozen=True)
class Recording:
    """One utterance of a corpus.

    Attributes:
        name: which no other recording of the corpus has.
        part: 'train', 'test' or whatever else the corpus is divided into.
        speaker: who speaks; empty if that is not known.
        words: what is said; None if that is not known.
        phones: the same in sounds; None if that is not known.
        marks: when each sound is said, where somebody measured it.
        audio: files that are played one after the other.
        features: instead of audio, ``(T, F)`` numbers that somebody else has computed.
    """

    name: str
    part: str = TRAIN
    speaker: str = ""
    words: str | None = None
    phones: tuple[str, ...] | None = None
    marks: tuple[Mark, ...] = ()
    audio: tuple[Path, ...] = ()
    features: Any = None


def transcript(text: str) -> str | None:
    """What is said, with one space between words and no control characters; None if nothing is.

    >>> transcript(" good\\tmorning \\n"), transcript(" \\n")
    ('good morning', None)
    """
    return " ".join(_CONTROL.sub(" ", text).split()) or None
