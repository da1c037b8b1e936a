"""The page of a speech model: what it says, strangers' text on it, and a click that plays."""

import html
import json
import re
import shlex
from dataclasses import replace

import numpy as np
import pytest

from segtopic.cli import main
from segtopic.config import SwanConfig
from segtopic.report.speech import write_speech_report
from segtopic.swan.heard import load_listener
from segtopic.swan.listening import train_listener
from segtopic.swan.symbols import SymbolTable
from tests.faults.commands import refused
from tests.report.browser import NEEDS_CHROMIUM, emulate, every, one, until
from tests.speech.sounds import spoken, write_sound

HOSTILE = "<img src=x onerror=alert(1)>\u202e"


def in_a_browser(test):
    for mark in NEEDS_CHROMIUM:
        test = mark(test)
    return test


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("speech")
    sounds = folder / "sounds"
    sounds.mkdir()
    for number in range(4):
        write_sound(sounds / f"{number}.wav", spoken("ABCABC" * 2, seed=number))
        (sounds / f"{number}.txt").write_text(HOSTILE)
    features = folder / "features"
    assert main(["swan", "features", str(sounds), "--out", str(features), "--jobs", "1"]) == 0
    config = SwanConfig(
        data=str(features),
        output_symbols="characters",
        units=4,
        layers=1,
        segment_units=4,
        embedding=4,
        epochs=1,
        threads=1,
    )
    return train_listener(config, folder / "run")


@pytest.fixture(scope="module")
def utterance(trained):
    return trained.development()[0]


def page_of(trained, some, tmp_path, **more):
    written = write_speech_report(trained, some, "some", tmp_path / "page.html", **more)
    return html.unescape(written.path.read_text())


def test_text_of_strangers_is_turned_nowhere(trained, utterance, tmp_path):
    page = page_of(trained, [utterance], tmp_path)
    assert "\u202e" not in page
    assert "⇄" in page


def test_each_utterance_says_why_it_has_no_sound(trained, utterance, tmp_path):
    long = write_sound(tmp_path / "long.wav", np.zeros(31 * 8_000, np.float32))
    some = [
        utterance,
        utterance._replace(name="moved", audio=(tmp_path / "moved.wav",)),
        utterance._replace(name="long", audio=(long,)),
        utterance._replace(name="none", audio=()),
    ]
    page = page_of(trained, some, tmp_path)
    articles = {
        re.search("<bdi>([^<]*)</bdi>, ", each)[1]: each for each in page.split("<article ")[1:]
    }
    assert "<audio" in articles[utterance.name]
    assert 'role="button"' in articles[utterance.name]
    for name, reason in (
        ("moved", "moved.wav: there is no such file"),
        ("long", "it lasts 31 s, and a page holds 30 s at most"),
        ("none", "the features name no sound file"),
    ):
        assert f"No sound: <bdi>{reason}" in articles[name].replace(f"{tmp_path}/", "")
        assert "<audio" not in articles[name]
        assert 'role="button"' not in articles[name]


def test_recordings_without_a_path_are_counted_and_drawn(trained, utterance, tmp_path):
    some = [
        utterance._replace(name="foreign", outputs=("Ж", "<"), words="Ж<"),
        utterance._replace(name="long", outputs=tuple("<img" * 450), words="<img" * 450),
        utterance._replace(name="unknown", outputs=(), words=""),
    ]
    page = page_of(trained, some, tmp_path)
    for part in (
        "1 without a transcript; 1 with symbols that the model does not know: Ж; 1 too short for",
        "No transcript",
        "posterior of what was heard",
    ):
        assert part in page
    assert page.count("<article") == 3
    best_path = r"<text [^>]*>best path<"
    assert not re.search(best_path, page)
    nobody_knows = page_of(trained, some[2:], tmp_path)
    assert "1 without a transcript. Where" in nobody_knows
    assert "has a transcript to compare with" in nobody_knows
    assert 'class="figures"' not in nobody_knows
    both = page_of(trained, [*some, utterance], tmp_path, n_pictures=1)
    assert re.search(best_path, both)
    assert "the model has no path" not in page_of(trained, [utterance], tmp_path).lower()


