"""How well a speech model hears: errors with intervals, likelihood, lengths of segments.

Symbols and words are counted as edits to what was said, over its length. TIMIT's 61 phones are
folded to 39 classes before they are compared.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segtopic.config import SearchConfig
from segtopic.config.swan import PHONES
from segtopic.evaluate.bootstrap import Interval, bootstrap_interval
from segtopic.evaluate.heldout import DocumentScores
from segtopic.speech.timit import fold
from segtopic.swan.error_rates import ErrorCounts, count_errors
from segtopic.swan.listener import Listener
from segtopic.swan.pairs import Symbols
from segtopic.swan.spoken import Utterance, written
from segtopic.swan.symbols import SymbolTable

Progress = Callable[[str, int], None]
AT_ONCE = 32
FREQUENT = 12
SILENCE_OF_TIMIT = "h#"
FOLDED, AS_WRITTEN = "39 classes of TIMIT's 61 phones", "symbols as they are written"


@dataclass(frozen=True)
class SpeechEvaluation:
    """Figures of some recordings.

    Attributes:
        utterances: How many.
        impossible: Those that the model has no path for: a symbol that it does not know, or too
            much in too short a time. They have no likelihood.
        utterances_wrong: Share that is not right as a whole.
        symbols_wrong: Edits over symbols.
        words_wrong: Edits over words; None where phones are written.
        nats_per_symbol: Negative log likelihood of what was said.
        segment_length: Symbols of a segment that is not empty, on the best path of what was said.
        empty_segments: Share of the inputs that emit nothing.
        frequent_segments: Those with several symbols that came most often, with counts.
        scored: What was compared.
    """

    utterances: int
    impossible: int
    utterances_wrong: Interval
    symbols_wrong: Interval
    words_wrong: Interval | None
    nats_per_symbol: float | None
    segment_length: float | None
    empty_segments: float | None
    frequent_segments: list[tuple[str, int]]
    scored: str

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def evaluate_listener(
    listener: Listener,
    some: Sequence[Utterance],
    search: SearchConfig,
    progress: Progress = lambda stage, count: None,
) -> SpeechEvaluation:
    """Listen to recordings and compare with what was said."""
    found = heard_in(listener, some, search, progress)
    symbols = symbol_errors(listener, found, some)
    words = None if listener.level == PHONES else word_errors(listener, found, some)
    nats, n_symbols, n_vectors = 0.0, 0, 0
    segments: Counter[Symbols] = Counter()
    possible = [each for each in some if listener.can_say(each)]
    for number, each in enumerate(possible, start=1):
        heard = listener.align(each.inputs, each.outputs)
        nats -= heard.alignment.log_likelihood
        n_symbols += len(each.outputs) + 1
        n_vectors += len(heard.alignment.lengths)
        segments.update(segment.symbols for segment in heard.segments)
        progress("aligning", number)
    several = sorted(
        ((each, count) for each, count in segments.items() if len(each) > 1),
        key=lambda item: (-item[1], item[0]),
    )
    return SpeechEvaluation(
        utterances=len(some),
        impossible=len(some) - len(possible),
        utterances_wrong=interval(symbols.wrong, np.ones_like(symbols.wrong)),
        symbols_wrong=interval(symbols.edits, symbols.symbols),
        words_wrong=None if words is None else interval(words.edits, words.symbols),
        nats_per_symbol=nats / n_symbols if possible else None,
        segment_length=mean_length(segments),
        empty_segments=1 - segments.total() / n_vectors if n_vectors else None,
        frequent_segments=[(written(each, listener.level), n) for each, n in several[:FREQUENT]],
        scored=FOLDED if is_folded(listener.level, listener.outputs) else AS_WRITTEN,
    )


def heard_in(
    listener: Listener,
    some: Sequence[Utterance],
    search: SearchConfig,
    progress: Progress = lambda stage, count: None,
) -> list[Symbols]:
    """The best output of each recording."""
    found: list[Symbols] = []
    for begin in range(0, len(some), AT_ONCE):
        inputs = [each.inputs for each in some[begin : begin + AT_ONCE]]
        found += [best[0][0] for best in listener.predict(inputs, search)]
        progress("listening", len(found))
    return found


def symbol_errors(
    listener: Listener, found: Sequence[Symbols], some: Sequence[Utterance]
) -> ErrorCounts:
    """Of each recording."""
    compared = fold if is_folded(listener.level, listener.outputs) else tuple
    return count_errors(list(map(compared, found)), [[compared(each.outputs)] for each in some])


def word_errors(
    listener: Listener, found: Sequence[Symbols], some: Sequence[Utterance]
) -> ErrorCounts:
    """Of each recording, in words."""
    words = [tuple(written(each, listener.level).split()) for each in found]
    return count_errors(words, [[tuple(each.words.split())] for each in some])


def mean_length(segments: Counter[Symbols]) -> float | None:
    """Symbols of a segment; None if there is none."""
    if not segments:
        return None
    return sum(len(each) * count for each, count in segments.items()) / segments.total()


def interval(errors: NDArray[np.int64], counts: NDArray[np.int64]) -> Interval:
    """Errors over what could be wrong, by a bootstrap over recordings."""
    return bootstrap_interval(DocumentScores(errors.astype(float), counts))


def is_folded(level: str, outputs: SymbolTable) -> bool:
    """Whether these are TIMIT's phones, which are compared as classes."""
    return level == PHONES and SILENCE_OF_TIMIT in outputs.symbols
