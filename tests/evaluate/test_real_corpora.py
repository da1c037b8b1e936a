"""The baselines on real text: near the figures that were measured by other means."""

import numpy as np
import pytest

from segtopic.config import CorpusConfig
from segtopic.corpus import prepare_corpus
from segtopic.corpus.named import find, named_corpus
from segtopic.evaluate.baselines.baseline import score
from segtopic.evaluate.baselines.bigram import BackoffBigram, bigram_continuation
from segtopic.evaluate.baselines.counts import SequenceCounts
from segtopic.evaluate.baselines.tomotopy_lda import fit_tomotopy
from segtopic.evaluate.baselines.unigram import Unigram
from segtopic.evaluate.coherence import topic_quality
from segtopic.evaluate.comparison import quick_lda
from segtopic.evaluate.heldout import HeldOut


def parts_of(name, folder):
    if find(named_corpus(name)) is None:
        pytest.skip(f"'{name}' is not in $SEGTOPIC_DATA")
    corpus = prepare_corpus(CorpusConfig(data=name), folder).load()
    split, size = corpus.split(), len(corpus.vocabulary)
    return [corpus.documents.select(part) for part in (split.train, split.dev, split.test)], size


def test_lee_has_a_tuned_lda(tmp_path):
    (train, dev, test), size = parts_of("lee", tmp_path / "lee")
    row = quick_lda(train, dev, test, size)
    unigram = score(Unigram.fit(train, size), HeldOut.of(test))
    assert row.test.mean > unigram.per_word + 0.1


@pytest.mark.slow
def test_ap_is_near_the_reference_points(tmp_path):
    (train, _, test), size = parts_of("ap", tmp_path / "ap")
    held_out = HeldOut.of(test)
    unigram = Unigram.fit(train, size)
    assert score(unigram, held_out).per_word == pytest.approx(-8.29, abs=0.06)
    assert bigram_continuation(train, test, size) == pytest.approx(-6.61, abs=0.15)
    lda = fit_tomotopy(train, size, topics=50, eta=0.1, iterations=200, states=2)
    assert score(lda, held_out).per_word == pytest.approx(-7.755, abs=0.1)
    both = BackoffBigram(lda, SequenceCounts.of(train, size, longest=2), mu=100.0)
    assert score(both, held_out).per_word == pytest.approx(-7.32, abs=0.1)
    quality = topic_quality(lda.top_words(10), train)
    assert quality.mean_npmi > 0.05
    assert quality.mean_c_v > 0.45
    assert 0.5 < quality.diversity <= 1
    assert np.isfinite(quality.npmi).all()
