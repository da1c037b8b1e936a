"""A training that is killed or interrupted goes on as if nothing had happened."""

import importlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from segtopic.cli import main
from segtopic.config import CorpusConfig
from segtopic.corpus import prepare_corpus
from segtopic.files.whole import InUse, held
from tests.faults.commands import ONE_THREAD, refused, train_arguments, train_quietly
from tests.training.planted import planted_file, small

SCRIPT = Path(__file__).parents[2] / "scripts" / "kill_training.py"
PATIENCE = 900  # seconds; only what hangs takes so long, on however busy a machine
SHORT_OF_A_FLUSH = 120  # seconds; a fault of old waited so long for the next flush


def kill(times, seed):
    command = [sys.executable, str(SCRIPT), "--kills", str(times), "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_killed_trainings_end_as_the_undisturbed_one():
    assert kill(times=2, seed=3)["identical"] == 2


@pytest.mark.slow
def test_many_killed_trainings_end_as_the_undisturbed_one():
    found = kill(times=20, seed=4)
    assert found["identical"] == 20
    assert found["moments"].keys() >= {"preparing", "first epoch", "later epoch"}


INSIDE_TENSORBOARD = """
import os, queue, signal, sys, threading, time
from tensorboard.summary.writer import event_file_writer

signal.signal(signal.SIGINT, signal.default_int_handler)
entries = []

class Interrupted(threading.Condition):
    def notify(self, n=1):
        if threading.current_thread() is threading.main_thread():
            entries.append(n)
            if len(entries) == 9:
                os.kill(os.getpid(), signal.SIGINT)
        super().notify(n)

class Queue(queue.Queue):
    def __init__(self, size):
        super().__init__(size)
        self.not_empty = Interrupted(self.mutex)

    def put(self, *arguments):
        if len(entries) == 8:
            time.sleep(1)  # until its thread waits for an entry
        super().put(*arguments)

event_file_writer.queue.Queue = Queue
from segtopic.cli import main
sys.exit(main(sys.argv[1:]))
"""


class TestAtWork:
    @pytest.fixture
    def source(self, tmp_path):
        return planted_file(tmp_path, n_documents=60)

    @pytest.fixture
    def working(self, source, tmp_path):
        """A training that would take for ever, after its first epoch."""
        arguments = [*train_arguments(source, tmp_path / "run", 100_000), "--patience", "100000"]
        process = subprocess.Popen(
            [sys.executable, "-m", "segtopic", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            # A shell's background jobs ignore the signal, and so would all they start.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        wait_for(lambda: (tmp_path / "run" / "checkpoints" / "last.ckpt").exists())
        yield process
        process.kill()
        process.communicate()

    def test_others_are_kept_out_and_an_interruption_says_how_to_go_on(
        self, source, working, tmp_path, capsys
    ):
        folder = tmp_path / "run"
        before = (folder / "config.yaml").read_bytes()
        for more in ([], ["--resume"], ["--overwrite"]):
            sentence = refused([*train_arguments(source, folder), *more], capsys)
            assert "another training is at work there" in sentence
        assert working.poll() is None
        assert (folder / "config.yaml").read_bytes() == before
        working.send_signal(signal.SIGINT)
        _, printed = working.communicate(timeout=PATIENCE)
        assert working.returncode == 130
        *_, sentence = printed.splitlines()
        assert "segtopic: interrupted; all epochs that had ended are saved; go on" in sentence
        assert "Traceback" not in printed
        command = shlex.split(sentence.split("'")[1])
        epochs = len((folder / "metrics.csv").read_text().splitlines())
        assert main([*command[1:], "--epochs", str(epochs + 1)]) == 0
        assert len((folder / "metrics.csv").read_text().splitlines()) == epochs + 2

    def test_an_interruption_inside_tensorboard_ends_too(self, source, tmp_path):
        """The signal comes when an entry is counted but its thread does not know of it."""
        arguments = [*train_arguments(source, tmp_path / "run", 100_000), "--patience", "100000"]
        done = subprocess.run(
            [sys.executable, "-c", INSIDE_TENSORBOARD, *arguments],
            capture_output=True,
            text=True,
            timeout=SHORT_OF_A_FLUSH,
            check=False,
        )
        assert done.returncode == 130, done.stderr
        assert "interrupted; all epochs that had ended are saved" in done.stderr.splitlines()[-1]

    def test_before_the_training_nothing_is_kept(self, source, tmp_path, capsys, monkeypatch):
        def interrupted(*arguments, **settings):
            raise KeyboardInterrupt

        module = importlib.import_module("segtopic.runs.corpus")
        monkeypatch.setattr(module, "prepare_corpus", interrupted)
        assert main(train_arguments(source, tmp_path / "run")) == 130
        assert "the training had not begun, nothing was kept" in capsys.readouterr().err
        assert not (tmp_path / "run").exists()

    def test_half_written_files_are_removed(self, source, tmp_path):
        config = small(source, epochs=1, hidden_size=8, encoder_size=8)
        kept = {"keep_checkpoints": True}
        folder = train_quietly(config, tmp_path / "run", ONE_THREAD, **kept).folder
        (folder / "run.json").unlink()
        (folder / ".run.json.99.tmp").write_text("{")
        (folder / "checkpoints" / ".last.ckpt.99.tmp").write_bytes(b"PK")
        train_quietly(config, folder, ONE_THREAD, resume=True)
        assert not list(folder.rglob("*.tmp"))

    def test_a_training_killed_before_its_first_file_can_be_repeated(self, source, tmp_path):
        folder = tmp_path / "run"
        folder.mkdir()
        (folder / ".config.yaml.99.tmp").write_text("data:")
        train_quietly(small(source, epochs=1, hidden_size=8), folder, ONE_THREAD)


class TestPreparation:
    def test_what_a_killed_preparation_left_is_removed(self, tmp_path):
        abandoned, foreign = tmp_path / ".corpus.partial-abc", tmp_path / ".corpus2.partial-abc"
        for folder in (abandoned, foreign):
            folder.mkdir()
            (folder / "tokens.arrow").write_bytes(b"ARROW")
        config = CorpusConfig(data=str(planted_file(tmp_path, n_documents=20)))
        prepare_corpus(config, tmp_path / "corpus")
        assert not abandoned.exists()
        assert foreign.exists()

    def test_a_preparation_at_work_is_left_alone(self, tmp_path):
        at_work = tmp_path / ".corpus.partial-abc"
        at_work.mkdir()
        config = CorpusConfig(data=str(planted_file(tmp_path, n_documents=20)))
        with held(at_work):
            prepare_corpus(config, tmp_path / "corpus")
        assert at_work.exists()

    def test_workers_end_with_the_process_that_started_them(self):
        """It is killed, so that it cannot tell them."""
        program = """if True:
            import itertools
            from segtopic.config import CorpusConfig
            from segtopic.corpus.parallel import SERIAL_BATCHES, tokenised
            from segtopic.corpus.records import Record
            from segtopic.corpus.spans import SpanRules
            text = "the river bank " * 20_000
            records = (Record(None, text, "text") for _ in itertools.count())
            batches = tokenised(records, SpanRules.from_config(CorpusConfig()), 2)
            for number, _ in enumerate(batches):
                if number == SERIAL_BATCHES + 2:
                    print("at work", flush=True)
        """
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        workers = psutil.Process(process.pid).children()
        process.kill()
        process.communicate()
        assert len(workers) >= 2
        assert psutil.wait_procs(workers, timeout=PATIENCE)[1] == []


class TestLocks:
    def test_one_at_a_time(self, tmp_path):
        with held(tmp_path) as certain:
            assert certain
            with pytest.raises(InUse), held(tmp_path):
                pass
        with held(tmp_path):
            pass

    def test_a_folder_that_was_removed_is_not_held(self, tmp_path):
        with pytest.raises(InUse), held(tmp_path / "gone"):
            pass

    def test_a_killed_process_leaves_no_lock(self, tmp_path):
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            with held(tmp_path):
                os.write(writer, b"held")
                time.sleep(PATIENCE)
            os._exit(0)
        os.read(reader, 4)
        with pytest.raises(InUse), held(tmp_path):
            pass
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with held(tmp_path):
            pass

    def test_a_child_does_not_keep_the_lock_of_its_parent(self, tmp_path):
        reader, writer = os.pipe()
        with held(tmp_path):
            child = os.fork()
            if not child:
                os.write(writer, b"here")
                time.sleep(PATIENCE)
                os._exit(0)
            os.read(reader, 4)
        with held(tmp_path):
            pass
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def wait_for(condition):
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)
