"""The sound of an utterance for a page that has all in it, or why there is none."""

import base64
import io
from typing import NamedTuple

import numpy as np

from segtopic.errors import CorpusError
from segtopic.harmless import for_page
from segtopic.speech.extra import soundfile
from segtopic.speech.filterbanks import FilterBanks
from segtopic.speech.sound import facts, read_sound
from segtopic.swan.spoken import Utterance

LONGEST = 30.0  # seconds that a page holds of an utterance


class Sound(NamedTuple):
    """One of the two is empty.

    Attributes:
        wav: A WAV file in base64.
        missing: Why there is none.
    """

    wav: str = ""
    missing: str = ""


def sound_of(utterance: Utterance, banks: FilterBanks | None) -> Sound:
    """What was recorded, as the filter banks hear it."""
    if banks is None or not utterance.audio:
        return Sound(missing="the features name no sound file")
    try:
        seconds = sum(facts(path).seconds for path in utterance.audio)
        if seconds > LONGEST:
            return Sound(
                missing=f"it lasts {seconds:,.0f} s, and a page holds {LONGEST:g} s at most"
            )
        samples = [read_sound(path, banks.rate, LONGEST) for path in utterance.audio]
    except CorpusError as error:
        return Sound(missing=for_page(str(error)))
    file = io.BytesIO()
    soundfile().write(file, np.concatenate(samples), banks.rate, format="WAV", subtype="PCM_16")
    return Sound(wav=base64.b64encode(file.getvalue()).decode())
