"""Lists of one's own recordings."""

import json

import numpy as np
import pytest

from segtopic.config import RecordingsConfig
from segtopic.errors import CorpusError
from segtopic.speech.sources import read_recordings
from tests.speech.sounds import spoken, write_sound


def read(path, **settings):
    return list(read_recordings([str(path)], RecordingsConfig(**settings)))


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
