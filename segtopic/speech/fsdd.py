"""The Free Spoken Digit Dataset: files such as ``7_jackson_32.flac``, digit, speaker, number.

Recordings 0 to 4 of each digit and speaker are the official test part. Of the others 5 to 7 tell
which epoch is the best (``dev``): they are by the speakers of the test part, too. A string of
digits is several recordings of one speaker and one part, played one after the other.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from segtopic.config.speech import RecordingsConfig
from segtopic.errors import CorpusError
from segtopic.speech.recordings import Recording
from segtopic.speech.sound import sounds_in

LAST_TEST_NUMBER, LAST_DEVELOPMENT_NUMBER = 4, 7
SHORTEST, LONGEST = 3, 7  # digits of a string
DIGITS = {
    "ZERO": "Z IY R OW",
    "ONE": "W AH N",
    "TWO": "T UW",
    "THREE": "TH R IY",
    "FOUR": "F AO R",
    "FIVE": "F AY V",
    "SIX": "S IH K S",
    "SEVEN": "S EH V AH N",
    "EIGHT": "EY T",
    "NINE": "N AY N",
}
_WORDS = tuple(DIGITS)
_NAME = re.compile(r"(?P<digit>\d)_(?P<speaker>[A-Za-z]+)_(?P<number>\d+)\.(wav|flac)")


def is_fsdd(folder: Path) -> bool:
    """Whether all sounds of the folder are called as those of FSDD."""
    sounds = sounds_in(folder)
    return bool(sounds) and all(_NAME.fullmatch(path.name) for path in sounds)


def read_fsdd(folder: Path, config: RecordingsConfig) -> Iterator[Recording]:
    """Single digits, or ``config.strings`` strings a speaker to learn, a tenth to test.

    All of ``config.unseen_speaker`` is the test part then, and nothing else is.
    """
    singles = [_single(path, config) for path in sounds_in(folder)]
    speakers = sorted({each.speaker for each in singles})
    if config.unseen_speaker is not None and config.unseen_speaker not in speakers:
        raise CorpusError(
            f"{folder}: nobody is called '{config.unseen_speaker}'; the speakers are "
            f"{', '.join(speakers)}"
        )
    if not config.strings:
        yield from singles
        return
    by_place: dict[tuple[str, str], list[Recording]] = defaultdict(list)
    for each in singles:
        by_place[each.part, each.speaker].append(each)
    for (part, speaker), some in sorted(by_place.items()):
        count = config.strings if part == "train" else max(config.strings // 10, 1)
        random = np.random.default_rng([config.string_seed, part == "train", *speaker.encode()])
        for number in range(count):
            size = int(random.integers(SHORTEST, LONGEST + 1))
            chosen = [some[place] for place in random.choice(len(some), size)]
            yield _joined(f"{part}/{speaker}/{number}", part, speaker, chosen)


def _single(path: Path, config: RecordingsConfig) -> Recording:
    found = _NAME.fullmatch(path.name)
    assert found is not None
    word = _WORDS[int(found["digit"])]
    return Recording(
        path.stem,
        _part(found["speaker"], int(found["number"]), config),
        found["speaker"],
        words=word,
        phones=tuple(DIGITS[word].split()),
        audio=(path,),
    )


def _part(speaker: str, number: int, config: RecordingsConfig) -> str:
    if config.unseen_speaker is not None:
        return "test" if speaker == config.unseen_speaker else "train"
    if number <= LAST_TEST_NUMBER:
        return "test"
    return "dev" if number <= LAST_DEVELOPMENT_NUMBER else "train"


def _joined(name: str, part: str, speaker: str, chosen: Sequence[Recording]) -> Recording:
    return Recording(
        name,
        part,
        speaker,
        words=" ".join(each.words or "" for each in chosen),
        phones=tuple(phone for each in chosen for phone in each.phones or ()),
        audio=tuple(path for each in chosen for path in each.audio),
    )
