"""Lists of one's own recordings, and files of features in them."""

import json

import numpy as np
import pytest

from segtopic.config import RecordingsConfig
from segtopic.errors import CorpusError
from segtopic.speech.sources import read_recordings
from tests.speech.sounds import folder_of_sounds, spoken, write_sound


def read(*paths):
    return list(read_recordings([str(path) for path in paths], RecordingsConfig()))


@pytest.fixture
def folder(tmp_path):
    write_sound(tmp_path / "a.wav", spoken("A"))
    write_sound(tmp_path / "b.wav", spoken("B"))
    np.save(tmp_path / "b.npy", np.ones((5, 4)))
    return tmp_path


def json_lines(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def table(path, content):
    path.write_text(content)
    return path


def test_lists_in_csv_tsv_and_json_lines(folder):
    (one,) = read(table(folder / "list.csv", "audio,transcript,part\na.wav,GO ON,dev\n"))
    assert (one.words, one.part, one.audio) == ("GO ON", "dev", (folder / "a.wav",))
    assert read(table(folder / "list.TSV", "audio\ttranscript\tpart\na.wav\tGO ON\tdev\n")) == [one]
    rows = [{"audio": "a.wav", "transcript": "GO", "phones": "G OW"}, {"features": "b.npy"}]
    first, second = read(json_lines(folder / "list.jsonl", *rows))
    assert first.phones == ("G", "OW")
    assert second.features.shape == (5, 4)
    assert second.words is None


@pytest.mark.parametrize(
    ("said", "words"),
    [(" GO  ON\n", "GO ON"), ("GO\x00\x9bON", "GO ON"), (" \t", None), ("", None), (None, None)],
)
def test_transcripts_are_written_as_those_beside_sounds(folder, said, words):
    (found,) = read(json_lines(folder / "list.jsonl", {"audio": "a.wav", "transcript": said}))
    assert found.words == words


def test_values_of_json(folder):
    row = {"audio": ["a.wav", "b.wav"], "phones": ["G", "OW"], "speaker": 12, "part": None, "id": 7}
    (found,) = read(json_lines(folder / "list.jsonl", row))
    assert found.audio == (folder / "a.wav", folder / "b.wav")
    assert (found.phones, found.speaker, found.part, found.name) == (
        ("G", "OW"),
        "12",
        "train",
        "7",
    )
    (found,) = read(json_lines(folder / "list.jsonl", {"audio": "a.wav", "speaker": None}))
    assert (found.speaker, found.phones, found.name) == ("", None, "a.wav")
    half = {"audio": "a.wav", "transcript": "GO \ud800"}
    (found,) = read(json_lines(folder / "list.jsonl", half))
    assert found.words == "GO \ufffd"


def test_other_columns_are_not_looked_at(folder):
    content = "ID, Audio , transcript,votes\n3,a.wav,GO,{}\n\n4,b.wav\n"
    first, second = read(table(folder / "list.csv", content))
    assert (first.name, first.words, second.name, second.words) == ("3", "GO", "4", None)


def test_semicolons_stand_between_files_and_in_their_names(folder):
    write_sound(folder / "a;b.wav", spoken("AB"))
    one, two = read(table(folder / "list.csv", "audio\na;b.wav\na.wav; b.wav\n"))
    assert one.audio == (folder / "a;b.wav",)
    assert two.audio == (folder / "a.wav", folder / "b.wav")


def test_several_lists_and_folders(folder):
    one = table(folder / "one.csv", "audio,transcript\na.wav,GO\n")
    two = json_lines(folder / "two.jsonl", {"audio": "b.wav"})
    sounds = folder_of_sounds(folder / "sounds", 1)
    found = read(one, two, sounds)
    assert [each.name for each in found] == ["a.wav", "b.wav", str(sounds / "000.wav")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("transcript,text\nGO,ON\n", "line 1: names no column 'audio' or 'features', only tr"),
        ("audio,features\n,\n", "line 2: must name either audio or features"),
        ("audio,features\na.wav,b.npy\n", "line 2: must name either audio or features"),
        ("audio\na.wav\na.wav\n", "line 3: 'a.wav' comes again"),
        ("audio,transcript\na.wav,GO, ON\n", "line 2: has 3 cells, but there are 2 columns"),
        ('audio,transcript\na.wav,"GO\nb.wav,ON\n', "line 2: is no row of a table"),
        ("audio\na.wav\nc.wav\n", r"list.csv: line 3: .+c.wav: there is no such file"),
        ("features\nnone.npy\n", "line 2: .+none.npy: there is no such file"),
    ],
)
def test_tables_that_cannot_be_used(folder, content, said):
    with pytest.raises(CorpusError, match=said):
        read(table(folder / "list.csv", content))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"audio": "b.wav"', r"line 4: is not JSON \(.+ at column 18\)"),
        ('{"audio": "b.wav",\n}', r"line 4: is not JSON \(.+ at column 19\)"),
        ("[" * 100_000, "line 4: is not JSON"),
        ('["b.wav"]', "line 4: is not a JSON object but a list"),
        ('{"audio": "b.wav", "speaker": ["ann"]}', "line 4: 'speaker' must be a text$"),
        ('{"audio": "b.wav", "part": true}', "line 4: 'part' must be a text$"),
        ('{"audio": "b.wav", "phones": [{}]}', "line 4: 'phones' must be a text or a list of"),
    ],
)
def test_json_lines_that_cannot_be_used(folder, line, said):
    path = table(
        folder / "list.jsonl", '{"audio": "a.wav"}\n\n{"audio": "b.wav", "id": 1}\n' + line
    )
    with pytest.raises(CorpusError, match=said):
        read(path)


def _save(values):
    return lambda path: np.save(path, values)


def _archive(path):
    with path.open("wb") as file:
        np.savez(file, np.ones((2, 2)))


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (_save(np.ones(4)), r"holds no rows of numbers, its shape is \(4,\)"),
        (_save(np.ones((0, 4))), r"its shape is \(0, 4\); save \(frames, numbers\)"),
        (_save(np.ones((4, 0))), r"its shape is \(4, 0\)"),
        (_save(np.array([[1.0, np.nan]])), "not finite in 32 bits"),
        (_save(np.array([[1.0, 1e300]])), "not finite in 32 bits"),
        (_save(np.array([["a", "b"]])), "holds something else than numbers"),
        (_save(np.array([[1j]])), "holds something else than numbers"),
        (_archive, "is no .npy file that can be read"),
        (lambda path: path.touch(), "is no .npy file that can be read"),
        (lambda path: path.write_bytes(b"no numbers at all"), "is no .npy file that can be read"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_features_that_cannot_be_used(folder, made, said):
    made(folder / "c.npy")
    with pytest.raises(CorpusError, match=f"list.csv: line 2: .+c.npy: .*{said}"):
        read(table(folder / "list.csv", "features\nc.npy\n"))
