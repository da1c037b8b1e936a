"""Why what was said in a recording has no path, in words."""

from collections import Counter
from collections.abc import Sequence

from segtopic.report.speech.lettering import MORE, in_one_line, shortened
from segtopic.swan.listener import Listener
from segtopic.swan.spoken import Utterance

NO_TRANSCRIPT = "without a transcript"
UNKNOWN = "with symbols that the model does not know"
TOO_SHORT = "too short for what is said in them"
EXAMPLES = 12


def why_unaligned(listener: Listener, utterance: Utterance) -> str | None:
    """None if it has a path."""
    if not utterance.outputs:
        return NO_TRANSCRIPT
    if not listener.outputs.knows(utterance.outputs):
        return UNKNOWN
    return None if listener.can_say(utterance) else TOO_SHORT


def unaligned_in_words(listener: Listener, some: Sequence[Utterance]) -> list[str]:
    """How many of the recordings have no path, by reason."""
    reasons = Counter(why_unaligned(listener, each) for each in some)
    told = []
    for reason in (NO_TRANSCRIPT, UNKNOWN, TOO_SHORT):
        if reasons[reason]:
            examples = f": {_unknown(listener, some)}" if reason == UNKNOWN else ""
            told.append(f"{reasons[reason]:,} {reason}{examples}")
    return told


def _unknown(listener: Listener, some: Sequence[Utterance]) -> str:
    """Symbols that the model does not know, the most frequent first."""
    counts = Counter(
        symbol for each in some for symbol in each.outputs if not listener.outputs.knows((symbol,))
    )
    first = [shortened(in_one_line(symbol)) for symbol, _ in counts.most_common(EXAMPLES)]
    return " ".join(first) + (f" {MORE}" if len(counts) > EXAMPLES else "")
