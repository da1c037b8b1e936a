"""Phrases and segments of the documents of a page, by choice; a run with a grammar has phrases."""

import json
import re

import pytest

from segtopic.segment import Marker
from tests.report.browser import NEEDS_CHROMIUM, emulate, every, one, press, until
from tests.report.test_report_browser import CONTRAST

pytestmark = NEEDS_CHROMIUM


@pytest.fixture
def phrases_page(chromium, phrases_page_path):
    emulate(chromium, scheme="light")
    chromium.get_log("browser")
    chromium.get("about:blank")
    chromium.get(f"{phrases_page_path.as_uri()}#document=d0")
    until(chromium, lambda driver: every(driver, "#reader .text"))
    yield chromium
    assert chromium.get_log("browser") == []
    assert "broken" not in chromium.title


def marked(page):
    return [mark.text for mark in every(page, "#reader mark.phrase")]


def choose(page, view):
    one(page, f"#reader .switch input[value={view}]").click()


def test_phrases_of_a_reader_come_first(phrases_page, grammatical):
    number = grammatical.corpus.ids.index("d0")
    (expected,) = Marker.of(grammatical).mark(
        [grammatical.texts([number])[number]],
        trained_on=number in set(grammatical.corpus.split.train.tolist()),
    )
    assert marked(phrases_page) == [phrase.text for phrase in expected.phrases]
    assert marked(phrases_page)
    assert f"{len(expected.phrases)} phrases" in one(phrases_page, "#reader .note").text
    text = phrases_page.execute_script("return document.querySelector('#reader .text').textContent")
    assert text == expected.text
    assert every(phrases_page, "#reader mark.word") == []
    assert not one(phrases_page, "#reader .tick-box").is_displayed()


def test_segments_are_one_click_away_and_stay_for_the_next_document(phrases_page):
    page, before = phrases_page, marked(phrases_page)
    choose(page, "best")
    assert every(page, "#reader mark.word")
    assert "of several words" in one(page, "#reader .note").text
    assert one(page, "#reader .tick-box").is_displayed()
    assert page.switch_to.active_element.get_attribute("value") == "best"
    one(page, "#list li:nth-child(2) a").click()
    until(page, lambda driver: one(driver, "#reader-title").text != "d0")
    assert one(page, "#reader input[value=best]").is_selected()
    page.back()
    until(page, lambda driver: one(driver, "#reader-title").text == "d0")
    choose(page, "marked")
    assert marked(page) == before


def test_the_choice_is_made_by_keyboard(phrases_page):
    one(phrases_page, "#reader input[value=marked]").send_keys("")  # focus
    press(phrases_page, "ARROW_RIGHT")
    assert every(phrases_page, "#reader mark.word")
    outline = one(phrases_page, "#reader .switch label:has(input[value=best])")
    assert outline.value_of_css_property("outline-style") != "none"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_choice_can_be_read(phrases_page, scheme):
    emulate(phrases_page, scheme=scheme)
    for name in every(phrases_page, "#reader .switch label"):
        card = one(phrases_page, "#reader")
        assert phrases_page.execute_script(CONTRAST, name, card) > 4.5, name.text


def test_remarkable_phrases_are_marked_ones_and_can_be_found(phrases_page, phrases_page_path):
    page = phrases_page
    links = every(page, "#phrases .phrase-list a")
    assert links
    for address in {link.get_attribute("href") for link in links}:
        page.get(address)
        until(page, lambda driver: every(driver, "#reader mark.hit"))
    data = re.search(r'id="data">(.*?)</script>', phrases_page_path.read_text(encoding="utf-8"))
    assert json.loads(data[1])["view"] == "marked"


def test_without_a_grammar_segments_come_first(page):
    assert one(page, "#reader input[value=best]").is_selected()
    assert every(page, "#reader mark.word")
    choose(page, "marked")
    assert every(page, "#reader mark.phrase")
    assert every(page, "#reader mark.word") == []
