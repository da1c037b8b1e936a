"""The documentation site: it builds strictly, needs no other server, and shows what there is."""

import html
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from segtopic.cli import TABLE
from tests.test_public_api import CALLED_OTHERWISE, PUBLIC

pytest.importorskip("mkdocs", reason="the documentation needs 'pip install .[docs]'")
pytest.importorskip("mkdocstrings", reason="the documentation needs 'pip install .[docs]'")

ROOT = Path(__file__).parents[1]
# What a browser loads by itself, tag by tag; <a href> is followed only by people.
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}


class Loads(HTMLParser):
    """The addresses that a page makes a browser load."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        address = dict(attrs).get(LOADED.get(tag))
        if address:
            self.found.append(address)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"},
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    """The text of each page, by its path."""
    return {str(path.relative_to(site)): path.read_text() for path in site.rglob("*.html")}


def test_every_page_is_in_the_navigation(pages):
    start = pages["index.html"]
    for path in set(pages) - {"404.html", "index.html"}:
        assert f'href="{path}"' in start, path


def test_nothing_comes_from_another_server(site, pages):
    for path, page in pages.items():
        assert [a for a in Loads(page).found if urlsplit(a).netloc] == [], path
    for sheet in site.rglob("*.css"):
        assert not re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", sheet.read_text()), sheet


def test_what_is_loaded_is_there(site, pages):
    for path in set(pages) - {"404.html"}:  # a server shows that one anywhere
        for address in Loads(pages[path]).found:
            target = (site / path).parent / unquote(urlsplit(address).path)
            assert target.exists(), f"{path}: {address}"


def test_formulas_are_shown_by_the_browser_alone(pages):
    assert pages["model.html"].count("<math") > 30
    for path, page in pages.items():
        assert "arithmatex" not in page, path


@pytest.mark.parametrize(("command", "module"), [*TABLE.modules()])
def test_every_argument_is_in_the_command_reference(pages, command, module):
    parser = module.parser()
    page = pages["reference/commands.html"]
    begin = page.index(f'<h2 id="segtopic-{command.replace(" ", "-")}"')
    section = page[begin : (page.find("<h2", begin + 1) + 1 or len(page) + 1) - 1]
    for key, argument in parser.arguments.items():
        for name in argument.flags or (key.upper(),):
            assert f">{name}</code>" in section
        assert html.escape(argument.help.split(".")[0].split("'")[0], quote=False) in section


def test_every_setting_is_in_the_settings_reference(pages):
    from dataclasses import fields

    from segtopic.config import RunConfig, SegmentConfig, SwanConfig, TrainerConfig

    for settings in (RunConfig, TrainerConfig, SegmentConfig, SwanConfig):
        for field in fields(settings):
            assert f"<code>{field.name}</code>" in pages["reference/settings.html"]


def test_every_public_name_is_explained(pages):
    anchors = set()
    for path, page in pages.items():
        if path.startswith("reference/"):
            anchors |= set(re.findall(r'id="(segtopic\.[\w.]+)"', page))
    names = {f"{module}.{name}" for module, names in PUBLIC.items() for name in names}
    assert {CALLED_OTHERWISE.get(name, name) for name in names} - {None} - anchors == set()


def test_docstrings_are_markdown(pages):
    for path, page in pages.items():
        shown = re.sub(r"<(pre|code)\b.*?</\1>", "", page, flags=re.DOTALL)
        assert not re.search(r":(?:mod|class|func|meth):", shown), path
        assert "&gt;&gt;&gt;" not in shown, path
