"""A user's own TIMIT: ``TRAIN/DR1/FCJF0/SX127.WAV`` with ``.TXT`` and ``.PHN`` beside it.

Names may be in capitals or not, and sounds may end in ``.WAV``, ``.wav`` or ``.WAV.wav``. The
standard division: all sentences but SA1 and SA2, which everybody reads; the core test set of 24
speakers (``test``); 50 other test speakers (``dev``); and the rest of the test speakers
(``other``). Models learn and say 61 phones; for scoring they are folded to 39 classes (Lee and Hon,
1989).
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from segtopic.errors import CorpusError
from segtopic.speech.bad_files import BadFiles
from segtopic.speech.recordings import Mark, Recording, transcript
from segtopic.speech.sound import sounds_in

RATE = 16_000


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


CORE_TEST = _names(
    """
    mdab0 mwbt0 felc0 mtas1 mwew0 fpas0 mjmp0 mlnt0 fpkt0 mlll0 mtls0 fjlm0 mbpm0 mklt0 fnlp0
    mcmj0 mjdh0 fmgd0 mgrt0 mnjm0 fdhc0 mjln0 mpam0 fmld0
    """
)
DEVELOPMENT = _names(
    """
    faks0 fdac1 fjem0 mgwt0 mjar0 mmdb1 mmdm2 mpdf0 fcmh0 fkms0 mbdg0 mbwm0 mcsh0 fadg0 fdms0
    fedw0 mgjf0 mglb0 mrtk0 mtaa0 mtdt0 mthc0 mwjg0 fnmr0 frew0 fsem0 mbns0 mmjr0 mdls0 mdlf0
    mdvc0 mers0 fmah0 fdrw0 mrcs0 mrjm4 fcal1 mmwh0 fjsj0 majc0 mjsw0 mreb0 fgjd0 fjmg0 mroa0
    mteb0 mjfc0 mrjr0 fmml0 mrws1
    """
)
# Phones that are scored as another one; the glottal stop q is not scored, all others stay.
FOLDED = {
    "ao": "aa",
    "ax": "ah",
    "ax-h": "ah",
    "axr": "er",
    "hv": "hh",
    "ix": "ih",
    "el": "l",
    "em": "m",
    "en": "n",
    "nx": "n",
    "eng": "ng",
    "zh": "sh",
    "ux": "uw",
    **dict.fromkeys(["pcl", "tcl", "kcl", "bcl", "dcl", "gcl", "h#", "pau", "epi"], "sil"),
}
PHONES = _names(
    """
    aa ae ah ao aw ax ax-h axr ay b bcl ch d dcl dh dx eh el em en eng epi er ey f g gcl h# hh
    hv ih ix iy jh k kcl l m n ng nx ow oy p pau pcl q r s sh t tcl th uh uw ux v w y z zh
    """
)
_NOT_WORDS = re.compile(r"[^a-z' ]+")


def fold(phones: Sequence[str]) -> tuple[str, ...]:
    """The 39 classes of some of the 61 phones.

    >>> fold(["h#", "sh", "ix", "q", "ao", "l", "h#"])
    ('sil', 'sh', 'ih', 'aa', 'l', 'sil')
    """
    return tuple(FOLDED.get(phone, phone) for phone in phones if phone != "q")


def timit_in(folder: Path) -> Path | None:
    """TIMIT's own folder: the given one, or one in it that holds all of its sounds."""
    if _is_timit(folder):
        return folder
    for path in folder.iterdir():
        if path.is_dir() and _is_timit(path):
            return path if all(path in sound.parents for sound in sounds_in(folder)) else None
    return None


def whole_timit(path: Path) -> str:
    """The folder to give instead of a part of TIMIT."""
    for folder in path.absolute().parents:
        if folder.name.lower() in ("train", "test") and _is_timit(folder.parent):
            return str(folder.parent)
    return "the folder in which TRAIN and TEST are"


def read_timit(folder: Path, bad_files: BadFiles) -> Iterator[Recording]:
    """All sentences but SA1 and SA2, in the order of their names."""
    for path in sorted(_labels(folder)):
        if path.stem.lower() in ("sa1", "sa2"):
            continue
        of_train = any(part.lower() == "train" for part in path.relative_to(folder).parts)
        try:
            yield _utterance(path, of_train)
        except CorpusError as error:
            bad_files.report(error)


def _is_timit(folder: Path) -> bool:
    try:
        inside = {path.name.lower() for path in folder.iterdir() if path.is_dir()}
    except OSError:  # somebody else's folder
        return False
    return {"train", "test"} <= inside and any(True for _ in _labels(folder))


def _labels(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.suffix.lower() == ".phn")


def _utterance(path: Path, of_train: bool) -> Recording:
    region, speaker = path.parent.parent.name, path.parent.name.lower()
    marks = _marks(path)
    return Recording(
        f"{region}/{speaker}/{path.stem}".lower(),
        "train" if of_train else _part(speaker),
        speaker,
        words=_sentence(_beside(path, ".txt")),
        phones=tuple(mark.symbol for mark in marks),
        marks=marks,
        audio=(_beside(path, ".wav"),),
    )


def _part(speaker: str) -> str:
    if speaker in CORE_TEST:
        return "test"
    return "dev" if speaker in DEVELOPMENT else "other"


def _beside(path: Path, suffix: str) -> Path:
    """The file with the same stem; a converted sound is preferred to the original."""
    stem = path.stem.lower()
    wanted = (f"{stem}{suffix}{suffix}", f"{stem}{suffix}")
    there = {each.name.lower(): each for each in path.parent.iterdir()}
    for name in wanted:
        if name in there:
            return there[name]
    raise CorpusError(f"{path}: there is no {path.stem}{suffix.upper()} beside it")


def _marks(path: Path) -> tuple[Mark, ...]:
    marks = []
    for number, line in enumerate(_text(path).splitlines(), start=1):
        try:
            begin, end, phone = line.split()
            mark = Mark(phone, int(begin) / RATE, int(end) / RATE)
        except ValueError:
            raise CorpusError(f"{path}: line {number}: is no begin, end and phone") from None
        if phone not in PHONES:
            raise CorpusError(f"{path}: line {number}: '{phone}' is none of TIMIT's 61 phones")
        if not 0 <= mark.begin <= mark.end:
            raise CorpusError(f"{path}: line {number}: ends before it begins, or begins before 0")
        marks.append(mark)
    if not marks:
        raise CorpusError(f"{path}: holds no phones; restore it")
    return tuple(marks)


def _sentence(path: Path) -> str | None:
    """Small letters, apostrophes and spaces, as in the paper; the first two words are samples."""
    words = _text(path).split()[2:]
    return transcript(_NOT_WORDS.sub(" ", " ".join(words).lower()))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except (OSError, UnicodeError) as error:
        raise CorpusError(f"{path}: cannot be read ({error}); restore it") from None
