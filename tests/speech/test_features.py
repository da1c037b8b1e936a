"""Features on disk, as the command makes them; and files that nobody should give it."""

import json
import re
from functools import partial

import numpy as np
import pytest

from segtopic.cli import main
from segtopic.errors import CorpusError
from segtopic.speech.recordings import Mark, Recording
from segtopic.speech.sound import read_pieces
from segtopic.speech.store import ABOUT, TABLE, WITHOUT_BEGINS, FeatureStore, write_features
from tests.faults.commands import refused
from tests.speech.sounds import RATE, folder_of_sounds, spoken, write_sound


@pytest.fixture
def sounds(tmp_path):
    return folder_of_sounds(tmp_path / "sounds", 5)


def features(*arguments):
    assert main(["swan", "features", *map(str, arguments)]) == 0


def test_a_store_gives_back_what_was_computed(sounds, tmp_path, capsys):
    features(sounds, "--out", tmp_path / "one", "--jobs", 1, "--json")
    about = json.loads(capsys.readouterr().out)
    assert (about["recordings"], about["numbers"], about["parts"]) == (5, 123, {"train": 5})
    store = FeatureStore(tmp_path / "one")
    found = list(store.recordings())
    for each in found:
        np.testing.assert_array_equal(each.features, store.banks.features(_samples(each.audio[0])))
    frames = np.concatenate([store.normaliser(each.features) for each in found])
    np.testing.assert_allclose(frames.mean(0), 0, atol=1e-3)
    np.testing.assert_allclose(frames.std(0), 1, atol=1e-2)


def _samples(path):
    import soundfile

    return soundfile.read(path, dtype="float32")[0]


def test_the_number_of_processes_changes_nothing(sounds, tmp_path):
    for jobs in (1, 2):
        features(sounds, "--out", tmp_path / str(jobs), "--jobs", jobs)
    tables = [(tmp_path / jobs / TABLE).read_bytes() for jobs in ("1", "2")]
    assert tables[0] == tables[1]


def test_normalised_over_the_training_part_only(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[0.0], [2.0]]))
    np.save(tmp_path / "b.npy", np.array([[100.0]]))
    (tmp_path / "list.csv").write_text("features,part\na.npy,train\nb.npy,test\n")
    features(tmp_path / "list.csv", "--out", tmp_path / "out")
    normaliser = FeatureStore(tmp_path / "out").normaliser
    assert (normaliser.mean.tolist(), normaliser.deviation.tolist()) == ([1.0], [1.0])


def test_stereo_and_other_rates_become_one_channel_at_one_rate(tmp_path):
    both = np.stack([spoken("AB"), spoken("AB")], axis=1)
    write_sound(tmp_path / "a.wav", spoken("AB"))
    write_sound(tmp_path / "b.flac", both)
    write_sound(tmp_path / "c.wav", spoken("AB", 11_025), 11_025)
    features(tmp_path, "--out", tmp_path / "out")
    store = FeatureStore(tmp_path / "out")
    mono, stereo, odd = (each.features for each in store.recordings())
    assert store.banks.rate == RATE
    np.testing.assert_allclose(mono, stereo, atol=0.5)
    assert abs(len(odd) - len(mono)) <= 1


def _broken(path):
    path.write_bytes(b"RIFF but not at all a sound")


def _cut(path):
    write_sound(path, spoken("ABC"))
    path.write_bytes(path.read_bytes()[:30])


def _half(path, **more):
    write_sound(path, spoken("ABC"), **more)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def _no_samples(path):
    write_sound(path, np.zeros(0, np.float32))


def _blink(path):
    write_sound(path, np.zeros(50, np.float32))


def _no_numbers(path):
    write_sound(path, np.full(4000, np.nan, np.float32), subtype="FLOAT")


def _slow(path):
    write_sound(path, np.zeros(4000, np.float32), 1_000)


def _an_hour(path):
    import soundfile

    with soundfile.SoundFile(path, "w", RATE, 1, format="WAV", subtype="PCM_U8") as file:
        for _ in range(60):
            file.write(np.zeros(60 * RATE, np.float32))


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (_broken, "is no sound file that can be read"),
        (_cut, "is cut off, it has 30 of"),
        (_half, "is cut off, it has"),
        (partial(_half, format="FLAC"), r"is damaged \(.+\); bring back a copy"),
        (lambda path: path.touch(), "is empty"),
        (_no_samples, "holds no sound"),
        (_blink, "no whole frame"),
        (_no_numbers, "no numbers"),
        (_slow, "convert it"),
        (_an_hour, "lasts 3,600 seconds"),
    ],
)
def test_sounds_that_cannot_be_used(tmp_path, made, said, capsys):
    folder = tmp_path / "sounds"
    folder.mkdir()
    write_sound(folder / "a.wav", spoken("AB"))
    made(folder / "b.wav")
    message = refused(["swan", "features", str(folder), "--out", str(tmp_path / "out")], capsys)
    assert re.search(said, message), message
    assert "b.wav" in message
    assert not (tmp_path / "out").exists()
    features(folder, "--out", tmp_path / "out", "--on-bad-file", "skip")
    assert "skipped 1 recordings" in capsys.readouterr().err
    assert len(FeatureStore(tmp_path / "out")) == 1


def test_a_wav_file_of_a_program_that_did_not_know_its_length(tmp_path):
    path = write_sound(tmp_path / "piped.wav", spoken("AB"))
    content = bytearray(path.read_bytes())
    content[4:8] = content[40:44] = b"\xff\xff\xff\xff"
    path.write_bytes(content)
    (_, found), *_ = read_pieces(path, RATE, 60)
    assert len(found) == len(spoken("AB"))


