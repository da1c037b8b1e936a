"""What is to be learned: a corpus and settings in, documents and a model to start from out.

The command line and the estimator both train through a task, so that they cannot differ.
"""

from dataclasses import dataclass

import torch

from segtopic.config import RunConfig
from segtopic.corpus import Corpus
from segtopic.corpus.documents import Documents
from segtopic.errors import CorpusError
from segtopic.model.build import build_model, start_from
from segtopic.model.topics import TopicModel


@dataclass(frozen=True)
class TrainingTask:
    """Documents to learn from, and how.

    Attributes:
        config: With nothing left open.
        vocabulary_size: Of the documents' words.
        training: Documents that are learned.
        development: Documents that tell when to stop.
    """

    config: RunConfig
    vocabulary_size: int
    training: Documents
    development: Documents

    @classmethod
    def of(cls, corpus: Corpus, config: RunConfig) -> "TrainingTask":
        """The task of a corpus, split and settled by the settings."""
        split = corpus.split(config)
        if len(split.dev) == 0:
            raise CorpusError(
                "dev_share is 0, but early stopping needs development documents; raise it"
            )
        training = corpus.documents.select(split.train)
        return cls(
            config.settled(training.n_documents, training.n_words),
            len(corpus.vocabulary),
            training,
            corpus.documents.select(split.dev),
        )

    def new_model(self) -> TopicModel:
        """A model that knows what counts can tell; depends on the documents and the seed only."""
        torch.manual_seed(self.config.seed)
        model = build_model(self.config, self.vocabulary_size)
        start_from(model, self.config, self.training, self.config.seed)
        return model
