"""What is said of a document does not depend on its neighbours, its place or the batch size."""

import numpy as np
import pytest

from segtopic import SegTopic
from segtopic.config import SegmentConfig
from segtopic.corpus.records import Record
from segtopic.evaluate.predictive import evaluate_model
from segtopic.model import heldout
from segtopic.segment import Segmenter, SegmentJob, segmenter
from tests.training.planted import planted_texts

CLOSE = {"rtol": 0, "atol": 1e-9}
TEXTS = [*planted_texts(70, seed=5)[0], ""]


@pytest.fixture(params=[1, 3, 64])
def batch_size(request, monkeypatch):
    monkeypatch.setattr(segmenter, "BATCH_DOCUMENTS", request.param)
    monkeypatch.setattr(heldout, "BATCH", request.param)


@pytest.fixture(scope="module")
def expected(trained):
    return Segmenter.of(trained).segment(TEXTS)


@pytest.mark.usefixtures("batch_size")
def test_segments_and_topics(trained, expected):
    order = np.random.default_rng(0).permutation(len(TEXTS))
    found = Segmenter.of(trained).segment([TEXTS[place] for place in order])
    for place, document in zip(order, found, strict=True):
        same = expected[place]
        assert document.segment_ends.tolist() == same.segment_ends.tolist()
        np.testing.assert_allclose(document.boundaries, same.boundaries, **CLOSE)
        np.testing.assert_allclose(document.probabilities, same.probabilities, **CLOSE)
        np.testing.assert_allclose(document.topics, same.topics, **CLOSE)


@pytest.mark.usefixtures("batch_size")
def test_transform(trained, expected):
    model = SegTopic.load(trained.folder)
    order = np.random.default_rng(1).permutation(len(TEXTS))
    found = model.transform([TEXTS[place] for place in order])
    np.testing.assert_allclose(found, [expected[place].topics for place in order], **CLOSE)


def test_evaluate(trained, monkeypatch):
    documents = trained.encoder.encode(TEXTS).documents
    whole = evaluate_model(trained.model, documents, refine_steps=15, n_samples=3)
    order = np.random.default_rng(2).permutation(len(TEXTS))
    monkeypatch.setattr(heldout, "BATCH", 5)
    shuffled = evaluate_model(trained.model, documents.select(order), 15, n_samples=3)
    for name in ("mean", "refined"):
        np.testing.assert_allclose(
            getattr(shuffled, name).log_likelihood,
            getattr(whole, name).log_likelihood[order],
            **CLOSE,
        )
    for name in ("continuation", "elbo", "multi_sample", "kl", "segment_length"):
        assert getattr(shuffled, name) == pytest.approx(getattr(whole, name), abs=1e-9), name


@pytest.mark.usefixtures("batch_size")
def test_samples_follow_the_id(trained):
    job = SegmentJob.of(trained, SegmentConfig(format="jsonl", sample=5, seed=3))
    records = [Record(f"id {n}", text, "") for n, text in enumerate(TEXTS[:20])]

    def drawn(records):
        return {
            record.id: [each.document.segment_ends.tolist() for each in record.alternatives]
            for batch in job.segmented(records)
            for record in batch
        }

    found = drawn(records)
    assert drawn(records[::-1]) == found
    assert drawn(records[7:9]) == {record.id: found[record.id] for record in records[7:9]}
    renamed = drawn([record._replace(id=f"{record.id}!") for record in records])
    assert list(renamed.values()) != list(found.values())
