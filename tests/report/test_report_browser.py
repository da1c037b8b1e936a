"""The report in a real browser: what it shows by pointer and keyboard, what it never does."""

import time
from itertools import pairwise

import pytest

from tests.report.browser import NEEDS_CHROMIUM, click, emulate, every, one, press
from tests.report.reported import IMAGE, SCRIPT

pytestmark = NEEDS_CHROMIUM

CONTRAST = """
const [node, behind] = arguments;
const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const paint = (colour) => { context.fillStyle = colour; context.fillRect(0, 0, 1, 1); };
const read = () => [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
const light = (rgb) => rgb.map((v) => v / 255)
  .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
paint(getComputedStyle(behind).backgroundColor);
paint(getComputedStyle(node).backgroundColor);
const ground = light(read());
paint(getComputedStyle(node).color);
const ink = light(read());
return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
"""


def test_search_narrows_the_list(page):
    everything = int(one(page, "#found").text.split()[0])
    one(page, "#search").send_keys("PLANTED-1")
    found = one(page, "#found").text
    assert found == f"11 of {everything} documents"  # 1 and 10 .. 19
    assert all("planted-1" in row.text for row in every(page, "#list li"))
    one(page, "#next").click()
    assert one(page, "#page").text == "page 2 of 2"
    assert len(every(page, "#list li")) == 3
    one(page, "#search").send_keys("nowhere at all")
    assert (
        one(page, "#found").text
        == "No document on this page has \u201cPLANTED-1nowhere at all\u201d."
    )
    assert every(page, "#list li") == []
    assert one(page, "#reader-title").text == "No document is open"
    assert every(page, "#reader .text") == []


def test_a_topic_is_chosen_by_pointer_and_by_keyboard(page):
    def shown():
        return one(page, "#topic").text

    circles = every(page, "#map circle")
    assert len(circles) == 3
    assert [circle.get_attribute("aria-checked") for circle in circles] == [
        "true",
        "false",
        "false",
    ]
    first = shown()
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", circles[1])
    circles[1].click()
    second = shown()
    assert second != first
    assert circles[1].get_attribute("aria-checked") == "true"
    circles[1].send_keys("")  # focus
    press(page, "ARROW_RIGHT")
    assert shown() not in (first, second)
    assert page.switch_to.active_element == circles[2]
    press(page, "HOME")
    assert shown() == first
    bars = every(page, "#topic .bars li")
    assert len(bars) >= 3
    assert all("%" in bar.text and "\u00d7" in bar.text for bar in bars)


def test_documents_of_a_topic(page):
    click(page, "#topic .actions a")
    topic = one(page, "#filter").get_attribute("value")
    found = int(one(page, "#found").text.split()[0])
    assert 0 < found < 67
    assert page.switch_to.active_element == one(page, "#reader-title")
    # The first of them is open, and what it says of the topic is marked.
    assert one(page, "#list a[aria-current]").text.startswith(one(page, "#reader-title").text)
    assert one(page, "#list li a") == one(page, "#list a[aria-current]")
    hue = one(page, "#topic").value_of_css_property("--hue")
    wanted = every(page, "#reader mark.wanted")
    assert wanted
    assert {mark.value_of_css_property("--hue") for mark in wanted} == {hue}
    assert page.current_url.endswith(f"#within={topic}")


def test_typical_documents_are_told_by_their_first_words(page):
    links = every(page, "#topic .typical a")
    assert len(links) == 3
    click(page, "#topic .typical a")
    text = page.execute_script("return document.querySelector('#reader .text').textContent")
    first = links[0].get_attribute("textContent").removesuffix(" \u2026")
    assert " ".join(text.split()).startswith(first)
    assert one(page, "#topic .typical small").text.startswith(one(page, "#reader-title").text)


def test_an_open_document_shows_its_phrases(page):
    one(page, "#search").send_keys("planted-7")
    assert one(page, "#reader-title").text == "planted-7"
    phrases = every(page, "#reader mark.phrase")
    assert phrases
    assert all(len(phrase.text.split()) > 1 for phrase in phrases)
    phrases[0].send_keys("")  # focus
    detail = one(page, "#reader .detail")
    assert phrases[0].text in detail.text
    assert "% certain, topic" in detail.text
    if len(phrases) > 1:
        press(page, "ARROW_RIGHT")
        assert page.switch_to.active_element == phrases[1]
    shares = every(page, "#reader .share-names li")
    assert shares
    words = one(page, "#reader mark.word")
    assert words.value_of_css_property("border-bottom-width") == "0px"
    one(page, "#reader input[type=checkbox]").click()
    assert words.value_of_css_property("border-bottom-width") == "2px"


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [("<script>document", SCRIPT), ("onerror", IMAGE), ("gnp.exe", "right \u21c4to left\u21c4")],
)
def test_hostile_text_stays_text(page, wanted, shown):
    one(page, "#search").send_keys(wanted)
    assert page.execute_script(
        "return document.querySelector('#reader .text').textContent"
    ).startswith(shown)
    assert every(page, "img") == []
    assert page.execute_script("return document.scripts.length") == 2


