"""Texts in, what was learned from them out; and more texts on top of that.

The training is that of ``segtopic train``: the same task, the same trainer. Only the folder is
temporary.
"""

import copy
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback

from segtopic.config import RunConfig, TrainerConfig
from segtopic.corpus import Corpus, corpus_from_texts
from segtopic.errors import CorpusError
from segtopic.model import check_settings
from segtopic.model.topic_model import TopicModel
from segtopic.runs import RunCorpus, TrainedModel
from segtopic.runs.corpus import document_rows
from segtopic.runs.naming import Naming
from segtopic.runs.trained import IN_MEMORY
from segtopic.runs.weights import for_use
from segtopic.training.task import TrainingTask
from segtopic.training.train import fit_model


def learn(
    corpus: Corpus, config: RunConfig, trainer: TrainerConfig, callbacks: list[Callback]
) -> TrainedModel:
    """Train a new model."""
    check_settings(config)
    config = _with_development(config, len(corpus))
    kept = RunCorpus.of(corpus, config, keep_texts=config.data == IN_MEMORY)
    task = TrainingTask.of(kept, config)
    with torch.random.fork_rng(devices=[]):  # the user's own random numbers are left as they were
        model = task.new_model()
        results = _fit(model, task, trainer, callbacks)
    naming = Naming.of_seeds(task.config.seed_rows)
    return TrainedModel(task.config, for_use(model), kept.learned(), results, naming=naming)


def learn_more(
    trained: TrainedModel,
    texts: Sequence[str],
    epochs: int,
    trainer: TrainerConfig,
    callbacks: list[Callback],
) -> TrainedModel:
    """Train on with new documents: same vocabulary, their phrases added to the memory."""
    more = corpus_from_texts(
        texts, trained.config, rules=trained.corpus.rules, vocabulary=trained.vocabulary
    )
    found = more.documents
    config = _with_development(replace(trained.config, test_share=0.0), found.n_documents)
    split = more.split(config)
    # The model knows its topics already, so the divergence has its full weight at once.
    config = replace(config, epochs=epochs, kl_warmup=0)
    taken = set(trained.corpus.ids)
    free = (str(number) for number in count(len(taken) + 1) if str(number) not in taken)
    ids = list(islice(free, found.n_documents))
    rows = document_rows(ids, found, more.texts(), split, trained.corpus.has_texts)
    together = trained.corpus.with_more(rows, more.summary)
    new = found.select(split.train)
    task = TrainingTask(config, len(trained.vocabulary), new, found.select(split.dev))
    model = copy.deepcopy(trained.model).float().train().requires_grad_()
    continuation = model.scorer.continuation
    continuation.learn_counts(together.train)
    if not continuation.corrected:  # it did not learn to correct its topics, and is not to
        continuation.freeze_corrections()
    with torch.random.fork_rng(devices=[]):
        results = _fit(model, task, trainer, callbacks)
    return TrainedModel(trained.config, for_use(model), together, results, naming=trained.naming)


def _with_development(config: RunConfig, n_documents: int) -> RunConfig:
    """At least one development document, however few there are."""
    if n_documents < 2:
        raise CorpusError(
            f"too few texts with known words (n_samples={n_documents}): one is needed to learn "
            "from, and one to tell when to stop; give more texts"
        )
    return replace(config, dev_share=max(config.dev_share, 1 / n_documents))


def _fit(
    model: TopicModel, task: TrainingTask, trainer: TrainerConfig, callbacks: list[Callback]
) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="segtopic-") as folder:
        return fit_model(model, task, Path(folder), trainer, callbacks=callbacks)


class EpochLine(Callback):
    """Prints a line after every epoch on the error stream.

    Args:
        estimator: its name.
        told: the figures of an epoch in words.
    """

    def __init__(self, estimator: str, told: Callable[[Mapping[str, Any]], str]) -> None:
        self._estimator, self._told = estimator, told

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Print the line."""
        print(
            f"[{self._estimator}] epoch {trainer.current_epoch + 1} of at most "
            f"{trainer.max_epochs}: {self._told(trainer.callback_metrics)}",
            file=sys.stderr,
            flush=True,
        )


def topic_line() -> EpochLine:
    """The development likelihood after every epoch."""

    def told(figures: Mapping[str, Any]) -> str:
        best = figures.get("dev_refined", figures["dev_mean"])
        return f"predictive log likelihood {best:.4f}"

    return EpochLine("SegTopic", told)


def swan_line() -> EpochLine:
    """The errors on the development inputs after every epoch."""
    return EpochLine(
        "Swan", lambda figures: f"{figures['dev_words_wrong']:.1%} of the development inputs wrong"
    )
