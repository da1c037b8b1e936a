"""The living page in a real browser: headless Chromium, and a server of its own."""

import threading
from contextlib import contextmanager

import pytest

from segtopic.config import ServeConfig
from segtopic.segment import Marker
from segtopic.serve.server import live_server
from tests.report.browser import NEEDS_CHROMIUM, emulate, every, one, press, requests, until
from tests.report.conftest import chromium, grammatical  # noqa: F401  (fixtures)
from tests.report.test_report_browser import CONTRAST, accessible_names
from tests.training.planted import PHRASES, WORDS

pytestmark = NEEDS_CHROMIUM
A, B = WORDS[0][:2]
PHRASE = " ".join(PHRASES[0][0])
SCRIPT = "<script>document.title = 'broken'</script>"
# As the run with a grammar knows it, but for its words; the name is in no vocabulary.
LANGUAGE = f"{SCRIPT} gufeesk tu naroal nureon fedeesk po tu Zorkix Quibix."
# The first letter is two units for a browser and one character for the server.
TEXT = f"\U0001f600 {SCRIPT} \u202e {A} {PHRASE} {B}, {PHRASE}."


@contextmanager
def served(run):
    live = live_server(run, ServeConfig(port=0))
    thread = threading.Thread(target=live.run)
    thread.start()
    yield live.address
    live.server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def address(run):
    with served(run) as found:
        yield found


@pytest.fixture(scope="module")
def grammatical_address(grammatical):  # noqa: F811
    with served(grammatical) as found:
        yield found


@pytest.fixture
def page(chromium, address):  # noqa: F811
    with opened(chromium, address):
        yield chromium


@pytest.fixture
def phrases_page(chromium, grammatical_address):  # noqa: F811
    """The page of a run with a grammar, which begins with marked phrases."""
    with opened(chromium, grammatical_address):
        yield chromium


@contextmanager
def opened(chromium, address):  # noqa: F811
    """A page, freshly opened; afterwards nothing may have gone wrong or elsewhere."""
    emulate(chromium, scheme="light")
    chromium.get_log("browser")
    chromium.get_log("performance")
    chromium.get(address)
    yield
    assert chromium.get_log("browser") == []
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
    read(page, f"{A}, {PHRASE}")
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


def test_a_boundary_is_decided_by_keyboard_and_taken_back(page):
    read(page, f"{A} {PHRASE} {B}")
    before = phrases(page)
    one(page, "#marked .seam").send_keys("")  # focus
    press(page, "ARROW_RIGHT")
    press(page, "ARROW_RIGHT")
    said = page.switch_to.active_element.get_attribute("aria-label")
    assert f"“{PHRASES[0][0][1]}” and “{B}”" in said
    press(page, "ENTER")
    (decided,) = wait(page, lambda: every(page, ".seam[data-decided]"))
    assert decided.get_attribute("data-decided") == said.split()[0].lower()
    assert phrases(page) != before
    one(page, "#undo").click()
    wait(page, lambda: not every(page, ".seam[data-decided]"))
    assert phrases(page) == before
    assert not one(page, "#undo").is_enabled()


def test_an_alternative_is_kept(page):
    read(page, f"{A} {PHRASE} {B}")
    second = every(page, "#ways .way")[1]
    wanted = second.text
    click(page, second)
    wait(page, lambda: "decided" in one(page, "#facts").text)
    (only,) = every(page, "#ways .way")
    assert only.text == wanted


def turn_to(page, view):
    one(page, f"#views input[value={view}]").click()
    wait(page, lambda: one(page, "#marked").get_attribute("data-view") == view)


def seam_between(page, left, right):
    (found,) = [
        seam
        for seam in every(page, "#marked .seam")
        if f"\u201c{left}\u201d and \u201c{right}\u201d" in seam.get_attribute("aria-label")
    ]
    return found


def test_a_run_with_a_grammar_begins_with_phrases(phrases_page, grammatical):  # noqa: F811
    page = phrases_page
    read(page, LANGUAGE)
    assert one(page, "#marked").get_attribute("data-view") == "marked"
    (expected,) = Marker.of(grammatical).mark([LANGUAGE])
    assert phrases(page) == [phrase.text for phrase in expected.phrases]
    assert "naroal nureon" in phrases(page)
    assert "would mark" in one(page, "p[data-view=marked]").text
    assert not one(page, "p[data-view=best]").is_displayed()
    assert page.execute_script("return document.getElementById('marked').textContent") == LANGUAGE
    turn_to(page, "best")
    assert every(page, "#marked mark.word")
    assert "of several words" in one(page, "#facts").text
    turn_to(page, "marked")
    assert phrases(page) == [phrase.text for phrase in expected.phrases]


def test_marked_phrases_are_cut_and_joined_by_a_click(phrases_page):
    page = phrases_page
    read(page, LANGUAGE)
    before = phrases(page)
    click(page, seam_between(page, "naroal", "nureon"))
    wait(page, lambda: "1 decided" in one(page, "#facts").text)
    assert "naroal nureon" not in phrases(page)
    assert page.switch_to.active_element == one(page, ".seam[data-decided=cut]")
    turn_to(page, "best")  # where nothing is decided
    assert every(page, ".seam[data-decided]") == []
    turn_to(page, "marked")
    click(page, one(page, ".seam[data-decided=cut]"))  # once more takes it back
    wait(page, lambda: "decided" not in one(page, "#facts").text)
    assert phrases(page) == before
    click(page, seam_between(page, "fedeesk", "po"))  # words that no grammar joins
    wait(page, lambda: "1 decided" in one(page, "#facts").text)
    assert "fedeesk po" in phrases(page)


def test_another_phrase_is_kept(phrases_page):
    page = phrases_page
    read(page, LANGUAGE)
    seam = seam_between(page, "naroal", "nureon")
    page.execute_script("arguments[0].focus()", seam)
    ways = every(page, "#ways .way")
    assert ways
    assert all({"naroal", "nureon"} & set(way.text.split()) for way in ways)
    last, wanted = ways[-1], ways[-1].text
    click(page, last)
    wait(page, lambda: "decided" in one(page, "#facts").text)
    assert wanted in phrases(page)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ('Promise.resolve(new Response(\'{"detail": "<b>no</b>"}\', {status: 422}))', "<b>no</b>"),
        ("Promise.reject(new TypeError('gone'))", "The server does not answer"),
    ],
)
def test_a_refusal_is_told_and_changes_nothing(page, answer, sentence):
    read(page, f"{A} {PHRASE} {B}")
    before = phrases(page)
    page.execute_script(f"window.fetch = () => {answer}")
    page.execute_script("document.querySelector('.seam').click()")
    wait(page, lambda: sentence in one(page, "#detail").text)
    assert phrases(page) == before
    assert every(page, ".seam[data-decided]") == []
    page.execute_script("document.getElementById('text').value = 'another'")
    one(page, "#read").click()
    wait(page, lambda: sentence in one(page, "#state").text)


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
