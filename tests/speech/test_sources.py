"""Readers on folders of the corpora's layouts, which the tests make."""

import numpy as np
import pytest

from segtopic.config import RecordingsConfig
from segtopic.errors import ConfigError, CorpusError
from segtopic.speech.sources import read_recordings
from segtopic.speech.timit import CORE_TEST, DEVELOPMENT, FOLDED, PHONES, fold
from tests.speech.sounds import folder_of_sounds, spoken, write_sound


def read(path, **settings):
    return list(read_recordings([str(path)], RecordingsConfig(**settings)))


def timit(folder, capitals=True):
    """Two training speakers, one of the core test set, one for development, one other."""
    for place in ("TRAIN/DR1/FCJF0", "TRAIN/DR2/MABC0", "TEST/DR1/MDAB0", "TEST/DR1/FAKS0"):
        _speaker(folder / place, capitals)
    _speaker(folder / "TEST/DR3/MXYZ0", capitals)
    return folder


def _speaker(folder, capitals):
    folder.mkdir(parents=True)
    for sentence in ("SA1", "SX127", "SI648"):
        name = sentence if capitals else sentence.lower()
        suffixes = [".WAV", ".TXT", ".PHN"] if capitals else [".wav", ".txt", ".phn"]
        sound, text, phones = (folder / (name + suffix) for suffix in suffixes)
        write_sound(sound, spoken("AB", 16_000), 16_000, format="NIST")
        text.write_text("0 6400 She had your dark suit, in '85!\n")
        phones.write_text("0 1600 h#\n1600 3200 sh\n3200 4000 ix\n4000 4100 q\n4100 6400 h#\n")


@pytest.mark.parametrize("capitals", [True, False])
def test_timit(tmp_path, capitals):
    found = read(timit(tmp_path, capitals))
    assert len(found) == 10, "SA1 is left out"
    by_part = {
        part: {each.speaker for each in found if each.part == part}
        for part in ("train", "dev", "test", "other")
    }
    assert by_part == {
        "train": {"fcjf0", "mabc0"},
        "dev": {"faks0"},
        "test": {"mdab0"},
        "other": {"mxyz0"},
    }
    first = found[0]
    assert first.words == "she had your dark suit in '"
    assert first.phones == ("h#", "sh", "ix", "q", "h#")
    assert first.marks[1] == ("sh", 0.1, 0.2)
    assert fold(first.phones) == ("sil", "sh", "ih", "sil")


def test_timit_in_a_folder_of_its_own(tmp_path):
    timit(tmp_path / "T5" / "TIMIT")
    (tmp_path / "T5" / "CONVERT").mkdir()
    found = read(tmp_path / "T5")
    assert found == read(tmp_path / "T5" / "TIMIT")
    assert {each.part for each in found} == {"train", "dev", "test", "other"}


def test_timit_among_other_sounds_is_not_taken_for_all(tmp_path):
    timit(tmp_path / "TIMIT")
    folder_of_sounds(tmp_path / "mine", 2)
    with pytest.raises(CorpusError, match=rf"PHN.+give {tmp_path / 'TIMIT'}, or a list"):
        read(tmp_path)


@pytest.mark.parametrize("place", ["TEST", "TRAIN/DR1/FCJF0", "TRAIN/DR1/FCJF0/SX127.WAV"])
def test_a_part_of_timit_is_refused_with_the_folder_to_give(tmp_path, place):
    timit(tmp_path)
    with pytest.raises(CorpusError, match=rf"PHN.+give {tmp_path}, or a list of the sounds"):
        read(tmp_path / place)


def test_sounds_with_phn_files_that_are_not_in_timit(tmp_path):
    _speaker(tmp_path / "sounds", capitals=True)
    with pytest.raises(CorpusError, match="give the folder in which TRAIN and TEST are, or"):
        read(tmp_path)


