"""What the documentation shows is true: its Python runs, its commands, files and links exist."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

import segtopic
from segtopic.cli import COMMANDS, TABLE
from tests.test_layers import LAYERS

ROOT = Path(__file__).parents[1]
GUIDES = [ROOT / "docs" / "index.md", *sorted((ROOT / "docs" / "guides").glob("*.md"))]
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "data/README.md")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))


def short(path):
    return str(path.relative_to(ROOT))


def text_of(path):
    return path.read_text(encoding="utf-8")


def code_of(path):
    """Lines of code blocks and inline code."""
    text = text_of(path)
    blocks = re.findall(r"^ *```\w*\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    rest = re.sub(r"^ *```\w*\n.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE)
    inline = [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", rest)]
    return [line.strip() for block in blocks for line in block.splitlines()] + inline


def commands_in(path):
    """The commands of segtopic, as lists of words."""
    for line in code_of(path):
        for command in re.findall(r"(?:^|[|;] )(segtopic (?!COMMAND|is ahead)\w+[^|;#]*)", line):
            try:
                yield shlex.split(command)
            except ValueError:  # prose with an apostrophe
                continue


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """One for all pages: most begin with the same corpus."""
    return tmp_path_factory.mktemp("cache")


NEED_SOUNDS = "speech.md"  # tests/swan/test_speech.py runs it


@pytest.mark.parametrize("page", [each for each in GUIDES if each.name != NEED_SOUNDS], ids=short)
def test_python_runs(page, cache, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "example"}
    for block in re.findall(r"^```python\n(.*?)^```", text_of(page), re.DOTALL | re.MULTILINE):
        exec(compile(block, short(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=short)
def test_commands_and_flags_exist(page):
    modules = dict(TABLE.modules())
    for _, command, *words in commands_in(page):
        assert command in COMMANDS, command
        if command not in modules:  # it holds commands of its own
            if not words:
                continue
            command = f"{command} {words[0]}"
        arguments = modules[command].parser().arguments.values()
        known = {"--help", *(flag for argument in arguments for flag in argument.flags)}
        flags = {word.partition("=")[0] for word in words if re.match(r"--\w|-\w$", word)}
        assert flags <= known, f"segtopic {command}: {flags - known}"


def test_commands_are_found():
    found = [words for page in PAGES for words in commands_in(page)]
    assert {words[1] for words in found} == set(COMMANDS)
    assert ["segtopic", "segment", "runs/my", "new.txt"] in found


@pytest.mark.parametrize("page", PAGES, ids=short)
def test_files_exist(page):
    named = re.findall(r"(?<![\w/.])(?:scripts|configs|tests|segtopic)/[\w./-]*\w", text_of(page))
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=short)
def test_links_between_files_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"https?:|#", target):
            assert (page.parent / target.partition("#")[0]).exists(), target


def test_contributing_names_the_layers_in_their_order():
    table = text_of(ROOT / "CONTRIBUTING.md").partition("| layer | holds |")[2]
    rows = table.partition("\n\n")[0].splitlines()[2:]
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])] == [*LAYERS]


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load(text_of(ROOT / "CITATION.cff"))
    assert citation["version"] == segtopic.__version__
    assert citation["license"] == "Apache-2.0"


def test_hooks_fetch_nothing():
    config = yaml.safe_load(text_of(ROOT / ".pre-commit-config.yaml"))
    assert [repository["repo"] for repository in config["repos"]] == ["local"]
    assert {hook["language"] for hook in config["repos"][0]["hooks"]} == {"system"}
