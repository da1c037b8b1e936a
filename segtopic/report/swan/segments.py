"""Which outputs an input emits, and how often: alignments in, a table of segments out."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from segtopic.harmless import for_page
from segtopic.report.figures import share
from segtopic.swan.predictor import AlignedPair

MOST_INPUTS, MOST_SEGMENTS = 60, 8
NOTHING = "∅"


@dataclass(frozen=True)
class Emission:
    """A segment, how often it was emitted, and the shares as words and as a length."""

    text: str
    count: int
    share: str


@dataclass(frozen=True)
class InputSymbol:
    """An input symbol with its most frequent segments."""

    text: str
    count: int
    segments: list[Emission]
    others: int


def frequent_segments(aligned: Iterable[AlignedPair], separator: str) -> list[InputSymbol]:
    """The most frequent inputs first, each with the most frequent of its segments."""
    counts: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for alignment in aligned:
        for symbol, outputs in alignment.segments:
            counts[symbol][outputs] += 1
    order = sorted(counts, key=lambda symbol: (-counts[symbol].total(), symbol))
    return [_symbol(symbol, counts[symbol], separator) for symbol in order[:MOST_INPUTS]]


def _symbol(symbol: str, counts: Counter[tuple[str, ...]], separator: str) -> InputSymbol:
    total = counts.total()
    best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_SEGMENTS]
    emissions = [
        Emission(for_page(separator.join(outputs)) or NOTHING, count, share(count / total))
        for outputs, count in best
    ]
    return InputSymbol(for_page(symbol), total, emissions, len(counts) - len(best))
