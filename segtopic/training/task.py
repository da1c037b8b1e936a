"""What is to be learned: a corpus and settings in, a task and a model to train out.

The command line and the estimator both train through a task, so that they cannot differ. Neither
Lightning nor torch is imported before a model is wanted, so that the first topics, which LDA finds
without them, can be shown at once.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from segtopic.config import ModelConfig, RunConfig, TrainingConfig, part_of
from segtopic.corpus.documents import Documents, digest_of_documents
from segtopic.errors import CorpusError
from segtopic.model.first_topics import find_first_topics
from segtopic.model.lda import GibbsTopics
from segtopic.runs import RunCorpus

if TYPE_CHECKING:
    from segtopic.model.seeds import Seeds
    from segtopic.model.topic_model import TopicModel

DEVELOPMENT_WORDS = 1 << 20  # that are predicted after each epoch


@dataclass(frozen=True)
class TrainingTask:
    """Documents to learn from, and how.

    Attributes:
        config: With nothing left open.
        vocabulary_size: Of the documents' words.
        training: Documents that are learned.
        development: Documents that tell when to stop; of very many some, evenly spread.
        name_training: What a training document is called, by its number among them.
        name_development: The same for the development documents.
        seeds: What the first topics are to be about, if anything.
        first_topics: What LDA has found, if it was asked already.
    """

    config: RunConfig
    vocabulary_size: int
    training: Documents
    development: Documents
    name_training: Callable[[int], str] = str
    name_development: Callable[[int], str] = str
    seeds: "Seeds | None" = None
    first_topics: GibbsTopics | None = None

    @classmethod
    def of(cls, corpus: RunCorpus, config: RunConfig) -> "TrainingTask":
        """The task of a corpus, settled by the size of its training part."""
        if corpus.dev.n_documents == 0:
            raise CorpusError(
                "dev_share is 0, but early stopping needs development documents; raise it"
            )
        looked_at = corpus.dev.evenly_spread(DEVELOPMENT_WORDS)
        return cls(
            config.settled(corpus.train.n_documents, corpus.train.n_words),
            len(corpus.vocabulary),
            corpus.train,
            corpus.dev.select(looked_at),
            lambda number: corpus.ids[corpus.split.train[number]],
            lambda number: corpus.ids[corpus.split.dev[looked_at[number]]],
            _seeds(corpus, config),
        )

    def origin(self) -> dict[str, Any]:
        """What an interrupted training must share with the one that goes on with it."""
        settings = dataclasses.asdict(part_of(self.config, ModelConfig))
        settings |= dataclasses.asdict(part_of(self.config, TrainingConfig))
        del settings["epochs"]  # more of them may be wanted
        corpus = f"{self.vocabulary_size} {digest_of_documents(self.training, self.development)}"
        return {**settings, "corpus": corpus}

    def with_first_topics(self, seen: Callable[[GibbsTopics], None]) -> "TrainingTask":
        """The same, after LDA was asked for the topics to start from, if any are wanted.

        Args:
            seen: shown topics as soon as some can be read.
        """
        if self.config.topics != "lda":
            return self
        assert self.config.n_topics is not None  # settled
        found = find_first_topics(
            self.training,
            self.vocabulary_size,
            self.config.n_topics,
            self.config.seed,
            self.seeds,
            self.config.common,
            seen,
        )
        return dataclasses.replace(self, first_topics=found)

    def new_model(self) -> "TopicModel":
        """A model that knows what counts can tell; depends on the documents and the seed only."""
        import torch

        from segtopic.model.build import build_model, start_from

        config = self.config
        torch.manual_seed(config.seed)
        model = build_model(config, self.vocabulary_size)
        start_from(model, config, self.training, config.seed, self.seeds, self.first_topics)
        return model


def _seeds(corpus: RunCorpus, config: RunConfig) -> "Seeds | None":
    if not config.seed_rows:
        return None
    from segtopic.model.seeds import Seeds

    return Seeds.of(config.seed_rows, corpus.encoder, config.seed_strength)
