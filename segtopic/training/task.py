"""What is to be learned: a corpus and settings in, documents and a model to start from out.

The command line and the estimator both train through a task, so that they cannot differ.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from segtopic.config import ModelConfig, RunConfig, TrainingConfig, part_of
from segtopic.corpus.documents import Documents, digest_of_documents
from segtopic.errors import CorpusError
from segtopic.model.build import build_model, start_from
from segtopic.model.topic_model import TopicModel
from segtopic.runs import RunCorpus


@dataclass(frozen=True)
class TrainingTask:
    """Documents to learn from, and how.

    Attributes:
        config: With nothing left open.
        vocabulary_size: Of the documents' words.
        training: Documents that are learned.
        development: Documents that tell when to stop.
        name_training: What a training document is called, by its number among them.
        name_development: The same for the development documents.
    """

    config: RunConfig
    vocabulary_size: int
    training: Documents
    development: Documents
    name_training: Callable[[int], str] = str
    name_development: Callable[[int], str] = str

    @classmethod
    def of(cls, corpus: RunCorpus, config: RunConfig) -> "TrainingTask":
        """The task of a corpus, settled by the size of its training part."""
        if corpus.dev.n_documents == 0:
            raise CorpusError(
                "dev_share is 0, but early stopping needs development documents; raise it"
            )
        return cls(
            config.settled(corpus.train.n_documents, corpus.train.n_words),
            len(corpus.vocabulary),
            corpus.train,
            corpus.dev,
            lambda number: corpus.ids[corpus.split.train[number]],
            lambda number: corpus.ids[corpus.split.dev[number]],
        )

    def origin(self) -> dict[str, Any]:
        """What an interrupted training must share with the one that goes on with it."""
        settings = dataclasses.asdict(part_of(self.config, ModelConfig))
        settings |= dataclasses.asdict(part_of(self.config, TrainingConfig))
        del settings["epochs"]  # more of them may be wanted
        corpus = f"{self.vocabulary_size} {digest_of_documents(self.training, self.development)}"
        return {**settings, "corpus": corpus}

    def new_model(self) -> TopicModel:
        """A model that knows what counts can tell; depends on the documents and the seed only."""
        torch.manual_seed(self.config.seed)
        model = build_model(self.config, self.vocabulary_size)
        start_from(model, self.config, self.training, self.config.seed)
        return model
