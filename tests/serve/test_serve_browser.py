"""The living page in a real browser: headless Chromium, and a server of its own."""

import threading

import pytest

from segtopic.config import ServeConfig
from segtopic.serve.server import live_server
from tests.report.browser import NEEDS_CHROMIUM, emulate, every, one, press, requests, until
from tests.report.conftest import chromium  # noqa: F401  (a fixture)
from tests.report.test_report_browser import CONTRAST, accessible_names
from tests.training.planted import PHRASES, WORDS

pytestmark = NEEDS_CHROMIUM
A, B = WORDS[0][:2]
PHRASE = " ".join(PHRASES[0][0])
SCRIPT = "<script>document.title = 'broken'</script>"
# The first letter is two units for a browser and one character for the server.
TEXT = f"\U0001f600 {SCRIPT} \u202e {A} {PHRASE} {B}, {PHRASE}."


@pytest.fixture(scope="module")
def address(run):
    live = live_server(run, ServeConfig(port=0))
    thread = threading.Thread(target=live.run)
    thread.start()
    yield live.address
    live.server.should_exit = True
    thread.join()


@pytest.fixture
def page(chromium, address):  # noqa: F811
    """The page, freshly opened; afterwards nothing may have gone wrong or elsewhere."""
    emulate(chromium, scheme="light")
    chromium.get_log("browser")
    chromium.get_log("performance")
    chromium.get(address)
    yield chromium
    assert [e for e in chromium.get_log("browser") if "422" not in e["message"]] == []
    assert all(asked.startswith(address) for asked in requests(chromium))
    assert "broken" not in chromium.title


def wait(page, found):
    return until(page, lambda driver: found())


def read(page, text=TEXT):
    page.execute_script("document.getElementById('text').value = arguments[0]", text)
    one(page, "#read").click()
    wait(page, lambda: one(page, "#reading").is_displayed() and every(page, "#marked mark"))


def phrases(page):
    return [mark.text for mark in every(page, "#marked mark.phrase")]


def click(page, node):
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", node)
    node.click()


def test_a_text_is_read(page):
    read(page)
    assert page.execute_script("return document.getElementById('marked').textContent") == TEXT
    assert every(page, "#marked script") == []
    assert PHRASE in phrases(page)
    assert "known words" in one(page, "#facts").text
    assert every(page, "#topic-list li")
    assert len(every(page, "#similar li")) == 5
    assert len(every(page, "#ways li")) > 1
    assert all("%" in way.text for way in every(page, "#ways li"))


def test_a_phrase_is_cut_and_joined_again_by_a_click(page):
    read(page, f"{A} {PHRASE} {B}")
    assert phrases(page) == [PHRASE]
    click(page, one(page, "#marked mark.phrase .seam"))
    wait(page, lambda: "1 decided" in one(page, "#facts").text)
    assert phrases(page) == []
    decided = one(page, ".seam[data-decided=cut]")
    assert page.switch_to.active_element == decided
    assert "100 % likely, as you decided" in decided.get_attribute("aria-label")
    click(page, decided)  # once more takes it back
    wait(page, lambda: "decided" not in one(page, "#facts").text)
    assert phrases(page) == [PHRASE]


def test_words_are_joined_by_keyboard_and_all_is_taken_back(page):
    read(page, f"{A} {PHRASE} {B}")
    one(page, "#marked .seam").send_keys("")  # focus
    press(page, "ARROW_RIGHT")
    press(page, "ARROW_RIGHT")
    assert "Join" in page.switch_to.active_element.get_attribute("aria-label")
    press(page, "ENTER")
    wait(page, lambda: every(page, ".seam[data-decided=join]"))
    assert any(phrase.endswith(B) for phrase in phrases(page))
    one(page, "#undo").click()
    wait(page, lambda: phrases(page) == [PHRASE])
    assert not one(page, "#undo").is_enabled()


def test_an_alternative_is_kept(page):
    read(page, f"{A} {PHRASE} {B}")
    second = every(page, "#ways .way")[1]
    wanted = second.text
    click(page, second)
    wait(page, lambda: "decided" in one(page, "#facts").text)
    (only,) = every(page, "#ways .way")
    assert only.text == wanted


def test_what_cannot_be_is_told(page):
    read(page, " ".join(WORDS[0][:4]))
    for place in range(3):
        page.execute_script("arguments[0].click()", every(page, ".seam")[place])
        wait(page, lambda: not every(page, "#marked.waiting"))
    assert "4 words from character 0 on would be one segment" in one(page, "#detail").text
    assert len(every(page, ".seam[data-decided=join]")) == 2


def test_a_text_of_unknown_words_is_told(page):
    page.execute_script("document.getElementById('text').value = 'qqq 123'")
    one(page, "#read").click()
    wait(page, lambda: "knows none" in one(page, "#facts").text)
    assert every(page, "#marked mark") == []


def test_the_example_is_a_document_of_the_corpus(page):
    one(page, "#example").click()
    wait(page, lambda: every(page, "#marked mark"))
    assert one(page, "#text").get_attribute("value")


def test_the_reference_opens_and_leads_back(page, address):
    one(page, "footer a").click()
    wait(page, lambda: "JSON interface" in page.title)
    assert "api/segment" in one(page, "table").text
    one(page, ".lead a[href='./']").click()
    wait(page, lambda: page.current_url == address)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_keep_text_readable(page, scheme):
    emulate(page, scheme=scheme)
    read(page)
    panel = one(page, ".desk .panel")
    assert page.execute_script(CONTRAST, one(page, "#read"), one(page, "body")) > 4.5
    for selector in ("#facts", "#detail", "#ways-about", "#topic-list small"):
        assert page.execute_script(CONTRAST, one(page, selector), panel) > 4.5, selector


def test_everything_has_a_name_and_fits_a_phone(page):
    read(page)
    roles = accessible_names(page)
    for role in ("button", "textbox", "link", "heading"):
        assert roles[role], role
        assert all(roles[role]), role
    emulate(page, scheme="light", width=390, height=844)
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390
