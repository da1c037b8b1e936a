import json
from dataclasses import replace

import numpy as np
import pytest

from segtopic.corpus import Documents
from segtopic.corpus.documents import digest_of_documents
from segtopic.errors import ConfigError, CorpusError
from segtopic.evaluate import tuning
from segtopic.evaluate.baselines.counts import observed_counts
from segtopic.evaluate.baselines.pitman_yor import Trust, interpolated
from segtopic.evaluate.baselines.unigram import Unigram
from segtopic.evaluate.cache import ResultCache, WordScores
from segtopic.evaluate.comparison import Contestant, compare, quick_lda
from segtopic.evaluate.grid import Grid, quick_grid
from segtopic.evaluate.heldout import HeldOut
from segtopic.evaluate.tuning import Fitted, Tuned, Tuner
from tests.evaluate.corpora import VOCABULARY_SIZE, two_topics

TRAIN, DEV, TEST = (two_topics(n, seed) for n, seed in ((50, 0), (20, 1), (20, 2)))
GRID = Grid(
    topics=(2,), eta=(0.1, 0.5), gensim_passes=2, tomotopy_iterations=20, tomotopy_states=2,
    phrase_thresholds=(0.02,), smoothing=(0.1, 1.0),
)  # fmt: skip
LDA_POINTS, PHRASE_POINTS = 4, 1
OVER_LDA = [
    "bigram", "urn", "urn + bigram", "urn + trigram", "urn + trigram + own bigrams",
    "discounted urn + trigram + own bigrams",
]  # fmt: skip
EMPTY = Documents.from_lists([[], []])


def run(cache=None, grid=GRID, seed=0, **more):
    return compare(TRAIN, DEV, TEST, VOCABULARY_SIZE, grid=grid, seed=seed, cache=cache, **more)


@pytest.fixture
def fits(monkeypatch):
    """Counts what is fitted rather than read."""
    fitted = []

    def counting(name, fit):
        def counted(*arguments, **settings):
            fitted.append(name)
            return fit(*arguments, **settings)

        return counted

    for name in ("fit_gensim", "fit_tomotopy"):
        monkeypatch.setattr(tuning, name, counting(name, getattr(tuning, name)))
    return fitted


def test_all_baselines_on_the_same_words():
    uniform = HeldOut.of(TEST)
    scores = uniform.scores(np.full(uniform.scored.n_words, -np.log(VOCABULARY_SIZE)))
    rows = run(contestants={"uniform": Contestant(scores, settings={"model": "uniform"})})
    names = [row.name for row in rows]
    assert names[:4] == ["unigram", "bigram", "LDA (gensim)", "LDA (tomotopy)"]
    assert names[4].startswith("Phrases + LDA (")
    assert [name.partition(") + ")[2] for name in names[5:-1]] == OVER_LDA
    assert names[-1] == "uniform"
    by_name = dict(zip(names, rows, strict=True))
    ldas = [by_name[f"LDA ({library})"] for library in ("gensim", "tomotopy")]
    best_lda = max(ldas, key=lambda row: row.dev)
    assert rows[5].tuning_seconds == sum(row.tuning_seconds for row in ldas)
    assert rows[5].test.mean > best_lda.test.mean > by_name["unigram"].test.mean
    assert by_name["bigram"].test.mean > by_name["unigram"].test.mean
    for row in rows:
        assert row.scores.words.tolist() == scores.words.tolist()
        assert row.test.low <= row.test.mean <= row.test.high
        assert row.reference_ahead.mean == pytest.approx(scores.per_word - row.test.mean)
        assert json.loads(json.dumps(row.to_dict()))["name"] == row.name
    assert by_name["uniform"].reference_ahead.mean == 0
    assert best_lda.top_words.shape == (2, VOCABULARY_SIZE)
    assert by_name["unigram"].top_words is None


def test_the_chosen_point_is_the_best_on_dev():
    chosen = run()[3]
    alone = [run(grid=replace(GRID, eta=(eta,)))[3] for eta in GRID.eta]
    best = max(alone, key=lambda row: row.dev)
    assert chosen.name == best.name == "LDA (tomotopy)"
    assert (chosen.dev, chosen.settings) == (best.dev, best.settings)


def test_the_documents_are_left_as_they_are():
    before = [part.to_lists() for part in (TRAIN, DEV, TEST)]
    run()
    assert [part.to_lists() for part in (TRAIN, DEV, TEST)] == before


