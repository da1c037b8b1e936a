"""The page of a speech model in a real browser: strangers' text, and a click that plays."""

import pytest

from segtopic.cli import main
from segtopic.config import SwanConfig
from segtopic.report.speech import write_speech_report
from segtopic.swan.listening import train_listener
from tests.report.browser import NEEDS_CHROMIUM, every, one, until
from tests.speech.sounds import spoken, write_sound

pytestmark = NEEDS_CHROMIUM
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def speech_page(tmp_path_factory):
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
    trained = train_listener(config, folder / "run")
    return write_speech_report(trained, trained.development(), "'\"><b>judged", n_pictures=1).path


def test_a_click_plays_the_segment_and_nothing_else_runs(chromium, speech_page):
    chromium.get(speech_page.as_uri())
    assert one(chromium, ".utterance h3").text == HOSTILE
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
