"""Every configuration in the repository is one that the command line takes."""

import dataclasses
import os
from pathlib import Path

import pytest

from segtopic.commands.arguments import command_parser, parse, settings
from segtopic.config import (
    RunConfig,
    SwanConfig,
    SwanSettings,
    SwanTraining,
    TrainerConfig,
    part_of,
)

ROOT = Path(__file__).parent.parent
CONFIGS = sorted((ROOT / "configs").rglob("*.yaml"))
SEQUENCES = [path for path in CONFIGS if path.parent.name == "swan"]
TOPICS = [path for path in CONFIGS if path not in SEQUENCES]


@pytest.mark.parametrize("path", TOPICS, ids=lambda path: path.stem)
def test_configurations_are_valid(path):
    parser = command_parser("train", "", RunConfig, trainer=TrainerConfig)
    chosen = settings(parse(parser, ["--config", str(path)]), RunConfig)
    assert chosen.data == path.stem.partition("-")[0]


def test_the_papers_cells_are_all_there():
    names = {path.stem for path in CONFIGS if path.parent.name == "paper"}
    assert names == {
        f"{data}-hidden{hidden}-L{length}"
        for data in ("ap", "citeulike")
        for hidden in (100, 150, 200)
        for length in (1, 2, 3)
    }


def sequence_config(name, data="pairs.tsv"):
    path = ROOT / "configs" / "swan" / f"{name}.yaml"
    assert path in SEQUENCES
    parser = command_parser("swan train", "", SwanConfig)
    return settings(parse(parser, ["--config", str(path), "--data", str(data)]), SwanConfig)


@pytest.mark.parametrize(("name", "experiment"), [("g2p", "swan"), ("g2p-small", "small")])
def test_sequences_are_trained_as_in_the_experiments(name, experiment, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from g2p.experiments import EXPERIMENTS

    expected, config = EXPERIMENTS[experiment], sequence_config(name)
    assert part_of(config, SwanSettings) == expected.model
    assert part_of(config, SwanTraining) == dataclasses.replace(expected.training, threads=1)


def test_the_words_are_split_as_in_the_experiments(monkeypatch):
    if "SEGTOPIC_DATA" not in os.environ:
        pytest.skip("SEGTOPIC_DATA does not say where the words of g014b2b are")
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from g2p.data import Data

    from segtopic.corpus.records import BadLines
    from segtopic.swan.run import read_parts

    data, bad_lines = Data(), BadLines()
    parts = read_parts(sequence_config("g2p", data.folder / "g014b2b.train"), bad_lines)
    assert parts == (data.training, data.development)
    assert bad_lines.count == 0


def test_every_sequence_configuration_is_tested():
    text, speech = {"g2p", "g2p-small"}, {"an4", "digits", "timit-phones", "timit-characters"}
    assert {path.stem for path in SEQUENCES} == text | speech


def test_an4_is_trained_as_in_the_experiments(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from speech.cells import TRAINING, Cell

    config = sequence_config("an4")
    cell = Cell.of("an4-chars-s4-swan-L1-rate2-epochs28-0")
    assert dataclasses.replace(part_of(config, SwanSettings), ctc_first=0.0) == cell.settings
    assert config.epochs == TRAINING["ctc"].epochs + cell.training.epochs
    assert config.epochs * config.ctc_first == pytest.approx(TRAINING["ctc"].epochs, abs=1)
    for name in ("batch_size", "learning_rate", "weight_decay"):
        assert getattr(config, name) == getattr(cell.training, name)


@pytest.mark.parametrize(
    ("name", "stride", "longest"), [("timit-phones", 2, 3), ("timit-characters", 7, 8)]
)
def test_the_papers_speech_model(name, stride, longest):
    config = sequence_config(name)
    assert (config.stride, config.max_segment_length) == (stride, longest)
    assert (config.layers, config.units, config.segment_units) == (5, 300, 600)
    assert (config.batch_size, config.learning_rate, config.dropout) == (20, 4e-4, 0.3)


def test_digits_are_small_and_guided():
    config = sequence_config("digits")
    assert (config.stride, config.output_symbols, config.threads) == (4, "characters", 1)
    assert 0 < config.ctc_first < 1
