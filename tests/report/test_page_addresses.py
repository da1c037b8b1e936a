"""Every topic and document of the page has an address that can be sent and gone back to."""

import csv
import io

import pytest

from segtopic.harmless import for_spreadsheet
from segtopic.report.document import PAGE
from tests.report.browser import NEEDS_CHROMIUM, click, every, one, until
from tests.report.reported import IMAGE

pytestmark = NEEDS_CHROMIUM
SOME_TEXTS = (
    *(
        "=1+1",
        "+1",
        "-1",
        "@x",
        " =x",
        "\t=x",
        "\ttab",
        "\nline",
        "|cmd",
        "%x",
        "\uff1dx",
        "\uff20",
    ),
    *(
        "plain",
        "",
        "1+1",
        "a,b",
        'say "x"',
        "two\nlines",
        "cr\rlf",
        "'quoted",
        "\U0001f600 \u00e9",
        " x",
    ),
)


def shown_topic(page):
    return one(page, "#topic .topic-name").text


def shown_document(page):
    return one(page, "#reader-title").text


def scrolled(page):
    return page.execute_script("return Math.round(scrollY)")


def test_the_page_begins_with_all_topics(page):
    sections = page.execute_script(
        "return [...document.querySelectorAll('main > section')].map((section) => section.id)"
    )
    order = [sections.index(name) for name in ("topics", "documents", "prediction", "training")]
    assert order == sorted(order)
    assert sections[0] == "topics"
    rows = every(page, ".overview > li")
    labels = page.execute_script(
        "return [...document.querySelectorAll('#topic-choice option')].map((o) => o.textContent)"
    )
    assert len(rows) == len(labels) == 3
    for row, label in zip(rows, labels, strict=True):
        name, _, share = label.rpartition(" (")
        assert row.text.startswith(name)
        assert share.rstrip(")") in row.text
        assert row.find_element("css selector", ".heard em").text


def test_a_topic_has_an_address_and_the_way_back_works(page):
    first = shown_topic(page)
    top = scrolled(page)
    link = every(page, ".overview h3 a")[2]
    label = link.text
    link.click()
    assert shown_topic(page) == label != first
    assert page.current_url == link.get_attribute("href")
    assert page.switch_to.active_element == one(page, "#topic .topic-name")
    until(page, lambda _: scrolled(page) > top)
    page.back()
    until(page, lambda _: shown_topic(page) == first)
    until(page, lambda _: scrolled(page) == top)
    page.forward()
    until(page, lambda _: shown_topic(page) == label)


def test_the_way_back_leads_through_choices_on_the_map(page):
    names = [shown_topic(page)]
    for number in (1, 2):
        page.execute_script(
            "document.querySelectorAll('#map circle')[arguments[0]]"
            ".dispatchEvent(new MouseEvent('click', { bubbles: true }))",
            number,
        )
        names.append(shown_topic(page))
    assert len(set(names)) == 3
    for wanted in names[1::-1]:
        page.back()
        until(page, lambda _, wanted=wanted: shown_topic(page) == wanted)


def test_an_address_that_is_sent_shows_the_same(page):
    def sent():
        url = page.current_url
        page.get("about:blank")
        page.get(url)
        return url

    click(page, ".overview li:nth-child(2) a")
    topic = shown_topic(page)
    assert "#topic=" in sent()
    assert shown_topic(page) == topic

    click(page, "#list li:nth-child(3) a")
    document = shown_document(page)
    assert "#document=" in sent()
    assert shown_document(page) == document
    assert one(page, "#list a[aria-current]").text.startswith(document)

    one(page, "#search").send_keys("onerror")
    until(page, lambda driver: "search=onerror" in driver.current_url)
    assert shown_document(page) == IMAGE
    sent()
    assert shown_document(page) == IMAGE
    assert one(page, "#search").get_attribute("value") == "onerror"
    click(page, "#list a")
    assert "search=onerror" in sent()
    assert shown_document(page) == IMAGE
    assert [hit.text for hit in every(page, "#reader mark.hit")] == ["onerror"]


