"""``--on-bad-file skip``: whatever is wrong with one recording, the others are used."""

import json
import os

import numpy as np
import pytest

from segtopic.cli import main
from segtopic.speech.store import FeatureStore
from tests.faults.commands import refused
from tests.speech.sounds import folder_of_sounds, spoken, write_sound
from tests.speech.test_sources import timit


def _first_is_broken(folder):
    folder_of_sounds(folder, 3)
    (folder / "000.wav").write_bytes(b"RIFF but not at all a sound")
    return folder


def _first_is_missing(folder):
    folder_of_sounds(folder, 3)
    (folder / "list.csv").write_text("audio\nnone.wav\n001.wav\n002.wav\n")
    return folder / "list.csv"


def _text_is_none(folder):
    folder_of_sounds(folder, 3)
    (folder / "001.txt").write_bytes(b"caf\xe9")
    return folder


def _list_of_features(folder, bad):
    folder.mkdir()
    for name in "abc":
        np.save(folder / f"{name}.npy", np.ones((5, 4)))
    bad(folder / "b.npy")
    (folder / "list.csv").write_text("features\na.npy\nb.npy\nc.npy\n")
    return folder / "list.csv"


def _features_are_missing(folder):
    return _list_of_features(folder, lambda path: path.unlink())


def _features_are_malformed(folder):
    return _list_of_features(folder, lambda path: path.write_bytes(b"no numbers"))


def _features_have_another_width(folder):
    return _list_of_features(folder, lambda path: np.save(path, np.ones((5, 3))))


def _head_is_cut(folder):
    return _list_of_features(folder, lambda path: path.write_bytes(path.read_bytes()[:60]))


def _head_tells_nonsense(folder):
    def spoil(path):
        path.write_bytes(path.read_bytes().replace(b"(5, 4)", b"(5<<9)"))

    return _list_of_features(folder, spoil)


def _audio_names_no_file(folder):
    folder_of_sounds(folder, 2)
    lines = ["000.wav", ["", None], "001.wav"]
    rows = [json.dumps({"audio": each, "name": str(n)}) for n, each in enumerate(lines)]
    (folder / "list.jsonl").write_text("\n".join(rows))
    return folder / "list.jsonl"


def _name_is_no_text(folder):
    folder_of_sounds(folder, 3)
    os.rename(folder / "001.wav", os.fsencode(folder) + b"/caf\xe9.wav")
    return folder


def _features_among_sounds(folder):
    folder_of_sounds(folder, 2)
    np.save(folder / "b.npy", np.ones((5, 123)))
    (folder / "list.csv").write_text("audio,features\n000.wav,\n,b.npy\n001.wav,\n")
    return folder / "list.csv"


def _timit_without(folder, suffix):
    timit(folder)
    for speaker in ("TRAIN/DR2/MABC0", "TEST/DR1/MDAB0", "TEST/DR1/FAKS0", "TEST/DR3/MXYZ0"):
        for path in (folder / speaker).glob("*.PHN"):
            path.unlink()
    for path in (folder / "TRAIN/DR1/FCJF0").glob("*.*"):
        path.with_name(path.name.replace("SX127", "SX7")).write_bytes(path.read_bytes())
    (folder / "TRAIN/DR1/FCJF0/SX127").with_suffix(suffix).unlink()
    return folder


def _timit_without_text(folder):
    return _timit_without(folder, ".TXT")


def _timit_without_sound(folder):
    return _timit_without(folder, ".WAV")


@pytest.mark.parametrize(
    "made",
    [
        _first_is_broken,
        _first_is_missing,
        _text_is_none,
        _features_are_missing,
        _features_are_malformed,
        _features_have_another_width,
        _features_among_sounds,
        _head_is_cut,
        _head_tells_nonsense,
        _audio_names_no_file,
        _name_is_no_text,
        _timit_without_text,
        _timit_without_sound,
    ],
)
def test_one_recording_is_refused_or_skipped(tmp_path, made, capsys):
    source, out = str(made(tmp_path / "source")), tmp_path / "out"
    command = ["swan", "features", source, "--out", str(out), "--jobs", "1"]
    refused(command, capsys)
    assert not out.exists()
    assert main([*command, "--on-bad-file", "skip"]) == 0
    assert "skipped 1 recordings" in capsys.readouterr().err
    assert len(FeatureStore(out)) == 2
    assert FeatureStore(out).about["skipped"] == 1


def test_nothing_is_left_if_no_recording_can_be_used(tmp_path, capsys):
    write_sound(tmp_path / "a.wav", spoken("A")[:50])
    (tmp_path / "b.wav").touch()
    command = ["swan", "features", tmp_path, "--out", tmp_path / "out", "--on-bad-file", "skip"]
    assert "holds no recordings that can be used (a.wav: lasts" in refused(command, capsys)
    assert not (tmp_path / "out").exists()
