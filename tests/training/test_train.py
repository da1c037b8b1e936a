import itertools
import math
import shutil
import warnings

import numpy as np
import pytest
import torch
from pytorch_lightning.callbacks import Callback

from segtopic.commands.train import train
from segtopic.config import TrainerConfig
from segtopic.errors import CorpusError, RunError, TrainingError
from segtopic.evaluate.predictive import predictive_log_likelihood
from segtopic.lattice import boundary_probabilities, segment_posteriors
from segtopic.model import pack
from segtopic.model.build import build_model
from segtopic.model.inference import encoder_mean, refine
from segtopic.runs import load_run
from segtopic.training.system import Collapse, collapse_warnings
from tests.training.planted import PHRASES, WORDS, planted_file, planted_texts, small
from tests.training.runs import train_small

ONE_THREAD = TrainerConfig(accelerator="cpu", threads=1)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return planted_file(tmp_path_factory.mktemp("planted"))


@pytest.fixture(scope="module")
def finished(source, tmp_path_factory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Collapse)
        return train(small(source, epochs=20), tmp_path_factory.mktemp("run") / "run", ONE_THREAD)


def weights(run):
    return {name: value.clone() for name, value in run.model.state_dict().items()}


def same(first, second):
    return first.keys() == second.keys() and all(
        torch.equal(first[name], second[name]) for name in first
    )


class StopAfter(Callback):
    """Ends training as a crash would, after some epochs were saved."""

    def __init__(self, epochs):
        self.epochs = epochs

    def on_train_epoch_start(self, trainer, pl_module):
        if trainer.current_epoch == self.epochs:
            raise RuntimeError("crash")


@pytest.mark.filterwarnings("ignore::segtopic.training.system.Collapse")
class TestRepeating:
    def test_the_same_seed_gives_the_same_run(self, source, tmp_path):
        first = train(small(source, epochs=2), tmp_path / "a", ONE_THREAD)
        second = train(small(source, epochs=2), tmp_path / "b", ONE_THREAD)
        other = train(small(source, epochs=2, seed=1), tmp_path / "c", ONE_THREAD)
        assert same(weights(first), weights(second))
        assert not same(weights(first), weights(other))
        assert (tmp_path / "a" / "metrics.csv").read_text() == (
            tmp_path / "b" / "metrics.csv"
        ).read_text()

    def test_a_resumed_run_is_the_undisturbed_one(self, source, tmp_path):
        config = small(source, epochs=4)
        whole = train(config, tmp_path / "whole", ONE_THREAD)
        with pytest.raises(RuntimeError, match="crash"):
            train(config, tmp_path / "cut", ONE_THREAD, callbacks=[StopAfter(2)])
        with pytest.raises(RunError, match="has not finished; go on with"):
            load_run(tmp_path / "cut")
        resumed = train(config, tmp_path / "cut", ONE_THREAD, resume=True)
        assert same(weights(whole), weights(resumed))
        assert (tmp_path / "whole" / "metrics.csv").read_text() == (
            tmp_path / "cut" / "metrics.csv"
        ).read_text()

    def test_an_old_run_is_neither_mixed_nor_lost(self, source, tmp_path):
        config = small(source, epochs=1)
        train(config, tmp_path / "run", ONE_THREAD)
        with pytest.raises(RunError, match="holds a run already; go on with --resume"):
            train(config, tmp_path / "run", ONE_THREAD)
        with pytest.raises(RunError, match="has finished; use --overwrite"):
            train(config, tmp_path / "run", ONE_THREAD, resume=True)
        (tmp_path / "run" / "run.json").unlink()
        other = small(source, epochs=1, learning_rate=1e-4, seed=5)
        with pytest.raises(RunError, match="was started with another learning_rate, seed"):
            train(other, tmp_path / "run", ONE_THREAD, resume=True)
        train(config, tmp_path / "run", ONE_THREAD, overwrite=True)
        (tmp_path / "letters").mkdir()
        (tmp_path / "letters" / "dear.txt").write_text("Dear reader")
        with pytest.raises(RunError, match="holds something else than a run"):
            train(config, tmp_path / "letters", ONE_THREAD, overwrite=True)
        assert (tmp_path / "letters" / "dear.txt").exists()