def test_the_way_back_leads_through_documents(page):
    opened = [shown_document(page)]
    for place in (2, 5, 4):
        click(page, f"#list li:nth-child({place}) a")
        opened.append(shown_document(page))
    assert len(set(opened)) == 4
    for wanted in opened[-2::-1]:
        page.back()
        until(page, lambda _, wanted=wanted: shown_document(page) == wanted)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("document=nobody", "This page has no document \u201cnobody\u201d"),
        ("document=<img src=x>", "This page has no document \u201c<img src=x>\u201d"),
        ("search=(unclosed[", "No document is open"),
        ("within=9999", None),
    ],
)
def test_an_address_of_nothing_says_so(page, address, told):
    first = shown_document(page)
    page.execute_script("location.hash = arguments[0]", address)
    until(page, lambda _: shown_document(page) == (told or first))
    assert every(page, "img") == []


def test_a_topic_of_nobody_says_so(page):
    page.execute_script("location.hash = 'topic=nobody'")
    until(page, lambda _: every(page, "#topic .notice"))
    assert one(page, "#topic .notice").text == "This page has no topic nobody."


def test_hits_are_marked_across_phrases(page):
    """Whatever the model made of the words: the marks cover the hits and nothing else."""
    for wanted in ("planted-7", "e", " of ", "!!", "a b"):
        page.execute_script("location.hash = new URLSearchParams({search: arguments[0]})", wanted)
        until(page, lambda _, wanted=wanted: one(page, "#search").get_property("value") == wanted)
        if shown_document(page) == "No document is open":
            continue
        hits, text = page.execute_script(
            "return [[...document.querySelectorAll('#reader mark.hit')]"
            ".map((hit) => hit.textContent), document.querySelector('#reader .text').textContent]"
        )
        letters = "".join(hits).lower().split()
        assert "".join(letters) == "".join(wanted.split()) * text.lower().count(wanted.strip())


def test_a_button_goes_from_hit_to_hit(page):
    assert not any(button.is_displayed() for button in every(page, "#reader .tools button"))
    page.execute_script("location.hash = 'search=e'")
    until(page, lambda _: every(page, "#reader mark.hit"))
    hits = every(page, "#reader mark.hit")
    for wanted in hits[:4]:
        click(page, "#reader .tools button")
        assert every(page, "#reader mark.now") == [wanted]
    top, height = page.execute_script(
        "return [document.querySelector('mark.now').getBoundingClientRect().top, innerHeight]"
    )
    assert 0 < top < height


def run_script(driver, name, expression, *arguments):
    """A value of one of the page's scripts that needs nothing else of the page."""
    script = (PAGE / name).read_text(encoding="utf-8")
    return driver.execute_script(f"{script}\nreturn {expression};", *arguments)


def test_csv_comes_back_as_it_was_and_starts_no_formula(chromium):
    rows = [{"text, \u00e9": text, "number": -n / 3} for n, text in enumerate(SOME_TEXTS)]
    written = run_script(chromium, "csv.js", "csvText(arguments[0])", rows)
    read = list(csv.DictReader(io.StringIO(written, newline="")))
    assert [row["text, \u00e9"] for row in read] == [for_spreadsheet(text) for text in SOME_TEXTS]
    assert [float(row["number"]) for row in read] == [row["number"] for row in rows]
    assert run_script(chromium, "csv.js", "csvText([])") == "\r\n"


@pytest.mark.parametrize("name", ["topics", "documents", "prediction", "training"])
def test_what_is_shown_is_saved_as_csv(page, name, tmp_path):
    behaviour = {"behavior": "allow", "downloadPath": str(tmp_path)}
    page.execute_cdp_cmd("Browser.setDownloadBehavior", behaviour)
    button = "curves" if name == "training" else name
    if name == "documents":
        one(page, "#search").send_keys("onerror")
    click(page, f"[data-csv={button}]")
    path = tmp_path / f"{name}.csv"
    until(page, lambda _: path.exists())
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    if name == "topics":
        shown = [link.text for link in every(page, ".overview h3")]
        assert [row["name"] for row in rows] == shown
        assert sum(float(row["share"]) for row in rows) == pytest.approx(1, abs=1e-3)
    elif name == "documents":
        assert [row["id"] for row in rows] == [IMAGE]
        assert 0 < float(rows[0]["share"]) <= 1
    elif name == "prediction":
        assert rows[0]["model"] == "segtopic"
        assert float(rows[0]["per_word_low"]) < float(rows[0]["per_word"]) < 0
    else:
        assert [row["epoch"] for row in rows] == ["1", "2", "3", "4", "5", "6"]
        assert all(float(row["topics refined"]) < 0 for row in rows)
