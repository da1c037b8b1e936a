"""A page of a small run with hostile documents, and the browser that opens it."""

import pytest

from segtopic.explore.changes import Changes
from segtopic.report import write_report
from tests.report.browser import CHROMIUM, DRIVER, emulate, every, requests, until
from tests.report.changed import HOSTILE, content
from tests.report.reported import SCRIPT, corpus_file, grammatical_run, small_run


@pytest.fixture(scope="session")
def page_path(tmp_path_factory):
    run = small_run(tmp_path_factory.mktemp("browser"), epochs=6)
    return write_report(run).path


@pytest.fixture(scope="session")
def grammatical(tmp_path_factory):
    """A run with a phrase grammar."""
    return grammatical_run(tmp_path_factory.mktemp("grammatical"))


@pytest.fixture(scope="session")
def phrases_page_path(grammatical):
    return write_report(grammatical).path


@pytest.fixture(scope="session")
def changed_page(tmp_path_factory):
    """A page over time, and by groups whose names and phrases try to break out."""
    folder = tmp_path_factory.mktemp("changes")
    run = small_run(folder, corpus_file(folder, 30, hostile=False), epochs=1)
    years = content([[0.1, 0.2, 0.6], [0.5, 0.5, 0.3], [0.4, 0.3, 0.1]], documents=[10, 9, 11])
    groups = content([[0.2] * 5, [0.3] * 5, [0.5] * 5], values=HOSTILE)
    for topic in groups["topics"]:
        topic["phrases"] = [[text] for text in HOSTILE]
    return write_report(
        run, over_time=Changes.of(years), by_group=Changes.of({**groups, "column": SCRIPT})
    ).path


@pytest.fixture(scope="session")
def chromium():
    pytest.importorskip("selenium", reason="selenium is not installed")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--window-size=1280,900",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def page(chromium, page_path):
    """The page, freshly opened; afterwards nothing may have gone wrong or out."""
    emulate(chromium, scheme="light")
    chromium.get("about:blank")
    chromium.get_log("browser")
    chromium.get_log("performance")
    chromium.get(page_path.as_uri())
    # The map is laid out for the width of the first frame, which a busy machine draws late.
    until(chromium, lambda driver: every(driver, "#map circle"))
    yield chromium
    assert chromium.get_log("browser") == []
    assert {url.partition("#")[0] for url in requests(chromium)} <= {page_path.as_uri()}
    assert chromium.execute_script("return performance.getEntriesByType('resource')") == []
    assert "broken" not in chromium.title
