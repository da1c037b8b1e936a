"""Readers on folders of the corpora's layouts, which the tests make."""

import json

import numpy as np
import pytest

from segtopic.config import RecordingsConfig
from segtopic.errors import CorpusError
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


def test_the_standard_division_and_folding():
    assert (len(CORE_TEST), len(DEVELOPMENT), len(CORE_TEST & DEVELOPMENT)) == (24, 50, 0)
    assert len(PHONES) == 61
    assert set(FOLDED) <= PHONES
    assert len({fold([phone]) for phone in PHONES} - {()}) == 39


def test_timit_with_a_phone_of_its_own(tmp_path):
    timit(tmp_path)
    path = tmp_path / "TRAIN/DR1/FCJF0/SX127.PHN"
    path.write_text("0 10 zz\n")
    with pytest.raises(CorpusError, match="line 1: 'zz' is none of TIMIT's 61 phones"):
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


def test_lists_in_csv_and_json_lines(tmp_path):
    write_sound(tmp_path / "a.wav", spoken("A"))
    np.save(tmp_path / "b.npy", np.ones((5, 4)))
    (tmp_path / "list.csv").write_text("audio,transcript,part\na.wav,GO ON,dev\n")
    rows = [{"audio": "a.wav", "transcript": "GO", "phones": "G OW"}, {"features": "b.npy"}]
    (tmp_path / "list.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (one,) = read(tmp_path / "list.csv")
    assert (one.words, one.part, one.audio) == ("GO ON", "dev", (tmp_path / "a.wav",))
    first, second = read(tmp_path / "list.jsonl")
    assert first.phones == ("G", "OW")
    assert second.features.shape == (5, 4)
    assert second.words is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("audio,text\na.wav,b\n", "line 2: has 'text'"),
        ("transcript\nGO\n", "line 2: must name either audio or features"),
        ("audio\na.wav\na.wav\n", "line 3: 'a.wav' comes again"),
        ("features\nnone.npy\n", "holds no rows of numbers"),
    ],
)
def test_lists_that_cannot_be_used(tmp_path, content, said):
    path = tmp_path / "list.csv"
    path.write_text(content)
    with pytest.raises(CorpusError, match=said):
        read(path)
