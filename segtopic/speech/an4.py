"""CMU's AN4 ("census"): spelled letters, digits and commands, as 13 cepstra of CMU Sphinx.

The folder holds ``train.tsv`` and ``test.tsv`` (name, tab, words), the cepstra of both in the same
order (``train.npz``: ``mfcc`` of all recordings, ``offsets`` of each) and the dictionary
``an4.dic``. A word with several pronunciations is always written with the first one.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from segtopic.errors import CorpusError
from segtopic.speech.differences import with_differences
from segtopic.speech.recordings import Recording

PARTS = ("train", "test")
_LINE = re.compile(r"(?P<name>[^/\t]+/(?P<speaker>[^/\t]+)/[^/\t]+)\t(?P<words>[^\t]+)")


def is_an4(folder: Path) -> bool:
    """Whether the folder looks like AN4."""
    return (folder / "an4.dic").is_file()


def read_an4(folder: Path) -> Iterator[Recording]:
    """All recordings of both parts, with 39 features: cepstra and their differences."""
    sounds = read_dictionary(folder / "an4.dic")
    for part in PARTS:
        transcripts, frames = folder / f"{part}.tsv", folder / f"{part}.npz"
        try:
            lines = transcripts.read_text(encoding="utf-8").splitlines()
            with np.load(frames, allow_pickle=False) as content:
                cepstra, offsets = content["mfcc"], content["offsets"]
        except (OSError, KeyError, ValueError) as error:
            raise CorpusError(f"{folder}: is no whole copy of AN4 ({error})") from None
        if len(lines) + 1 != len(offsets):
            raise CorpusError(
                f"{transcripts}: has {len(lines)} lines, but {frames.name} holds "
                f"{len(offsets) - 1} recordings; restore both"
            )
        for number, line in enumerate(lines):
            found = _LINE.fullmatch(line)
            if found is None:
                raise CorpusError(f"{transcripts}: line {number + 1}: is no name, tab and words")
            words = found["words"].split()
            unknown = [word for word in words if word not in sounds]
            if unknown:
                raise CorpusError(
                    f"{transcripts}: line {number + 1}: '{unknown[0]}' is not in an4.dic"
                )
            yield Recording(
                found["name"],
                part,
                speaker=found["speaker"],
                words=found["words"],
                phones=tuple(sound for word in words for sound in sounds[word]),
                features=with_differences(cepstra[offsets[number] : offsets[number + 1]]),
            )


def read_dictionary(path: Path) -> dict[str, tuple[str, ...]]:
    """Each word with the sounds of its first pronunciation; ``A(2)`` is a second one."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read ({error.strerror})") from None
    found = (line.split() for line in lines if line.strip())
    return {word: tuple(sounds) for word, *sounds in found if not word.endswith(")")}
