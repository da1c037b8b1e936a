import math

import pytest
import torch

from segtopic.config import SwanSettings, SwanTraining
from segtopic.errors import CorpusError
from segtopic.swan.learning import learn
from segtopic.swan.pairs import Entry, Pair
from segtopic.swan.predictor import AlignedPair, SwanPredictor
from segtopic.swan.symbols import SymbolTable
from tests.swan.models import batch_of, everything, tiny_model

LETTERS, SOUNDS = SymbolTable(("A", "B", "C")), SymbolTable(("x", "y"))


@pytest.fixture
def predictor():
    return SwanPredictor(tiny_model(max_segment_length=2, seed=1), LETTERS, SOUNDS)


def test_predictions_are_symbols_with_probabilities(predictor):
    words = ["CAB", "A", "BB"]
    found = predictor.predict(words, beam=400, n_best=3)
    for word, predictions in zip(words, found, strict=True):
        exact = everything(predictor.model, tuple(LETTERS.numbers(word)))
        best = list(exact.items())[:3]
        assert [p.outputs for p in predictions] == [SOUNDS.names(y) for y, _ in best]
        assert [p.probability for p in predictions] == pytest.approx(
            [math.exp(score) for _, score in best]
        )


def test_alignments_are_segments_of_symbols(predictor):
    pairs = [Pair(("C", "A", "B"), ("x", "y", "y")), Pair(("B",), ())]
    first, second = predictor.align(pairs)
    assert [letter for letter, _ in first.segments] == ["C", "A", "B"]
    assert sum((outputs for _, outputs in first.segments), ()) == ("x", "y", "y")
    assert 0 < first.probability < 1
    assert second == (
        (("B", ()),),
        pytest.approx(1.0),
        pytest.approx(predictor.model.log_likelihood(batch_of(((1,), ()))).item()),
        (pytest.approx(1.0),),
    )


def test_an_alignment_in_one_line():
    segments = (("X", ("K", "S")), ("U", ()), ("S", ("SH",)))
    assert str(AlignedPair(segments, 1.0, -1.0, (1.0, 1.0, 1.0))) == "X:K+S U:_ S:SH"


def test_what_cannot_be_is_named(predictor):
    with pytest.raises(CorpusError, match=r"pair 2 \(B\) has 3 outputs, but 1 inputs emit at most"):
        predictor.align([Pair(("A",), ("x",)), Pair(("B",), ("x", "x", "y"))])
    with pytest.raises(CorpusError, match="sequence 2 is empty"):
        predictor.predict(["A", ""])
    with pytest.raises(CorpusError, match="the symbol 'D' does not occur"):
        predictor.predict(["AD"])


def test_learning_leaves_impossible_pairs_out(tmp_path):
    entries = [Entry(tuple(word), (tuple(word.lower()),)) for word in ("AB", "BA", "ABA", "BBA")]
    strange = Entry(("A",), (("a",), ("a", "b", "a", "b")))
    settings = SwanSettings(
        units=8, layers=1, segment_units=8, embedding=4, max_segment_length=2, dropout=0.0
    )
    schedule = SwanTraining(epochs=40, batch_size=2, learning_rate=0.02)
    learned = learn([*entries, strange], entries, settings, schedule, tmp_path)
    assert learned.impossible == [Pair(("A",), ("a", "b", "a", "b"))]
    assert learned.predictor.errors(entries).word_error == 0
    with pytest.raises(CorpusError, match="none of the 1 pairs is possible"):
        learn(
            [strange._replace(references=strange.references[1:])],
            entries,
            settings,
            schedule,
            tmp_path,
        )


def test_a_predictor_leaves_no_trace_of_training(predictor):
    assert not predictor.model.training
    torch.manual_seed(0)
    first = predictor.predict(["CAB"], beam=3)
    assert predictor.predict(["CAB"], beam=3) == first
