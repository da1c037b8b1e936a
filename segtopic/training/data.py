"""The batches of a task, for Lightning: packed when they are wanted, in a seeded order."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytorch_lightning as pl
from torch.utils.data import DataLoader, IterableDataset

from segtopic.corpus.documents import Documents, IntArray
from segtopic.model import PackedBatch, pack
from segtopic.model.heldout import HeldOutBatch, HeldOutBatches
from segtopic.training.task import TrainingTask


class TrainingBatches(IterableDataset[PackedBatch]):
    """All documents in a random order that depends on the seed and the epoch only.

    Of a large corpus an epoch has a part, and the next one goes on where it ended. When all
    documents have had their turn, a new order begins.

    With several processes each takes its share of every batch, so that all together train on the
    same batches as one would.
    """

    def __init__(
        self,
        documents: Documents,
        max_length: int,
        batch_size: int,
        seed: int,
        most_documents: int,
    ) -> None:
        self.all_documents = documents
        self.max_length = max_length
        self.n_documents = min(documents.n_documents, most_documents)  # of an epoch
        self.batch_size = batch_size
        self.seed = seed
        self.epoch = 0
        self.rank, self.world_size = 0, 1

    def __len__(self) -> int:
        return -(-self.n_documents // self.batch_size)

    def __iter__(self) -> Iterator[PackedBatch]:
        order = self._order()
        for number in range(len(self)):
            yield pack(self.all_documents.select(self._own(order, number)), self.max_length)

    def documents(self, batch: int) -> IntArray:
        """The numbers of the documents in a batch of the present epoch."""
        return self._own(self._order(), batch)

    def share(self, batch: int) -> "Share":
        """What part of a batch of the present epoch is this process' own."""
        first = batch * self.batch_size
        whole = self._order()[first : first + self.batch_size]
        own = whole[self.rank :: self.world_size]
        words = self.all_documents.words_per_document
        return Share(len(whole), slice(self.rank, None, self.world_size), _part(words, own, whole))

    def _order(self) -> IntArray:
        """The documents of the present epoch."""
        total = self.all_documents.n_documents
        begin = self.epoch * self.n_documents
        end = begin + self.n_documents
        orders = [
            np.random.default_rng((self.seed, number)).permutation(total)
            for number in range(begin // total, -(-end // total))
        ]
        return np.concatenate(orders)[begin % total :][: self.n_documents]

    def _own(self, order: IntArray, number: int) -> IntArray:
        batch = order[number * self.batch_size : (number + 1) * self.batch_size]
        # A short last batch may leave a process without a document; it repeats one then.
        own = batch[self.rank :: self.world_size]
        return own if len(own) else batch[:1]


class Share(NamedTuple):
    """What a process has of a batch that several share."""

    n_documents: int  # of the whole batch
    own: slice  # which of them; none, if there are more processes
    of_words: float  # the share of their words


def _part(words: IntArray, own: IntArray, whole: IntArray) -> float:
    return float(words[own].sum() / max(words[whole].sum(), 1))


class TopicData(pl.LightningDataModule):
    """The training and development documents of a task."""

    def __init__(self, task: TrainingTask) -> None:
        super().__init__()
        self.task = task
        config = task.config
        assert config.batch_size is not None  # settled by the task
        longest = config.max_segment_length
        self.training = TrainingBatches(
            task.training, longest, config.batch_size, config.seed, config.epoch_documents
        )
        self.development = HeldOutBatches(*task.development.observed_and_scored(), longest)

    @property
    def n_development(self) -> int:
        """How many development documents there are."""
        return self.development.observed.n_documents

    def training_names(self, batch: int) -> list[str]:
        """What the documents in a batch of the present epoch are called."""
        return [self.task.name_training(int(each)) for each in self.training.documents(batch)]

    def development_names(self, batch: int) -> list[str]:
        """What the development documents in a batch are called."""
        return [self.task.name_development(int(each)) for each in self.development.documents(batch)]

    def setup(self, stage: str) -> None:
        """Tell the parts which process this is."""
        if self.trainer is not None:
            for part in (self.training, self.development):
                part.rank = self.trainer.global_rank
                part.world_size = self.trainer.world_size

    def train_dataloader(self) -> DataLoader[PackedBatch]:
        """One epoch; Lightning asks anew for each (``reload_dataloaders_every_n_epochs=1``)."""
        if self.trainer is not None:
            self.training.epoch = self.trainer.current_epoch
        return DataLoader(self.training, batch_size=None)

    def val_dataloader(self) -> DataLoader[HeldOutBatch]:
        """The development documents."""
        return DataLoader(self.development, batch_size=None)
