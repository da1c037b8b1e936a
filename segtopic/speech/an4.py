"""CMU's AN4 ("census"): spelled letters, digits and commands, as 13 cepstra of CMU Sphinx.

The folder holds ``train.tsv`` and ``test.tsv`` (name, tab, words), the cepstra of both in the same
order (``train.npz``: ``mfcc`` of all recordings, ``offsets`` of each) and the dictionary
``an4.dic``. A word with several pronunciations is always written with the first one.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from segtopic.errors import CorpusError
from segtopic.speech.differences import with_differences
from segtopic.speech.recordings import Recording

PARTS = ("train", "test")


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
        for line, begin, end in zip(lines, offsets[:-1], offsets[1:], strict=True):
            name, words = line.split("\t")
            yield Recording(
                name,
                part,
                speaker=name.split("/")[1],
                words=words,
                phones=tuple(sound for word in words.split() for sound in sounds[word]),
                features=with_differences(cepstra[begin:end]),
            )


def read_dictionary(path: Path) -> dict[str, tuple[str, ...]]:
    """Each word with the sounds of its first pronunciation; ``A(2)`` is a second one."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read ({error.strerror})") from None
    found = (line.split() for line in lines if line.strip())
    return {word: tuple(sounds) for word, *sounds in found if not word.endswith(")")}
