"""What documents, ids and file names say is shown on a terminal, but never obeyed."""

import io
import json
import os
import re
import subprocess
import sys

import pytest

from segtopic.cli import main
from segtopic.commands import display
from segtopic.harmless import for_line, for_spreadsheet, for_terminal
from tests.report.reported import HOSTILE
from tests.training.planted import planted_texts

EVIL = "evil\x1b[31m\x1b]0;owned\x07\x9b2J\u202egnp\u2066\r\n\tx[/bold][link=x]y"
STYLE = re.compile("\x1b\\[[0-9;]*m")
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class Terminal(io.TextIOWrapper):
    """A stream that takes itself for a terminal."""

    def __init__(self, encoding="utf-8"):
        super().__init__(io.BytesIO(), encoding=encoding)

    def isatty(self):
        return True

    def shown(self):
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)


def assert_harmless(shown):
    """Nothing moves the cursor or turns the text, but for our own colours."""
    assert not OBEYED.search(STYLE.sub("", shown)), repr(OBEYED.search(STYLE.sub("", shown)))


def on_terminal(monkeypatch, encoding="utf-8"):
    """The standard output is a terminal from here on."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "300")
    stream = Terminal(encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    return stream


def test_tables_show_what_they_are_given(monkeypatch):
    terminal = on_terminal(monkeypatch)
    display.print_table(f"title {EVIL}", ("a", "b"), [(EVIL, "[b]"), ("\udcff", "\\[x]")])
    shown = STYLE.sub("", terminal.shown())
    assert_harmless(shown)
    for part in (for_line(EVIL), "[b]", "\\[x]", "\\udcff", f"title {for_line(EVIL)}"):
        assert part in shown


def test_tables_in_files_keep_their_lines(capsys):
    display.print_table(f"title {EVIL}", ("a", "b"), [(EVIL, "x"), ("y" * 10**6, "z")])
    shown = capsys.readouterr().out
    assert_harmless(shown)
    assert shown.count("\n") == 4
    assert len(shown) < 3000


def test_a_terminal_with_few_characters(monkeypatch):
    stream = on_terminal(monkeypatch, "ascii")
    monkeypatch.setenv("SEGTOPIC_DATA", "/nowhere-é\u202e")
    assert main(["data"]) == 0
    assert "lee" in stream.shown()


@pytest.fixture
def evil_corpus(tmp_path):
    """Hostile names everywhere: of the folder, the file, the documents, and in the words."""
    folder = tmp_path / "dir\x1b[2J\u202e"
    folder.mkdir()
    texts, _ = planted_texts(40)
    rows = [{"id": f"{EVIL}{n % 30}", "text": text} for n, text in enumerate(texts)]
    rows += [{"id": name, "text": text} for name, text in HOSTILE.items()]
    path = folder / "evil\x1b[31m[b]\u202e.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


SMALL = ["--n-topics", "2", "--hidden-size", "8", "--encoder-size", "8", "--epochs", "1"]
SMALL += ["--trainer.threads", "1", "--refine-steps", "2", "--on-bad-line", "skip"]


def test_every_command_is_harmless_on_a_terminal(evil_corpus, capfd, monkeypatch):
    terminal = on_terminal(monkeypatch)
    run = evil_corpus.parent / "run\x1b[31m"
    skip = ("--on-bad-line", "skip")
    for arguments in (
        ("prepare", evil_corpus, *skip),
        ("train", "--data", evil_corpus, "--out", run, *SMALL),
        ("evaluate", run, "--samples", 1),
        ("topics", run),
        ("topics", run, "--format", "csv"),
        ("report", run),
        *(("segment", run, evil_corpus, "--format", f, *skip) for f in ("text", "jsonl", "csv")),
    ):
        assert main(list(map(str, arguments))) == 0, arguments
    for arguments in (
        ("prepare", f"{EVIL}.jsonl"),
        ("train", f"--{EVIL}"),
        ("topics", run, "--rank", EVIL),
        (EVIL,),
        ("segment", evil_corpus, EVIL),
    ):
        assert main(list(map(str, arguments))) == 2, arguments
    assert_harmless(terminal.shown())
    said = capfd.readouterr().err
    assert_harmless(said)
    assert "evil" in said


def test_a_name_that_is_no_unicode(tmp_path, capsys):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl")
    texts, _ = planted_texts(30)
    with open(path, "w") as file:
        file.writelines(json.dumps({"text": text}) + "\n" for text in texts)
    run = str(tmp_path / "run")
    assert main(["prepare", path]) == 0
    assert main(["train", "--data", path, "--out", run, *SMALL]) == 0
    assert main(["topics", run]) == 0
    assert main(["report", run]) == 0
    shown = capsys.readouterr().out
    assert "caf\\udce9.jsonl" in shown


@pytest.mark.parametrize("sign", "=+-@|%\uff1d\uff0b\t\r\n")
def test_no_cell_is_a_formula(sign):
    assert for_spreadsheet(f"{sign}cmd|' /C calc'!A0").startswith("'")
    assert for_spreadsheet("a" + sign) == "a" + sign


def test_escapes_are_readable():
    assert for_terminal("a\nb\tc\x1b") == "a\nb\tc\\x1b"
    assert for_line("a\nb\tc\x1b") == "a\\nb\\tc\\x1b"


def test_a_real_terminal_gets_one_harmless_sentence(tmp_path):
    code = "import sys; from segtopic.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "prepare", str(tmp_path / EVIL)],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert_harmless(done.stderr.decode())
    assert done.stderr.count(b"\n") == 1
