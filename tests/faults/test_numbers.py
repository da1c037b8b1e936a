"""Numbers at their limits: training works, or says why it cannot."""

import json
import math

import pytest
import torch
from pytorch_lightning.callbacks import Callback

from segtopic.cli import main
from segtopic.errors import TrainingError
from segtopic.training.system import TopicSystem
from tests.faults.commands import ONE_THREAD, refused, train_quietly
from tests.training.planted import planted_file, planted_texts, small


def texts_file(folder, texts):
    path = folder / "texts.jsonl"
    lines = [json.dumps({"id": f"text {i}", "text": text}) for i, text in enumerate(texts)]
    path.write_text("\n".join(lines) + "\n")
    return path


class TestNotANumber:
    """A document, a gradient or a weight is made to fail."""

    @pytest.fixture
    def source(self, tmp_path):
        return texts_file(tmp_path, planted_texts(n_documents=40)[0])

    def breaking(self, monkeypatch, value, epoch, only=None):
        """The model's likelihood of a batch, or of one document in it, is this value."""
        step = TopicSystem.training_step

        def broken(system, batch, number):
            if system.current_epoch != epoch or number != 1:
                return step(system, batch, number)
            elbo = system.model.elbo

            def changed(*arguments, **settings):
                terms, posterior = elbo(*arguments, **settings)
                likelihood = terms.log_likelihood.clone()
                likelihood[slice(None) if only is None else only] = value
                return terms._replace(log_likelihood=likelihood), posterior

            monkeypatch.setattr(system.model, "elbo", changed)
            return step(system, batch, number)

        monkeypatch.setattr(TopicSystem, "training_step", broken)

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
    def test_the_document_is_named(self, source, tmp_path, monkeypatch, value):
        seen = []
        names = TopicSystem._data

        def spy(system):
            data = names(system)
            seen.extend(data.training_names(1))
            return data

        monkeypatch.setattr(TopicSystem, "_data", spy)
        self.breaking(monkeypatch, value, epoch=0, only=2)
        with pytest.raises(TrainingError) as raised:
            train_quietly(small(source, batch_size=4), tmp_path / "run", ONE_THREAD)
        kind = "nan" if math.isnan(value) else "infinite"
        assert f"the loss is {kind} in batch 2 of epoch 1, by document '{seen[2]}';" in str(
            raised.value
        )
        assert seen[2].startswith("text ")

    def test_the_best_epoch_before_can_be_kept(self, source, tmp_path, monkeypatch):
        with monkeypatch.context() as patch:
            self.breaking(patch, math.nan, epoch=2)
            with pytest.raises(TrainingError, match="best epoch so far with --resume --epochs 2"):
                train_quietly(small(source, epochs=9), tmp_path / "run", ONE_THREAD)
        kept = train_quietly(small(source, epochs=2), tmp_path / "run", ONE_THREAD, resume=True)
        assert kept.results["epochs"] == 2

    def test_a_broken_gradient_is_traced_to_its_batch(self, source, tmp_path):
        class BreakGradient(Callback):
            def on_before_optimizer_step(self, trainer, pl_module, optimizer):
                if trainer.global_step == 2:
                    pl_module.model.topics.weight.grad = torch.full_like(
                        pl_module.model.topics.weight, math.inf
                    )

        with pytest.raises(TrainingError, match="no numbers after batch 3 of epoch 1, documents"):
            train_quietly(
                small(source, batch_size=4),
                tmp_path / "run",
                ONE_THREAD,
                callbacks=[BreakGradient()],
            )

    def test_a_broken_development_document_is_named(self, source, tmp_path):
        class BreakWeights(Callback):
            def on_validation_start(self, trainer, pl_module):
                with torch.no_grad():
                    pl_module.model.topics.weight.fill_(math.nan)

        with pytest.raises(TrainingError, match="no numbers after the last batch of epoch 1"):
            train_quietly(small(source), tmp_path / "run", ONE_THREAD, callbacks=[BreakWeights()])


SETTINGS = "--hidden-size 8 --encoder-size 8 --epochs 1 --trainer.threads 1 --test-share 0.1"
EXTREMES = {
    "K=1": "--n-topics 1",
    "K=1000": "--n-topics 1000",
    "L=1": "--max-segment-length 1",
    "L=50": "--max-segment-length 50",
    "V=1": "--vocabulary-size 1",
    "V=3, L=50, network": "--vocabulary-size 3 --max-segment-length 50 --topics network "
    "--continuation gated",
    "hidden 1": "--hidden-size 1 --encoder-size 1",
    "roles, V=1": "--continuation roles --last-step charged --vocabulary-size 1",
}


@pytest.mark.filterwarnings("ignore::segtopic.training.system.Collapse")
class TestExtremes:
    def check(self, source, folder, capsys, settings):
        """Every command works, and prints nothing that is not a number."""
        text = folder / "new.txt"
        text.write_text("bababa badeba river bank bafiba")
        run = str(folder / "run")
        arguments = [*SETTINGS.split(), *settings.split()]
        assert main(["prepare", str(source), "--out", str(folder / "corpus")]) == 0
        assert main(["train", "--data", str(source), "--out", run, "--json", *arguments]) == 0
        for command in ("evaluate", "topics"):
            assert main([command, run, "--json"]) == 0
        assert main(["segment", run, str(text)]) == 0
        assert main(["report", run]) == 0
        printed = capsys.readouterr().out
        assert "NaN" not in printed
        assert "Infinity" not in printed

    @pytest.mark.parametrize("settings", ["K=1", "V=3, L=50, network"])
    def test_settings(self, tmp_path, capsys, settings):
        self.check(planted_file(tmp_path, n_documents=40), tmp_path, capsys, EXTREMES[settings])

    @pytest.mark.slow
    @pytest.mark.parametrize("settings", EXTREMES.values(), ids=EXTREMES)
    def test_all_settings(self, tmp_path, capsys, settings):
        self.check(planted_file(tmp_path, n_documents=40), tmp_path, capsys, settings)

    def test_one_word_in_all(self, tmp_path, capsys):
        self.check(texts_file(tmp_path, ["river"] * 20), tmp_path, capsys, "")

    @pytest.mark.slow
    def test_one_word_a_document(self, tmp_path, capsys):
        words = [f"word{letter}" for letter in "abcdefghijklmnopqrst"]
        self.check(texts_file(tmp_path, words), tmp_path, capsys, "")

    @pytest.mark.parametrize(
        ("n_documents", "settings", "message"),
        [
            (1, "", "too few documents (1): the dev and test part"),
            (1, "--test-share 0 --dev-share 0", "early stopping needs development documents"),
            (2, "", "too few documents (2)"),
            (9, "--learning-rate nan", "'nan' is not a number"),
            (9, "--learning-rate inf", "'inf' is not a number"),
            (9, "--learning-rate 1e30 --scalar-learning-rate 1e30", "lower learning_rate"),
        ],
    )
    def test_what_cannot_be_is_refused(self, tmp_path, capsys, n_documents, settings, message):
        source = texts_file(tmp_path, planted_texts(n_documents=n_documents)[0])
        arguments = ["train", "--data", source, "--out", tmp_path / "run", *settings.split()]
        arguments += ["--hidden-size", "8", "--batch-size", "2", "--trainer.threads", "1"]
        assert message in refused(arguments, capsys)

    def test_two_documents_are_enough(self, tmp_path):
        source = texts_file(tmp_path, planted_texts(n_documents=2)[0])
        config = small(source, test_share=0.0, dev_share=0.5, epochs=1)
        assert train_quietly(config, tmp_path / "run", ONE_THREAD).results["epochs"] == 1
