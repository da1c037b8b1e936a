"""The parts of a report against simpler computations."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon, pdist, squareform

from segtopic.corpus.split import Split
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.harmless import REVERSAL, for_page, for_script
from segtopic.report.axis import nice_axis
from segtopic.report.curves import read_metrics, training_curves
from segtopic.report.remarkable import remarkable_phrases
from segtopic.report.shown import (
    LONGEST_TEXT,
    Coloured,
    choose_documents,
    fitting,
    show_document,
    utf16_length,
    with_examples,
)
from segtopic.report.topic_list import divergences, map_topics, topic_words, topics_of_phrases
from segtopic.report.typical import AROUND, around, best_first, context
from segtopic.segment.segmented import SegmentedDocument

INVISIBLE = st.characters(codec=None, categories=("Cc", "Cf", "Cs", "Zl", "Zp"))
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()) | INVISIBLE)
BIDIRECTIONAL = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@given(ANY_TEXT)
def test_visible_text_keeps_its_places_and_hides_nothing(text):
    shown = for_page(text)
    assert len(shown) == len(text)
    shown.encode()  # no half of a surrogate pair
    assert not set(shown) & set(BIDIRECTIONAL)
    assert all(c >= " " or c in "\t\n" for c in shown)
    assert all(a == b for a, b in zip(text, shown, strict=True) if a.isalnum())


def test_nothing_turns_the_text_around():
    assert for_page(f"a{BIDIRECTIONAL}b") == f"a{REVERSAL * len(BIDIRECTIONAL)}b"


@given(ANY_TEXT)
def test_lengths_are_those_of_a_browser(text):
    shown = for_page(text)
    assert utf16_length(shown) == len(shown.encode("utf-16-le")) // 2


@given(st.dictionaries(st.text(), st.lists(st.text() | st.integers())))
def test_embedded_json_is_the_same_json_without_a_way_out(values):
    text = for_script(values)
    assert json.loads(text) == values
    assert not set(text) & set("<>&\u2028\u2029")


@given(
    st.floats(-1e6, 1e6),
    st.floats(0, 1e6),
    st.integers(2, 8),
    st.booleans(),
)
def test_an_axis_holds_its_values(low, width, n_ticks, whole):
    axis = nice_axis(low, low + width, n_ticks, whole=whole)
    slack = 1e-6 * axis.step
    assert axis.low <= low + slack
    assert axis.high >= low + width - slack
    assert 2 <= len(axis.ticks) <= n_ticks + 3
    assert axis.place(axis.low, 10, 50) == 10
    assert axis.place(axis.high, 10, 50) == pytest.approx(50)
    if whole:
        assert all(float(tick).is_integer() for tick in axis.ticks)
    names = {f"{tick:.{axis.digits}f}" for tick in axis.ticks}
    assert len(names) == len(axis.ticks)


def distributions(n_topics, n_words, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(n_words, 0.2), size=n_topics)


def test_divergences_are_those_of_scipy():
    topics = distributions(6, 40)
    wanted = [[jensenshannon(p, q) ** 2 for q in topics] for p in topics]
    np.testing.assert_allclose(divergences(topics), np.nan_to_num(wanted), atol=1e-12)


def test_a_map_of_three_topics_keeps_their_distances():
    topics = distributions(3, 40)
    places, hues = map_topics(topics, np.full(3, 1 / 3))
    wanted, found = np.sqrt(divergences(topics)), squareform(pdist(places))
    ratio = found[0, 1] / wanted[0, 1]
    np.testing.assert_allclose(found, ratio * wanted, atol=1e-9)
    assert sorted(hues.tolist()) == [60, 180, 300]
    assert places.min() == 0
    assert places.max() == 1


@pytest.mark.parametrize("n_topics", [1, 2, 5])
def test_a_map_exists_for_any_number_of_topics(n_topics):
    same = np.repeat(distributions(1, 8), n_topics, axis=0)
    for topics in (distributions(n_topics, 8), same):
        places, hues = map_topics(topics, np.full(n_topics, 1 / n_topics))
        assert places.shape == (n_topics, 2)
        assert np.isfinite(places).all()
        assert len(set(hues.tolist())) == n_topics


class Mixture:
    """Documents whose first words are a mixture of topics."""

    def __init__(self, topics):
        self.topics = torch.from_numpy(topics)

    def first_word_distribution(self, theta):
        return theta @ self.topics


def test_the_words_of_topics_of_a_mixture_are_found_exactly():
    topics = distributions(4, 30)
    mean = torch.tensor([0.4, 0.3, 0.2, 0.1], dtype=torch.float64)
    highest = torch.tensor([0.9, 0.5, 0.25, 0.1], dtype=torch.float64)  # the last never changes
    rest = mean * ((1 - highest) / (1 - mean))[:, None]
    at_peak = rest.fill_diagonal_(0) + torch.diag(highest)
    found = topic_words(Mixture(topics), mean, at_peak)
    np.testing.assert_allclose(found[:3], topics[:3], atol=1e-9)
    np.testing.assert_allclose(found[3], mean.numpy() @ topics, atol=1e-9)


@pytest.mark.parametrize("marked", [False, True])
def test_the_topic_of_a_phrase_is_the_most_probable_one(marked):
    topics, shares = distributions(5, 12), distributions(1, 5, seed=1)[0]
    vocabulary = Vocabulary(tuple("abcdefghijkl"), np.ones(12), np.ones(12))
    document = segmented("d a l b h e zorkwell c", ["d a", "l", "b h e", "zorkwell c"])
    document = replace(document, marked=marked)
    # Of a marked phrase all known words count, of a segment the first, of neither unknown ones.
    words = [[3, 0], [1, 7, 4], [2]] if marked else [[3], [11], [1], []]
    joint = [[shares[k] * math.prod(topics[k, own]) for k in range(5)] for own in words]
    wanted = [row.index(max(row)) for row in joint]
    assert topics_of_phrases(document, vocabulary, shares, topics) == wanted


def segmented(text, phrases, topics=(0.7, 0.3)):
    """A document with the given phrases, which stand in the text one after the other."""
    starts, ends, words, segment_ends = [], [], [], []
    at = 0
    for phrase in phrases:
        for place, word in enumerate(phrase.split()):
            start = text.index(word, at)
            at = start + len(word)
            starts.append(start)
            ends.append(at)
            words.append(word.lower())
            segment_ends.append(place == len(phrase.split()) - 1)
    n = len(words)
    return SegmentedDocument(
        text=text,
        starts=np.array(starts, dtype=np.int64),
        ends=np.array(ends, dtype=np.int64),
        words=tuple(words),
        segment_ends=np.array(segment_ends, dtype=bool),
        boundaries=np.ones(n),
        probabilities=np.linspace(0.1, 1, n),
        topics=np.array(topics),
    )


def browser_pieces(shown, pieces):
    """What the page's script reads, with UTF-16 slices."""
    units, at, found = shown.text.encode("utf-16-le"), 0, []
    for piece in np.reshape(pieces, (-1, 5)).tolist():
        gap, length, size, percent, topic = piece
        at += gap + length
        found.append((units[2 * (at - length) : 2 * at].decode("utf-16-le"), size, percent, topic))
    return found


