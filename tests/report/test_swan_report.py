"""The page of a sequence model: what it shows, and that symbols of strangers do nothing on it."""

import base64
import hashlib
import html
import json
import re
import shutil

import pytest

from segtopic.cli import main
from segtopic.report.swan import write_swan_report
from segtopic.report.swan.pictures import CELL, draw
from segtopic.report.swan.segments import frequent_segments
from segtopic.swan.pairs import Pair
from segtopic.swan.predictor import AlignedPair
from segtopic.swan.run import train
from segtopic.swan.trained import load_swan
from tests.faults.commands import refused
from tests.swan.planted import pairs_file, tiny_config

SCRIPT = "<script>document.title='pwned'</script>"
IMAGE = "<img src=x onerror=document.title='pwned'>"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("swan")
    return train(tiny_config(pairs_file(folder), epochs=4), folder / "run")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A run whose symbols are markup."""
    folder = tmp_path_factory.mktemp(f"hostile {SCRIPT.replace('/', '')}")
    path = folder / "pairs.tsv"
    symbols = [SCRIPT, IMAGE, "\u202e", "'", '"', "&amp;", "{{ 7 * 7 }}"]
    lines = [f"{a} {b}\t{b} {a}\n" for a in symbols for b in symbols]
    path.write_text("".join(lines))
    return train(tiny_config(path, epochs=1, input_symbols="spaces", dev_share=0.3), folder / "run")


def test_a_page_tells_all(run, tmp_path):
    written = write_swan_report(run, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert written.n_pictures == 6
    assert written.n_bytes == len(page.encode())
    assert page.count('<article class="word panel"') == 6
    for part in ("inputs wrong", "symbols wrong", "What each input emits", "Inputs wrong", "epoch"):
        assert part in page
    assert page == html_again(run, tmp_path)
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page


def html_again(run, tmp_path):
    write_swan_report(load_swan(run.folder), tmp_path / "page.html")
    return (tmp_path / "page.html").read_text()


def test_the_policy_names_what_is_on_the_page(run, tmp_path):
    write_swan_report(run, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1])
    assert policy.startswith("default-src 'none';")
    for name in ("style", "script"):
        (content,) = re.findall(rf"<{name}>(.*?)</{name}>", page, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert " style=" not in page


def test_the_command(run, tmp_path, capsys):
    pairs = tmp_path / "some pairs.tsv"
    pairs.write_text("XAD\tk s t\nBB\tb b\nAX\tk s\n")
    page = tmp_path / "page.html"
    assert main(["swan", "report", str(run.folder), str(pairs), "-o", str(page), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["inputs"] == shown["alignments"] == 3
    assert "X:k+s A:_ D:t" in page.read_text()
    assert main(["swan", "report", str(run.folder), "--words", "0", "-o", str(page)]) == 0
    assert "There is no pair to draw." in page.read_text()
    (tmp_path / "mine.html").write_text("mine")
    for more, message in (
        (["-o", tmp_path / "mine.html"], "holds something else than a report"),
        (["-o", tmp_path / "no" / "page.html"], "does not exist"),
        (["--words", "-1"], "--words is -1"),
        (["--pictures", tmp_path], "is a model of pairs of symbols, so --pictures means nothing"),
    ):
        assert message in refused(["swan", "report", run.folder, *more], capsys)


def test_a_saved_model_without_metrics_has_a_page(run, tmp_path):
    run.save(tmp_path / "saved")
    written = write_swan_report(load_swan(tmp_path / "saved"))
    assert "no metrics.csv" in written.path.read_text()


def test_a_picture_is_the_path_and_the_posterior(run):
    predictor = run.predictor
    pair = Pair(tuple("XAB"), ("k", "s", "b"))
    (picture,) = draw(predictor, [pair], predictor.align([pair]))
    left, top = picture.columns[0], picture.rows[0]
    nodes = re.findall(r"[ML]([\d.]+) ([\d.]+)", picture.path)
    steps = [((float(x) - left) / CELL, (float(y) - top) / CELL) for x, y in nodes]
    assert steps == [(0, 0), (1, 2), (2, 2), (3, 3)]
    by_output = dict.fromkeys(range(3), 0.0)
    for cell in picture.cells:
        by_output[round((cell.y - top) / CELL)] += cell.shade
    assert all(0.98 < total <= 1.01 for total in by_output.values())
    assert picture.text == "X:k+s A:_ B:b"


def test_segments_are_counted():
    aligned = [
        AlignedPair((("X", ("k", "s")), ("A", ())), 1.0, 0.0, (1.0, 1.0)),
        AlignedPair((("X", ("z",)), ("X", ("k", "s"))), 1.0, 0.0, (1.0, 1.0)),
    ]
    first, second = frequent_segments(aligned, " ")
    assert (first.text, first.count) == ("X", 3)
    assert [(s.text, s.count, s.share) for s in first.segments] == [
        ("k s", 2, "66.7 %"),
        ("z", 1, "33.3 %"),
    ]
    assert [s.text for s in second.segments] == ["∅"]


def test_symbols_of_strangers_are_only_text(hostile, tmp_path):
    write_swan_report(hostile, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "<img" not in page
    assert page.count("<script") == 2
    assert "49" not in re.findall(r"<bdi>(.*?)</bdi>", page)
    assert "\u202e" not in page
    assert html.escape(SCRIPT, quote=False)[:20] in page


# Sockets that selenium leaves to the garbage collector.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_in_a_browser_nothing_runs(hostile, tmp_path):
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("needs chromium and chromedriver")
    from selenium.webdriver.chrome.service import Service

    path = write_swan_report(hostile, tmp_path / "page.html").path
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(driver))
    try:
        browser.get(path.as_uri())
        assert browser.title == "pairs.tsv: sequences to sequences"
        assert browser.get_log("browser") == []
        for width in (390, 1280):
            metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
            wide = browser.execute_script("return document.documentElement.scrollWidth")
            assert wide <= width
    finally:
        browser.quit()
