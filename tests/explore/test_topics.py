import warnings

import pytest

from segtopic.config import TrainerConfig
from segtopic.explore import describe_topics
from segtopic.training import train
from segtopic.training.collapse import Collapse
from tests.training.planted import PHRASES, WORDS, planted_file, small


@pytest.mark.parametrize("source", ["lda", "network"])
def test_topics_speak_in_the_planted_phrases(source, tmp_path):
    config = small(planted_file(tmp_path), topics=source, epochs=10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Collapse)
        run = train(config, tmp_path / "run", TrainerConfig(accelerator="cpu", threads=1))
    corpus = run.corpus()
    documents = corpus.documents.select(run.split(corpus).train)
    topics = describe_topics(run.model, documents, corpus.vocabulary, n_phrases=12)
    assert sum(topic.share for topic in topics) == pytest.approx(1, abs=1e-4)
    assert [topic.share for topic in topics] == sorted((t.share for t in topics), reverse=True)
    planted = [{" ".join(phrase) for phrase in phrases} for phrases in PHRASES]
    owners = []
    for topic in topics:
        words = {word for phrase in topic.phrases for word in phrase.split()}
        own = [len(words & {*own_words, *" ".join(phrases).split()})
               for own_words, phrases in zip(WORDS, planted, strict=True)]  # fmt: skip
        owners.append(own.index(max(own)))
        assert max(own) / len(words) > 0.9  # of one planted topic only
        assert planted[owners[-1]] <= set(topic.phrases)
    assert sorted(owners) == [0, 1, 2]
