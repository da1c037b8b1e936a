"""What a user names, whatever it is, in; recordings out."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from segtopic.config.speech import RecordingsConfig
from segtopic.errors import CorpusError
from segtopic.speech.an4 import is_an4, read_an4
from segtopic.speech.fsdd import is_fsdd, read_fsdd
from segtopic.speech.manifest import is_manifest, read_manifest
from segtopic.speech.recordings import Recording
from segtopic.speech.sound import SUFFIXES
from segtopic.speech.timit import is_timit, read_timit


def read_recordings(sources: Sequence[str], config: RecordingsConfig) -> Iterator[Recording]:
    """The recordings of a corpus, of a list, of a folder of sounds, or of sound files."""
    paths = [Path(source).expanduser() for source in sources]
    for path in paths:
        if not path.exists():
            raise CorpusError(f"{path}: there is no such file or folder")
    if len(paths) == 1 and paths[0].is_dir():
        yield from _of_folder(paths[0], config)
    elif len(paths) == 1 and is_manifest(paths[0]):
        yield from read_manifest(paths[0])
    else:
        for path in paths:
            yield from _of_files(path)


def _of_folder(folder: Path, config: RecordingsConfig) -> Iterator[Recording]:
    if is_an4(folder):
        return read_an4(folder)
    if is_timit(folder):
        return read_timit(folder)
    if is_fsdd(folder):
        return read_fsdd(folder, config)
    return _of_files(folder, named_from=folder)


def _of_files(source: Path, named_from: Path | None = None) -> Iterator[Recording]:
    """Sounds with what is said in a text file of the same name beside them, if there is one.

    Args:
        source: a file, or a folder of them.
        named_from: the folder from which their names count; if not given, they are called by the
            paths that the user has written.
    """
    paths = _sounds(source)
    if not paths:
        raise CorpusError(f"{source}: holds no sounds ({', '.join(SUFFIXES)})")
    for path in paths:
        text = path.with_suffix(".txt")
        words = None
        if text.is_file():
            try:
                words = " ".join(text.read_text(encoding="utf-8").split())
            except (OSError, UnicodeError) as error:
                raise CorpusError(f"{text}: cannot be read ({error})") from None
        name = path if named_from is None else path.relative_to(named_from)
        yield Recording(str(name), words=words, audio=(path,))


def _sounds(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(each for each in path.rglob("*") if each.suffix.lower() in SUFFIXES)
    return [path]
