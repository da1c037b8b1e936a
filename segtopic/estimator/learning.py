"""Texts in, what was learned from them out; and more texts on top of that.

The training is that of ``segtopic train``: the same task, the same trainer. Only the folder is
temporary.
"""

import copy
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from pytorch_lightning.callbacks import Callback

from segtopic.config import RunConfig, TrainerConfig
from segtopic.corpus import corpus_from_texts
from segtopic.corpus.documents import Documents
from segtopic.corpus.encode import TextEncoder
from segtopic.corpus.spans import SpanRules
from segtopic.corpus.split import split_documents
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.errors import CorpusError
from segtopic.explore import Topic, describe_topics
from segtopic.model import check_settings
from segtopic.model.topics import TopicModel
from segtopic.training import Run
from segtopic.training.fit import fit_model
from segtopic.training.folder import manifest_of
from segtopic.training.task import TrainingTask

DESCRIBED_PHRASES = 30


@dataclass(frozen=True, eq=False)
class Learned:
    """A trained model with all that is needed to use it, to go on training, and to save it.

    Attributes:
        config: Its settings.
        model: Trained.
        vocabulary: Its words.
        manifest: Of the corpus, as it stands in a run folder; has the rules for new text.
        results: What the training found.
        known: The training documents; ``None`` if they are to be fetched from ``run``.
        run: The folder it was loaded from, if it was.
    """

    config: RunConfig
    model: TopicModel
    vocabulary: Vocabulary
    manifest: dict[str, Any]
    results: dict[str, Any]
    known: Documents | None = None
    run: Run | None = None

    @cached_property
    def encoder(self) -> TextEncoder:
        """Encodes new text as the training text was."""
        return TextEncoder(self.vocabulary, SpanRules.from_dict(self.manifest["rules"]))

    @cached_property
    def documents(self) -> Documents:
        """The training documents."""
        if self.known is not None:
            return self.known
        assert self.run is not None
        return self.run.training_documents()

    @cached_property
    def topics(self) -> list[Topic]:
        """The topics, the largest first."""
        return describe_topics(self.model, self.documents, self.vocabulary, DESCRIBED_PHRASES)

    def described(self, n_phrases: int) -> list[Topic]:
        """The topics with at least so many phrases, if there are so many."""
        if n_phrases <= DESCRIBED_PHRASES:
            return self.topics
        return describe_topics(self.model, self.documents, self.vocabulary, n_phrases)


def learn(
    texts: Sequence[str], config: RunConfig, trainer: TrainerConfig, callbacks: list[Callback]
) -> Learned:
    """Train a new model."""
    check_settings(config)
    corpus = corpus_from_texts(texts, config)
    config = _with_development(config, len(corpus))
    task = TrainingTask.of(corpus, config)
    with torch.random.fork_rng(devices=[]):  # the user's own random numbers are left as they were
        model = task.new_model()
        results = _fit(model, task, trainer, callbacks)
    manifest = manifest_of(corpus, config)
    return Learned(task.config, model, corpus.vocabulary, manifest, results, task.training)


def learn_more(
    learned: Learned,
    texts: Sequence[str],
    epochs: int,
    trainer: TrainerConfig,
    callbacks: list[Callback],
) -> Learned:
    """Train on with new documents: same vocabulary, their phrases added to the memory."""
    found = learned.encoder.encode(texts).documents
    found = found.select(np.flatnonzero(found.spans_per_document))
    config = _with_development(replace(learned.config, test_share=0.0), found.n_documents)
    split = split_documents(found.n_documents, config)
    # The model knows its topics already, so the divergence has its full weight at once.
    config = replace(config, epochs=epochs, kl_warmup=0)
    new = found.select(split.train)
    task = TrainingTask(config, len(learned.vocabulary), new, found.select(split.dev))
    together = joined(learned.documents, new)
    model = copy.deepcopy(learned.model).train()
    model.scorer.continuation.learn_counts(together)
    with torch.random.fork_rng(devices=[]):
        results = _fit(model, task, trainer, callbacks)
    return replace(learned, model=model, results=results, known=together)


def joined(first: Documents, second: Documents) -> Documents:
    """The documents of both, one after the other."""
    return Documents(
        np.concatenate([first.words, second.words]),
        np.concatenate([first.span_lengths, second.span_lengths]),
        np.concatenate([first.spans_per_document, second.spans_per_document]),
    )


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
        results = fit_model(model, task, Path(folder), trainer, callbacks=callbacks)
    model.eval()
    return results
