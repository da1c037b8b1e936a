import csv
import io
import json
import sys
import warnings

import numpy as np
import pytest
import torch

from segtopic.commands.train import train
from segtopic.config import TrainerConfig
from segtopic.corpus import Documents
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.errors import ConfigError
from segtopic.topics import Term, Topic, describe_topics
from segtopic.topics.counts import occurrences
from segtopic.topics.definitions import DEFINITIONS
from segtopic.topics.export import ldavis_input, ldavis_page, topics_csv
from segtopic.topics.phrases import phrase_scores
from segtopic.topics.shares import topic_shares
from segtopic.topics.span_ends import learn_span_ends
from segtopic.training.system import Collapse
from tests.topics.models import TEXT, K, V, small_model
from tests.training.planted import PHRASES, WORDS, planted_file, small

PLANTED = [{" ".join(phrase) for phrase in phrases} for phrases in PHRASES]
OWN_WORDS = [
    {*words, *" ".join(phrases).split()} for words, phrases in zip(WORDS, PLANTED, strict=True)
]


@pytest.fixture(scope="module", params=["lda", "network"])
def trained(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("topics")
    config = small(planted_file(folder), topics=request.param, epochs=10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Collapse)
        run = train(config, folder / "run", TrainerConfig(accelerator="cpu", threads=1))
    corpus = run.corpus
    return run.model, corpus.train, corpus.vocabulary


def test_topics_speak_in_the_planted_phrases(trained):
    topics = describe_topics(*trained, n_phrases=12)
    assert sum(topic.share for topic in topics) == pytest.approx(1, abs=1e-4)
    assert [topic.share for topic in topics] == sorted((t.share for t in topics), reverse=True)
    assert len({topic.label for topic in topics}) == len(topics)
    owners = []
    for topic in topics:
        phrases = {phrase.text for phrase in topic.phrases}
        words = {word for phrase in phrases for word in phrase.split()}
        own = [len(words & of_topic) for of_topic in OWN_WORDS]
        owners.append(own.index(max(own)))
        assert max(own) / len(words) > 0.9  # of one planted topic only
        assert PLANTED[owners[-1]] <= phrases
        assert all(word.lift > 1 for word in topic.words)
        assert {word.text for word in topic.words} <= OWN_WORDS[owners[-1]]
    assert sorted(owners) == [0, 1, 2]


@torch.no_grad()
def test_figures_are_those_of_the_phrase_shown(trained):
    model, documents, vocabulary = trained
    shares, ends = topic_shares(model, documents), learn_span_ends(model, documents)
    number_of = {word: number for number, word in enumerate(vocabulary.words)}
    text = [" ".join(map(str, span)) for doc in documents.to_lists() for span in doc]
    for topic in describe_topics(*trained, n_topics=2, rank="probability", min_words=2):
        vector = DEFINITIONS["direction"](shares)[topic.number]
        for term in topic.phrases:
            words = [number_of[word] for word in term.text.split()]
            phrase = np.array([words + [-1] * (3 - len(words))])
            score, average = (
                phrase_scores(model, theta, phrase, ends).whole.exp().item()
                for theta in (vector, shares.mean(0))
            )
            assert term.probability == pytest.approx(score, rel=1e-4)
            assert term.lift == pytest.approx(score / average, rel=1e-3)
            wanted = f" {' '.join(map(str, words))} "
            starts = (sum(f" {span} "[i:].startswith(wanted) for i in range(len(span) + 2))
                      for span in text)  # fmt: skip
            assert term.count == sum(starts)


def test_lists_by_probability_and_lift_are_sorted(trained):
    for rank in ("probability", "lift"):
        for topic in describe_topics(*trained, rank=rank):
            for terms in (topic.phrases, topic.words):
                values = [getattr(term, rank) for term in terms]
                assert values == sorted(values, reverse=True)
                assert len(values) == 8


def test_typical_documents_have_most_of_the_topic(trained):
    model, documents, _ = trained
    shares = topic_shares(model, documents)
    for topic in describe_topics(*trained, n_phrases=1, n_documents=4):
        of_topic = shares[:, topic.number]
        best = [document.number for document in topic.documents]
        assert len(best) == 4
        assert of_topic[best].min() >= np.delete(of_topic.numpy(), best).max()
        assert [d.share for d in topic.documents] == pytest.approx(of_topic[best].tolist())


def test_pyldavis_gets_distributions(trained):
    model, documents, vocabulary = trained
    values = json.loads(json.dumps(ldavis_input(model, documents, vocabulary)))
    terms = np.array(values["topic_term_dists"])
    assert terms.shape == (3, len(values["vocab"]))
    assert terms.sum(1) == pytest.approx(1)
    theta = np.array(values["doc_topic_dists"])
    assert theta.shape == (documents.n_documents, 3)
    assert theta.sum(1) == pytest.approx(1)
    assert sum(values["doc_lengths"]) == sum(values["term_frequency"]) == documents.n_words
    assert min(values["term_frequency"]) > 0


def test_without_pyldavis_a_sentence_tells_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyLDAvis", None)
    with pytest.raises(ConfigError, match=r"pip install segtopic\[pyldavis\]"):
        ldavis_page({})


def test_csv_cannot_hold_formulas():
    bad = Term("=cmd()", 0.5, -1.0, 0)
    topic = Topic(3, "@label", 0.25, (bad, Term("a, b", 0.1, 2.0, 7)), (Term("-x", 0.1, 1, 1),), ())
    rows = list(csv.DictReader(io.StringIO(topics_csv([topic]))))
    assert [row["text"] for row in rows] == ["'=cmd()", "a, b", "'-x"]
    assert {row["label"] for row in rows} == {"'@label"}
    assert rows[0]["lift"] == "-1.0"  # a number stays one
    assert [row["kind"] for row in rows] == ["phrase", "phrase", "word"]
    assert rows[1]["count"] == "7"


def test_fewer_phrases_than_asked_for_are_no_mistake():
    model = small_model("joint", "charged", 2)
    vocabulary = Vocabulary(tuple("abcd"), np.ones(V, int), np.ones(V, int))
    topics = describe_topics(model, Documents.from_lists(TEXT), vocabulary, n_phrases=50)
    assert len(topics) == K
    assert all(1 <= len(topic.phrases) <= V + V**2 for topic in topics)


def test_the_text_is_gone_through_as_often_for_many_topics_as_for_one(monkeypatch):
    """Counts, mentions and fragments: once each, for the phrases of all topics together."""
    model = small_model("three-ways", "certain", 3, topic_words=True)
    passes = []

    def counted(documents, phrases):
        passes.append(len(phrases))
        return occurrences(documents, phrases)

    for module in ("counts", "fragments"):
        monkeypatch.setattr(f"segtopic.topics.{module}.occurrences", counted)
    vocabulary = Vocabulary(tuple("abcd"), np.ones(V, int), np.ones(V, int))
    for n_topics in (1, K):
        passes.clear()
        describe_topics(model, Documents.from_lists(TEXT), vocabulary, n_topics=n_topics)
        assert len(passes) == 3
