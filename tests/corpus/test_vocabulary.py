"""The vocabulary: scikit-learn's weights, deterministic ties, a plain file."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

from segtopic.config import VocabularyConfig
from segtopic.corpus.tokenise import Tokeniser
from segtopic.corpus.vocabulary import FormCounts, Vocabulary, tf_idf
from segtopic.errors import CorpusError
from tests.corpus.conftest import STORIES


def select(forms, counts, document_counts, n_documents=10, **settings):
    return Vocabulary.select(
        forms,
        np.array(counts),
        np.array(document_counts),
        n_documents,
        VocabularyConfig(**settings),
    )


def test_the_weight_is_the_column_sum_of_scikit_learn():
    counts = CountVectorizer().fit_transform(STORIES)
    theirs = np.asarray(TfidfTransformer(norm=None).fit_transform(counts).sum(axis=0)).ravel()
    dense = counts.toarray()
    ours = tf_idf(dense.sum(axis=0), (dense > 0).sum(axis=0), len(STORIES))
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_form_counts_add_up_over_batches():
    tokeniser, counts = Tokeniser(), FormCounts()
    ids = [counts.add(tokeniser.batch(STORIES[i : i + 3])) for i in range(0, len(STORIES), 3)]
    forms = list(counts.numbers)
    bags = [[t.form for t in tokeniser.tokens(story)] for story in STORIES]
    assert [forms[i] for i in np.concatenate(ids)] == [form for bag in bags for form in bag]
    for form, number in counts.numbers.items():
        assert counts.counts[number] == sum(bag.count(form) for bag in bags)
        assert counts.document_counts[number] == sum(form in bag for bag in bags)


def test_ties_are_broken_by_spelling():
    assert select("cab", [2, 2, 2], [1, 1, 1], vocabulary_size=2).words == ("a", "b")


def test_min_df_and_max_df_are_numbers_or_shares():
    forms, dfs = "abc", [1, 5, 10]
    assert set(select(forms, dfs, dfs, min_df=2).words) == {"b", "c"}
    assert set(select(forms, dfs, dfs, max_df=0.5).words) == {"a", "b"}
    assert set(select(forms, dfs, dfs, min_df=0.5, max_df=9).words) == {"b"}
    with pytest.raises(CorpusError, match=r"no word is left.*min_df"):
        select(forms, dfs, dfs, min_df=11)


words = st.text(st.characters(exclude_categories=("Cs", "Cc", "Z")), min_size=1)


@given(st.lists(words, min_size=1, unique=True))
def test_a_saved_vocabulary_is_read_back(tmp_path_factory, names):
    path = tmp_path_factory.mktemp("v") / "vocabulary.txt"
    vocabulary = Vocabulary(tuple(names), np.arange(len(names)), np.arange(len(names)))
    vocabulary.save(path)
    loaded = Vocabulary.load(path)
    assert loaded == vocabulary
    assert loaded.decode([loaded.numbers[name] for name in names]) == names


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\t1\t1\nb\t1\n", "line 2 is not 'word<TAB>count<TAB>document count'"),
        ("a\tx\t1\n", "line 1 is not"),
        ("a\t1\t1", "cut short"),
        ("", "cut short"),
        ("a\t1\t1\na\t1\t1\n", "names a word twice"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, content, message):
    path = tmp_path / "vocabulary.txt"
    path.write_text(content)
    with pytest.raises(CorpusError, match=message):
        Vocabulary.load(path)