def test_the_standard_division_and_folding():
    assert (len(CORE_TEST), len(DEVELOPMENT), len(CORE_TEST & DEVELOPMENT)) == (24, 50, 0)
    assert len(PHONES) == 61
    assert set(FOLDED) <= PHONES
    assert len({fold([phone]) for phone in PHONES} - {()}) == 39


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("0 10 zz\n", "line 1: 'zz' is none of TIMIT's 61 phones"),
        ("0 10 sh\n20 15 iy\n", "line 2: ends before it begins"),
        ("-5 10 sh\n", "line 1: ends before it begins, or begins before 0"),
        ("0 10\n", "line 1: is no begin, end and phone"),
        ("", "holds no phones"),
    ],
)
def test_timit_with_phones_that_cannot_be_used(tmp_path, content, said):
    timit(tmp_path)
    (tmp_path / "TRAIN/DR1/FCJF0/SX127.PHN").write_text(content)
    with pytest.raises(CorpusError, match=said):
        read(tmp_path)


def test_timit_with_a_text_that_is_none(tmp_path):
    timit(tmp_path)
    (tmp_path / "TRAIN/DR1/FCJF0/SX127.TXT").write_bytes(b"0 10 caf\xe9\n")
    with pytest.raises(CorpusError, match=r"SX127.TXT: cannot be read"):
        read(tmp_path)


def an4(folder):
    """One recording to learn from, of three frames, and one to test, of two."""
    (folder / "an4.dic").write_text("GO  G OW\nA  AH\nA(2)  EY\n")
    for part, said, n_frames in (("train", "GO A", 3), ("test", "A", 2)):
        (folder / f"{part}.tsv").write_text(f"an4/ann-{part}/one\t{said}\n")
        cepstra = np.full((n_frames, 13), n_frames, np.float32)
        np.savez(folder / f"{part}.npz", mfcc=cepstra, offsets=np.array([0, n_frames]))
    return folder


def test_an4_has_the_first_pronunciation_and_39_numbers(tmp_path):
    first, second = read(an4(tmp_path))
    assert (first.name, first.part, first.speaker) == ("an4/ann-train/one", "train", "ann-train")
    assert (first.words, first.phones) == ("GO A", ("G", "OW", "AH"))
    assert (second.part, second.phones, second.features.shape) == ("test", ("AH",), (2, 39))
    assert first.features[:, :13].tolist() == np.full((3, 13), 3).tolist()
    # What never changes has no slope.
    np.testing.assert_allclose(first.features[:, 13:], 0, atol=1e-6)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("an4/ann/one GO\n", "line 1: is no name, tab and words"),
        ("an4/ann/one\tGO BACK\n", "line 1: 'BACK' is not in an4.dic"),
        ("an4/ann/one\tGO\nan4/ann/two\tGO\n", "has 2 lines, but train.npz holds 1 recordings"),
    ],
)
def test_an4_that_cannot_be_used(tmp_path, content, said):
    (an4(tmp_path) / "train.tsv").write_text(content)
    with pytest.raises(CorpusError, match=said):
        read(tmp_path)


def fsdd(folder):
    for digit in (0, 7):
        for speaker in ("ann", "bob"):
            for number in (0, 4, 5, 7, 8, 9):
                write_sound(folder / f"{digit}_{speaker}_{number}.wav", spoken("AB"))
    return folder


def test_single_digits_have_the_official_test_part(tmp_path):
    found = read(fsdd(tmp_path))
    assert {(each.name[-1], each.part) for each in found} == {
        ("0", "test"),
        ("4", "test"),
        ("5", "dev"),
        ("7", "dev"),
        ("8", "train"),
        ("9", "train"),
    }
    assert {(each.words, each.phones) for each in found} == {
        ("ZERO", ("Z", "IY", "R", "OW")),
        ("SEVEN", ("S", "EH", "V", "AH", "N")),
    }


def test_one_file_that_is_called_as_a_digit_hides_no_others(tmp_path):
    folder_of_sounds(tmp_path, 2)
    write_sound(tmp_path / "2_take_8.wav", spoken("AB"))
    assert [each.name for each in read(tmp_path)] == ["000.wav", "001.wav", "2_take_8.wav"]


def test_digits_may_lie_in_a_folder_inside(tmp_path):
    (tmp_path / "recordings").mkdir()
    fsdd(tmp_path / "recordings")
    assert {each.words for each in read(tmp_path)} == {"ZERO", "SEVEN"}


