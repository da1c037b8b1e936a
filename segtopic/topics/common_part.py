"""What is in no topic: the words that all documents share, as a reader is told of them."""

from dataclasses import asdict, dataclass
from typing import Any

from segtopic.runs import TrainedModel
from segtopic.topics.shares import DESCRIBED_WORDS, common_shares

N_WORDS = 12


@dataclass(frozen=True)
class CommonPart:
    """The common words of a run.

    Attributes:
        share: Of the training documents, on average; of very many, of some, evenly spread.
        words: The most probable ones.
    """

    share: float
    words: tuple[str, ...]

    @classmethod
    def of(cls, trained: TrainedModel, n_words: int = N_WORDS) -> "CommonPart | None":
        """Of a run, if it has common words."""
        common = trained.model.common
        if common is None or not trained.model.keeps_common:
            return None
        train = trained.corpus.train
        some = train.select(train.evenly_spread(DESCRIBED_WORDS))
        share = float(common_shares(trained.model, some).mean())
        best = common.words.topk(min(n_words, len(common.words))).indices.tolist()
        return cls(share, tuple(trained.vocabulary.words[word] for word in best))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)
