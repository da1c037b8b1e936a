"""What every continuation answers: the one shape of the plug.

A continuation decides what follows the words of a segment: a further word, or the end. It also
makes first words, because they share their softmax with the words after them in the paper's model.
All that it may know of the documents it is asked about stands in a :class:`Context`; what it
learns from counts comes in once, before training (:meth:`Continuation.start`), and again when more
documents come (:meth:`Continuation.learn_counts`).

A new one is a class in a file of its own and a line in the registry
(:mod:`segtopic.model.continuations`). It must say how it

- scores the nodes of a batch's tries (:meth:`Continuation.forward`),
- makes first words (:meth:`Continuation.first_word_distribution`, :meth:`Continuation.score_bags`;
  :class:`segtopic.model.continuations.first_words.FirstWordSoftmax` has them),
- proposes next words to a beam search (:meth:`Continuation.propose`),

and may say which settings it needs, whether it reads the words of a segment, what it learns from
counts, which of its parameters are fast, and whether the corrections of given topics can be frozen.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple

import torch
from torch import Tensor, nn

from segtopic.corpus.documents import Documents, IntArray
from segtopic.errors import ConfigError
from segtopic.model.continuations.draws import Draws, FromAllWords
from segtopic.model.gru import SegmentGRU
from segtopic.model.packing import TrieLevel

LastStep = Literal["charged", "certain"]


@dataclass(frozen=True)
class SegmentSettings:
    """What a continuation is told of the segments when it is made.

    Attributes:
        vocabulary_size: Number of words ``V``.
        hidden_size: Width ``H`` of the network's states.
        max_length: Longest segment ``L`` in words.
        last_step: Whether an end that cannot be otherwise is ``certain`` or ``charged``.
        network_words: Whether the network makes further words where a memory does, too.
        liked_words: Whether further words are weighed by how much the document likes them.
    """

    vocabulary_size: int
    hidden_size: int
    max_length: int
    last_step: LastStep
    network_words: bool = True
    liked_words: bool = True


class Need(NamedTuple):
    """The only value of another setting that a continuation works with."""

    value: str
    sentence: str  # tells who chose another one what to do; {name} is the continuation's


@dataclass(frozen=True, eq=False)
class Context:
    """All that a continuation may know of the documents of a batch.

    The network is run only for the states that are asked for, and anew whenever they are.

    Attributes:
        network: The segment network.
        x: ``(D, H)`` one vector a document, ``W theta``.
        offset: ``(D, V)`` logits of the documents' given topics; None without given topics.
        leave_out: Whether the documents are among those counted, and are to be left out.
        span_ends: Whether ends are asked for that only stand where spans end, too; where an end
            that cannot be otherwise is certain, they are not needed for the texts themselves.
    """

    network: SegmentGRU
    x: Tensor
    offset: Tensor | None = None
    leave_out: bool = False
    span_ends: bool = True

    def begin(self) -> Tensor:
        """``(D, H)``: the network's state before the first word."""
        (state,) = self.network.states(self.x, [])
        return state

    def of(self, documents: Tensor) -> "Context":
        """That of ``(M,)`` of the documents."""
        offset = None if self.offset is None else self.offset[documents]
        return replace(self, x=self.x[documents], offset=offset)

    @classmethod
    def joined(cls, contexts: Sequence["Context"]) -> "Context":
        """That of all their documents, one after the other."""
        offsets = [each.offset for each in contexts if each.offset is not None]
        offset = torch.cat(offsets) if offsets else None
        return replace(contexts[0], x=torch.cat([each.x for each in contexts]), offset=offset)

    def histories(self, levels: list[TrieLevel]) -> list[Tensor]:
        """``(D, H)``, then ``(P, H)`` per level: its states after 0, 1, ... words.

        Only for continuations that read words (:attr:`Continuation.reads_words`).
        """
        return self.network.states(self.x, levels)