def test_other_folders_are_not_replaced(sounds, tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "novel.txt").write_text("It was")
    arguments = ["swan", "features", str(sounds), "--out", str(tmp_path / "mine")]
    for more in ([], ["--overwrite"]):
        said = refused([*arguments, *more], capsys)
        assert "holds something else than features; choose another --out" in said


def test_features_are_replaced_only_on_demand(sounds, tmp_path, capsys):
    features(sounds, "--out", tmp_path / "out")
    others = folder_of_sounds(tmp_path / "others", 2)
    arguments = ["swan", "features", str(others), "--out", str(tmp_path / "out")]
    said = refused(arguments, capsys)
    assert "holds features already; replace them with --overwrite, or choose another --out" in said
    assert len(FeatureStore(tmp_path / "out")) == 5
    features(*arguments[2:], "--overwrite")
    assert len(FeatureStore(tmp_path / "out")) == 2


def test_two_recordings_of_one_name(sounds, tmp_path, capsys):
    for name in ("one.csv", "two.csv"):
        (sounds / name).write_text("audio\n000.wav\n")
    arguments = ["swan", "features", sounds / "one.csv", sounds / "two.csv"]
    said = refused([*arguments, "--out", tmp_path / "out"], capsys)
    assert "two recordings are called '000.wav'; rename one, or give it another 'name'" in said


def test_the_command_counts_transcripts_and_phones(sounds, tmp_path, capsys):
    (sounds / "list.csv").write_text(
        "audio,transcript,phones\n000.wav,GO,G OW\n001.wav,ON,\n002.wav,,\n"
    )
    features(sounds / "list.csv", "--out", tmp_path / "one")
    printed = capsys.readouterr().out
    assert re.search(r"with a transcript +2\n +with phones +1\n", printed)
    features(sounds / "list.csv", "--out", tmp_path / "two", "--json")
    about = json.loads(capsys.readouterr().out)
    assert (about["recordings"], about["with_transcript"], about["with_phones"]) == (3, 2, 1)


MARKS = (Mark("h#", 0.01, 0.2), Mark("sh", 0.25, 0.4), Mark("iy", 0.35, 0.6))


def stored(folder, marks):
    folder.mkdir()
    numbers = np.ones((5, 4), np.float32)
    phones = tuple(mark.symbol for mark in marks)
    write_features(folder, [(Recording("a", phones=phones, marks=marks), numbers, 1.0)], None, dict)
    return folder


def test_times_of_phones_may_have_gaps_and_overlap(tmp_path):
    (found,) = FeatureStore(stored(tmp_path / "out", MARKS)).recordings()
    assert found.marks == MARKS


def test_a_table_of_an_earlier_version_has_phones_without_gaps(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("segtopic.speech.store.SCHEMA", WITHOUT_BEGINS)
        stored(tmp_path / "out", MARKS)
    (found,) = FeatureStore(tmp_path / "out").recordings()
    assert found.marks == (("h#", 0, 0.2), ("sh", 0.2, 0.4), ("iy", 0.4, 0.6))
    np.testing.assert_array_equal(found.features, np.ones((5, 4)))


def test_a_changed_table_is_noticed(sounds, tmp_path):
    features(sounds, "--out", tmp_path / "out")
    path = tmp_path / "out" / TABLE
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(CorpusError, match="has changed since it was made"):
        len(FeatureStore(tmp_path / "out"))
    (tmp_path / "out" / ABOUT).write_text("[" * 100_000)
    with pytest.raises(CorpusError, match="cannot be used"):
        FeatureStore(tmp_path / "out")


def test_pieces_are_cut_where_it_is_quiet_and_lose_nothing(tmp_path):
    samples = np.concatenate([spoken("ABCABC", seed=seed) for seed in range(4)])
    path = write_sound(tmp_path / "long.wav", samples, subtype="FLOAT")
    pieces = list(read_pieces(path, RATE, 1.5))
    assert len(pieces) > 2
    np.testing.assert_array_equal(np.concatenate([piece for _, piece in pieces]), samples)
    for begin, _ in pieces[1:]:
        around = samples[int(begin * RATE) - 40 : int(begin * RATE) + 40]
        assert np.abs(around).max() < 0.1


def test_a_piece_ends_at_the_quietest_moment_and_not_at_its_last(tmp_path):
    samples = np.random.default_rng(0).normal(0, 0.1, 4 * RATE).astype(np.float32)
    samples[int(1.55 * RATE) : int(1.65 * RATE)] *= 0.8
    path = write_sound(tmp_path / "noise.wav", samples, subtype="FLOAT")
    _, (begin, _), *_ = read_pieces(path, RATE, 2)
    assert begin == pytest.approx(1.6, abs=0.03)


@pytest.mark.parametrize("more", [0, 1, 2, RATE // 100, RATE // 3, RATE, 2 * RATE, 2 * RATE + 2])
def test_no_piece_is_tiny(tmp_path, more):
    samples = np.random.default_rng(more).normal(0, 0.1, 2 * RATE + more).astype(np.float32)
    path = write_sound(tmp_path / "noise.wav", samples, subtype="FLOAT")
    pieces = [piece for _, piece in read_pieces(path, RATE, 2)]
    np.testing.assert_array_equal(np.concatenate(pieces), samples)
    assert (len(pieces) == 1) == (more == 0)
    assert min(map(len, pieces)) >= 2 * RATE // 3
    assert max(map(len, pieces)) <= 2 * RATE