def test_pieces_find_their_phrases_again():
    text = "\U0001f600 New York\u202e, \U0001d4b3 the Big apple \U0001f600 end."
    document = segmented(text, ["New York", "Big apple", "end"])
    coloured = Coloured(document, [0, 1, 0])
    marked = Coloured(replace(document, marked=True), [1, 0])
    shown = show_document("a\x00", "test", coloured, marked, ["b\x00 c"], np.array([1, 0]))
    found = browser_pieces(shown, shown.marked)
    assert [(piece[0], piece[3]) for piece in found] == [("New York", 1), ("Big apple", 0)]
    found = browser_pieces(shown, shown.best)
    assert [piece[0] for piece in found] == ["New York", "Big apple", "end"]
    assert [(size, topic) for _, size, _, topic in found] == [(2, 0), (2, 1), (1, 0)]
    assert shown.topics == [(1, 0.7), (0, 0.3)]  # places, not the model's numbers
    assert "\x00" not in shown.key_phrases[0]


def test_a_long_text_is_cut_between_segments():
    words = [f"word{n}" for n in range(2000)]
    segments = Coloured(segmented(" ".join(words), words), [0] * 2000)
    document = segments.document
    pairs = [f"{one} {other}" for one, other in zip(words[::2], words[1::2], strict=True)]
    marked = Coloured(replace(segmented(document.text, pairs), marked=True), [0] * 1000)
    shown = show_document("long", "test", segments, marked, [], np.array([0, 1]))
    assert [piece[0] for piece in browser_pieces(shown, shown.marked)] == pairs[
        : len(shown.marked) // 5
    ]
    assert shown.text.endswith(pairs[len(shown.marked) // 5 - 1])
    assert LONGEST_TEXT - 20 < len(shown.text) <= LONGEST_TEXT
    assert shown.characters == len(document.text)
    found = browser_pieces(shown, shown.best)
    assert [piece[0] for piece in found] == words[: len(found)]
    assert shown.text.split() == words[: len(found)]


def test_documents_are_drawn_by_turns_and_by_the_seed():
    split = Split(train=np.arange(0, 50), dev=np.arange(50, 60), test=np.arange(60, 100))
    chosen = choose_documents(split, 20, seed=3)
    assert sum(number >= 60 for number in chosen) == 10
    assert chosen.tolist() == choose_documents(split, 20, seed=3).tolist()
    assert chosen.tolist() != choose_documents(split, 20, seed=4).tolist()
    assert sorted(choose_documents(split, 1000, seed=3)) == list(range(100))
    nothing = Split(*(np.zeros(0, dtype=np.int64) for _ in range(3)))
    assert len(choose_documents(nothing, 5, seed=0)) == 0


@given(st.permutations(range(12)), st.integers(0, 14), st.sets(st.integers(0, 11)))
def test_examples_take_the_place_of_the_last_documents(order, n_documents, examples):
    chosen = with_examples(order, n_documents, sorted(examples))
    assert len(chosen) == len(set(chosen)) == min(n_documents, len(order))
    if len(examples) <= n_documents:
        assert set(order[: n_documents - len(examples)]) <= set(chosen)
        assert examples & set(order) <= set(chosen)


def test_documents_stop_where_the_page_is_full():
    coloured = Coloured(segmented("a b", ["a", "b"]), [0, 1])
    document = show_document("d", "test", coloured, coloured, [], np.array([0, 1]))
    size = len(for_script(vars(document)).encode())
    assert len(fitting([document] * 10, 3 * size)) == 3
    assert fitting([document], size - 1) == []


def test_a_phrase_is_told_with_the_words_around_it():
    long = "word " * 30
    text = f"{long}in  New\nYork City\x01 {long}"
    document = segmented(text, ["New York", "City"])
    heard = context([segmented("a b", ["a", "b"]), document], ["nowhere", "new york", "city"])
    assert heard.phrase == "New York"
    assert heard.before.startswith("\u2026 word word")
    assert heard.before.endswith(" word in ")
    assert heard.after.startswith(" City\ufffd word")
    assert heard.after.endswith("word \u2026")
    assert len(heard.before) < 100 > len(heard.after)
    whole = context([segmented("A b.", ["A", "b"])], ["a b", "b"])
    assert (whole.before, whole.phrase, whole.after) == ("A ", "b", ".")


def test_without_a_phrase_the_first_words_are_told():
    heard = context([segmented(" One two", ["One", "two"])], ["three"])
    assert (heard.before, heard.phrase, heard.after) == ("", "", " One two")
    assert context([], ["three"]) is None


@given(st.text(max_size=300), st.integers(0, 300), st.integers(0, 300))
def test_words_around_a_place_are_the_text_there(text, one, other):
    start, end = sorted(min(place, len(text)) for place in (one, other))
    heard = around(text, start, end)
    inner = heard.before.removeprefix("\u2026") + heard.phrase + heard.after.removesuffix("\u2026")
    assert "".join(inner.split()) in "".join(for_page(text).split())
    assert len(heard.before) <= 2 * AROUND + 2 >= len(heard.after)


@given(st.lists(st.lists(st.integers(0, 9), unique=True, max_size=4), max_size=6))
def test_the_best_of_every_topic_come_first(typical):
    order = best_first(typical)
    assert sorted(order) == sorted({number for of in typical for number in of})
    firsts = {of[0] for of in typical if of}
    assert set(order[: len(firsts)]) == firsts


def test_remarkable_phrases():
    common = segmented("new york is new york", ["new york", "is", "new york"])
    rare = segmented("twin peaks on a new road", ["twin peaks", "on", "a", "new", "road"])
    long = segmented("new york city hall", ["new york city", "hall"])
    found = remarkable_phrases({7: common, 3: rare, 5: long})
    assert [(p.text, p.count, p.example) for p in found.commonest] == [
        ("new york", 2, 7),
        ("new york city", 1, 5),
        ("twin peaks", 1, 3),
    ]
    assert found.longest[0].text == "new york city"
    assert found.surprising[0].text == "twin peaks"
    # 15 words in all: twin and peaks once each, together once.
    assert found.surprising[0].factor == pytest.approx((1 / 15) / (1 / 15) ** 2)
    new, york, city = 4 / 15, 3 / 15, 1 / 15
    wanted = math.sqrt((1 / 15) / (new * york * city))
    assert found.longest[0].factor == pytest.approx(wanted)
    assert remarkable_phrases({}).commonest == []


def test_curves_follow_the_metrics(tmp_path):
    path = tmp_path / "metrics.csv"
    path.write_text("epoch,dev_refined,kl\n1,-7.5,3\n2,-7.0,\n3,-7.25,5\n")
    curves = training_curves(path, best_epoch=2, continuations=True)
    assert [chart.title for chart in curves.charts] == [
        "Predictive log likelihood",
        "Divergence from the prior (KL)",
    ]
    line = curves.charts[0].lines[0]
    assert line.values == ["\u22127.500", "\u22127.000", "\u22127.250"]
    top, bottom, middle = line.heights[1], line.heights[0], line.heights[2]
    assert middle == pytest.approx((top + bottom) / 2)  # the drawing's y grows downwards
    assert top < bottom
    divergence = curves.charts[1].lines[0]
    assert divergence.heights[1] is None
    assert divergence.path.count("M") == 2  # a gap where the value is missing
    assert training_curves(tmp_path / "none.csv", 1, continuations=True) is None
    assert read_metrics(path)[2] == {"epoch": 3, "dev_refined": -7.25, "kl": 5}