class Counted(NamedTuple):
    """What counts of the training documents tell a new model."""

    documents: Documents
    frequencies: Tensor  # (V,) of the words, none of them zero, sum one
    given_topics: bool  # whether first words have an offset, which has these frequencies already
    unigram_start: bool  # whether first words are to start from them where they have none


class Steps(NamedTuple):
    """Log probabilities per level."""

    words: list[Tensor]  # (P,) of each node's last word after its parent
    ends: list[Tensor]  # (P,) of the end after each node; a zero alone where it is certain


class NextWords(NamedTuple):
    """Words that may follow some beginnings of segments."""

    beginning: Tensor  # (Q,) which one
    word: Tensor  # (Q,)
    log_share: Tensor  # (Q,) of the word among all that may follow, if the segment goes on

    @classmethod
    def at_least(cls, log_share: Tensor, least_share: Tensor) -> "NextWords":
        """Those of all words, ``(B, V)``, that have a share of at least ``(B,)``."""
        beginning, word = (log_share >= least_share[:, None]).nonzero(as_tuple=True)
        return cls(beginning, word, log_share[beginning, word])


class Continuation(nn.Module, ABC):
    """What follows a history; see the module's docstring."""

    needs: ClassVar[Mapping[str, Need]] = {}
    """Settings of :class:`segtopic.config.ModelConfig` that must have a certain value."""
    reads_words: ClassVar[bool] = False
    """Whether it asks for the network's states after words, so that words need embeddings."""

    def __init__(self, settings: SegmentSettings) -> None:
        super().__init__()
        self.settings = settings

    @classmethod
    def check(cls, name: str, chosen: Mapping[str, object]) -> None:
        """Refuse settings that it cannot work with; those that are not given pass."""
        for setting, need in cls.needs.items():
            if chosen.get(setting, need.value) != need.value:
                raise ConfigError(need.sentence.format(name=name))

    def start(self, counted: Counted) -> None:
        """Take from the training documents what counts can tell, before training."""
        self.learn_counts(counted.documents)

    def learn_counts(self, documents: Documents) -> None:
        """Count all documents learned from so far; what was counted before is forgotten."""

    @abstractmethod
    def forward(self, context: Context, levels: list[TrieLevel]) -> Steps:
        """Score all nodes of a batch with at least one word.

        No segment is empty, so nothing ends after 0 words.
        """

    @abstractmethod
    def first_word_distribution(self, context: Context) -> Tensor:
        """``(D, V)``: probabilities of all words as first words."""

    @abstractmethod
    def score_bags(self, context: Context, bags: TrieLevel) -> Tensor:
        """``(P,)``: log probabilities, as first words, of the words of the documents' bags."""

    @abstractmethod
    def propose(self, context: Context, beginnings: IntArray, least_share: Tensor) -> NextWords:
        """What may follow in one document, with exact shares.

        Args:
            context: of one document.
            beginnings: ``(B, l)`` words of segments, at least one of each, fewer than ``L``.
            least_share: ``(B,)`` words of a smaller (log) share need not be proposed.
        """

    def draws(self, contexts: Iterable[Context]) -> Draws:
        """Draws words and ends; from all words, where nothing faster is known.

        Args:
            contexts: of one document after the other, some at a time.
        """
        return FromAllWords(self, Context.joined(list(contexts)))

    def fast_parameters(self) -> Iterable[nn.Parameter]:
        """The few numbers that say how far to trust counts; they learn at a faster pace."""
        return ()

    @property
    def corrected(self) -> bool:
        """Whether it has learned something that given topics did not say."""
        return True

    def freeze_corrections(self) -> None:
        """Learn nothing of the kind any more; without given topics there is nothing to freeze."""

    def open_levels(self, levels: list[TrieLevel]) -> list[TrieLevel]:
        """Those after whose nodes something is predicted: not the longest, if they surely end."""
        certain = self.settings.last_step == "certain"
        return levels[: self.settings.max_length - 1] if certain else levels
