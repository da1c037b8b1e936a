"""Sound files in, what is said in them with times out; a sound of any length, piece by piece."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch

from segtopic.config import SearchConfig, TranscribeConfig, part_of
from segtopic.errors import RunError
from segtopic.speech.sound import facts, read_pieces
from segtopic.swan.heard import TrainedListener
from segtopic.swan.listener import Listener, TimedSegment, Transcript
from segtopic.swan.spoken import written


class Piece(NamedTuple):
    """A stretch of a sound, in seconds, and how it may be written down, best first.

    There is no transcript if it is too short to be heard.
    """

    begin: float
    end: float
    transcripts: list[Transcript]


def transcribed(
    trained: TrainedListener, sound: Path | str, config: TranscribeConfig
) -> Iterator[Piece]:
    """The pieces of a sound one after the other; times count from the sound's beginning."""
    listener, path = trained.listener, Path(sound).expanduser()
    if listener.banks is None:
        raise RunError(
            f"{trained.name}: was trained on features that somebody else computed, so it cannot "
            "listen to sounds; train one on features of sounds"
        )
    facts(path)  # before anything else is done
    search = part_of(config, SearchConfig)
    for begin, samples in read_pieces(path, listener.banks.rate, config.piece):
        inputs = listener.listen(torch.from_numpy(samples))
        can_hear = listener.model.encoder.n_vectors(len(inputs)) > 0
        found = listener.transcribe(inputs, search, config.n_best) if can_hear else []
        end = begin + len(samples) / listener.banks.rate
        yield Piece(begin, end, [_moved(each, begin) for each in found])


def piece_as_json(piece: Piece, listener: Listener) -> dict[str, Any]:
    """A piece for JSON: transcripts with probabilities, segments and times of every symbol."""
    return {
        "begin": round(piece.begin, 3),
        "end": round(piece.end, 3),
        "transcripts": [
            {
                "text": written(each.symbols, listener.level),
                "probability": each.probability,
                "segments": [_segment_as_json(segment) for segment in each.segments],
                "symbols": [
                    {"symbol": symbol, "begin": round(begin, 3), "end": round(end, 3)}
                    for segment in each.segments
                    for symbol, begin, end in symbol_times(segment)
                ],
            }
            for each in piece.transcripts
        ],
    }


def symbol_times(segment: TimedSegment) -> Iterator[tuple[str, float, float]]:
    """Symbols of one segment share its time in equal parts: it is emitted as a whole."""
    share = (segment.end - segment.begin) / len(segment.symbols)
    for place, symbol in enumerate(segment.symbols):
        yield symbol, segment.begin + place * share, segment.begin + (place + 1) * share


def _segment_as_json(segment: TimedSegment) -> dict[str, Any]:
    return {
        "symbols": segment.symbols,
        "begin": round(segment.begin, 3),
        "end": round(segment.end, 3),
        "emitted_at": round(segment.at, 3),
        "probability": segment.probability,
    }


def _moved(transcript: Transcript, seconds: float) -> Transcript:
    segments = (
        each._replace(begin=each.begin + seconds, end=each.end + seconds, at=each.at + seconds)
        for each in transcript.segments
    )
    return transcript._replace(segments=tuple(segments))
