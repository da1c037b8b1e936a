"""Gold phrases and agreement, against counting by hand."""

import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.config import TokenConfig
from segtopic.corpus import Documents
from segtopic.corpus.spans import SpanRules, TextEncoder
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.errors import CorpusError
from segtopic.evaluate.boundaries import agreement
from segtopic.evaluate.chunked import SENTENCES_PER_TEXT, ChunkedText
from segtopic.evaluate.gold import GoldText, read_gold
from segtopic.evaluate.segmenters import (
    Collocations,
    GensimPhrases,
    random_lengths,
    single_words,
)

CHUNKS = """\
The DT B-NP
pound NN I-NP
fell VBD B-VP
, , O
he PRP B-NP
's VBZ B-VP
said VBN I-VP
in IN B-PP
New NNP B-NP
York NNP I-NP

Stocks NNS B-NP
rose VBD B-VP
"""


def segments(joined, inside):
    """Phrases as pairs of first word and length, one by one."""
    found, first = [], 0
    for word in range(1, len(joined) + 1):
        if word == len(joined) or not (joined[word] and inside[word]):
            found.append((first, word - first))
            first = word
    return found


def test_words_runs_and_phrases_of_the_format():
    gold = GoldText.of(ChunkedText.parse(CHUNKS.splitlines(), "here"))
    (text,) = gold.texts
    words = [text[start:].split()[0] for start in gold.starts]
    assert words == ["The", "pound", "fell", "he", "said", "in", "New", "York", "Stocks", "rose"]
    assert gold.inside.tolist() == [0, 1, 1, 0, 0, 1, 1, 1, 0, 1]
    assert gold.joined.tolist() == [0, 1, 0, 0, 0, 0, 0, 1, 0, 0]


def test_many_sentences_become_several_texts():
    lines = (CHUNKS + "\n").splitlines() * SENTENCES_PER_TEXT
    gold = GoldText.of(ChunkedText.parse(lines, "here"))
    assert len(gold.texts) == 2
    for text, start in zip(gold.text_of_word, gold.starts, strict=True):
        before = gold.texts[text][:start]
        assert not before or before[-1] in " \n"
    assert len(gold.starts) == 10 * SENTENCES_PER_TEXT


def encoder(words):
    counts = np.ones(len(words), dtype=np.int64)
    vocabulary = Vocabulary(tuple(words), counts, counts)
    return TextEncoder(vocabulary, SpanRules(TokenConfig(stop_words="none"), frozenset()))


def test_a_segmentation_is_read_by_the_places_of_its_words():
    gold = GoldText.of(ChunkedText.parse(CHUNKS.splitlines(), "here"))
    encoded = encoder(["the", "pound", "fell", "york", "new", "in", "stocks"]).encode(gold.texts)
    spans = encoded.documents.to_lists()[0]
    assert [len(span) for span in spans] == [3, 3, 1]
    segment_ends = np.array([False, True, True, False, True, True, True])  # [the pound] [in new]
    joined = gold.joined_by(encoded, segment_ends)
    assert joined.tolist() == [0, 1, 0, 0, 0, 0, 1, 0, 0, 0]
    score = agreement(joined, gold.joined, gold.inside)
    assert (score.phrases.found, score.phrases.gold, score.phrases.both) == (2, 2, 1)
    # Six places inside runs; gold cuts four of them, so does the segmentation, three agree.
    assert (score.boundaries.found, score.boundaries.gold, score.boundaries.both) == (4, 4, 3)


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_agreement_counts_one_by_one(rows):
    rows[0] = (False, False, False)
    inside, gold, found = (np.array(column) for column in zip(*rows, strict=True))
    gold, found = gold & inside, found & inside
    score = agreement(found, gold, inside)
    mine, theirs = ({s for s in segments(j, inside) if s[1] > 1} for j in (found, gold))
    assert (score.phrases.found, score.phrases.gold) == (len(mine), len(theirs))
    assert score.phrases.both == len(mine & theirs)
    cuts = [i for i in range(len(rows)) if inside[i] and not found[i]]
    right = [i for i in cuts if not gold[i]]
    assert (score.boundaries.found, score.boundaries.both) == (len(cuts), len(right))
    perfect = agreement(gold, gold, inside)
    assert perfect.phrases.f1 == (1.0 if theirs else 0.0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no words"),
        (b"word\n", "line 1 is not 'word .. tag'"),
        (b"word NN X-NP\n", "line 1 is not 'word .. tag'"),
        (b"\xff\xfe word", "cannot be read"),
    ],
)
def test_other_files_are_refused(tmp_path, content, message):
    path = tmp_path / "gold.txt"
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=message):
        read_gold(path)


def test_archives(tmp_path):
    path = tmp_path / "gold.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conll2000/test.txt", CHUNKS)
    assert len(read_gold(path).starts) == 10
    with pytest.raises(CorpusError, match=r"holds no conll2000/train\.txt"):
        read_gold(path, "train")
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(CorpusError, match="cannot be read"):
        read_gold(path)


def test_simple_segmenters_join_what_they_have_seen_together():
    train = Documents.from_lists([[[0, 1], [2], [3], [4, 5], [5, 4]] * 40])
    new = Documents.from_lists([[[2, 0, 1, 3], [1, 0]]])
    for learned in (
        GensimPhrases.learn(train, 6, 0.1),
        Collocations.learn(train, 6, 1.0),
    ):
        assert learned(new).tolist() == [True, False, True, True, True, True]
    assert single_words(new).all()


def test_random_lengths_stay_inside_spans_and_limits():
    documents = Documents.from_lists([[[0] * 50, [1], [2] * 7]])
    segment_ends = random_lengths(documents, 3, seed=1)
    assert segment_ends[[49, 50, 57]].all()
    gaps = np.diff(np.flatnonzero(np.append(True, segment_ends)))
    assert gaps.max() <= 3
    assert set(gaps.tolist()) == {1, 2, 3}
    assert random_lengths(documents, 3, seed=1).tolist() == segment_ends.tolist()
