"""Where topics are refined, and where the encoder's mean is all there is: the same everywhere."""

import csv
import json
import warnings

import pytest

from segtopic.cli import main
from segtopic.config import ENOUGH_WORDS, REFINE_STEPS, RunConfig
from segtopic.errors import ConfigError
from segtopic.evaluate.predictive import evaluate_model, predictive_log_likelihood
from segtopic.runs.folder import load_config
from segtopic.training.system import Collapse
from tests.report.reported import small_run


@pytest.mark.parametrize(
    ("given", "n_words", "steps", "stop_on"),
    [
        ({}, ENOUGH_WORDS, 0, "mean"),
        ({}, ENOUGH_WORDS - 1, REFINE_STEPS, "refined"),
        ({"guesses": False}, ENOUGH_WORDS, REFINE_STEPS, "refined"),
        ({"topics": "network"}, ENOUGH_WORDS, REFINE_STEPS, "refined"),
        ({"stop_on": "refined"}, ENOUGH_WORDS, REFINE_STEPS, "refined"),
        ({"stop_on": "mean"}, 10, REFINE_STEPS, "mean"),
        ({"refine_steps": 4}, ENOUGH_WORDS, 4, "refined"),
        ({"refine_steps": 0}, 10, 0, "mean"),
    ],
)
def test_what_is_not_given_follows_the_size_of_the_text(given, n_words, steps, stop_on):
    config = RunConfig(**given).settled(100, n_words)
    assert (config.refine_steps, config.stop_on) == (steps, stop_on)
    assert config.settled(100, 10) == config  # nothing is left open


def test_steps_that_a_use_wants():
    plain, refined = RunConfig(refine_steps=0), RunConfig(refine_steps=4)
    assert [plain.refinement(wanted) for wanted in (None, True, False)] == [0, REFINE_STEPS, 0]
    assert [refined.refinement(wanted) for wanted in (None, True, False)] == [4, 4, 0]


def test_nothing_can_be_stopped_by_what_is_not_there():
    with pytest.raises(ConfigError, match="'refined' needs refine_steps of at least 1"):
        RunConfig(stop_on="refined", refine_steps=0)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A run that leaves topics to the encoder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Collapse)
        return small_run(tmp_path_factory.mktemp("plain"), refine_steps=0)


def test_no_figure_is_called_refined(plain, capsys):
    with (plain.folder / "metrics.csv").open(newline="") as file:
        columns = next(csv.reader(file))
    assert "dev_mean" in columns
    assert "dev_refined" not in columns
    best = max(float(line["dev_mean"]) for line in lines(plain.folder / "metrics.csv"))
    assert plain.results["dev_mean"] == plain.development_likelihood == pytest.approx(best)
    assert main(["evaluate", str(plain.folder)]) == 0
    assert "refined" not in capsys.readouterr().out


def lines(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_evaluation_by_the_mean_and_by_both(plain, capsys):
    documents = plain.corpus.test
    alone = evaluate_model(plain.model, documents, 0, n_samples=1)
    both = evaluate_model(plain.model, documents, REFINE_STEPS, n_samples=1)
    assert alone.refined is None
    assert alone.best is alone.mean
    assert both.best is both.refined
    assert alone.mean.per_word == both.mean.per_word
    assert alone.mean.per_word == predictive_log_likelihood(plain.model, documents, 0).per_word
    assert alone.continuation != both.continuation  # by the topics that are used
    told = {}
    for flag in ([], ["--refine"], ["--no-refine"]):
        assert main(["evaluate", str(plain.folder), "--json", "--samples", "1", *flag]) == 0
        told["".join(flag)] = json.loads(capsys.readouterr().out)
    assert told[""] == told["--no-refine"]
    assert told[""]["topics_by"] == "mean"
    assert told[""]["predictive"] == told[""]["predictive_mean"]
    assert "predictive_refined" not in told[""]
    assert told["--refine"]["topics_by"] == "refined"
    assert told["--refine"]["predictive"] == told["--refine"]["predictive_refined"]
    assert told["--refine"]["predictive_mean"] == told[""]["predictive_mean"]


def test_segments_follow_the_training_unless_told_otherwise(plain, tmp_path, capsys):
    source = tmp_path / "some.jsonl"
    texts = plain.texts(range(3))
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts.values()))
    topics = {}
    for flag in ([], ["--refine"], ["--no-refine"]):
        assert main(["segment", str(plain.folder), str(source), "--json", *flag]) == 0
        rows = map(json.loads, capsys.readouterr().out.splitlines())
        topics["".join(flag)] = [row["topics"] for row in rows]
    assert topics[""] == topics["--no-refine"]
    assert topics[""] != topics["--refine"]


def test_the_page_of_such_a_run(plain, capsys):
    assert main(["report", str(plain.folder)]) == 0
    page = (plain.folder / "report.html").read_text(encoding="utf-8")
    assert "topics refined" not in page
    assert "log likelihood per word" in page


def test_runs_of_before_refine_as_they_did(plain, tmp_path):
    """Their settings may not say so."""
    config = (plain.folder / "config.yaml").read_text()
    kept = [line for line in config.splitlines() if not line.startswith(("stop_on", "refine_"))]
    (tmp_path / "config.yaml").write_text("\n".join(kept))
    assert load_config(plain.folder).refinement() == 0
    assert load_config(tmp_path).refinement() == REFINE_STEPS
