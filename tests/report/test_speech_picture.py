"""Pictures of utterances: text that is only text, labels apart, seconds, rows with their names."""

import itertools
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from PIL import ImageFont

from segtopic.errors import ConfigError
from segtopic.report.speech import fonts
from segtopic.report.speech.dots import MOST_DOTS, as_png
from segtopic.report.speech.files import as_svg, check_folder, write_pictures
from segtopic.report.speech.labels import PADDING, Stretch, place_labels
from segtopic.report.speech.lettering import shown, width_of
from segtopic.report.speech.parts import MAKER
from segtopic.report.speech.picture import draw_utterance
from segtopic.speech.recordings import Mark
from segtopic.swan.listener import TimedSegment

SVG = "{http://www.w3.org/2000/svg}"


def drawn(symbols=("A", "B"), level="characters", seconds=1.0, marks=(), said=True):
    """Each symbol a segment of the same length."""
    length = seconds / len(symbols)
    segments = [
        TimedSegment((symbol,), n * length, (n + 1) * length, (n + 0.5) * length, 1.0)
        for n, symbol in enumerate(symbols)
    ]
    features = np.random.default_rng(0).normal(size=(50, 6)).astype(np.float32)
    emission, heard = np.eye(len(symbols)), segments[:1]
    path = segments if said else None
    return draw_utterance(features, path, heard, marks, emission, length, seconds, level)


def texts_of(picture):
    root = ElementTree.fromstring(as_svg(picture))
    return [each.text for each in root.iter(f"{SVG}text")]


@pytest.mark.parametrize(
    "symbol", ["\x01", "\x00", "\u202e", "\ufffe", "\uffff", "\ud800", "<&\"'"]
)
def test_any_symbol_stands_in_a_well_formed_picture(symbol):
    picture = drawn([f"a{symbol}b"] * 3, "spaces", marks=[Mark(f"{symbol}m", 0, 0.5)])
    texts = texts_of(picture)
    assert "\u202e" not in as_svg(picture)
    assert len([text for text in texts if text.startswith("a")]) == 3 + 3 + 1
    assert as_png(picture).startswith(b"\x89PNG")


def test_a_line_end_stays_in_its_line():
    picture = drawn(["a\nb", "\n"], "spaces", marks=[Mark("c\td", 0, 1)])
    assert as_png(picture).startswith(b"\x89PNG")
    texts = texts_of(picture)
    assert {"a b", "␣", "c d"} <= set(texts)


@pytest.mark.parametrize(
    ("symbols", "level", "text"),
    [
        (["d", "y"], "phones", "d y"),
        (["axr", "dcl"], "phones", "axr dcl"),
        (["N", " ", "T"], "characters", "N␣T"),
        (["I", "O"], "spaces", "I O"),
    ],
)
def test_the_level_tells_how_symbols_are_joined(symbols, level, text):
    assert shown(symbols, level) == text


def test_no_text_overlaps_another_or_leaves_the_row():
    random = np.random.default_rng(1)
    for n_segments in (1, 3, 20, 60):
        borders = [0.0, *sorted(random.uniform(0, 1, n_segments - 1)), 1.0]
        some = [
            Stretch("x" * random.integers(1, 40), begin, end)
            for begin, end in itertools.pairwise(borders)
        ]
        labels = place_labels(some, lambda second: 100 + 500 * second, 100, 600)
        assert [label.text for label in labels] == [each.text for each in some]
        spans = []
        for label in labels:
            half = width_of(label.written, label.size) / 2
            begin, end = label.middle - half, label.middle + half
            if label.written:
                assert 100 - 0.1 <= begin <= end <= 600.1
                spans.append((label.level, begin, end))
            if label.written and not label.level:
                assert label.x + PADDING <= begin + 0.1
                assert end <= label.x + label.width - PADDING + 0.1
        for (level, _, end), (next_level, begin, _) in itertools.pairwise(sorted(spans)):
            assert level != next_level or end <= begin
        leaders = [(label.level, label.x + label.width / 2) for label in labels if label.written]
        for level, leader in leaders:
            assert not any(
                0 < above < level and begin < leader < end for above, begin, end in spans
            )


def test_a_narrow_label_stands_below_and_a_crowd_is_hidden():
    def place(some):
        return place_labels(some, lambda second: 500 * second, 0, 500)

    (narrow, wide) = place([Stretch("narrow", 0, 0.01), Stretch("wide", 0.01, 1)])
    assert (narrow.level, wide.level) == (1, 0)
    crowd = place([Stretch("crowded", n / 100, (n + 1) / 100) for n in range(100)])
    hidden = [label for label in crowd if not label.written]
    assert 0 < len(hidden) < 100
    assert "<title>crowded: 0.0" in as_svg(drawn(["crowded"] * 300, "spaces"))


