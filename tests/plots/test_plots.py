"""Plots of a run with hostile documents: what they show, and that text in them stays text."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("plotly", reason="plots need 'pip install .[plots]'")

from segtopic import plots
from segtopic.errors import ConfigError
from segtopic.plots.drawing import label
from segtopic.plots.topics import _names_with_room
from segtopic.report.topic_list import ShownTopic, gather_topics
from segtopic.runs.naming import Naming
from tests.report.reported import HOSTILE, IMAGE, grammatical_run, small_run
from tests.training.planted import PHRASES, WORDS, planted_texts


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return small_run(tmp_path_factory.mktemp("plots"), epochs=6)


class Tags(HTMLParser):
    """The tags of a piece of HTML, and all its text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text = set(), ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags |= {tag, *(name for name, _ in attrs)}

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("attack", [*HOSTILE, *HOSTILE.values()])
def test_a_marked_document_escapes_its_text(run, attack):
    phrase = " ".join(PHRASES[0][0])
    shown = plots.document(run, f"{attack} {phrase}, {WORDS[0][0]}")
    found = Tags(shown._repr_html_())
    assert found.tags <= {"div", "p", "span", "mark", "style", "title", "dir"}
    assert "</script" not in shown._repr_html_()
    if attack.isascii() and attack.isprintable():
        assert attack in found.text
    assert phrase in found.text


def test_a_marked_document_marks_its_phrases(run):
    phrase = " ".join(PHRASES[0][0])
    shown = plots.document(run, f"{WORDS[0][0]} {phrase}")
    assert f"[{phrase}]" in repr(shown)
    marks = re.findall(r'<mark title="(\d+)% certain, topic .*?>(.*?)</mark>', shown._repr_html_())
    assert [text for _, text in marks] == [phrase]
    assert sum(share for _, share in shown.shares) <= 1 + 1e-9


def test_a_document_of_a_run_with_a_grammar_has_marked_phrases(tmp_path):
    grammatical = grammatical_run(tmp_path)
    text = "gufeesk tu naroal nureon fedeesk po tu Zorkix Quibix."
    marked, best = (plots.document(grammatical, text, phrases) for phrases in ("marked", "best"))
    assert "[naroal nureon]" in repr(marked)
    assert repr(plots.document(grammatical, text)) == repr(marked) != repr(best)
    assert "Zorkix" not in "".join(re.findall(r"\[.*?\]", repr(best)))
    assert len(re.findall("<mark", marked._repr_html_())) == len(marked.segmented.phrases)
    with pytest.raises(ConfigError, match="phrases is 'all'; choose 'best' or 'marked'"):
        plots.document(grammatical, text, "all")


def test_shares_of_merged_topics_are_told_together(run):
    text = planted_texts(1)[0][0]
    apart = {topic.number: share for topic, share in plots.document(run, text).shares}
    together = replace(run, naming=Naming(merged=((0, 1),)))
    shares = {topic.number: share for topic, share in plots.document(together, text).shares}
    assert set(shares) <= {0, 2}
    assert shares[0] == pytest.approx(apart.get(0, 0) + apart.get(1, 0), abs=0.05)


def test_a_text_without_known_words_is_shown(run):
    shown = plots.document(run, "nothing known")
    assert "nothing known" in shown._repr_html_()
    assert "<mark" not in shown._repr_html_()


def test_the_overview_has_all_topics_by_size(run):
    (bars,) = plots.overview(run).data
    assert list(bars.x) == sorted(bars.x, reverse=True)
    assert sum(bars.x) == pytest.approx(1)
    assert sorted(bars.y) == [0, 1, 2]
    (fewer,) = plots.overview(run, n_topics=2).data
    assert list(fewer.y) == list(bars.y)[:2]


def test_the_map_is_that_of_the_report(run):
    (circles,) = plots.topic_map(run).data
    shown = gather_topics(run).shown
    assert list(circles.x) == [topic.place[0] for topic in shown]
    assert [-y for y in circles.y] == [topic.place[1] for topic in shown]
    assert circles.marker.size == tuple(topic.share for topic in shown)


