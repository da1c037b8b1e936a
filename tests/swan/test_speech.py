"""A speech model from sound files to a page: trained, resumed, judged, heard."""

import csv
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from segtopic.cli import main
from segtopic.config import SearchConfig, SwanConfig
from segtopic.runs.folder import LISTENER, WEIGHTS
from segtopic.speech.recordings import Recording
from segtopic.speech.store import FeatureStore
from segtopic.swan import Alignment, Hypothesis
from segtopic.swan.heard import load_listener
from segtopic.swan.lesson import split_by_speaker
from segtopic.swan.listener import REACH, TimedSegment, Transcript, timed
from segtopic.swan.listening import as_development, train_listener
from segtopic.swan.spoken import Utterance
from segtopic.swan.symbols import SymbolTable
from segtopic.swan.system import MOST_ERRORS
from segtopic.swan.transcribe import Piece
from segtopic.swan.transcripts import CsvTranscripts, SrtTranscripts, timed_words
from tests.faults.commands import refused
from tests.speech.sounds import RATE, folder_of_sounds, spoken, write_sound

TINY = {
    "output_symbols": "characters",
    "units": 16,
    "layers": 1,
    "first_stride": 4,
    "segment_units": 16,
    "embedding": 8,
    "dropout": 0.0,
    "ctc_weight": 0.5,
    "band": 3,
    "stretch": 0.1,
    "time_mask": 0.1,
    "history_noise": 0.1,
    "learning_rate": 0.02,
    "batch_size": 8,
    "epochs": 12,
    "dev_share": 0.2,
    "threads": 1,
}


@pytest.fixture(scope="module")
def features(tmp_path_factory):
    folder = tmp_path_factory.mktemp("speech")
    sounds = folder_of_sounds(folder / "sounds", 48)
    assert main(["swan", "features", str(sounds), "--out", str(folder / "out"), "--jobs", "1"]) == 0
    return folder / "out"