@pytest.mark.parametrize(
    ("settings", "flag"),
    [({"strings": 5}, "--strings"), ({"unseen_speaker": "ann"}, "--unseen-speaker")],
)
def test_wishes_that_only_digits_can_grant(tmp_path, settings, flag):
    folder_of_sounds(tmp_path, 1)
    with pytest.raises(
        ConfigError, match=f"is not the Free Spoken Digit Dataset; leave out {flag}"
    ):
        read(tmp_path, **settings)


def test_strings_join_one_speaker_and_one_part(tmp_path):
    found = read(fsdd(tmp_path), strings=20)
    assert found == read(tmp_path, strings=20)
    assert found != read(tmp_path, strings=20, string_seed=1)
    assert {
        part: sum(each.part == part for each in found) for part in ("train", "dev", "test")
    } == {"train": 40, "dev": 4, "test": 4}
    for each in found:
        names = [path.stem.split("_") for path in each.audio]
        assert {speaker for _, speaker, _ in names} == {each.speaker}
        assert len({read_part(int(number)) for *_, number in names} | {each.part}) == 1
        assert 3 <= len(names) <= 7
        assert len(each.words.split()) == len(names)


def read_part(number):
    return "test" if number < 5 else "dev" if number < 8 else "train"


def test_an_unseen_speaker_is_the_test_part(tmp_path):
    found = read(fsdd(tmp_path), unseen_speaker="bob")
    assert {(each.speaker, each.part) for each in found} == {("ann", "train"), ("bob", "test")}
    with pytest.raises(CorpusError, match="nobody is called 'eve'; the speakers are ann, bob"):
        read(tmp_path, unseen_speaker="eve")


def test_a_folder_of_sounds_with_texts(tmp_path):
    found = read(folder_of_sounds(tmp_path, 3))
    assert [each.name for each in found] == ["000.wav", "001.wav", "002.wav"]
    assert all(set(each.words) <= set("ABC") for each in found)


def test_folders_called_as_parts_are_parts(tmp_path):
    for place in ("Train/ann", "DEV", "test", "more"):
        folder_of_sounds(tmp_path / place, 1)
    parts = {each.name: each.part for each in read(tmp_path)}
    assert parts == {
        "DEV/000.wav": "dev",
        "Train/ann/000.wav": "train",
        "more/000.wav": "train",
        "test/000.wav": "test",
    }
    wanted = [str(tmp_path / "Train"), str(tmp_path / "test"), str(tmp_path / "DEV" / "000.wav")]
    found = read_recordings(wanted, RecordingsConfig())
    assert [each.part for each in found] == ["train", "test", "train"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.TXT", b"GO ON\n", "GO ON"),
        ("a.txt", b"\xef\xbb\xbf GO \t ON\r\n", "GO ON"),
        ("a.txt", b"GO\x00\x1b\x7fON", "GO ON"),
        ("a.txt", b" \n\n", None),
    ],
)
def test_texts_beside_sounds(tmp_path, name, content, words):
    write_sound(tmp_path / "a.wav", spoken("A"))
    (tmp_path / name).write_bytes(content)
    (found,) = read(tmp_path)
    assert found.words == words


@pytest.mark.parametrize("absolute", [True, False])
def test_several_files_and_folders_are_called_as_they_were_named(tmp_path, monkeypatch, absolute):
    monkeypatch.chdir(tmp_path)
    for folder in ("one", "two"):
        folder_of_sounds(tmp_path / folder, 2)
    wanted = [tmp_path / "one" / "001.wav", tmp_path / "two"]
    if not absolute:
        wanted = [path.relative_to(tmp_path) for path in wanted]
    found = list(read_recordings([str(path) for path in wanted], RecordingsConfig()))
    names = [wanted[0], wanted[1] / "000.wav", wanted[1] / "001.wav"]
    assert [each.name for each in found] == [str(name) for name in names]
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError, match="empty: holds no sounds"):
        list(read_recordings(["two", "empty"], RecordingsConfig()))
