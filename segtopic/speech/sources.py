"""What a user names, whatever it is, in; recordings out."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from segtopic.config.speech import RecordingsConfig
from segtopic.errors import ConfigError, CorpusError
from segtopic.speech.an4 import is_an4, read_an4
from segtopic.speech.bad_files import BadFiles
from segtopic.speech.fsdd import is_fsdd, read_fsdd
from segtopic.speech.manifest import is_manifest, read_manifest
from segtopic.speech.recordings import Recording
from segtopic.speech.sound_files import Beside, read_sounds
from segtopic.speech.timit import read_timit, timit_in


def read_recordings(
    sources: Sequence[str], config: RecordingsConfig, bad_files: BadFiles | None = None
) -> Iterator[Recording]:
    """The recordings of corpora, of lists, of folders of sounds, and of sound files.

    Args:
        sources: paths, in any mixture.
        config: which recordings.
        bad_files: what to do with recordings that cannot be used; if not given, they are errors.
    """
    paths = [Path(source).expanduser() for source in sources]
    for path in paths:
        if not path.exists():
            raise CorpusError(f"{path}: there is no such file or folder")
    beside, bad_files = Beside(), bad_files or BadFiles()
    for path in paths:
        found = _of_corpus(path, config, bad_files)
        if found is None:
            named_from = path if len(paths) == 1 and path.is_dir() else None
            found = read_sounds(path, named_from, beside, bad_files)
        yield from found


def _of_corpus(
    path: Path, config: RecordingsConfig, bad_files: BadFiles
) -> Iterator[Recording] | None:
    """What is said of its recordings elsewhere than beside them; None of ordinary sounds."""
    if path.is_dir() and is_fsdd(path):
        return read_fsdd(path, config)
    for name in ("strings", "unseen_speaker"):
        if getattr(config, name):
            raise ConfigError(
                f"{name} is given, but {path} is not the Free Spoken Digit Dataset; leave out "
                f"--{name.replace('_', '-')}"
            )
    if not path.is_dir():
        return read_manifest(path, bad_files) if is_manifest(path) else None
    if is_an4(path):
        return read_an4(path)
    timit = timit_in(path)
    return read_timit(timit, bad_files) if timit else None
