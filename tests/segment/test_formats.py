"""Every format gives back what was put in, whatever the texts and ids hold."""

import csv
import html.parser
import io
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.harmless import for_spreadsheet, for_terminal
from segtopic.segment.alternatives import Alternative
from segtopic.segment.formats import (
    FORMATS,
    CsvFormat,
    GensimFormat,
    HtmlFormat,
    JsonLinesFormat,
    SegmentedRecord,
    TextFormat,
)
from segtopic.segment.segmented import SegmentedDocument

PIECES = [
    *("river", "Bank", "new york", " ", "\n", "\r\n", "\r", "\t", ",", '"', "'", ";", "[", "]"),
    *("=1+1", "+2", "-3", "@x", "|cmd", "%", "<b>", "</script>", "&amp;", "<!--", "{{ x }}"),
    *("\x1b[31m", "\x1b]0;title\x07", "\x9b31m", "\x00", "\x7f", "\u202e", "\u2066", "\u2028"),
    *("e\u0301", "\U0001f600", "\U0001f468\u200d\U0001f469", "\ufeff", "\uff1d1", "\x85", "é"),
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=12).map("".join)
BAD_ON_TERMINALS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def segmented(text, segment_ends):
    """A document whose known words are its runs of ASCII letters."""
    words = list(re.finditer("[A-Za-z]+", text))
    segment_ends = np.array([*segment_ends, *[True] * len(words)][: len(words)], dtype=bool)
    segment_ends[-1:] = True
    return SegmentedDocument(
        text=text,
        starts=np.array([word.start() for word in words], dtype=np.int64),
        ends=np.array([word.end() for word in words], dtype=np.int64),
        words=tuple(word[0].lower() for word in words),
        segment_ends=segment_ends,
        boundaries=np.where(segment_ends, 0.875, 0.125),
        probabilities=np.full(len(words), 0.75),
        topics=np.array([0.25, 0.75]),
    )


RECORDS = st.builds(
    lambda name, text, ways: SegmentedRecord(
        name, [Alternative(segmented(text, way), -float(n)) for n, way in enumerate(ways)]
    ),
    TEXTS,
    TEXTS,
    st.lists(st.lists(st.booleans(), max_size=8), min_size=1, max_size=3),
)


def written(form, records):
    return form.begin() + "".join(map(form.record, records)) + form.end()


@given(st.lists(RECORDS, max_size=3))
def test_json_lines_give_everything_back(records):
    lines = written(JsonLinesFormat(), records).split("\n")
    assert lines.pop() == ""
    for line, record in zip(lines, records, strict=True):
        found = json.loads(line)
        assert (found["id"], found["text"]) == (record.id, record.document.text)
        assert found["topics"] == [0.25, 0.75]
        ways = found.get("alternatives", [found])
        for way, alternative in zip(ways, record.alternatives, strict=True):
            assert way["log_probability"] == alternative.log_probability
            phrases = alternative.document.phrases
            assert [s["text"] for s in way["segments"]] == [p.text for p in phrases]
            assert all(s["text"] == found["text"][s["start"] : s["end"]] for s in way["segments"])
            assert [s["words"] for s in way["segments"]] == [len(p.words) for p in phrases]


@given(st.lists(RECORDS, max_size=3))
def test_csv_parses_back_and_holds_no_formula(records):
    content = io.StringIO(written(CsvFormat(), records), newline="")
    rows = list(csv.DictReader(content, strict=True))
    expected = [
        (record.id, number, phrase)
        for record in records
        for number, alternative in enumerate(record.alternatives, 1)
        for phrase in alternative.document.phrases or [None]
    ]
    for row, (name, number, phrase) in zip(rows, expected, strict=True):
        assert row["id"] == for_spreadsheet(name)
        assert row["id"].removeprefix("'") == name.removeprefix("'")
        assert row["alternative"] == str(number)
        if phrase is None:
            assert row["text"] == row["start"] == ""
            continue
        assert row["text"].removeprefix("'") == phrase.text.removeprefix("'")
        assert (row["start"], row["end"]) == (str(phrase.start), str(phrase.end))
        assert float(row["probability"]) == 0.75
    for row in rows:
        assert None not in row
        for cell in row.values():
            assert not re.match(r"\s*[=+@|%\uff1d]|\s*-\D|[\t\r\n]", cell)


TAGS = {"html", "head", "meta", "title", "style", "body", "main", "article", "h2", "bdi", "p"}
TAGS |= {"span"}


class ReadPage(html.parser.HTMLParser):
    """Collects tags, and the text of headings and paragraphs in articles."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.articles, self.place = set(), [], None

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag == "article":
            self.articles.append({"h2": "", "p": ""})
        if tag in ("h2", "p") and self.articles:
            self.place = tag

    def handle_endtag(self, tag):
        if tag == self.place:
            self.place = None

    def handle_data(self, data):
        if self.place:
            self.articles[-1][self.place] += data


@given(st.lists(RECORDS, max_size=3))
def test_html_is_escaped_and_whole(records):
    page = ReadPage()
    page.feed(written(HtmlFormat(), records))
    page.close()
    assert page.tags <= TAGS
    for article, record in zip(page.articles, records, strict=True):
        assert article["h2"] == for_terminal(record.id)
        assert article["p"] == for_terminal(record.document.text)


@given(RECORDS, st.booleans())
def test_text_has_brackets_and_moves_no_cursor(record, headings):
    shown = TextFormat(headings=headings).record(record)
    assert not BAD_ON_TERMINALS.search(shown)
    for alternative in record.alternatives:
        for phrase in alternative.document.phrases:
            assert f"[{for_terminal(phrase.text)}]" in shown
    if headings:
        assert shown.startswith("== ")
        assert "\n" in shown
    if len(record.alternatives) == 1 and not headings:
        plain = for_terminal(record.document.text).strip("\n")
        assert len(shown) == len(plain) + 2 * len(record.document.phrases) + 1


def test_colours_follow_the_probability_of_the_boundary():
    document = segmented("a b, c", [False, True])
    plain = TextFormat().record(SegmentedRecord("x", [Alternative(document, 0.0)]))
    assert "[a b], [c]" in plain
    coloured = TextFormat(colours=True).record(SegmentedRecord("x", [Alternative(document, 0.0)]))
    assert "\x1b[1;32m[\x1b[0ma b\x1b[1;33m]\x1b[0m" in coloured  # sure start, 0.875 at the end
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == plain


@given(RECORDS)
def test_gensim_reads_one_line_with_joined_phrases(record):
    line = GensimFormat().record(record)
    assert line.count("\n") == 1
    assert line.split() == ["_".join(p.words) for p in record.document.phrases]


@pytest.mark.parametrize("name", FORMATS)
def test_an_empty_document_leaves_its_mark(name):
    form = FORMATS[name]()
    record = SegmentedRecord("nothing", [Alternative(segmented("", []), 0.0)])
    assert form.record(record).endswith("\n")
    assert name == "gensim" or "nothing" in form.record(record)
