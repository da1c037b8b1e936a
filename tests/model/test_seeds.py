"""Seeds as a prior of topics: planted topics are found where they are wanted, and kept apart."""

import numpy as np
import pytest

from segtopic.config import CorpusConfig, RunConfig
from segtopic.config.seeds import read_seeds, seed_rows
from segtopic.corpus import corpus_from_texts
from segtopic.errors import ConfigError
from segtopic.model.lda import sample_topics
from segtopic.model.seeds import Seeds, UnknownSeeds
from segtopic.runs.corpus import RunCorpus
from tests.training.planted import N_TOPICS, PHRASES, WORDS, planted_texts

ITERATIONS = {"iterations": 60, "states": 2, "iterations_between": 5}


@pytest.fixture(scope="module")
def corpus():
    texts, _ = planted_texts(60)
    return corpus_from_texts(texts, CorpusConfig(data="-"))


@pytest.fixture(scope="module")
def encoder(corpus):
    return RunCorpus.of(corpus, CorpusConfig(data="-"), keep_texts=False).encoder


def sampled(corpus, encoder, rows, strength=1.0, seed=0, n_topics=N_TOPICS):
    """The words of each sampled topic, by the share of each planted topic in it, ``(K, 3)``."""
    size = len(corpus.vocabulary)
    counts = np.bincount(corpus.documents.words, minlength=size)
    prior = Seeds.of(rows, encoder, strength).pseudo_counts(n_topics, counts) if rows else None
    topics = sample_topics(
        corpus.documents, size, n_topics, eta=0.1, seed=seed, prior=prior, **ITERATIONS
    ).topics
    np.testing.assert_allclose(topics.sum(1), 1)
    numbers = corpus.vocabulary.numbers
    planted = [[numbers[word] for word in words if word in numbers] for words in WORDS]
    return np.stack([topics[:, words].sum(1) for words in planted], axis=1)


@pytest.mark.parametrize("seed", range(4))
def test_seeded_topics_stand_where_they_are_wanted(corpus, encoder, seed):
    # Two of three topics are seeded, by three of sixty words each, in another order.
    rows = [("last", *WORDS[2][:3]), ("first", *WORDS[0][:3])]
    shares = sampled(corpus, encoder, rows, seed=seed)
    assert shares[0].argmax() == 2
    assert shares[1].argmax() == 0
    assert shares[2].argmax() == 1


def test_a_phrase_seeds_its_words(corpus, encoder):
    phrase = PHRASES[1][2]
    (words,) = Seeds.of([("one", " ".join(phrase), phrase[0])], encoder, 1.0).words
    assert {corpus.vocabulary.words[word] for word in words.tolist()} == set(phrase)


def test_documents_may_disagree(corpus, encoder):
    # Words that never stand in one document do not become one topic.
    mixed = ("mixed", WORDS[0][0], WORDS[1][0])
    shares = sampled(corpus, encoder, [mixed])
    assert shares.max(1).min() > 0.8 * shares.sum(1).min()
    assert set(shares.argmax(1)) == set(range(N_TOPICS))


def test_a_prior_of_nothing_is_none(corpus, encoder):
    rows = [("last", *WORDS[2][:3])]
    size, counts = len(corpus.vocabulary), np.ones(len(corpus.vocabulary))
    assert not Seeds.of(rows, encoder, 0.0).pseudo_counts(2, counts).any()
    plain = sample_topics(corpus.documents, size, 2, eta=0.1, **ITERATIONS)
    nothing = sample_topics(
        corpus.documents, size, 2, eta=0.1, prior=np.zeros((2, size)), **ITERATIONS
    )
    np.testing.assert_array_equal(plain.topics, nothing.topics)


def test_unknown_seeds_are_told_in_one_sentence(encoder):
    with pytest.warns(UnknownSeeds) as told:
        found = Seeds.of(
            [("a", WORDS[0][0], "nowhere", "no such"), ("b", "the", WORDS[1][0])], encoder, 1
        )
    (warning,) = told
    sentence = "seeds that are no words of the corpus are left out: 'nowhere', 'no such', 'the'"
    assert str(warning.message) == sentence
    assert [len(words) for words in found.words] == [1, 1]
    with pytest.raises(ConfigError, match="topic 'a' has no seed that"):
        Seeds.of([("a", "nowhere")], encoder, 1.0)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "seeds must name topics"),
        ("[a, b]", "seeds must name topics"),
        ("a: [b", "is not YAML"),
        ("a: 3", "must have a list of words"),
        ("a: [1, 2]", "put what is no text, such as a number, in quotes"),
        ("a: []", "'a' has no seed"),
        ("a: [' ']", "'a' has no seed"),
        ("'': [b]", "is no name"),
        ("a: {b: c}", "must have a list of words"),
        ("1: [b]\n'1': [c]", "two topics have the name '1'"),
        ("a: !!python/object/apply:os.system [exit]", "is not YAML"),
    ],
)
def test_files_that_are_no_seeds_are_a_sentence(tmp_path, content, sentence):
    path = tmp_path / "seeds.yaml"
    path.write_text(content)
    with pytest.raises(ConfigError, match=sentence) as error:
        read_seeds(path)
    assert str(error.value).startswith(str(path))


def test_seeds_are_checked_with_the_other_settings(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        read_seeds(tmp_path / "nowhere.yaml")
    rows = seed_rows({"a": ["b"], "c": "d"})
    assert RunConfig(seeds=[list(row) for row in rows]).seed_rows == rows
    with pytest.raises(ConfigError, match="given for 2 topics, but n_topics is 1"):
        RunConfig(seeds=rows, n_topics=1)
    with pytest.raises(ConfigError, match="use topics 'lda'"):
        RunConfig(seeds=rows, topics="network")
    assert RunConfig(seeds=rows).settled(10, 10).n_topics == 2
    assert (
        RunConfig(seeds=[("a", "b")] + [(str(n), "x") for n in range(9)]).settled(9, 9).n_topics
        == 10
    )