def test_the_page_says_what_is_compared(trained, utterance, tmp_path):
    assert "compared are symbols as they are written" in page_of(trained, [utterance], tmp_path)
    table = SymbolTable(("h#", *trained.listener.outputs.symbols[1:]))
    listener = replace(trained.listener, level="phones", outputs=table)
    page = page_of(
        replace(trained, listener=listener), [utterance._replace(outputs=("h#",))], tmp_path
    )
    assert "compared are 39 classes of TIMIT's 61 phones" in page


def test_the_command_on_the_page_trains_again(trained, utterance, tmp_path, capsys):
    page = page_of(trained, [utterance], tmp_path)
    line = re.search(r"segtopic (swan train [^<]*)</code>", page)[1]
    new = tmp_path / "new"
    assert main([str(new) if each == "NEW_FOLDER" else each for each in shlex.split(line)]) == 0
    assert load_listener(new).config == trained.config


def test_the_command_limits_and_tells_of_its_pictures(trained, tmp_path, capsys):
    command = ["swan", "report", str(trained.folder), trained.config.data, "--part", "train"]
    command += ["-o", str(tmp_path / "page.html"), "--pictures", str(tmp_path / "pictures")]
    assert main([*command, "--limit", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["recordings"] == 2
    assert len(told["pictures"]) == 4
    assert main([*command, "--words", "1"]) == 0
    shown = "".join(capsys.readouterr().out.split())
    assert f"picturesin{tmp_path}/pictures:1,eachasSVGandPNG" in shown
    names = {path.name for path in (tmp_path / "pictures").iterdir()}
    assert names == {"utterance-1.svg", "utterance-1.png"}


def test_options_of_another_kind_of_model_are_refused(trained, tmp_path, capsys):
    (tmp_path / "file").write_text("mine")
    for more, message in (
        (["--encoding", "utf-8"], "is a model of speech, so --encoding means nothing here"),
        (["--on-bad-line", "skip"], "so --on-bad-line means nothing here"),
        (["--pictures", tmp_path / "file"], "cannot be a folder"),
    ):
        assert message in refused(["swan", "report", trained.folder, *more], capsys)
    assert (tmp_path / "file").read_text() == "mine"


@pytest.fixture
def speech_page(trained, tmp_path):
    path = tmp_path / "page.html"
    some = trained.development()
    return write_speech_report(trained, some, "'\"><b>judged", path, n_pictures=1).path


@in_a_browser
def test_a_click_plays_the_segment_and_nothing_else_runs(chromium, speech_page):
    chromium.get(speech_page.as_uri())
    assert one(chromium, ".utterance h3").text == HOSTILE.replace("\u202e", "⇄")
    assert every(chromium, ".utterance h3 img, .judged b") == []
    said = every(chromium, ".said[role=button]")[1]
    begin, end = (float(said.get_attribute(f"data-{name}")) for name in ("begin", "end"))
    chromium.execute_script(
        """window.played = [];
        const sound = document.querySelector("audio");
        for (const name of ["play", "pause", "error"])
          sound.addEventListener(name, () => played.push([name, sound.currentTime]));"""
    )
    said.click()
    until(chromium, lambda driver: len(driver.execute_script("return played")) >= 2)
    (first, started), (second, stopped) = chromium.execute_script("return played")[:2]
    assert (first, second) == ("play", "pause")
    assert started == pytest.approx(begin, abs=0.01)
    assert stopped >= end - 0.01


@in_a_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_telephone(chromium, speech_page, scheme):
    emulate(chromium, scheme, width=390)
    chromium.get_log("browser")
    chromium.get(speech_page.as_uri())
    assert chromium.execute_script("return document.documentElement.scrollWidth") <= 390
    turned = "return getComputedStyle(document.querySelector('.grey')).filter !== 'none'"
    assert chromium.execute_script(turned) == (scheme == "dark")
    assert chromium.get_log("browser") == []
