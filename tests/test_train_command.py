"""``segtopic train``, ``evaluate`` and ``compare`` as a user types them, on a small corpus."""

import csv
import json

import pytest
import safetensors.torch
import torch

from segtopic.cli import main
from segtopic.commands.train import _show
from segtopic.runs import load_run
from tests.training.planted import planted_file, planted_texts

SMALL = ["--n-topics", "3", "--hidden-size", "16", "--encoder-size", "16", "--epochs", "3"]
STAGES = (
    "reading ",
    "read 150 documents: 150 in the corpus",
    "finding first topics by LDA",
    "first topics, by LDA alone (3 of 3)",
    "starting torch and Lightning",
    "building the model",
    "training for at most 3 epochs",
    "epoch   1",
    "epoch   3",
    "describing the topics",
    "predicting 15 test documents",
    "tuning an LDA",
)
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
    captured = capsys.readouterr()
    printed = json.loads(captured.out)  # one object and nothing else
    assert printed["read"]["documents"] == 150
    assert len(printed["topics"]) == 3
    assert all(topic["phrases"] for topic in printed["topics"])
    assert printed["test"]["predictive_refined"] > printed["lda"]["test"]["mean"]
    assert printed["lda"]["segtopic_ahead"]["low"] > 0
    said = captured.err
    places = [said.index(f"\n{stage}") for stage in STAGES[1:]]
    assert said.startswith(STAGES[0])
    assert places == sorted(places)


def test_topics_are_shown_as_soon_as_they_are_known(run_folder, capsys):
    said = []

    def stage(text):
        said.append((text, "the 3 largest of 3 topics" in capsys.readouterr().out))

    _show(load_run(run_folder), as_json=False, stage=stage)
    assert [shown for _, shown in said] == [False, True, False]
    assert said[1][0].startswith("predicting")


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


def test_mixed_precision(run_folder, tmp_path, capsys):
    config, runs = str(run_folder / "config.yaml"), {}
    for precision in ("bf16-mixed", "32-true"):
        out = tmp_path / precision
        arguments = ["train", "--config", config, "--out", str(out), "--epochs", "1"]
        arguments += ["--corrected", "yes", "--json", "--trainer.precision", precision]
        assert main(arguments) == 0
        runs[precision] = json.loads(capsys.readouterr().out)
    weights = safetensors.torch.load_file(tmp_path / "bf16-mixed" / "model.safetensors")
    assert torch.bfloat16 not in {weight.dtype for weight in weights.values()}
    mixed, single = (runs[name]["dev_mean"] for name in ("bf16-mixed", "32-true"))
    assert mixed != single
    assert mixed == pytest.approx(single, abs=0.05)


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
    _show(load_run(run_folder), as_json=True, stage=lambda stage: None)  # the end once more
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
    sentences = [line for line in printed.err.splitlines() if not line.startswith("reading ")]
    assert len(sentences) == 1
    assert printed.out == ""


def test_what_was_read_is_said(tmp_path, capsys):
    texts = planted_texts(40)[0]
    rows = [("n", "text"), *enumerate([f"{texts[0]}<br />&amp;", *texts[1:], texts[3], "NaN", ""])]
    source = tmp_path / "messy.csv"
    with source.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    arguments = ["train", str(source), "--out", str(tmp_path / "run"), *SMALL, "--epochs", "1"]
    assert main(arguments) == 0
    said = capsys.readouterr().err
    for line in (
        "read 43 documents: 41 in the corpus",
        "  dropped: no text: 2",
        "  cells that say NaN or null: 1",
        "  copies, kept in one part: 1",
        "  documents with HTML, cleaned: 1 (1 tags, 1 entities)",
    ):
        assert any(each.startswith(line) for each in said.splitlines()), line