def test_a_second_run_reads_everything(tmp_path, fits):
    first = run(tmp_path)
    assert len(fits) == LDA_POINTS + PHRASE_POINTS
    second = run(tmp_path)
    assert len(fits) == LDA_POINTS + PHRASE_POINTS
    for one, other in zip(first, second, strict=True):
        assert (one.name, one.settings, one.dev, one.test) == (
            other.name,
            other.settings,
            other.dev,
            other.test,
        )
        assert np.array_equal(one.words, other.words)
    assert second[3].tuning_seconds == first[3].tuning_seconds > 0


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path, fits):
    class Killed(Exception):
        pass

    def kill(stage, done, total):
        if stage == "LDA (tomotopy)" and done == 1:
            raise Killed

    with pytest.raises(Killed):
        run(tmp_path, progress=kill)
    assert fits == ["fit_gensim"] * 2 + ["fit_tomotopy"]
    resumed = run(tmp_path)
    assert len(fits) == LDA_POINTS + PHRASE_POINTS
    undisturbed = run()
    for one, other in zip(resumed, undisturbed, strict=True):
        assert (one.name, one.settings, one.test) == (other.name, other.settings, other.test)


@pytest.mark.parametrize(
    "change",
    [
        {"grid": replace(GRID, eta=(0.1, 0.4))},
        {"grid": replace(GRID, tomotopy_iterations=21)},
        {"seed": 1},
        {"observed_share": 0.5},
    ],
    ids=str,
)
def test_a_changed_setting_is_fitted_again(tmp_path, fits, change):
    run(tmp_path)
    del fits[:]
    run(tmp_path, **change)
    assert fits


def test_other_documents_and_versions_are_other_results(tmp_path, fits, monkeypatch):
    run(tmp_path)
    del fits[:]
    compare(TRAIN, DEV, two_topics(20, 9), VOCABULARY_SIZE, grid=GRID, cache=tmp_path)
    assert len(fits) == LDA_POINTS + PHRASE_POINTS
    del fits[:]
    monkeypatch.setattr(tuning, "version", lambda library: "99")
    run(tmp_path)
    assert len(fits) == LDA_POINTS + PHRASE_POINTS


def test_progress_counts_every_stage():
    heard = []
    run(progress=lambda *step: heard.append(step))
    stages = dict.fromkeys(stage for stage, _, _ in heard)
    assert len(stages) == 5 + len(OVER_LDA)
    for stage in stages:
        steps = [(done, total) for name, done, total in heard if name == stage]
        assert steps == [(done, steps[0][1]) for done in range(steps[0][1] + 1)]


def test_a_composite_is_chosen_by_its_own_likelihood():
    """Not by that of its base: what the base knows may be what the urn knows, too."""
    parts = HeldOut.of(DEV), HeldOut.of(TEST)
    tuner = Tuner(TRAIN, *parts, VOCABULARY_SIZE, GRID)
    observed = [observed_counts(part, VOCABULARY_SIZE, longest=1)[0].same > 0 for part in parts]
    unseen_only = [np.log(np.where(seen, 0.001, 0.5)) for seen in observed]
    level = unseen_only[0].mean() + 0.1
    of_everything = [np.full(len(words), level) for words in unseen_only]
    tried = []
    for name, (dev, test) in {"flat": of_everything, "other": unseen_only}.items():
        scores = WordScores(dev, test, 1.0, np.zeros((0, 0), dtype=np.int64))
        tried.append(Fitted(name, {"base": name}, scores, dev.mean()))
    bases = Tuned(tried, 2.0)
    assert bases.best.name == "flat"
    found = tuner.composite("urn", [bases])
    assert found.best.name == "other + urn"
    assert found.best.settings["base"] == "other"
    assert found.tuning_seconds == 2.0
    seen = observed_counts(parts[1], VOCABULARY_SIZE, longest=1)[0]
    again = interpolated(unseen_only[1], seen, Trust(found.best.settings["urn"]))
    assert np.array_equal(found.best.scores.test, again)


