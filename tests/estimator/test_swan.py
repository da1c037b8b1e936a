"""The sequence model in scikit-learn's conventions."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import segtopic
from segtopic import Swan
from segtopic.cli import main
from segtopic.estimator import ParameterError, TextError
from tests.swan.planted import TINY, pairs, spoken

SMALL = {name: value for name, value in TINY.items() if name != "threads"}
SMALL |= {"settings": {"threads": 1}, "random_state": 0}


@pytest.fixture(scope="module")
def fitted():
    return Swan(epochs=5, **SMALL).fit(pairs())


def same_weights(one, other):
    return all(
        torch.equal(a, b)
        for a, b in zip(one.model_.parameters(), other.model_.parameters(), strict=True)
    )


def test_it_is_part_of_the_package():
    assert segtopic.Swan is Swan
    assert "Swan" in dir(segtopic)


def test_texts_in_texts_out(fitted):
    assert fitted.predict(["XDA", "BB"]) == ["k s d", "b b"]
    assert fitted.predict(np.array(["XDA"])) == ["k s d"]
    assert fitted.predict(pd.Series(["XDA"])) == ["k s d"]
    assert fitted.predict([]) == []


def test_symbols_in_symbols_out(fitted):
    assert fitted.predict([["X", "D"], ("B",)]) == [("k", "s", "d"), ("b",)]
    both = [(list(word), spoken(word)) for word, _ in pairs((2, 3))]
    other = Swan(epochs=1, **SMALL).fit(both)
    assert set(other.output_symbols_) == set("bkstd")


def test_n_best(fitted):
    (found,) = fitted.predict_n_best(["XD"], n_best=7)
    assert len(found) == 7
    chances = [probability for _, probability in found]
    assert chances == sorted(chances, reverse=True)
    assert found[0][0] == "k s d"


def test_alignments_and_scores(fitted):
    (aligned,) = fitted.align([("XAB", "k s b")])
    assert str(aligned) == "X:k+s A:_ B:b"
    assert fitted.align(["XAB"], ["k s b"]) == [aligned]
    assert fitted.score(pairs((3,))) == 1
    assert fitted.score(["BB", "XX"], ["b b", "q"]) == 0.5
    # Either of two outputs is right.
    assert fitted.score([("BB", "q"), ("BB", "b b")]) == 1
    assert fitted.results_["dev_words_wrong"] == 0


def test_inputs_and_outputs_apart_are_the_same_pairs():
    first = Swan(epochs=1, **SMALL).fit(pairs())
    second = Swan(epochs=1, **SMALL).fit(*zip(*pairs(), strict=True))
    assert same_weights(first, second)
    assert not same_weights(first, Swan(epochs=1, **{**SMALL, "random_state": 1}).fit(pairs()))


def test_the_users_random_numbers_are_left_alone():
    torch.manual_seed(5)
    expected = torch.rand(2)
    torch.manual_seed(5)
    Swan(epochs=1, **SMALL).fit(pairs((2,)))
    assert torch.equal(torch.rand(2), expected)


def test_saved_and_loaded_here_and_by_the_command_line(fitted, tmp_path, capsys):
    fitted.save(tmp_path / "model")
    again = Swan.load(tmp_path / "model")
    assert again.predict_n_best(["XDAB"]) == fitted.predict_n_best(["XDAB"])
    assert again.get_params() == fitted.get_params()
    (tmp_path / "words.txt").write_text("XDAB\n")
    folder, words = str(tmp_path / "model"), str(tmp_path / "words.txt")
    assert main(["swan", "decode", folder, words]) == 0
    assert capsys.readouterr().out.startswith("XDAB\tk s d b\t")
    assert main(["swan", "evaluate", folder, "--json"]) == 0


def test_sklearn_conventions(fitted):
    model = Swan(units=8, random_state=3)
    assert clone(model).get_params() == model.get_params()
    assert model.set_params(units=9, beam=2).units == 9
    assert not hasattr(clone(fitted), "trained_")
    for call in (
        lambda: model.predict(["A"]),
        lambda: model.align([("A", "b")]),
        lambda: model.score([("A", "b")]),
        lambda: model.save("x"),
    ):
        with pytest.raises(NotFittedError):
            call()
    assert copy.deepcopy(fitted).predict(["BX"]) == ["b k s"]
    assert pickle.loads(pickle.dumps(fitted)).predict(["BX"]) == ["b k s"]


def test_verbose_tells_every_epoch(capsys):
    Swan(epochs=2, verbose=1, **SMALL).fit(pairs((2,)))
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "[Swan] epoch 1 of at most 2",
        "[Swan] epoch 2 of at most 2",
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "there are no pairs"),
        ([("A", "b")], "only 1 input"),
        ("A", "a list of sequences expected"),
        (["AB", "BA"], "pair 0 is no pair"),
        ([("A", "b", "c")], "pair 0 has 3 parts"),
        ([("", "b")], "pair 0 has an empty input"),
        ([("A", 3)], "is of type int"),
        ([("A", ["b", ""])], "a symbol is a text that is not empty"),
        ([("A", "b b b b"), ("B", "b")], "1 of 2 pairs have more outputs"),
    ],
)
def test_pairs_that_cannot_be_used(given, message):
    with pytest.raises(TextError, match=message):
        Swan(epochs=1, **SMALL).fit(given)


def test_parameters_that_cannot_be_used(fitted):
    for parameters, message in (
        ({"units": 0}, "units is 0"),
        ({"units": "many"}, "units is 'many', but must be a number"),
        ({"settings": {"units": 3}}, "'units' is a parameter of its own"),
        ({"settings": {"strid": 3}}, "unknown setting 'strid'; did you mean 'strides'"),
        ({"random_state": "x"}, "random_state"),
    ):
        with pytest.raises(ParameterError, match=message):
            Swan(**{**SMALL, **parameters}).fit(pairs((2,)))
    with pytest.raises(ParameterError, match="n_best is 0"):
        fitted.predict_n_best(["A"], 0)
    with pytest.raises(TextError, match="the symbol 'Q' does not occur"):
        fitted.predict(["Q"])
    with pytest.raises(TextError, match="sequence 2 is empty"):
        fitted.predict(["A", ""])


def test_further_settings():
    settings = {"threads": 1, "direction": "forward", "strides": (1,), "on_bad_line": "skip"}
    model = Swan(epochs=1, **{**SMALL, "settings": settings})
    model.fit([*pairs((2, 3)), ("A", "b b b b b")])
    assert model.config_.direction == "forward"
    assert not model.model_.encoder.both