def test_more_segments_make_a_wider_picture():
    few, many = drawn(["seven"] * 4, "spaces"), drawn(["seven"] * 16, "spaces")
    assert many.width > few.width


def test_there_are_seconds_and_a_name_beside_each_row():
    picture = drawn(["A", " ", "B"], seconds=2.0)
    assert [tick.text for tick in picture.ticks] == ["0.0", "0.5", "1.0", "1.5", "2.0"]
    left, right = picture.sound.box.x, picture.sound.box.x + picture.sound.box.width
    assert [tick.place for tick in picture.ticks[::4]] == [left, right]
    assert len(picture.axes) == 2
    assert [name.text for name in picture.shades.names] == ["A", "␣", "B"]
    box = picture.shades.panel.box
    heights = [box.y + box.height * (n + 0.5) / 3 for n in range(3)]
    assert [name.place for name in picture.shades.names] == heights
    rows = zip(picture.shades.names, picture.shades.emitted, strict=True)
    for n, (name, frame) in enumerate(rows):
        assert frame.y < name.place < frame.y + frame.height
        assert frame.x == pytest.approx(left + n / 3 * (right - left), abs=0.1)


def test_a_pause_has_a_line_at_either_end():
    features, emission = np.zeros((50, 6), np.float32), np.eye(2)
    path = [TimedSegment(("A",), 0.0, 0.25, 0.1, 1.0), TimedSegment(("B",), 0.5, 1.0, 0.8, 1.0)]
    picture = draw_utterance(features, path, path, (), emission, 0.5, 1.0, "characters")
    box = picture.sound.box
    assert picture.borders == [box.x + box.width / 4, box.x + box.width / 2]


def test_names_of_many_rows_do_not_overlap():
    names = drawn(["A"] * 400).shades.names
    assert 1 < len(names) < 400
    assert all(b.place - a.place >= 12 for a, b in itertools.pairwise(names))


def test_without_a_transcript_only_what_was_heard_is_drawn():
    picture = drawn(["A"], said=False)
    assert [row.name for row in picture.rows] == ["heard"]
    assert picture.caption.text == "posterior of what was heard"


@pytest.mark.parametrize("names", [fonts.NAMES, ()])
def test_every_letter_has_a_shape(names, monkeypatch):
    monkeypatch.setattr(fonts, "NAMES", names)
    fonts._fonts.cache_clear()
    for text in ("NE␣", "∅", "жα", "日本", "plain"):
        letters, font = fonts.lettered(text, 24)
        assert len(letters) == len(text)
        assert all(fonts._has(font, letter) for letter in letters)
    assert fonts.lettered("a b␣", 24)[0] == ("a b␣" if names and _has_dejavu() else "a b_")
    fonts._fonts.cache_clear()


def _has_dejavu():
    try:
        return bool(ImageFont.truetype("DejaVuSansMono.ttf", 24))
    except OSError:
        return False


def test_pictures_of_an_earlier_report_go_and_those_of_others_stay(tmp_path):
    first, second, third = drawn("AB"), drawn("BA"), drawn("C")
    assert len(write_pictures([first, second, third], tmp_path)) == 6
    for name in ("utterance-9.png", "utterance-notes.txt", "utterance-page.html", "mine.svg"):
        (tmp_path / name).write_text(f"mine, about {MAKER}")
    written = write_pictures([first], tmp_path)
    assert [path.name for path in written] == ["utterance-1.svg", "utterance-1.png"]
    assert {path.name for path in tmp_path.iterdir()} == {
        *(path.name for path in written),
        "utterance-9.png",
        "utterance-notes.txt",
        "utterance-page.html",
        "mine.svg",
    }


def test_pictures_of_others_are_not_replaced(tmp_path):
    write_pictures([drawn("AB")], tmp_path)
    check_folder(tmp_path)
    (tmp_path / "utterance-1.svg").write_text(f"<svg>drawn by hand, not by {MAKER}</svg>")
    with pytest.raises(ConfigError, match=r"holds utterance-1.svg, which no report has made"):
        check_folder(tmp_path)


def test_a_very_long_utterance_is_a_picture_of_bounded_size():
    picture = drawn("AB" * 3000)
    assert picture.height < 8000
    assert picture.width * picture.height <= 1.5 * MOST_DOTS
