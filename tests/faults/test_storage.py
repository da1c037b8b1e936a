"""Full, read-only and damaged storage: one sentence, and never another answer."""

import errno
import io
import json
import random
import resource
import shutil
import signal
import subprocess
from contextlib import contextmanager

import pytest
import torch

from segtopic.cli import main
from segtopic.errors import OutputError, RunError
from segtopic.files import name_also, write_atomically
from segtopic.runs import load_run
from segtopic.training.checkpoints import DamagedCheckpoint, checkpoint_to_resume, read_checkpoint
from segtopic.training.task import TrainingTask
from tests.faults.commands import (
    ONE_THREAD,
    SEALED,
    can_mount,
    refused,
    train_arguments,
    train_quietly,
)
from tests.training.planted import planted_file, small

FLIPS = 100


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return planted_file(tmp_path_factory.mktemp("planted"), n_documents=60)


@pytest.fixture(scope="module")
def config(source):
    return small(source, epochs=3, hidden_size=8, encoder_size=8, test_share=0.2)


@pytest.fixture(scope="module")
def whole(config, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "run"
    return train_quietly(config, folder, ONE_THREAD, keep_checkpoints=True)


@pytest.fixture
def copy(whole, tmp_path):
    return shutil.copytree(whole.folder, tmp_path / "run")


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("bababa badeba bafiba")
    return path


def origin(run):
    return TrainingTask.of(run.corpus, run.config).origin()


def flip(path, generator):
    """Flip one bit of a file."""
    content = bytearray(path.read_bytes())
    content[generator.randrange(len(content))] ^= 1 << generator.randrange(8)
    path.write_bytes(content)


def serialised(checkpoint):
    buffer = io.BytesIO()
    torch.save(checkpoint, buffer)
    return buffer.getvalue()


class TestRunFolder:
    @pytest.mark.parametrize("name", SEALED)
    @pytest.mark.parametrize("damage", ["missing", "flipped"])
    def test_a_missing_or_changed_file_is_named(self, copy, text, capsys, name, damage):
        path = copy / name
        if damage == "missing":
            path.unlink()
        else:
            flip(path, random.Random(0))
        for command in ("evaluate", "topics", "report", "segment"):
            arguments = [command, copy, *([text] if command == "segment" else [])]
            if (command, name) == ("segment", "documents.arrow"):
                assert main([str(argument) for argument in arguments]) == 0  # they are not needed
                continue
            sentence = refused(arguments, capsys)
            assert str(copy) in sentence
            assert name in sentence
        arguments = ["train", "--config", copy / "config.yaml", "--out", copy, "--resume"]
        assert str(copy) in refused(arguments, capsys)

    def test_without_its_results_a_run_can_go_on(self, whole, copy, capsys):
        (copy / "run.json").unlink()
        assert "has not finished; go on with 'segtopic train --config" in refused(
            ["evaluate", copy], capsys
        )
        config = str(copy / "config.yaml")
        assert main(["train", "--config", config, "--out", str(copy), "--resume"]) == 0
        for name in SEALED:
            assert (copy / name).read_bytes() == (whole.folder / name).read_bytes()

    @pytest.mark.parametrize("name", ["checkpoints", "tensorboard"])
    def test_what_only_a_training_needs_may_go(self, whole, copy, name):
        shutil.rmtree(copy / name)
        assert load_run(copy).results == whole.results

    def test_no_flipped_bit_goes_unnoticed(self, whole, copy):
        generator = random.Random(1)
        names = [*SEALED, "run.json"]
        for _ in range(FLIPS):
            path = copy / generator.choice(names)
            flip(path, generator)
            with pytest.raises(RunError, match=r"damaged|changed|version"):
                assert load_run(copy).corpus.documents.n_words
            shutil.copy(whole.folder / path.name, path)
        assert load_run(copy).results == whole.results

    def test_cut_weights_are_noticed(self, copy):
        path = copy / "model.safetensors"
        content = path.read_bytes()
        for tenths in range(10):
            path.write_bytes(content[: len(content) * tenths // 10])
            with pytest.raises(RunError, match=r"model\.safetensors: has changed"):
                load_run(copy)

    @pytest.mark.parametrize("version", [1, 2, 99])
    def test_runs_of_other_versions_are_refused(self, copy, version):
        results = json.loads((copy / "run.json").read_text())
        (copy / "run.json").write_text(json.dumps({**results, "format_version": version}))
        with pytest.raises(RunError, match=f"format version {version}.*train again"):
            load_run(copy)


class TestCheckpoints:
    @pytest.fixture
    def unfinished(self, copy):
        (copy / "run.json").unlink()
        return copy

    def test_a_cut_checkpoint_gives_way_to_the_other_one(self, whole, unfinished):
        expected = origin(whole)
        last, best = (unfinished / "checkpoints" / name for name in ("last.ckpt", "best.ckpt"))
        content = last.read_bytes()
        for tenths in range(10):
            last.write_bytes(content[: len(content) * tenths // 10])
            with pytest.warns(DamagedCheckpoint, match="last.ckpt: is damaged"):
                assert checkpoint_to_resume(unfinished, expected) == best

    def test_the_training_ends_as_if_nothing_was_damaged(self, whole, unfinished, config):
        last = unfinished / "checkpoints" / "last.ckpt"
        last.write_bytes(last.read_bytes()[:1000])
        with pytest.warns(DamagedCheckpoint):
            train_quietly(config, unfinished, ONE_THREAD, resume=True)
        for name in SEALED[:5]:
            assert (unfinished / name).read_bytes() == (whole.folder / name).read_bytes()

    def test_flipped_bits_are_noticed_or_harmless(self, whole, unfinished):
        """Where a flip is not noticed, all that is read is as it was."""
        expected, generator = origin(whole), random.Random(2)
        last = unfinished / "checkpoints" / "last.ckpt"
        content, noticed = last.read_bytes(), 0
        before = serialised(read_checkpoint(last))
        for _ in range(FLIPS):
            flip(last, generator)
            try:
                assert checkpoint_to_resume(unfinished, expected) is not None
                assert serialised(read_checkpoint(last)) == before
            except DamagedCheckpoint:  # warnings are errors here
                noticed += 1
            last.write_bytes(content)
        assert noticed > FLIPS / 2

    def test_without_any_whole_checkpoint_it_says_what_to_do(self, unfinished, capsys):
        for name in ("last.ckpt", "best.ckpt"):
            path = unfinished / "checkpoints" / name
            path.write_bytes(path.read_bytes()[:1000])
        arguments = ["train", "--config", unfinished / "config.yaml", "--out", unfinished]
        sentence = refused([*arguments, "--resume"], capsys)
        assert "best.ckpt: is damaged" in sentence
        assert "last.ckpt: is damaged" in sentence
        assert "begin again with --overwrite" in sentence

    def test_other_settings_are_not_mixed_in(self, whole, unfinished, capsys):
        """A flipped bit in the settings of an unfinished run must not change the training."""
        path = unfinished / "config.yaml"
        path.write_text(path.read_text().replace("\nseed: 0\n", "\nseed: 1\n"))
        arguments = ["train", "--config", path, "--out", unfinished, "--resume"]
        assert "was made with another seed" in refused(arguments, capsys)


class TestWriting:
    def test_a_file_too_large_leaves_the_old_one(self, tmp_path):
        path = tmp_path / "file"
        write_atomically(path, "old")
        with at_most(1000), pytest.raises(OutputError, match="file: cannot be written"):
            write_atomically(path, "n" * 5000)
        assert path.read_text() == "old"
        assert list(tmp_path.iterdir()) == [path]

    @pytest.mark.parametrize("links", [True, False])
    def test_a_second_name(self, tmp_path, monkeypatch, links):
        def refuse(*arguments):
            raise OSError(errno.EPERM, "no links here")

        if not links:
            monkeypatch.setattr("os.link", refuse)
        first, second = tmp_path / "first", tmp_path / "second"
        first.write_text("new")
        second.write_text("old")
        name_also(first, second)
        assert (first.read_text(), second.read_text()) == ("new", "new")
        assert first.samefile(second) == links
        name_also(first, second)  # which has the name already
        assert set(tmp_path.iterdir()) == {first, second}

    def test_a_checkpoint_that_cannot_be_written_ends_the_training(self, source, tmp_path, capsys):
        arguments = train_arguments(source, tmp_path / "run", epochs=1)
        with at_most(50_000):
            sentence = refused(arguments, capsys)
        assert "last.ckpt: cannot be written (File too large)" in sentence
        assert "go on with --resume" in sentence
        assert not list(tmp_path.rglob("*.tmp"))
        assert main([*arguments, "--resume"]) == 0

    def test_a_failed_training_does_not_cost_the_run_it_was_to_replace(self, copy, capsys):
        refused(["train", "--data", "nowhere.jsonl", "--out", copy, "--overwrite"], capsys)
        load_run(copy)

    def test_a_file_in_the_way(self, source, tmp_path, capsys):
        (tmp_path / "run").write_text("mine")
        assert "run: cannot be written" in refused(
            train_arguments(source, tmp_path / "run"), capsys
        )
        assert (tmp_path / "run").read_text() == "mine"


@contextmanager
def at_most(n_bytes):
    """No file may become larger, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


class TestFileSystems:
    """On file systems of their own, where they may be made."""

    @pytest.fixture
    def mounted(self, tmp_path):
        folder = tmp_path / "mounted"
        folder.mkdir()
        if not can_mount(folder):
            pytest.skip("needs the right to mount a file system")
        points = []

        def mount(size):
            options = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
            subprocess.run(options, check=True)
            points.append(folder)
            return folder

        yield mount
        for point in points:
            subprocess.run(["umount", str(point)], check=True)

    @pytest.mark.parametrize("size", ["8k", "16k", "24k", "120k", "300k"])
    def test_a_full_disk(self, source, mounted, capsys, size):
        """In the settings, in TensorBoard's file, in metrics.csv, and in either checkpoint."""
        folder = mounted(size)
        sentence = refused(train_arguments(source, folder / "run"), capsys)
        assert "(No space left on device); make room" in sentence
        assert not list(folder.rglob("*.tmp"))
        subprocess.run(["mount", "-o", "remount,size=50m", str(folder)], check=True)
        assert main([*train_arguments(source, folder / "run"), "--resume"]) == 0

    def test_a_read_only_folder(self, source, whole, mounted, capsys):
        folder = mounted("50m")
        shutil.copytree(whole.folder, folder / "run")
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        for arguments in (
            train_arguments(source, folder / "new"),
            [*train_arguments(source, folder / "run"), "--overwrite"],
            ["report", folder / "run"],
            ["topics", folder / "run", "--out", folder / "topics.txt"],
            ["prepare", source, "--out", folder / "corpus"],
        ):
            assert "cannot be written" in refused(arguments, capsys)
        assert main(["evaluate", str(folder / "run")]) == 0
