"""A whole run: the model, its training, and what it is trained with."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from segtopic.config.checks import check_choice, check_range
from segtopic.config.corpus import CorpusConfig
from segtopic.config.seeds import check_rows
from segtopic.errors import ConfigError

ENOUGH_WORDS = 100_000
"""Of the training part, for a network to learn more than counts tell without overfitting."""
MANY_DOCUMENTS = 4_000
"""In the training part, for larger batches."""
MANY_WORDS = 300_000
"""Of the training part, for larger steps and fewer epochs."""
REFINE_STEPS = 15
"""Gradient steps that refine topics, where they are refined."""


@dataclass(frozen=True)
class ModelConfig:
    """The model.

    Which settings a continuation goes with it says itself: :func:`segtopic.model.check_settings`.

    Attributes:
        n_topics: Topics, the dimensions of each document's hidden vector; by the number of
            training words if not given (a twelfth of its square root, at most 50).
        max_segment_length: Longest phrase in words.
        hidden_size: Width of document vectors, word embeddings and recurrent layers.
        n_layers: Recurrent layers.
        encoder_size: Units in both layers of the inference network.
        continuation: What follows the words of a phrase - 'three-ways' has counts and the network
            beside each other, 'phrases' has counts alone, 'roles' learns
            which words begin, continue and end phrases (for reading, with stop words kept),
            'gated' and 'joint' leave it to a softmax ('joint' as in the paper).
        network_words: With 'three-ways', let the network make further words beside the memory.
        liked_words: With 'three-ways', weigh them by how much the document's topics like them.
        last_step: Whether an end that cannot be otherwise is 'certain' or 'charged' (the paper).
        background: Give each document a share of words from all the vocabulary.
        burstiness: Let documents repeat their own words.
        own_phrases: Let documents repeat their own phrases, and their words at a discount.
        topics: Where topics come from - 'lda' samples them by LDA first, 'network' leaves them to
            the network (the paper).
        common: With 'lda', keep words that all documents share apart from the topics, where there
            are such words.
        seeds: YAML file with lines such as 'sport: [cricket, test match]' - the first topics are
            to be about these words, as far as the documents agree; or the same as rows of lists.
        seed_strength: How much the seeds weigh - 1 as if the text had been read once before, each
            seed in its topic.
        corrected: Let the network correct the topics that LDA found; 'auto' if the training text
            has enough words that it does not overfit.
        unigram_start: Start the network's softmax at the words' frequencies, where there is no LDA.
        topic_scale: Deviation of the initial topic vectors; small ones hide the topics at first.
        dropout: Share of units dropped in training.
        hidden_words: Share of the words hidden from the inference network in training.
        guesses: Let the inference network start from the shares by which the topics that LDA found
            explain a document best.
    """

    n_topics: int | None = None
    max_segment_length: int = 3
    hidden_size: int = 150
    n_layers: int = 1
    encoder_size: int = 256
    continuation: Literal["three-ways", "phrases", "roles", "gated", "joint"] = "three-ways"
    network_words: bool = True
    liked_words: bool = True
    last_step: Literal["certain", "charged"] = "certain"
    background: bool = True
    burstiness: bool = True
    own_phrases: bool = True
    topics: Literal["lda", "network"] = "lda"
    common: bool = True
    seeds: str | Sequence[Sequence[str]] | None = None
    seed_strength: float = 1.0
    corrected: Literal["auto", "yes", "no"] = "auto"
    unigram_start: bool = True
    topic_scale: float = 3.0
    dropout: float = 0.3
    hidden_words: float = 0.25
    guesses: bool = True

    def __post_init__(self) -> None:
        for name in (
            "n_topics",
            "max_segment_length",
            "hidden_size",
            "n_layers",
            "encoder_size",
        ):
            check_range(self, name, at_least=1)
        check_choice(self, "last_step", ("certain", "charged"))
        check_choice(self, "topics", ("lda", "network"))
        check_choice(self, "corrected", ("auto", "yes", "no"))
        check_range(self, "seed_strength", at_least=0)
        if self.seeds is not None:
            self._check_seeds(self.seeds)
        check_range(self, "topic_scale", at_least=0)
        check_range(self, "dropout", at_least=0, at_most=0.95)
        check_range(self, "hidden_words", at_least=0, at_most=0.95)

    def _check_seeds(self, seeds: str | Sequence[Sequence[str]]) -> None:
        if self.topics != "lda":
            raise ConfigError("seeds are a prior of LDA's topics; use topics 'lda' with them")
        if isinstance(seeds, str):  # a file, which is read when the training begins
            return
        rows = check_rows(tuple(tuple(row) for row in seeds if row))
        object.__setattr__(self, "seeds", rows)
        if self.n_topics is not None and len(rows) > self.n_topics:
            raise ConfigError(
                f"seeds are given for {len(rows)} topics, but n_topics is {self.n_topics}; "
                "raise it, or give fewer"
            )

    @property
    def seed_rows(self) -> tuple[tuple[str, ...], ...]:
        """Of each seeded topic, in the order of their numbers, its name and its seeds."""
        if isinstance(self.seeds, str):
            raise ConfigError(f"seeds: the file '{self.seeds}' was not read; give its rows instead")
        return tuple(map(tuple, self.seeds or ()))


@dataclass(frozen=True)
class TrainingConfig:
    """How the model is trained.

    Attributes:
        epochs: Most passes over the training documents; if not given, those of about 350 batches,
            between 6 and 20; from 300,000 words on of 225, between 4 and 20.
        epoch_documents: Most documents in an epoch; the next epoch goes on with others, so that a
            large corpus is not passed over several times: what is counted is counted in all of it,
            and the network learns from some.
        batch_size: Documents in a batch; by their number if not given (a thirtieth, at most 32; 64
            where there are 4,000 documents and 300,000 words).
        learning_rate: Of Adam; if not given, 0.001; from 300,000 words on 0.002, and 0.003 where
            batches would have 64 documents.
        rate_held: Share of the epochs after which the learning rate falls, in a straight line, to
            nothing at their end; 1 for never.
        scalar_learning_rate: Of the few numbers that say how far to trust counts.
        weight_decay: Decoupled, on matrices.
        kl_warmup: Epochs over which the divergence from the prior gets its full weight; if not
            given, 1 where the inference network guesses, else those of about 600 batches, between
            3 and 10.
        patience: Stop after so many epochs without a better development likelihood, counted from
            the end of kl_warmup on.
        min_gain: Nats per word by which the likelihood must be better than when patience was last
            restored, to restore it; the best epoch is kept all the same.
        stop_on: Which development likelihood - 'refined', or the encoder's 'mean' (the paper); if
            not given, that of refined topics where they are refined. The best epoch, which is kept,
            is the one where it is highest.
        refine_steps: Gradient steps that refine a document's topics; 0 leaves them to the encoder.
            If not given, 0 where the inference network guesses and the training text has 100,000
            words, else 15.
        seed: Of everything random in training.
    """

    epochs: int | None = None
    epoch_documents: int = 50_000
    batch_size: int | None = None
    learning_rate: float | None = None
    rate_held: float = 0.2
    scalar_learning_rate: float = 2e-2
    weight_decay: float = 0.3
    kl_warmup: int | None = None
    patience: int = 5
    min_gain: float = 0.002
    stop_on: Literal["refined", "mean"] | None = None
    refine_steps: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("epochs", "epoch_documents", "batch_size", "patience"):
            check_range(self, name, at_least=1)
        for name in ("learning_rate", "scalar_learning_rate", "weight_decay", "kl_warmup"):
            check_range(self, name, at_least=0)
        check_range(self, "min_gain", at_least=0)
        check_range(self, "rate_held", at_least=0, at_most=1)
        check_range(self, "refine_steps", at_least=0)
        check_range(self, "seed", at_least=0)
        check_choice(self, "stop_on", (None, "refined", "mean"))
        if self.stop_on == "refined" and self.refine_steps == 0:
            raise ConfigError("stop_on 'refined' needs refine_steps of at least 1")

    def refinement(self, wanted: bool | None = None) -> int:
        """The gradient steps of a run whose settings are settled.

        Args:
            wanted: whether topics are to be refined; as in the training if not given.
        """
        assert self.refine_steps is not None  # settled
        if wanted is None:
            return self.refine_steps
        return (self.refine_steps or REFINE_STEPS) if wanted else 0


@dataclass(frozen=True)
class TrainerConfig:
    """What Lightning runs on; all are passed on to its Trainer.

    Attributes:
        accelerator: 'auto', 'cpu', 'gpu', ...
        devices: How many processes or devices on each machine.
        num_nodes: How many machines; the same command runs on each, with MASTER_ADDR, MASTER_PORT
            and NODE_RANK in its environment.
        strategy: 'auto', 'ddp', ...
        precision: Of the numbers.
        max_time: Stop after this time, as DD:HH:MM:SS.
        gradient_clip: Largest norm of the gradient.
        threads: Threads of each process on the CPU; all cores if not given.
    """

    accelerator: str = "auto"
    devices: int = 1
    num_nodes: int = 1
    strategy: str = "auto"
    precision: Literal["32-true", "64-true", "bf16-mixed", "16-mixed"] = "32-true"
    max_time: str | None = None
    gradient_clip: float = 5.0
    threads: int | None = None

    def __post_init__(self) -> None:
        check_range(self, "devices", at_least=1)
        check_range(self, "num_nodes", at_least=1)
        check_range(self, "gradient_clip", at_least=0)
        check_range(self, "threads", at_least=1)
        if self.max_time is not None and not re.fullmatch(r"\d+:\d\d:\d\d:\d\d", self.max_time):
            raise ConfigError(
                f"trainer.max_time is '{self.max_time}', but must look like DD:HH:MM:SS"
            )


@dataclass(frozen=True)
class RunConfig(TrainingConfig, ModelConfig, CorpusConfig):
    """Everything that makes a run, but for the machine it runs on."""

    def settled(self, n_documents: int, n_words: int) -> "RunConfig":
        """With what was not given chosen by the size of the training part."""
        quick = self.guesses and self.topics == "lda"
        many = quick and n_words >= MANY_WORDS
        largest_batch = 64 if many and n_documents >= MANY_DOCUMENTS else 32
        batch_size = self.batch_size or min(max(n_documents // 30, 4), largest_batch)
        rate, n_batches, least = 1e-3, 350, 6
        if many:
            rate, n_batches, least = (3e-3 if largest_batch == 64 else 2e-3), 225, 4
        epochs = min(max(n_batches * batch_size // max(n_documents, 1), least), 20)
        warmup = min(max(600 * batch_size // max(n_documents, 1), 3), 10)
        refine_steps = REFINE_STEPS
        if quick:
            warmup = 1
            if n_words >= ENOUGH_WORDS and self.stop_on != "refined":
                refine_steps = 0
        if self.refine_steps is not None:
            refine_steps = self.refine_steps
        return replace(
            self,
            n_topics=self.n_topics
            or max(min(max(math.isqrt(n_words) // 12, 2), 50), len(self.seed_rows)),
            epochs=self.epochs or epochs,
            batch_size=batch_size,
            learning_rate=rate if self.learning_rate is None else self.learning_rate,
            kl_warmup=warmup if self.kl_warmup is None else self.kl_warmup,
            refine_steps=refine_steps,
            stop_on=self.stop_on or ("refined" if refine_steps else "mean"),
        )

    def __post_init__(self) -> None:
        for part in RunConfig.__bases__:
            part.__post_init__(self)  # type: ignore[attr-defined]
