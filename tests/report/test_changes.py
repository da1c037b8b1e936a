"""Topics over time and by group: what the page is given, what it draws, and that it is absent."""

import csv
import io
import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.errors import ConfigError
from segtopic.explore.changes import Changes
from segtopic.report.small_multiples import (
    FLOOR,
    TOP,
    WIDTH,
    for_the_script,
    small_multiples,
)
from segtopic.report.topic_list import ShownTopic
from tests.report.browser import NEEDS_CHROMIUM, click, every, one, press, until
from tests.report.changed import HOSTILE, content
from tests.report.reported import SCRIPT

NAN = math.nan


def shown(*numbers):
    return [ShownTopic(n, f"label {n}", 1 / len(numbers), [], (0, 0), 10 * n) for n in numbers]


def points(path):
    """Coordinates of an SVG path of straight lines."""
    return [(float(x), float(y)) for x, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", path)]


def test_lengths_must_agree():
    right = content([[0.1, 0.2, 0.3]])
    assert Changes.of(right).topics[0].range == pytest.approx(0.2)
    for name in ("share", "low", "high", "phrases"):
        topic = {**right["topics"][0], name: right["topics"][0][name][:2]}
        with pytest.raises(ConfigError, match=f"topic 0: '{name}' has 2 entries for 3 values"):
            Changes.of({**right, "topics": [topic]})
    with pytest.raises(ConfigError, match="'documents' has 1 entries"):
        Changes.of({**right, "documents": [7]})


def test_nothing_is_drawn_of_nothing():
    assert small_multiples(None, shown(0)) is None
    assert small_multiples(Changes((), ()), shown(0)) is None
    assert for_the_script(None) is None


@given(
    st.integers(1, 9).flatmap(
        lambda n: st.lists(
            st.lists(st.floats(0, 0.8) | st.just(NAN), min_size=n, max_size=n),
            min_size=1,
            max_size=5,
        )
    )
)
def test_drawings_stay_in_their_frames_and_scales_can_be_made_equal(shares):
    changes = Changes.of(content(shares))
    drawn = small_multiples(changes, shown(*range(len(shares))))
    assert [chart.change.range for chart in drawn.charts] == sorted(
        (topic.range for topic in changes.topics), reverse=True
    )
    for chart in drawn.charts:
        known = [value for value in chart.change.share if math.isfinite(value)]
        line = points(chart.line)
        assert len(line) == len(known) == chart.points.count("h0")
        assert all(0 <= x <= WIDTH and TOP <= y <= FLOOR for x, y in line)
        assert all(TOP - 0.1 <= y <= FLOOR for _, y in points(chart.band))
        assert all(0 <= row.low <= row.mean <= row.high <= 1000 for row in chart.rows)
        # On the common scale the height above zero tells the share, whatever the topic.
        move, squeeze = map(
            float, re.fullmatch(r"translate\(0 (.+)\) scale\(1 (.+)\)", chart.squeezed).groups()
        )
        top = float(drawn.top.removesuffix(" %")) / 100
        for (_, y), value in zip(line, known, strict=True):
            height = (FLOOR - (y * squeeze + move)) / (FLOOR - TOP)
            assert height == pytest.approx(value / top, abs=0.01)
        assert chart.narrowed == f"scale({squeeze} 1)"
    json.dumps(for_the_script(drawn), allow_nan=False)


def test_a_year_without_documents_is_a_gap():
    chart = small_multiples(Changes.of(content([[0.1, NAN, 0.3, 0.2]])), shown(0)).charts[0]
    assert chart.line.count("M") == 2
    assert chart.band.count("Z") == 2
    assert chart.rows[1].words == "\u2013"
    assert chart.rows[2].words == "30.0 % [22.5, 37.5]"


def test_a_share_without_its_interval_is_not_drawn():
    given_one = content([[0.1, 0.2, 0.3]])
    given_one["topics"][0]["low"][1] = NAN
    chart = small_multiples(Changes.of(given_one), shown(0)).charts[0]
    assert len(points(chart.line)) == 2
    assert not chart.rows[1].known


def test_a_topic_that_the_page_does_not_have_is_told_by_its_number():
    drawn = small_multiples(Changes.of(content([[0.1], [0.3]])), shown(1))
    assert {(chart.label, chart.place) for chart in drawn.charts} == {
        ("topic 0", None),
        ("label 1", 0),
    }


def test_without_data_the_page_has_no_such_part(page_path):
    page = page_path.read_text(encoding="utf-8")
    assert 'id="over-time"' not in page
    assert 'id="by-group"' not in page


def test_names_of_groups_stay_text(changed_page):
    page = changed_page.read_text(encoding="utf-8")
    assert SCRIPT not in page
    assert "<img" not in page
    assert "\u202e" not in page
    assert "\u21c4gnp.exe" in page


class TestInABrowser:
    """The same page, opened."""

    pytestmark = NEEDS_CHROMIUM

    @pytest.fixture
    def page(self, chromium, changed_page):
        chromium.get_log("browser")
        chromium.get(changed_page.as_uri())
        until(chromium, lambda driver: every(driver, "#map circle"))
        yield chromium
        assert chromium.get_log("browser") == []
        assert "broken" not in chromium.title

    def test_one_year_is_read_off_all_charts(self, page):
        charts = every(page, "#over-time .curve")
        assert len(charts) == 3
        readings = [reading.text for reading in every(page, "#over-time .reading .value")]
        assert readings[0] == "2016: 60.0 % [45.0, 75.0]"
        charts[0].send_keys("")  # focus
        press(page, "HOME")
        readings = every(page, "#over-time .reading .value")
        assert all(reading.text.startswith("2014: ") for reading in readings)
        assert all(
            chart.get_attribute("aria-valuetext").endswith("; phrase of 2014, another")
            for chart in charts
        )
        assert one(page, "#over-time .spoken").text == "phrase of 2014, another"

    def test_scales_are_made_equal(self, page):
        def heights():
            return page.execute_script(
                "return [...document.querySelectorAll('#over-time .line')].map((line) =>"
                "document.querySelector('#over-time svg').getBoundingClientRect().height"
                " && line.getBoundingClientRect().height)"
            )

        own = heights()
        click(page, "#over-time .same-scale")
        common = heights()
        # 0.1 to 0.6, 0.1 to 0.4 and 0.3 to 0.5: the largest change first.
        assert common[0] == pytest.approx(own[0], rel=0.01)
        assert common[1] / common[0] == pytest.approx(3 / 5, rel=0.05)
        assert common[2] / common[0] == pytest.approx(2 / 5, rel=0.05)
        assert own[1] / own[0] > 1.1 * common[1] / common[0]
        tops = {tick.text for tick in every(page, "#over-time .common-scale")}
        assert tops == {"80 %"}
        assert not any(tick.is_displayed() for tick in every(page, "#over-time .own-scale"))

    def test_shares_are_saved_as_csv(self, page, tmp_path):
        behaviour = {"behavior": "allow", "downloadPath": str(tmp_path)}
        page.execute_cdp_cmd("Browser.setDownloadBehavior", behaviour)
        click(page, "[data-csv=by-group]")
        path = tmp_path / "by-group.csv"
        until(page, lambda _: path.exists())
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
        assert len(rows) == 3 * len(HOSTILE)
        assert rows[2][SCRIPT] == rows[2]["phrases"] == "'=1+1"
        assert float(rows[2]["low"]) < float(rows[2]["share"]) < float(rows[2]["high"])

    def test_names_of_groups_do_nothing(self, page):
        names = {name.text for name in every(page, "#by-group .whiskers th")}
        assert SCRIPT in names
        assert every(page, "img") == []
        assert page.execute_script("return document.scripts.length") == 2