def test_names_on_the_map_never_stand_on_each_other():
    def topic(x, y, name):
        return ShownTopic(0, name, 0.1, [], (x, y), 0)

    near = [topic(0.5, 0.5, "the largest"), topic(0.52, 0.5, "beside"), topic(0.5, 0.7, "below")]
    assert _names_with_room(near) == ["the largest", "", "below"]


def test_an_estimator_is_taken_as_a_model(run):
    from segtopic import SegTopic

    model = SegTopic.load(run.folder)
    assert plots.overview(model).data[0].x == pytest.approx(plots.overview(run).data[0].x)
    with pytest.raises(ConfigError, match="a fitted SegTopic or a TrainedModel expected, but got"):
        plots.overview(SegTopic())


def shares(n_topics=4):
    generator = np.random.default_rng(0)
    rows = [
        {"time": year, "topic": topic, "share": mean, "low": mean - 0.01, "high": mean + 0.01}
        for topic in range(n_topics)
        for year, mean in zip((2021, 2019, 2020), generator.uniform(0.1, 0.2, 3), strict=True)
    ]
    return pd.DataFrame(rows)


def test_over_time_draws_shares_and_intervals_in_order(run):
    table = shares()
    figure = plots.over_time(table, topics=[2, 0])
    band, line, *_ = figure.data
    assert list(line.x) == [2019, 2020, 2021]
    expected = table[table["topic"] == 2].sort_values("time")
    assert list(line.y) == list(expected["share"])
    assert list(band.y[:3]) == list(expected["high"])
    assert list(band.y[3:]) == list(expected["low"])[::-1]
    assert [note.text for note in figure.layout.annotations] == ["2", "0"]


def test_over_time_chooses_the_largest_topics():
    table = shares()
    means = table.groupby("topic")["share"].mean().sort_values(ascending=False)
    figure = plots.over_time(table, n_topics=3)
    assert [note.text for note in figure.layout.annotations] == [str(t) for t in means.index[:3]]


def test_what_topics_over_time_returns_is_taken_as_it_is():
    class Changes:
        def to_frame(self):
            table = shares().rename(columns={"time": "value"}).astype({"value": str})
            return table.assign(name="<b>" + table["topic"].astype(str))

    figure = plots.over_time(Changes(), topics=[1])
    assert list(figure.data[1].x) == [2019, 2020, 2021]
    assert figure.layout.annotations[0].text == "&lt;b&gt;1"


def test_dates_and_tables_without_intervals():
    table = shares(1).drop(columns=["low", "high"])
    table["time"] = pd.to_datetime(table["time"].astype(str))
    (line,) = plots.over_time(table).data
    assert list(line.x) == sorted(line.x)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda t: t.drop(columns="share").rename(columns={"time": "tim"}), "no column 'time'"),
        (lambda t: t.drop(columns="share"), "no column 'share'"),
        (lambda t: t.drop(columns="low"), "'high' alone"),
        (lambda t: t.assign(share="many"), "'share' has values that are no numbers"),
        (lambda t: t.assign(time=None), "'time' has empty cells"),
        (lambda t: t[:0], "no rows"),
        (lambda t: t.to_dict(), "a pandas table expected, but got dict"),
    ],
)
def test_tables_that_cannot_be_drawn_are_a_sentence(change, sentence):
    with pytest.raises(ConfigError, match=sentence):
        plots.over_time(change(shares()))
    with pytest.raises(ConfigError, match="no topic 9"):
        plots.over_time(shares(), topics=[9])


def test_names_are_no_markup_for_plotly(run):
    assert "<" not in label(IMAGE)
    figure = plots.overview(run)
    figure.data[0].text = [label(IMAGE)]
    assert "<img" not in json.dumps(figure.to_dict(), default=str)


def test_without_plotly_the_extra_is_named(run, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr("segtopic.plots.drawing.import_module", missing)
    for draw in (plots.overview, plots.topic_map):
        with pytest.raises(ConfigError, match=r"pip install segtopic\[plots\]"):
            draw(run)
    with pytest.raises(ConfigError, match=r"pip install segtopic\[plots\]"):
        plots.over_time(shares())
    assert plots.document(run, planted_texts(1)[0][0])._repr_html_()
