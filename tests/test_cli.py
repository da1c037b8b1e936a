"""The command line, as a user types it."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from segtopic.cli import COMMANDS, main
from segtopic.commands.arguments import parse
from tests.corpus.conftest import STORIES

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("SEGTOPIC_DATA", "")


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "stories.lines"
    path.write_text("\n".join(STORIES))
    return str(path)


def segtopic(*arguments, **options):
    code = "import sys; from segtopic.cli import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def test_help_names_every_command():
    done = segtopic("--help")
    assert done.returncode == 0
    assert all(command in done.stdout for command in COMMANDS)


def test_help_version_and_no_command(capsys):
    assert main([]) == 0
    assert "commands:" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("segtopic ")
    with pytest.raises(SystemExit) as stop:
        main(["prepare", "--help"])
    assert stop.value.code == 0
    assert "--text-column" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["prepar"], "unknown command 'prepar'; did you mean 'prepare'?"),
        (["prepare", "--otu", "x"], "unknown flag --otu; did you mean '--out'?"),
        (["prepare", "nowhere.csv"], "nowhere.csv: there is no such file"),
        (["prepare", "--jobs", "0"], "jobs is 0"),
        (["data", "upload"], "'data upload' is unknown"),
        (["data", "download"], "name the corpus to download: lee, ap"),
        (["data", "download", "app"], "did you mean 'ap'"),
        (["data", "download", "acl"], "put acl-abstracts.jsonl.gz into a folder"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_code_2(capsys, arguments, message):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("segtopic: ")
    assert captured.err.count("\n") == 1
    assert message in captured.err
    assert captured.out == ""


def test_prepare_prints_a_summary(capsys, tmp_path, lines):
    out = str(tmp_path / "out")
    assert main(["prepare", lines, "--out", out]) == 0
    shown = capsys.readouterr().out
    for part in (
        "documents read",
        "10",
        "vocabulary",
        "spans",
        "outside the vocabulary",
        "train 8",
    ):
        assert part in shown
    assert main(["prepare", lines, "--out", out]) == 0
    assert "was prepared before, nothing has changed" in capsys.readouterr().out


def test_prepare_as_json(capsys, tmp_path, lines):
    skipped = tmp_path / "t.jsonl"
    rows = [json.dumps({"text": text}) for text in STORIES]
    skipped.write_text("\n".join([*rows, "{broken", '{"text": ""}', '{"text": "[the] of"}']))
    arguments = ["prepare", "--data", str(skipped), "--on-bad-line", "skip", "--json"]
    assert main(arguments) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["prepared_now"] is True
    assert shown["documents_read"] == 12
    assert shown["documents"] == 10
    assert (shown["dropped_empty"], shown["dropped_no_known_word"]) == (1, 1)
    assert shown["skipped_lines"] == 1
    assert shown["split"] == {"train": 8, "dev": 1, "test": 1}


def test_the_table_on_a_terminal(capsys, tmp_path, lines, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert main(["prepare", lines, "--out", str(tmp_path / "out")]) == 0
    assert "│" in capsys.readouterr().out
    monkeypatch.setenv("TERM", "dumb")
    assert main(["prepare", lines, "--out", str(tmp_path / "out")]) == 0
    assert "│" not in capsys.readouterr().out


def test_a_narrow_terminal_splits_no_word(capsys, tmp_path, lines, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.delenv("TERM", raising=False)
    assert main(["prepare", lines, "--out", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 60 + len(str(tmp_path))
    for word in ("documents", "vocabulary", "frequent", "average,"):
        assert word in shown


def test_data_lists_the_corpora(capsys):
    assert main(["data"]) == 0
    shown = capsys.readouterr().out
    for part in ("lee", "citeulike", "licence", "sha256:", "gitblob:", "segtopic data download ap"):
        assert part in shown
    assert main(["data", "--json"]) == 0
    corpora = json.loads(capsys.readouterr().out)["corpora"]
    assert [entry["name"] for entry in corpora] == ["lee", "ap", "citeulike", "acl"]
    assert corpora[0]["here"].endswith("lee_background.cor")
    assert corpora[1]["here"] is None


def test_data_shows_a_damaged_file(capsys, tmp_path, monkeypatch):
    (tmp_path / "ap.tgz").write_bytes(b"cut")
    monkeypatch.setenv("SEGTOPIC_DATA", str(tmp_path))
    assert main(["data"]) == 0
    assert "is not the file that 'ap' needs" in capsys.readouterr().out


def test_downloading_what_is_here_says_where(capsys):
    assert main(["data", "download", "lee"]) == 0
    assert "lee is here: " in capsys.readouterr().out
    assert main(["data", "download", "lee", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["path"].endswith("lee_background.cor")


def test_standard_input_and_a_reader_that_goes_away(tmp_path):
    text = "\n".join(STORIES)
    done = segtopic("prepare", "-", "--out", str(tmp_path / "out"), "--json", input=text)
    assert json.loads(done.stdout)["documents"] == 10, done.stderr
    command = f"{shlex.quote(sys.executable)} -m segtopic data | true"
    piped = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=ROOT, capture_output=True, check=False
    )
    assert piped.stderr == b""


def test_interruption_is_quiet(capsys, monkeypatch, lines):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("segtopic.corpus.prepare.prepare_corpus", interrupt)
    assert main(["prepare", lines]) == 130
    assert capsys.readouterr().err == "segtopic: interrupted\n"


def test_help_and_version_are_commands_too(capsys):
    assert main(["version"]) == 0
    assert capsys.readouterr().out.startswith("segtopic ")
    assert main(["help"]) == 0
    assert "commands:" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["help", "swan", "decode"])
    assert "usage: segtopic swan decode" in capsys.readouterr().out
    assert main(["help", "trane"]) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "--format", "jsonl", "-"],
        ["--format", "jsonl", "run", "-"],
        ["--no-refine", "run", "--format=jsonl", "-"],
        ["run", "-", "--format", "jsonl"],
    ],
)
def test_places_are_filled_in_any_order(arguments):
    from segtopic.commands.segment import parser

    chosen = parse(parser(), arguments)
    assert (chosen.run, chosen.sources, chosen.format) == ("run", ["-"], "jsonl")


def test_flags_with_several_values_keep_them():
    from segtopic.commands.compare import parser

    chosen = parse(parser(), ["--beside", "a", "b", "--quick", "run"])
    assert (chosen.run, chosen.beside, chosen.quick) == ("run", ["a", "b"], True)


@pytest.mark.parametrize("command", ["train", "prepare"])
def test_a_source_stands_alone(command, capsys):
    assert main([command, "nowhere.csv"]) == 2
    assert "nowhere.csv: there is no such file" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion_knows_commands_flags_and_choices(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for known in (*COMMANDS, "--text-column", "three-ways", "decode", "--beam"):
        assert known in script


def test_completion_is_installed_where_bash_looks(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(["completion", "bash", "--install"]) == 0
    script = tmp_path / "bash-completion" / "completions" / "segtopic"
    assert str(script) in capsys.readouterr().out
    complete = (
        f"source {shlex.quote(str(script))}; COMP_WORDS=(segtopic tra); COMP_CWORD=1; "
        "_shtab_segtopic; echo ${COMPREPLY[@]}"
    )
    done = subprocess.run(["bash", "-c", complete], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "train"
