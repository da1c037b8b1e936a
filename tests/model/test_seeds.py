"""Seeds as a prior of topics: planted topics are found where they are wanted, and kept apart."""

from itertools import pairwise

import numpy as np
import pytest

from segtopic.config import CorpusConfig, RunConfig
from segtopic.config.seeds import read_seeds, seed_rows
from segtopic.corpus import corpus_from_texts
from segtopic.errors import ConfigError
from segtopic.model.lda import sample_topics
from segtopic.model.seeds import Seeds, UnknownSeeds, seeded_topics
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
    """For each topic, the share of each planted topic's words in it, ``(K, 3)``."""
    size = len(corpus.vocabulary)
    found = sample_topics(corpus.documents, size, n_topics, eta=0.1, seed=seed, **ITERATIONS)
    seeds = Seeds.of(rows, encoder, strength)
    topics = seeded_topics(found, corpus.documents, seeds, eta=0.1).topics
    np.testing.assert_allclose(topics.sum(1), 1)
    assert topics.min() > 0
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


def test_a_topic_that_was_not_found_begins_at_its_seeds(corpus, encoder):
    # All topics that LDA has found are of the first two planted ones.
    size = len(corpus.vocabulary)
    first_two = [number for number in range(60) if number % N_TOPICS < 2]
    part = corpus.documents.select(np.array(first_two))
    found = sample_topics(part, size, N_TOPICS, eta=0.1, **ITERATIONS)
    seeds = Seeds.of([("last", *WORDS[2][:3])], encoder, 1.0)
    topics = seeded_topics(found, corpus.documents, seeds, eta=0.1).topics
    own = [corpus.vocabulary.numbers[word] for word in WORDS[2]]
    assert topics[0, own].sum() > 0.6
    assert topics[1:, own].sum(1).max() < 0.05


def test_stronger_seeds_weigh_more(corpus, encoder):
    seeds = [Seeds.of([("one", WORDS[0][0])], encoder, strength) for strength in (0.0, 1.0, 5.0)]
    found = sample_topics(corpus.documents, len(corpus.vocabulary), 3, eta=0.1, **ITERATIONS)
    (word,) = seeds[0].words[0].tolist()
    shares = [seeded_topics(found, corpus.documents, s, 0.1).topics[0, word] for s in seeds]
    assert shares[0] < shares[1] < shares[2]
    assert not seeds[0].prior(3, np.ones(5_000)).any()


def test_expectation_maximisation_makes_the_prior_and_the_text_more_probable(corpus, encoder):
    size = len(corpus.vocabulary)
    found = sample_topics(corpus.documents, size, N_TOPICS, eta=0.1, **ITERATIONS)
    seeds = Seeds.of([("mixed", WORDS[0][0], WORDS[1][0])], encoder, 1.0)
    counts = np.bincount(corpus.documents.words, minlength=size)
    prior = 0.1 + seeds.prior(N_TOPICS, counts)

    def objective(iterations, monkeypatch):
        monkeypatch.setattr("segtopic.model.seeds.ITERATIONS", iterations)
        topics, alpha, _ = seeded_topics(found, corpus.documents, seeds, 0.1)
        # Documents at their own best shares, found by the same steps with these topics fixed.
        total = float((prior * np.log(topics)).sum())
        offsets = corpus.documents.word_offsets
        for begin, end in pairwise(offsets):
            words, shares = corpus.documents.words[begin:end], alpha / alpha.sum()
            for _ in range(200):
                joint = shares[:, None] * topics[:, words]
                shares = (joint / joint.sum(0)).sum(1) + alpha
                shares /= shares.sum()
            total += float(np.log(shares @ topics[:, words]).sum() + alpha @ np.log(shares))
        return total

    with pytest.MonkeyPatch.context() as patch:
        values = [objective(iterations, patch) for iterations in (1, 5, 40)]
    assert values[0] < values[1] < values[2]


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