def test_a_run_folder_holds_everything_and_loads_again(finished):
    names = {path.name for path in finished.folder.iterdir()}
    assert names >= {
        "config.yaml",
        "corpus.json",
        "vocabulary.txt",
        "model.safetensors",
        "metrics.csv",
        "run.json",
        "tensorboard",
    }
    assert "checkpoints" not in names  # three times as many bytes as all the others
    again = load_run(finished.folder)
    assert same(weights(again), weights(finished))
    assert again.config == finished.config
    header, *lines = (finished.folder / "metrics.csv").read_text().splitlines()
    assert len(lines) == finished.results["epochs"]
    assert {"dev_refined", "dev_mean", "kl", "active_topics", "segment_length"} <= set(
        header.split(",")
    )


@pytest.mark.parametrize("continuation", ["three-ways", "gated", "joint"])
def test_the_figures_of_an_epoch_are_those_of_its_weights(continuation, source, tmp_path):
    """What chooses the best epoch is measured while the weights still change."""
    settings = {"continuation": continuation}
    if continuation != "three-ways":
        settings["topics"] = "network"
    if continuation == "joint":
        settings["last_step"] = "charged"
    run = train_small(small(source, corrected="yes", **settings), tmp_path / "run")
    dev = predictive_log_likelihood(run.model, run.corpus.dev, refine_steps=0)
    assert run.results["best_epoch"] > 1
    assert run.results["dev_mean"] == pytest.approx(dev.per_word, abs=2e-5)


def test_planted_topics_are_found(finished):
    """Documents of one topic are nearer to each other than to any of another topic."""
    texts, labels = planted_texts(n_documents=30, seed=7)
    documents = finished.encoder.encode(texts).documents
    batch = pack(documents, 3)
    latent = refine(finished.model, encoder_mean(finished.model, batch), batch, 30)
    theta = finished.model.theta(latent.zeta).detach().numpy()
    centres = np.stack([theta[labels == topic].mean(0) for topic in range(3)])
    nearest = np.linalg.norm(theta[:, None] - centres, axis=2).argmin(1)
    assert (nearest == labels).mean() > 0.95


def test_planted_phrases_are_found(finished):
    """In new text the phrases are not cut, and are mostly cut off from the words around them."""
    encoder = finished.encoder
    inside, edges = [], []
    for topic, phrases in enumerate(PHRASES):
        for phrase, (before, after) in itertools.product(phrases, itertools.pairwise(WORDS[topic])):
            text = f"{before} {' '.join(phrase)} {after} {before}"
            batch = pack(encoder.encode([text]).documents, 3)
            latent = encoder_mean(finished.model, batch)
            with torch.no_grad():
                scores = finished.model.scores(latent, batch, batch.earlier)
            posteriors = segment_posteriors(scores, batch.spans)
            boundary = boundary_probabilities(posteriors, batch.spans).tolist()
            edges += [boundary[0], boundary[len(phrase)]]
            inside += boundary[1 : len(phrase)]
    assert max(inside) < 0.1
    assert np.mean(edges) > 0.7


def test_no_development_documents(source, tmp_path):
    with pytest.raises(CorpusError, match="early stopping needs development documents"):
        train(small(source, dev_share=0.0), tmp_path / "run", ONE_THREAD)


def test_a_loss_that_is_not_a_number_names_the_batch(source, tmp_path):
    class Break(Callback):
        def on_train_start(self, trainer, pl_module):
            with torch.no_grad():
                pl_module.model.topics.weight.fill_(math.nan)

    with pytest.raises(TrainingError, match="the loss is nan in batch 1 of epoch 1, by documents"):
        train(small(source), tmp_path / "run", ONE_THREAD, callbacks=[Break()])
    assert not (tmp_path / "run" / "run.json").exists()


def test_both_collapses_are_told(source):
    model = build_model(small(source), 10)
    healthy = {"kl": 9.0, "active_topics": 3.0, "long_segments": 0.2}
    assert collapse_warnings(healthy, model) == []
    (topics,) = collapse_warnings({**healthy, "kl": 0.01}, model)
    assert "ignores its topics: the divergence is 0.01 nats" in topics
    (phrases,) = collapse_warnings({**healthy, "long_segments": 0.0}, model)
    assert "uses no phrases: 0.00%" in phrases
    one_topic = build_model(small(source, n_topics=1), 10)
    assert collapse_warnings({**healthy, "kl": 0.0}, one_topic) == []


@pytest.mark.parametrize("name", ["config.yaml", "run.json", "model.safetensors"])
def test_a_damaged_run_is_one_sentence(finished, tmp_path, name):
    copy = tmp_path / "run"
    shutil.copytree(finished.folder, copy)
    path = copy / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(RunError, match=str(copy)):
        load_run(copy)
    path.unlink()
    with pytest.raises(RunError, match=str(copy)):
        load_run(copy)
