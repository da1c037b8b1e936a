"""Training finds a planted rule, goes on after an interruption, and keeps to its time."""

import csv
import itertools

import numpy as np
import pytest
import torch
from pytorch_lightning.callbacks import Callback

from segtopic.config import SwanTraining
from segtopic.errors import ConfigError, TrainingError
from segtopic.swan import RecurrentEncoder, SwanModel, SwanSettings
from segtopic.swan.batches import NumberedPairs
from segtopic.swan.development import Development
from segtopic.swan.error_rates import ErrorCounts
from segtopic.swan.pairs import Entry, pairs_of
from segtopic.swan.symbols import SymbolTable
from segtopic.swan.training import fit

# A is silent, B says one symbol, C says two, D says 'd' after a C and 't' elsewhere.
LETTERS, SOUNDS = SymbolTable(tuple("ABCD")), SymbolTable(tuple("bkdst"))
SMALL = SwanSettings(
    units=16, layers=1, segment_units=16, embedding=8, max_segment_length=2, dropout=0.1
)


def spoken(word):
    rules = {"A": "", "B": "b", "C": "ks"}
    before = ["", *word]
    return "".join(
        rules.get(letter, "d" if previous == "C" else "t")
        for previous, letter in zip(before, word, strict=False)
    )


def entries(lengths):
    words = ["".join(w) for n in lengths for w in itertools.product("ABCD", repeat=n)]
    return [Entry(tuple(word), (tuple(spoken(word)),)) for word in words]


def new_model(seed=0):
    torch.manual_seed(seed)
    return SwanModel(SMALL, RecurrentEncoder(SMALL, len(LETTERS)), len(SOUNDS))


def train(folder, callbacks=(), model=None, **settings):
    model = model or new_model()
    learned, held_out = entries([2, 3, 4]), entries([5])[::20]
    development = Development(
        [torch.tensor(LETTERS.numbers(entry.inputs)) for entry in held_out],
        [[tuple(SOUNDS.numbers(r)) for r in entry.references] for entry in held_out],
    )
    numbered = [NumberedPairs.of(pairs_of(some), LETTERS, SOUNDS) for some in (learned, held_out)]
    chosen = SwanTraining(**{"epochs": 4, "batch_size": 16, "learning_rate": 0.02, **settings})
    results = fit(model, *numbered, development, chosen, folder, callbacks)
    return model.eval(), development, results


def test_a_planted_rule_is_learned_and_aligned(tmp_path):
    model, development, results = train(tmp_path, epochs=6)
    assert development.errors(model).word_error == 0
    assert development.errors(model, beam=4).word_error == 0
    assert results["epochs"] == 6
    word = "CADBC"
    pair = NumberedPairs.of(pairs_of([Entry(tuple(word), (tuple(spoken(word)),))]), LETTERS, SOUNDS)
    (batch,) = pair.in_order(1)
    (alignment,) = model.align(batch)
    assert alignment.lengths == (2, 0, 1, 1, 2)


class Interruption(Callback):
    """Ends the process's interest in the middle of the third epoch."""

    def on_train_batch_start(self, trainer, pl_module, batch, batch_index):
        if trainer.current_epoch == 2 and batch_index == 3:
            raise InterruptedError


def test_an_interrupted_training_ends_as_one_that_was_not(tmp_path):
    whole, _, figures = train(tmp_path / "whole")
    with pytest.raises(InterruptedError):
        train(tmp_path / "cut", callbacks=[Interruption()])
    resumed, _, again = train(tmp_path / "cut", model=new_model(seed=5))
    assert again["best_epoch"] == figures["best_epoch"]
    for one, other in zip(whole.parameters(), resumed.parameters(), strict=True):
        assert torch.equal(one, other)


def test_every_epoch_is_written_not_only_the_best(tmp_path, monkeypatch):
    worse = iter(
        ErrorCounts(*np.array([wrong, wrong, [2, 2]])) for wrong in ([0, 0], [0, 1], [1, 1])
    )
    monkeypatch.setattr(Development, "errors", lambda self, model: next(worse))
    _, _, figures = train(tmp_path, epochs=3)
    epochs = {
        name: torch.load(tmp_path / "checkpoints" / f"{name}.ckpt", weights_only=True)["epoch"]
        for name in ("best", "last")
    }
    assert epochs == {"best": 0, "last": 2}
    assert figures["best_epoch"] == 1


def test_among_equal_errors_the_likelihood_decides(tmp_path, monkeypatch):
    half = ErrorCounts(*np.array([[0, 1], [0, 1], [2, 2]]))
    monkeypatch.setattr(Development, "errors", lambda self, model: half)
    _, _, figures = train(tmp_path, epochs=3)
    with (tmp_path / "metrics.csv").open() as file:
        nats = [float(row["dev_nats"]) for row in csv.DictReader(file)]
    assert len(nats) == 3
    assert figures["best_epoch"] == 1 + nats.index(min(nats))


def test_two_trainings_are_the_same_to_the_last_bit(tmp_path):
    first, second = (train(tmp_path / name, epochs=2)[0] for name in "ab")
    for one, other in zip(first.parameters(), second.parameters(), strict=True):
        assert torch.equal(one, other)


def test_time_ends_a_training(tmp_path):
    _, _, results = train(tmp_path, epochs=10_000, minutes=1e-4)
    assert results["epochs"] <= 1


def test_broken_numbers_are_told(tmp_path):
    model = new_model()
    with torch.no_grad():
        model.segments.symbols.weight.fill_(float("nan"))
    with pytest.raises(TrainingError, match="the loss is no number in batch 1 of epoch 1"):
        train(tmp_path, model=model)


def test_mixed_precision_trains(tmp_path):
    model, development, _ = train(tmp_path, epochs=6, precision="bf16-mixed")
    assert development.errors(model).word_error < 0.2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epochs": 0}, "epochs is 0, but must be at least 1"),
        ({"warm_up": 2}, "warm_up is 2, but must be at most 1"),
    ],
)
def test_impossible_settings_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        SwanTraining(**settings)
