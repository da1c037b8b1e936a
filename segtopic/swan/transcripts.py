"""Transcripts for other programs: a list of sounds, words with their times, subtitles."""

import csv
import io
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from segtopic.config.swan import CHARACTERS, PHONES
from segtopic.swan.listener import Transcript
from segtopic.swan.spoken import written
from segtopic.swan.transcribe import Piece, symbol_times


class TranscriptFormat(ABC):
    """How sounds and what is said in them are written.

    Args:
        level: 'characters', 'spaces' (words) or 'phones'.
    """

    def __init__(self, level: str) -> None:
        self.level = level

    def begin(self) -> str:
        """What comes before the first sound."""
        return ""

    @abstractmethod
    def sound(self, sound: str, pieces: Sequence[Piece]) -> str:
        """A sound with its pieces."""


class CsvTranscripts(TranscriptFormat):
    """A row for each sound: a list for ``segtopic swan features``, as it is or corrected."""

    def begin(self) -> str:
        """The header."""
        said = "phones" if self.level == PHONES else "transcript"
        return f"audio,{said},probability\n"

    def sound(self, sound: str, pieces: Sequence[Piece]) -> str:
        """The row; a path that means the same from every folder."""
        best = list(_best(pieces))
        text = " ".join(filter(None, (written(each.symbols, self.level) for each in best)))
        probability = f"{math.prod(each.probability for each in best):.4g}" if best else ""
        output, path = io.StringIO(), Path(sound).expanduser().absolute()
        csv.writer(output, lineterminator="\n").writerow((path, text, probability))
        return output.getvalue()


class CtmTranscripts(TranscriptFormat):
    """NIST's time-marked conversations: ``sound channel begin seconds word confidence``."""

    def sound(self, sound: str, pieces: Sequence[Piece]) -> str:
        """A line for each word, or for each phone."""
        name = re.sub(r"\s", "_", sound)
        return "".join(
            f"{name} 1 {begin:.3f} {end - begin:.3f} {text} {confidence:.3f}\n"
            for each in _best(pieces)
            for text, begin, end, confidence in timed_words(each, self.level)
        )


class SrtTranscripts(TranscriptFormat):
    """Subtitles: a block for each piece in which something is said."""

    def __init__(self, level: str) -> None:
        super().__init__(level)
        self.number = 0

    def sound(self, sound: str, pieces: Sequence[Piece]) -> str:
        """The blocks; they begin and end with the first and the last symbol."""
        blocks = []
        for each in _best(pieces):
            if written(each.symbols, self.level).strip():
                self.number += 1
                times = f"{_clock(each.segments[0].begin)} --> {_clock(each.segments[-1].end)}"
                blocks.append(f"{self.number}\n{times}\n{written(each.symbols, self.level)}\n\n")
        return "".join(blocks)


FORMATS: dict[str, type[TranscriptFormat]] = {
    "csv": CsvTranscripts,
    "ctm": CtmTranscripts,
    "srt": SrtTranscripts,
}


class TimedWord(NamedTuple):
    """A word, or a phone, in seconds; as sure as its least sure segment."""

    text: str
    begin: float
    end: float
    confidence: float


def timed_words(transcript: Transcript, level: str) -> Iterator[TimedWord]:
    """What stands between spaces where characters are written, else every symbol."""
    symbols = [
        TimedWord(symbol, begin, end, segment.probability)
        for segment in transcript.segments
        for symbol, begin, end in symbol_times(segment)
    ]
    if level != CHARACTERS:
        yield from symbols
        return
    letters: list[TimedWord] = []
    for each in [*symbols, TimedWord(" ", 0, 0, 0)]:
        if not each.text.isspace():
            letters.append(each)
        elif letters:
            text = "".join(letter.text for letter in letters)
            confidence = min(letter.confidence for letter in letters)
            yield TimedWord(text, letters[0].begin, letters[-1].end, confidence)
            letters = []


def _best(pieces: Iterable[Piece]) -> Iterator[Transcript]:
    return (piece.transcripts[0] for piece in pieces if piece.transcripts)


def _clock(seconds: float) -> str:
    """Hours, minutes, seconds and milliseconds.

    >>> _clock(3725.0625)
    '01:02:05,062'
    """
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    minutes, rest = divmod(whole, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest:02},{thousandths:03}"