def test_what_segments_are_worth_is_asked_over_the_same_words():
    held_out = HeldOut.of(TEST)
    unigram = Unigram.fit(TRAIN, VOCABULARY_SIZE)
    scores = held_out.scores(unigram.word_log_probabilities(held_out))
    contestant = Contestant(scores, settings={"K": 2}, document_words=unigram)
    rows = {row.name: row for row in run(contestants={"ours": contestant})}
    own = [name for name in rows if name.startswith("topics of ours")]
    assert own == [f"topics of ours + {name}" for name in OVER_LDA[3:]]
    assert all(rows[name].settings["K"] == 2 for name in own)
    assert all(rows[name].reference_ahead.high < 0 for name in own)


def scores_of(value):
    return WordScores(np.full(3, value), np.full(2, value), 1.5, np.zeros((0, 0), dtype=np.int64))


def test_a_damaged_file_is_computed_again(tmp_path):
    cache = ResultCache(tmp_path)
    cache.get({"a": 1}, lambda: scores_of(-1.0))
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    for damage in (b"", b"PK\x03\x04 cut", whole[:-40], bytes(flipped)):
        file.write_bytes(damage)
        assert cache.get({"a": 1}, lambda: scores_of(-2.0)).dev.tolist() == [-2.0] * 3
    assert cache.get({"a": 1}, lambda: scores_of(-3.0)).dev.tolist() == [-2.0] * 3
    np.savez(file, key=np.array([{}], dtype=object))  # would need unpickling
    assert cache.get({"a": 1}, lambda: scores_of(-3.0)).dev.tolist() == [-3.0] * 3


def test_nothing_half_written_stays(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError("no space left")

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(OSError, match="no space"):
        ResultCache(tmp_path).get({}, lambda: scores_of(-1.0))
    assert list(tmp_path.iterdir()) == []


def test_the_digest_knows_where_documents_and_spans_end():
    variants = [[[[0, 1]]], [[[0], [1]]], [[[0]], [[1]]], [[[0, 1]], []], [[[1, 0]]]]
    digests = {digest_of_documents(Documents.from_lists(variant)) for variant in variants}
    assert len(digests) == len(variants)
    one, two = Documents.from_lists([[[0]]]), Documents.from_lists([[[1]]])
    assert digest_of_documents(one, two) != digest_of_documents(two, one)


@pytest.mark.parametrize(
    ("parts", "what"),
    [
        ((EMPTY, DEV, TEST), "training"),
        ((TRAIN, EMPTY, TEST), "development"),
        ((TRAIN, DEV, EMPTY), "test"),
    ],
)
def test_a_part_without_words_is_refused(parts, what):
    with pytest.raises(CorpusError, match=f"the {what} part holds no word"):
        compare(*parts, VOCABULARY_SIZE, grid=GRID)
    with pytest.raises(CorpusError, match=f"the {what} part holds no word"):
        quick_lda(*parts, VOCABULARY_SIZE)


def test_contestants_are_checked_before_anything_is_fitted(fits):
    held_out = HeldOut.of(TEST)
    right = Contestant(held_out.scores(np.zeros(held_out.scored.n_words)))
    wrong_part = HeldOut.of(DEV)
    wrong = Contestant(wrong_part.scores(np.zeros(wrong_part.scored.n_words)))
    with pytest.raises(ConfigError, match="reference 'b' is not among the contestants: a"):
        run(contestants={"a": right}, reference="b")
    with pytest.raises(CorpusError, match="'b' was not scored on the words"):
        run(contestants={"a": right, "b": wrong})
    assert not fits


def test_impossible_grids_are_refused():
    with pytest.raises(ValueError, match=r"topics is \(\)"):
        Grid(topics=())
    with pytest.raises(ValueError, match=r"eta is \(0.0,\)"):
        Grid(eta=(0.0,))
    with pytest.raises(ValueError, match="gensim_passes is 0"):
        Grid(gensim_passes=0)


def test_a_quick_grid_has_more_topics_for_more_words():
    assert [quick_grid(words).topics for words in (0, 25_000, 100_000, 10**9)] == [
        (10, 25), (10, 25), (20, 50), (40, 100)
    ]  # fmt: skip


def test_quick_lda_gives_one_tuned_row():
    row = quick_lda(TRAIN, DEV, TEST, VOCABULARY_SIZE)
    assert row.name == "LDA (tomotopy)"
    assert row.test.mean == pytest.approx(row.scores.per_word)
    assert row.test.mean > -np.log(VOCABULARY_SIZE)
    assert row.reference_ahead is None