def test_the_policy_stops_what_tries_to_get_out(chromium, page_path):
    chromium.get(page_path.as_uri())
    chromium.execute_script(
        "const image = document.createElement('img');"
        "image.src = 'http://127.0.0.1:9/x';"
        "const script = document.createElement('script');"
        "script.textContent = 'document.title = \"broken\"';"
        "document.body.append(image, script);"
    )
    refused = [entry["message"] for entry in chromium.get_log("browser")]
    assert len(refused) == 2
    assert all("Content Security Policy" in message for message in refused)
    assert chromium.title != "broken"


def test_dark_mode_by_system_and_by_button(page):
    def ground():
        return one(page, "body").value_of_css_property("background-color")

    light = ground()
    one(page, "#theme").click()
    dark = ground()
    assert dark != light
    assert one(page, "#theme").text == "Light mode"
    one(page, "#theme").click()
    assert ground() == light
    page.refresh()
    emulate(page, scheme="dark")
    assert ground() == dark
    assert one(page, "#theme").text == "Light mode"
    one(page, "#theme").click()
    assert ground() == light


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_keep_text_readable(page, scheme):
    emulate(page, scheme=scheme)
    body, card = one(page, "body"), one(page, "#reader")

    def contrast(node, behind):
        return page.execute_script(CONTRAST, node, behind)

    assert contrast(body, body) > 7
    assert contrast(one(page, ".lead"), body) > 4.5
    assert contrast(one(page, "nav a"), one(page, "nav")) > 4.5
    assert contrast(one(page, ".figures dt"), one(page, ".figures > div")) > 4.5
    mark = one(page, "#reader mark.phrase")
    for hue in range(0, 360, 30):
        page.execute_script(
            "arguments[0].style.setProperty('--hue', arguments[1]);"
            "arguments[0].style.setProperty('--confidence', 1);",
            mark,
            hue,
        )
        assert contrast(mark, card) > 4.5, hue


def test_curves_are_read_by_keyboard(page):
    chart = one(page, ".curve")
    assert chart.get_attribute("role") == "slider"
    chart.send_keys("")  # focus
    press(page, "HOME")
    assert chart.get_attribute("aria-valuetext").startswith("epoch 1: topics refined")
    press(page, "ARROW_RIGHT")
    assert chart.get_attribute("aria-valuenow") == "2"
    told = chart.get_attribute("aria-valuetext")
    assert one(page, ".chart output").text in told


def test_a_remarkable_phrase_leads_to_a_document(page):
    phrase = one(page, "#phrases .phrase-list a")
    click(page, "#phrases .phrase-list a")
    assert one(page, "#search").get_attribute("value") == phrase.text
    assert int(one(page, "#found").text.split()[0]) > 0
    hits = [hit.text.lower() for hit in every(page, "#reader mark.hit")]
    assert phrase.text in " ".join(hits)


def accessible_names(page):
    """The names of all elements by role, as soon as the browser has gathered them."""
    page.execute_cdp_cmd("Accessibility.enable", {})
    deadline = time.monotonic() + 30
    roles = {}
    while "contentinfo" not in roles and time.monotonic() < deadline:
        roles = {}
        for node in page.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]:
            if not node["ignored"]:
                name = node.get("name", {}).get("value", "")
                roles.setdefault(node["role"]["value"], []).append(name)
    return roles


def test_everything_has_a_name_and_a_place(page):
    roles = accessible_names(page)
    for role in ("button", "combobox", "searchbox", "radio", "slider", "checkbox", "link"):
        assert roles[role], role
        assert all(roles[role]), role
    for landmark in ("banner", "navigation", "main", "contentinfo", "search", "radiogroup"):
        assert len(roles[landmark]) == 1, landmark
    levels = page.execute_script(
        "return [...document.querySelectorAll('h1,h2,h3,h4')].map((h) => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    ids = page.execute_script("return [...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    targets = page.execute_script(
        "return [...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href'))"
    )
    sections = {target[1:] for target in targets if "=" not in target}
    assert {"topics", "documents", "prediction", "training"} <= sections <= set(ids)


def test_the_keyboard_is_always_seen(page):
    press(page, "TAB")
    skip = page.switch_to.active_element
    assert skip.text == "Skip to the content"
    seen = set()
    while len(seen) < 7:
        press(page, "TAB")
        active = page.switch_to.active_element
        assert active.tag_name != "body", f"the end of the page, after only {seen}"
        style = page.execute_script(
            "const s = getComputedStyle(arguments[0]);"
            "return s.outlineStyle !== 'none' || Number.parseFloat(s.strokeWidth) >= 5",
            active,
        )
        assert style, active.get_attribute("outerHTML")[:200]
        seen.add(active.tag_name)
    assert seen == {"a", "button", "mark", "div", "circle", "select", "input"}


def test_it_fits_a_phone(page):
    emulate(page, scheme="light", width=390, height=844)
    width = page.execute_script("return document.documentElement.scrollWidth")
    assert width <= 390
    small = page.execute_script(
        "return [...document.querySelectorAll('p, td, th, dd, dt, li, button, label')]"
        ".filter((e) => e.offsetParent && Number.parseFloat(getComputedStyle(e).fontSize) < 12)"
        ".map((e) => e.outerHTML.slice(0, 80))"
    )
    assert small == []
