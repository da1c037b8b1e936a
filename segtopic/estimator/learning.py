"""Texts in, what was learned from them out; and more texts on top of that.

The training is that of ``segtopic train``: the same task, the same trainer. Only the folder is
temporary.
"""

import copy
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback

from segtopic.config import RunConfig, TrainerConfig
from segtopic.corpus import Corpus
from segtopic.corpus.split import split_documents
from segtopic.errors import CorpusError
from segtopic.model import check_settings
from segtopic.model.topic_model import TopicModel
from segtopic.runs import RunCorpus, TrainedModel
from segtopic.runs.corpus import document_rows
from segtopic.runs.weights import for_use
from segtopic.training.fit import fit_model
from segtopic.training.task import TrainingTask


def learn(
    corpus: Corpus, config: RunConfig, trainer: TrainerConfig, callbacks: list[Callback]
) -> TrainedModel:
    """Train a new model."""
    check_settings(config)
    config = _with_development(config, len(corpus))
    kept = RunCorpus.of(corpus, config, keep_texts=True)
    task = TrainingTask.of(kept, config)
    with torch.random.fork_rng(devices=[]):  # the user's own random numbers are left as they were
        model = task.new_model()
        results = _fit(model, task, trainer, callbacks)
    return TrainedModel(task.config, for_use(model), kept, results)


def learn_more(
    trained: TrainedModel,
    texts: Sequence[str],
    epochs: int,
    trainer: TrainerConfig,
    callbacks: list[Callback],
) -> TrainedModel:
    """Train on with new documents: same vocabulary, their phrases added to the memory."""
    encoded = trained.encoder.encode(texts).documents
    known = np.flatnonzero(encoded.spans_per_document)
    found = encoded.select(known)
    config = _with_development(replace(trained.config, test_share=0.0), found.n_documents)
    split = split_documents(found.n_documents, config)
    # The model knows its topics already, so the divergence has its full weight at once.
    config = replace(config, epochs=epochs, kl_warmup=0)
    before = len(trained.corpus)
    ids = [str(before + number + 1) for number in range(found.n_documents)]
    kept = [texts[number] for number in known.tolist()]
    rows = document_rows(ids, found, kept, split, trained.corpus.has_texts)
    together = trained.corpus.with_more(rows)
    new = found.select(split.train)
    task = TrainingTask(config, len(trained.vocabulary), new, found.select(split.dev))
    model = copy.deepcopy(trained.model).float().train()
    continuation = model.scorer.continuation
    continuation.learn_counts(together.train)
    if not continuation.corrected:  # it did not learn to correct its topics, and is not to
        continuation.freeze_corrections()
    with torch.random.fork_rng(devices=[]):
        results = _fit(model, task, trainer, callbacks)
    return TrainedModel(trained.config, for_use(model), together, results)


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
    """Prints the development likelihood after every epoch."""

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Print the line."""
        figure = float(trainer.callback_metrics["dev_refined"])
        print(
            f"[SegTopic] epoch {trainer.current_epoch + 1} of at most {trainer.max_epochs}: "
            f"predictive log likelihood {figure:.4f}",
            file=sys.stderr,
            flush=True,
        )