@pytest.fixture(scope="module")
def run(features, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "run"
    return train_listener(SwanConfig(data=str(features), **TINY), folder).folder


def called(capsys, *arguments):
    capsys.readouterr()
    assert main(["swan", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_it_learns_to_write_down_tones(run, features, capsys):
    found = json.loads(called(capsys, "evaluate", run, features, "--part", "train", "--json"))
    assert found["utterances"] == 48
    assert found["symbols_wrong"]["mean"] < 0.3
    assert found["nats_per_symbol"] < 0.7


def test_transcripts_have_times_within_the_sound(run, tmp_path, capsys):
    sound = write_sound(tmp_path / "x.flac", spoken("CAB"))
    found = json.loads(
        called(capsys, "transcribe", run, sound, "--beam", 4, "--n-best", 2, "--json")
    )
    (piece,) = found["sounds"][0]["pieces"]
    best, second = piece["transcripts"]
    assert best["probability"] >= second["probability"]
    assert "".join(each["symbol"] for each in best["symbols"]) == best["text"]
    times = [(each["begin"], each["end"]) for each in best["symbols"]]
    assert all(begin < end for begin, end in times)
    assert times == sorted(times)
    assert times[0][0] >= 0
    assert times[-1][1] <= piece["end"] + 0.05
    assert best["text"] in called(capsys, "transcribe", run, sound)


def test_the_guide_listens_from_python(run, tmp_path, monkeypatch, capsys):
    guide = (Path(__file__).parents[2] / "docs" / "guides" / "speech.md").read_text()
    (example,) = re.findall(r"^```python\n(.*?)^```", guide, re.DOTALL | re.MULTILINE)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "digits").symlink_to(run)
    write_sound(tmp_path / "x.wav", spoken("CAB"))
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "speech.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    found = json.loads(
        called(capsys, "transcribe", run, "x.wav", "--beam", 10, "--n-best", 3, "--json")
    )
    best = found["sounds"][0]["pieces"][0]["transcripts"][0]
    assert len(lines) == 6
    assert lines[0] == f"0.0 {best['text']} {best['probability']}"


def best_path(*lengths):
    return Alignment(lengths, 0.0, 0.0, torch.zeros(0), (1.0,) * len(lengths))


def test_a_pause_belongs_to_no_segment():
    path = best_path(*[0] * 100, 2, 0, 0, 0, 0, 1, *[0] * 100)
    first, second = timed(path, tuple("ABC"), 0.1, 20.6)
    assert first.symbols == ("A", "B")
    assert (first.begin, first.at) == pytest.approx((10.05 - 2 * REACH, 10.05))
    assert first.end == second.begin == pytest.approx(10.3)
    assert (second.at, second.end) == pytest.approx((10.55, 10.55 + REACH))


def test_times_are_half_way_where_nobody_pauses():
    found = timed(best_path(1, 0, 1, 1), tuple("ABC"), 0.04, 0.16)
    assert [each.begin for each in found] == pytest.approx([0, 0.06, 0.12])
    assert [each.end for each in found] == pytest.approx([0.06, 0.12, 0.16])


def test_what_makes_no_vector_is_too_short(run, tmp_path, capsys):
    """Two frames; the encoder joins four."""
    sound = write_sound(tmp_path / "x.wav", spoken("A")[: int(0.036 * RATE)])
    assert "(too short)" in called(capsys, "transcribe", run, sound)


def test_a_folder_and_a_sound_that_is_broken(run, tmp_path, capsys):
    write_sound(tmp_path / "a.wav", spoken("A"))
    (tmp_path / "b.wav").write_bytes(b"RIFF, but no more")
    write_sound(tmp_path / "c.wav", spoken("C"))
    assert "b.wav" in refused(["swan", "transcribe", run, tmp_path, "--json"], capsys)
    found = json.loads(
        called(capsys, "transcribe", run, tmp_path, "--on-bad-file", "skip", "--json")
    )
    assert [each["sound"] for each in found["sounds"]] == [
        str(tmp_path / "a.wav"),
        str(tmp_path / "c.wav"),
    ]
    assert found["skipped"] == 1


def made_again_is_refused(folder, capsys):
    """Features with something beside them are not replaced."""
    (folder / "notes.txt").write_text("mine")
    sentence = refused(
        ["swan", "features", "list.csv", "--out", folder, "--jobs", "1", "--overwrite"], capsys
    )
    return "holds notes.txt beside its features" in sentence


class TestFormats:
    @pytest.fixture
    def sounds(self, tmp_path):
        folder = tmp_path / "my sounds"
        folder.mkdir()
        for word in ("AB", "CA", "B"):
            write_sound(folder / f"{word}.wav", spoken(word))
        return folder

    def test_a_table_is_a_list_of_recordings(self, run, sounds, tmp_path, capsys, monkeypatch):
        monkeypatch.chdir(sounds)
        table = called(capsys, "transcribe", run, ".", "--format", "csv")
        (tmp_path / "list.csv").write_text(table)
        rows = list(csv.DictReader(table.splitlines()))
        assert [Path(row["audio"]) for row in rows] == sorted(sounds.iterdir())
        monkeypatch.chdir(tmp_path)
        made = called(capsys, "features", "list.csv", "--out", "made", "--jobs", 1, "--json")
        heard = [row["transcript"] for row in rows]
        assert json.loads(made)["with_transcript"] == sum(bool(text) for text in heard) > 0
        assert made_again_is_refused(tmp_path / "made", capsys)
        stored = FeatureStore(tmp_path / "made").recordings()
        assert [each.words or "" for each in stored] == heard

    def test_words_have_times(self, run, sounds, capsys):
        lines = called(capsys, "transcribe", run, sounds / "AB.wav", "--format", "ctm").splitlines()
        found = json.loads(called(capsys, "transcribe", run, sounds / "AB.wav", "--json"))
        best = found["sounds"][0]["pieces"][0]["transcripts"][0]
        (line,) = lines
        name, channel, begin, seconds, word, confidence = line.split(" ")
        assert (Path(name).name, channel, word) == ("AB.wav", "1", best["text"])
        assert "my_sounds" in name
        assert float(begin) == best["symbols"][0]["begin"]
        assert float(begin) + float(seconds) == pytest.approx(best["symbols"][-1]["end"], abs=2e-3)
        assert 0 < float(confidence) <= 1

    def test_subtitles_are_of_one_sound(self, run, sounds, capsys):
        text = called(capsys, "transcribe", run, sounds / "AB.wav", "--format", "srt")
        assert re.fullmatch(r"1\n00:00:00,\d{3} --> 00:00:00,\d{3}\n[ABC]+\n\n", text)
        sentence = refused(["swan", "transcribe", run, sounds, "--format", "srt"], capsys)
        assert "subtitles are of one sound, but there are 3" in sentence

    def test_of_phones_and_of_nothing(self):
        heard = Transcript(("d", "y"), 0.25, (TimedSegment(("d", "y"), 0.0, 0.1, 0.05, 0.5),))
        table, pieces = CsvTranscripts("phones"), [Piece(0, 0.1, [heard]), Piece(0.1, 0.2, [heard])]
        assert table.begin() == "audio,phones,probability\n"
        assert table.sound("/a.wav", pieces) == "/a.wav,d y d y,0.0625\n"
        assert table.sound("/a.wav", [Piece(0, 0.1, [])]) == "/a.wav,,\n"
        space = Transcript((" ",), 0.5, (TimedSegment((" ",), 0.0, 0.1, 0.05, 0.5),))
        assert SrtTranscripts("characters").sound("a.wav", [Piece(0, 0.1, [space])]) == ""

    def test_one_format_at_a_time(self, run, sounds, capsys):
        arguments = ["swan", "transcribe", run, sounds, "--format", "csv", "--json"]
        assert "--json is another one" in refused(arguments, capsys)

    def test_words_stand_between_spaces(self):
        segments = [
            TimedSegment(tuple("GO"), 0.0, 0.2, 0.1, 0.9),
            TimedSegment(tuple(" O"), 0.2, 0.4, 0.3, 0.8),
            TimedSegment(("N",), 0.4, 0.5, 0.45, 0.5),
        ]
        transcript = Transcript(tuple("GO ON"), 0.5, tuple(segments))
        words = list(timed_words(transcript, "characters"))
        assert [(each.text, each.confidence) for each in words] == [("GO", 0.9), ("ON", 0.5)]
        assert [(each.begin, each.end) for each in words] == [(0, 0.2), (pytest.approx(0.3), 0.5)]
        phones = [each.text for each in timed_words(transcript, "phones")]
        assert phones == ["G", "O", " ", "O", "N"]


def test_more_transcripts_than_the_beam_are_refused(run, tmp_path, capsys):
    sound = write_sound(tmp_path / "x.wav", spoken("A"))
    sentence = refused(["swan", "transcribe", run, sound, "--n-best", "9"], capsys)
    assert "n_best is 9, but a beam of 5 finds no more than 5; raise --beam" in sentence


def test_only_some_are_judged(run, features, capsys):
    some = called(capsys, "evaluate", run, features, "--part", "train", "--limit", 5, "--json")
    assert json.loads(some)["utterances"] == 5


def test_what_holds_no_features_is_told_how_to_get_some(run, tmp_path, capsys):
    sentence = refused(["swan", "evaluate", run, tmp_path / "list.csv"], capsys)
    assert "holds no features; make them with 'segtopic swan features'" in sentence
    assert "make features of the sounds in it with 'segtopic swan features'" in refused(
        ["swan", "train", "--data", tmp_path, "--out", tmp_path / "run"], capsys
    )


def made_features(folder, *wishes, said=("AB", "CA", "B", "ABC"), **columns):
    """Features of a list with some sounds, all with these columns."""
    folder.mkdir()
    rows = []
    for n, word in enumerate(said):
        sound = write_sound(folder / f"{n}.wav", spoken(word or "A"))
        rows.append({"audio": str(sound), "transcript": word, **columns})
    (folder / "list.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = folder / "features"
    arguments = [str(folder / "list.jsonl"), "--out", str(out), "--jobs", "1", *wishes]
    assert main(["swan", "features", *arguments]) == 0
    return out


class TestRefusedBeforeAnythingIsLost:
    @pytest.fixture
    def copy(self, run, tmp_path):
        return Path(shutil.copytree(run, tmp_path / "copy"))

    def refused(self, copy, data, capsys, *more):
        before = (copy / WEIGHTS).read_bytes()
        wishes = [f"--{name.replace('_', '-')}={value}" for name, value in TINY.items()]
        arguments = ["train", "--data", data, "--out", copy, "--overwrite", *wishes, *more]
        sentence = refused(["swan", *arguments], capsys)
        assert (copy / WEIGHTS).read_bytes() == before
        load_listener(copy)
        return sentence

    def test_a_later_recording_without_a_transcript(self, copy, tmp_path, capsys):
        data = made_features(tmp_path / "made", said=("AB", "CA", "", "ABC"))
        assert "has no transcript" in self.refused(copy, data, capsys)

    def test_no_transcript_at_all(self, copy, tmp_path, capsys):
        data = made_features(tmp_path / "made", said=("", "", ""))
        sentence = self.refused(copy, data, capsys, "--on-bad-line=skip")
        assert "nobody wrote down what is said in any training recording" in sentence

    def test_nothing_that_can_be_said(self, copy, features, capsys):
        stride = ("--first-stride=100", "--max-segment-length=1")
        sentence = self.refused(copy, features, capsys, *stride)
        assert re.search(r"none of the \d+ training recordings is long enough", sentence)

    def test_development_recordings_that_are_made_otherwise(self, copy, features, tmp_path, capsys):
        narrow = made_features(tmp_path / "narrow", "--filters", "10")
        sentence = self.refused(copy, features, capsys, f"--dev={narrow}")
        assert f"has 33 numbers in a frame, but {features} 123" in sentence
        faster = made_features(tmp_path / "faster", "--rate", "16000")
        sentence = self.refused(copy, features, capsys, f"--dev={faster}")
        assert "(rate 16000, not 8000)" in sentence

    def test_no_part_to_learn_from(self, copy, features, tmp_path, capsys):
        other = made_features(tmp_path / "other", part="test")
        for more in ([], [f"--dev={features}"]):
            assert "has no part 'train'" in self.refused(copy, other, capsys, *more)


def test_recordings_without_a_transcript_may_be_skipped(run, tmp_path, capsys):
    data = made_features(tmp_path / "made", said=("AB", "CA", "", "B"))
    sentence = refused(["swan", "evaluate", run, data, "--part", "train"], capsys)
    assert "has no transcript; fix it, or pass --on-bad-line skip" in sentence
    skipping = ("--on-bad-line", "skip", "--json")
    found = json.loads(called(capsys, "evaluate", run, data, "--part", "train", *skipping))
    assert found["utterances"] == 3
    first = ("--limit", 2, "--json")  # of those that are not looked at nothing is asked
    found = json.loads(called(capsys, "evaluate", run, data, "--part", "train", *first))
    assert found["utterances"] == 2
    config = SwanConfig(data=str(data), **{**TINY, "epochs": 1}, on_bad_line="skip")
    results = train_listener(config, tmp_path / "run").results
    assert results["inputs"] + results["development_inputs"] == 3


def test_sounds_that_nobody_wrote_down_are_drawn(run, tmp_path, capsys):
    data, page = made_features(tmp_path / "made", said=("", "")), tmp_path / "page.html"
    called(capsys, "report", run, data, "--part", "train", "--out", page)
    assert page.read_text().count("<article") == 2
    assert "No transcript" in page.read_text()


def test_the_development_part_of_another_folder(features, tmp_path):
    other = made_features(tmp_path / "other", part="dev")
    settings = {**TINY, "epochs": 1, "limit": 7}
    config = SwanConfig(data=str(features), dev=str(other), **settings)
    trained = train_listener(config, tmp_path / "run")
    assert (trained.results["inputs"], trained.results["development_inputs"]) == (7, 4)


def test_epochs_are_chosen_as_evaluations_count():
    """TIMIT's 61 phones are compared as 39 classes: 'ix' is as good as 'ih'."""
    table = SymbolTable(("h#", "ih", "ix", "q"))

    class Model:
        def decode(self, inputs, lengths):
            return [[Hypothesis((0, 2, 3, 0), 0.0)] for _ in inputs]

    some = [Utterance("a", "", torch.zeros(4, 3), ("h#", "ih", "h#"), "", (), ())]
    assert as_development(some, table, "phones").errors(Model()).edits.tolist() == [0]
    assert as_development(some, table, "spaces").errors(Model()).edits.tolist() == [2]


def test_a_sound_of_nothing_is_refused(run, tmp_path, capsys):
    sound = write_sound(tmp_path / "x.wav", spoken("A")[:0])
    assert "x.wav: holds no sound; leave it out" in refused(
        ["swan", "transcribe", run, sound], capsys
    )


def test_a_long_sound_is_heard_in_pieces(run, tmp_path, capsys):
    samples = np.concatenate([spoken("ABC", seed=seed) for seed in range(8)])
    sound = write_sound(tmp_path / "long.wav", samples)
    found = json.loads(called(capsys, "transcribe", run, sound, "--piece", 1, "--json"))
    pieces = found["sounds"][0]["pieces"]
    assert len(pieces) > 3
    ends = [round(piece["end"], 2) for piece in pieces[:-1]]
    assert ends == [round(piece["begin"], 2) for piece in pieces[1:]]
    assert round(pieces[-1]["end"], 1) == round(len(samples) / RATE, 1)


def test_a_training_that_was_interrupted_ends_with_the_same_weights(features, tmp_path, run):
    config = SwanConfig(data=str(features), **{**TINY, "epochs": 3, "ctc_first": 0.4})
    whole = train_listener(config, tmp_path / "whole").folder

    from pytorch_lightning.callbacks import Callback

    class Interrupt(Callback):
        def on_train_epoch_start(self, trainer, pl_module):
            if trainer.current_epoch == 2:
                raise KeyboardInterrupt

    with pytest.raises((KeyboardInterrupt, SystemExit)):
        train_listener(config, tmp_path / "part", callbacks=[Interrupt()])
    part = train_listener(config, tmp_path / "part", resume=True).folder
    assert (whole / WEIGHTS).read_bytes() == (part / WEIGHTS).read_bytes()
    for folder in (whole, part):
        with (folder / "metrics.csv").open() as lines:
            watched = [float(each["watched"]) for each in csv.DictReader(lines)]
        # The guide, which learns alone at first, is judged by its own errors, and is never kept.
        assert [each > -MOST_ERRORS for each in watched] == [False, True, True]


def test_the_page_holds_sounds_and_pictures_and_reaches_nothing(run, tmp_path, capsys):
    page, pictures = tmp_path / "page.html", tmp_path / "pictures"
    called(capsys, "report", run, "-o", page, "--words", 2, "--pictures", pictures)
    text = page.read_text()
    assert text.count("data:audio/wav;base64,") == 2
    assert not re.search(r"(src|href)=\"https?:", text)
    assert "media-src data:" in text
    assert "default-src 'none'" in text
    assert sorted(path.name for path in pictures.iterdir()) == [
        "utterance-1.png",
        "utterance-1.svg",
        "utterance-2.png",
        "utterance-2.svg",
    ]
    from PIL import Image

    with Image.open(pictures / "utterance-1.png") as picture:
        assert picture.size[0] > 500


def test_commands_for_symbols_say_what_to_use(run, tmp_path, capsys):
    assert "reads sounds, not symbols" in refused(["swan", "decode", run, "-"], capsys)
    text = tmp_path / "a.txt"
    text.write_text("no sound")
    assert "is no sound file that can be read" in refused(["swan", "transcribe", run, text], capsys)


def test_a_changed_file_is_noticed(run, tmp_path, capsys):
    copy = tmp_path / "copy"
    shutil.copytree(run, copy)
    (copy / LISTENER).write_text((copy / LISTENER).read_text().replace("0", "1", 1))
    sound = write_sound(tmp_path / "x.wav", spoken("A"))
    assert "has changed since the training" in refused(["swan", "transcribe", copy, sound], capsys)


def test_neighbours_do_not_change_what_is_heard(run):
    trained = load_listener(run)
    inputs = [each.inputs for each in trained.development()]
    together = trained.listener.predict(inputs, SearchConfig(beam=3))
    alone = [trained.listener.predict([each], SearchConfig(beam=3))[0] for each in inputs]
    for one, other in zip(together, alone, strict=True):
        assert one[0][0] == other[0][0]
        assert abs(one[0][1] - other[0][1]) < 1e-9


def test_development_speakers_are_not_learned():
    some = [Recording(str(n), speaker=f"s{n % 5}") for n in range(50)]
    learned, held_out = split_by_speaker(some, 0.15, seed=0)
    assert {each.speaker for each in learned} & {each.speaker for each in held_out} == set()
    assert len(held_out) == 10
