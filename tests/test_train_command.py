"""``segtopic train``, ``evaluate`` and ``compare`` as a user types them, on a small corpus."""

import json

import pytest
import safetensors.torch
import torch

from segtopic.cli import main
from segtopic.commands.train import _show
from segtopic.runs import load_run
from tests.training.planted import planted_file

SMALL = ["--n-topics", "3", "--hidden-size", "16", "--encoder-size", "16", "--epochs", "3"]
SMALL += ["--learning-rate", "0.01", "--kl-warmup", "1", "--trainer.threads", "1"]


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("command")
    source = planted_file(folder)
    out = folder / "run"
    assert main(["train", "--data", str(source), "--out", str(out), *SMALL]) == 0
    return out


def test_training_ends_with_topics_and_lda(tmp_path, capsys):
    source = planted_file(tmp_path)
    arguments = ["train", "--data", str(source), "--out", str(tmp_path / "run"), "--json", *SMALL]
    assert main(arguments) == 0
    printed = json.loads(capsys.readouterr().out)  # one object and nothing else
    assert len(printed["topics"]) == 3
    assert all(topic["phrases"] for topic in printed["topics"])
    assert printed["test"]["predictive_refined"] > printed["lda"]["test"]["mean"]
    assert printed["lda"]["segtopic_ahead"]["low"] > 0


def test_the_report_shows_the_lda_of_the_training(run_folder, tmp_path, capsys):
    page = tmp_path / "page.html"
    assert main(["report", str(run_folder), "-o", str(page), "--json"]) == 0
    assert not json.loads(capsys.readouterr().out)["compared"]
    text = page.read_text(encoding="utf-8")
    kept = json.loads((run_folder / "comparison.json").read_text())
    assert [model["name"] for model in kept["models"]] == ["LDA (tomotopy)", "segtopic"]
    assert "LDA (tomotopy)" in text
    assert "ahead of a quickly tuned LDA" in text
    assert "tuned quickly at the end of the training" in text
    shown = f"{kept['models'][0]['test']['mean']:.3f}".replace("-", "\u2212")
    assert shown in text


def test_a_run_repeats_from_its_own_settings(run_folder, tmp_path, capsys):
    again = tmp_path / "again"
    config = str(run_folder / "config.yaml")
    assert main(["train", "--config", config, "--out", str(again)]) == 0
    capsys.readouterr()
    assert (again / "model.safetensors").read_bytes() == (
        run_folder / "model.safetensors"
    ).read_bytes()


def test_double_precision(run_folder, tmp_path, capsys):
    config, out = str(run_folder / "config.yaml"), tmp_path / "double"
    arguments = ["train", "--config", config, "--out", str(out), "--epochs", "1"]
    assert main([*arguments, "--trainer.precision", "64-true"]) == 0
    weights = safetensors.torch.load_file(out / "model.safetensors")
    assert torch.float64 in {weight.dtype for weight in weights.values()}
    assert main(["evaluate", str(out)]) == 0


def test_evaluate_prints_a_table_and_json(run_folder, capsys):
    assert main(["evaluate", str(run_folder)]) == 0
    table = capsys.readouterr().out
    assert "refined topics" in table
    assert "encoder's mean" in table
    assert main(["evaluate", str(run_folder), "--json", "--samples", "3"]) == 0
    figures = json.loads(capsys.readouterr().out)
    low, high = figures["predictive_refined_interval"]
    assert low < figures["predictive_refined"] < high
    assert figures["multi_sample"] >= figures["elbo"]


def test_compare_puts_all_models_on_the_same_words(run_folder, capsys):
    assert main(["compare", str(run_folder), "--quick", "--json"]) == 0
    models = json.loads(capsys.readouterr().out)["models"]
    names = [model["name"] for model in models]
    assert names[:2] == ["unigram", "bigram"]
    assert names[-1] == "segtopic"
    ahead = {model["name"]: model["reference_ahead"]["mean"] for model in models}
    assert ahead["segtopic"] == 0
    assert ahead["unigram"] > 0
    assert main(["compare", str(run_folder), "--quick"]) == 0  # from the cache
    assert "ahead by" in capsys.readouterr().out
    compared = (run_folder / "comparison.json").read_bytes()
    _show(load_run(run_folder), as_json=True)  # the end of the training, once more
    assert (run_folder / "comparison.json").read_bytes() == compared


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "--max-segment-length", "0"], "max_segment_length is 0, but must be at least 1"),
        (["train", "--n-topics", "0"], "n_topics is 0, but must be at least 1"),
        (["train", "--learning-rate", "-1"], "learning_rate is -1.0, but must be at least 0"),
        (["train", "--n-topcs", "3"], "unknown flag --n-topcs; did you mean '--n-topics'?"),
        (["train", "--trainer.max_time", "5"], "must look like DD:HH:MM:SS"),
        (["train", "--continuation", "joint"], "use topics 'network' with it"),
        (["evaluate", "nowhere"], "nowhere: is not a run (no config.yaml)"),
        (["compare", "nowhere"], "nowhere: is not a run (no config.yaml)"),
    ],
)
def test_mistakes_are_one_sentence(arguments, message, capsys):
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""
