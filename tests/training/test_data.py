"""Which documents an epoch has, and what of a large corpus is looked at."""

import dataclasses
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.config import CorpusConfig, RunConfig
from segtopic.corpus import Documents, corpus_from_texts
from segtopic.runs import RunCorpus
from segtopic.training import task
from segtopic.training.data import TopicData, TrainingBatches
from segtopic.training.task import TrainingTask


def batches_of(n_documents, **settings):
    documents = Documents.from_lists([[[0]]] * n_documents)
    return TrainingBatches(documents, max_length=1, seed=3, **settings)


def seen(batches, epoch):
    batches.epoch = epoch
    return np.concatenate([batches.documents(number) for number in range(len(batches))]).tolist()


@given(st.integers(1, 20), st.integers(1, 25), st.integers(1, 6), st.integers(1, 5))
def test_epochs_one_after_the_other_pass_over_all_documents(n_documents, most, size, n_epochs):
    batches = batches_of(n_documents, batch_size=size, most_documents=most)
    epochs = [seen(batches, epoch) for epoch in range(n_epochs)]
    assert {len(epoch) for epoch in epochs} == {min(most, n_documents)}
    turns = list(chain(*epochs))
    for begin in range(0, len(turns), n_documents):  # nobody twice before all had their turn
        turn = turns[begin : begin + n_documents]
        assert len(set(turn)) == len(turn)


def test_a_small_corpus_is_passed_over_as_before():
    batches = batches_of(9, batch_size=4, most_documents=RunConfig().epoch_documents)
    for epoch in range(3):
        expected = np.random.default_rng((3, epoch)).permutation(9).tolist()
        assert seen(batches, epoch) == expected


def test_few_of_many_development_documents_are_looked_at(monkeypatch):
    texts = [f"river bank {'money ' * (number % 4)}" for number in range(60)]
    config = RunConfig(dev_share=0.5, copies_together=False)
    corpus = RunCorpus.of(corpus_from_texts(texts), CorpusConfig(dev_share=0.5), False)
    everything = TrainingTask.of(corpus, config)
    assert everything.development.to_lists() == corpus.dev.to_lists()
    monkeypatch.setattr(task, "DEVELOPMENT_WORDS", corpus.dev.n_words // 3 + 1)
    some = TrainingTask.of(corpus, config)
    assert some.development.n_documents == pytest.approx(corpus.dev.n_documents / 3, abs=1)
    data = TopicData(dataclasses.replace(some, config=some.config))
    numbers = [corpus.ids.index(name) for name in data.development_names(0)]
    assert corpus.documents.select(numbers).to_lists() == some.development.to_lists()
