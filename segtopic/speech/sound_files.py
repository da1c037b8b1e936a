"""Ordinary sound files, with what is said in text files of the same name beside them.

In a folder, sounds below ``train``, ``dev`` or ``test`` are of that part; all others are of
``train``.
"""

from collections.abc import Iterator
from pathlib import Path

from segtopic.errors import CorpusError
from segtopic.speech.bad_files import BadFiles
from segtopic.speech.recordings import TRAIN, Recording, transcript
from segtopic.speech.sound import SUFFIXES, sounds_in
from segtopic.speech.timit import whole_timit

PARTS = (TRAIN, "dev", "test")


class Beside:
    """Files beside others, whether their endings are in capitals or not; lists a folder once."""

    def __init__(self) -> None:
        self._folders: dict[Path, dict[tuple[str, str], Path]] = {}

    def find(self, path: Path, suffix: str) -> Path | None:
        """The file that is called as another one is, but for its ending."""
        folder = path.parent
        if folder not in self._folders:
            there = sorted(folder.iterdir())
            self._folders[folder] = {(each.stem, each.suffix.lower()): each for each in there}
        return self._folders[folder].get((path.stem, suffix))


def read_sounds(
    source: Path, named_from: Path | None, beside: Beside, bad_files: BadFiles
) -> Iterator[Recording]:
    """A recording for each file.

    Args:
        source: a file, or a folder of them.
        named_from: the folder from which their names count; if not given, they are called by the
            paths that the user has written.
        beside: finds the texts.
        bad_files: what to do with texts that cannot be read.
    """
    paths = sounds_in(source) if source.is_dir() else [source]
    if not paths:
        raise CorpusError(f"{source}: holds no sounds ({', '.join(SUFFIXES)})")
    for path in paths:
        if beside.find(path, ".phn"):
            raise CorpusError(
                f"{path}: has a .PHN file beside it, as in TIMIT, which is read as a whole; give "
                f"{whole_timit(path)}, or a list of the sounds"
            )
        name = path if named_from is None else path.relative_to(named_from)
        try:
            words = _words(beside.find(path, ".txt"))
        except CorpusError as error:
            bad_files.report(error)
            continue
        yield Recording(str(name), _part(path, source), words=words, audio=(path,))


def _words(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        return transcript(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeError) as error:
        raise CorpusError(f"{path}: cannot be read ({error})") from None


def _part(path: Path, source: Path) -> str:
    """That of the nearest folder that is called as a part; the source itself may be."""
    if path == source:
        return TRAIN
    folders = (source.absolute().name, *path.relative_to(source).parts[:-1])
    return next((name.lower() for name in reversed(folders) if name.lower() in PARTS), TRAIN)
