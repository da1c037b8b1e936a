"""Text that nobody would write comes through every command whole."""

import json
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.config import CorpusConfig
from segtopic.corpus import corpus_from_texts
from segtopic.corpus.records import BadLines, DuplicateIds, Record, with_own_ids
from segtopic.segment import Segmenter
from tests.training.planted import WORDS, planted_texts

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
from fuzz_text import SIGNS, Fuzz

# A model of two thirds of these texts knows some of their words.
KNOWN = [word for topic in WORDS for word in topic[:3]]
PIECES = st.sampled_from([*SIGNS, *KNOWN, " ", " "]) | st.text(max_size=4)
TEXTS = st.lists(PIECES, max_size=20).map("".join)


@pytest.mark.filterwarnings("ignore::segtopic.training.system.Collapse")
def test_fuzzed_documents_through_every_command(tmp_path, capsys):
    figures = Fuzz(tmp_path, n_documents=150, seed=1).all()
    assert figures["documents"] == 150
    assert figures["segments"] > 1000


@pytest.fixture(scope="module")
def segmenter(clean_run):
    return Segmenter.of(clean_run, refine_steps=1)


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_segments_rebuild_any_text(segmenter, texts):
    for text, document in zip(texts, segmenter.segment(texts), strict=True):
        assert document.text == text
        pieces = [*document.gaps]
        for place, phrase in enumerate(document.phrases):
            pieces.insert(2 * place + 1, phrase.text)
        assert "".join(pieces) == text
        for word, start, end in zip(document.words, document.starts, document.ends, strict=True):
            # Spelt as the vocabulary spells it: the same letters, in lower case.
            spelt = unicodedata.normalize("NFKC", text[start:end]).lower()
            assert spelt[:1] == word[:1] or not text[start:end].isascii()


@given(st.lists(TEXTS, max_size=6))
def test_any_texts_can_be_prepared(texts):
    ordinary, _ = planted_texts(6)
    texts = [text.replace("\0", "") for text in texts]
    corpus = corpus_from_texts([*ordinary, *texts], CorpusConfig())
    summary = corpus.summary
    left_out = summary.dropped_empty + summary.dropped_no_known_word
    assert summary.documents + left_out == len(texts) + 6
    for number in range(len(corpus)):
        starts, ends = corpus.offsets(number)
        assert (starts < ends).all()
        assert (starts[1:] >= ends[:-1]).all()
        assert ends.max() <= len(corpus.text(number))


@given(st.lists(st.sampled_from(["a", "a#2", "a#3", "b", "b#4", "3", "", "a#2#3"]), max_size=12))
def test_no_two_documents_have_one_name(names):
    records = (Record(name, "text", "here") for name in names)
    found = [r.id for r in with_own_ids(records, False, BadLines(), DuplicateIds())]
    assert len(set(found)) == len(found) == len(names)


def test_every_fuzzed_document_is_json(tmp_path):
    lines = Fuzz(tmp_path, n_documents=30, seed=2).source.read_text().splitlines()
    assert len({json.loads(line)["id"] for line in lines}) == 30
