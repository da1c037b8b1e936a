import itertools
from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from segtopic.corpus import Documents
from segtopic.model import pack
from segtopic.model.liking import Liking
from segtopic.model.phrase_memory import PhraseMemory

SPANS = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=5), max_size=3)
NESTED = st.lists(SPANS, min_size=1, max_size=4)


def memory_of(nested, max_length, seed=0):
    memory = PhraseMemory(4, max_length).double()
    memory.learn(Documents.from_lists(nested))
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        memory.discount_logit.normal_(generator=generator)
        memory.log_strength.normal_(generator=generator)
    return memory


def continuations(nested):
    """Every history of words inside a span with the word that follows it, as a plain counter."""
    counts = Counter()
    for span in itertools.chain.from_iterable(nested):
        for start in range(len(span)):
            for end in range(start + 1, len(span)):
                counts[tuple(span[start:end]), span[end]] += 1
    return counts


def direct(memory, counts, history, word):
    """r(word | history) and B(history) by the recursion of the docstring."""
    if not history:
        return 0.0, 1.0
    lower, above = direct(memory, counts, history[1:], word)
    strength = memory.log_strength[len(history) - 1].exp().item()
    discount = memory.discount_logit[len(history) - 1].sigmoid().item()
    following = {w: c for (h, w), c in counts.items() if h == history and c > 0}
    total = sum(following.values())
    left = strength + discount * len(following)
    mass = max(following.get(word, 0) - discount, 0)
    return (mass + left * lower) / (strength + total), left / (strength + total) * above


def check(memory, counts_of_document, nested, leave_out):
    levels = pack(Documents.from_lists(nested), memory.max_length).levels
    mass = memory(levels, leave_out=leave_out)
    above = [(d, ()) for d in range(len(nested))]
    for depth, level in enumerate(levels):
        pairs = zip(level.parent.tolist(), level.word.tolist(), strict=True)
        nodes = [(above[p][0], (*above[p][1], w)) for p, w in pairs]
        for node, (d, words) in enumerate(nodes):
            counts = counts_of_document(d)
            if depth > 0:
                known, _ = direct(memory, counts, words[:-1], words[-1])
                assert mass.known[depth - 1][node].item() == pytest.approx(known, abs=1e-12)
            if depth + 1 < memory.max_length:
                _, left_over = direct(memory, counts, words, 0)
                assert mass.left_over[depth][node].item() == pytest.approx(left_over, abs=1e-12)
        above = nodes


@given(NESTED, NESTED, st.integers(2, 4), st.integers(0, 9))
def test_new_documents_against_direct_counting(counted, new, max_length, seed):
    counts = continuations(counted)
    check(memory_of(counted, max_length, seed), lambda d: counts, new, leave_out=False)


@given(NESTED, st.integers(2, 4), st.integers(0, 9))
def test_a_training_document_is_left_out_of_its_own_counts(nested, max_length, seed):
    def counts_without(document):
        return continuations(nested[:document] + nested[document + 1 :])

    check(memory_of(nested, max_length, seed), counts_without, nested, leave_out=True)


@given(NESTED, NESTED, st.integers(2, 4), st.booleans())
def test_what_documents_like_among_known_words(counted, new, max_length, leave_out):
    """The known mass of all words, each times its liking, by the recursion of the docstring."""
    documents = counted if leave_out else new
    memory = memory_of(counted, max_length)
    likes = torch.rand(len(documents), 4, generator=torch.Generator().manual_seed(1)).double()
    liking = Liking(likes.log(), torch.tensor(1.0))
    levels = pack(Documents.from_lists(documents), max_length).levels
    mass = memory(levels, leave_out, liking)
    above = [(d, ()) for d in range(len(documents))]
    for depth, level in enumerate(levels[: max_length - 1]):
        pairs = zip(level.parent.tolist(), level.word.tolist(), strict=True)
        above = [(above[p][0], (*above[p][1], w)) for p, w in pairs]
        for node, (d, words) in enumerate(above):
            learned = counted[:d] + counted[d + 1 :] if leave_out else counted
            counts = continuations(learned)
            expected = sum(
                direct(memory, counts, words, word)[0] * likes[d, word].item() for word in range(4)
            )
            assert mass.liked[depth][node].item() == pytest.approx(expected, abs=1e-12)


@given(NESTED, st.integers(2, 3))
def test_known_and_left_over_mass_sum_to_one(nested, max_length):
    memory = memory_of(nested, max_length)
    counts = continuations(nested)
    for history in {h[: max_length - 1] for h, _ in counts}:
        documents = [[[*history, word]] for word in range(4)]
        packed = pack(Documents.from_lists(documents), max_length)
        mass = memory(packed.levels, leave_out=False)
        depth = len(history)
        words = [packed.node[i, depth].item() for i in packed.spans.first_word.tolist()]
        first = sum(len(level.word) for level in packed.levels[:depth])
        known = sum(mass.known[depth - 1][n - first].item() for n in words)
        start = sum(len(level.word) for level in packed.levels[: depth - 1])
        node = packed.node[0, depth - 1].item() - start
        assert known + mass.left_over[depth - 1][node].item() == pytest.approx(1, abs=1e-12)


def test_counts_are_saved_with_the_model():
    memory = memory_of([[[0, 1, 2], [0, 1]]], 3)
    other = PhraseMemory(4, 3).double()
    other.load_state_dict(memory.state_dict())
    assert other.keys_2.tolist() == [0 * 4 + 1, 1 * 4 + 2]
    assert other.counts_2.tolist() == [2, 1]
    batch = pack(Documents.from_lists([[[0, 1, 2]]]), 3)
    for ours, theirs in zip(memory(batch.levels, False), other(batch.levels, False), strict=True):
        for a, b in zip(ours, theirs, strict=True):
            assert torch.equal(a, b)


def test_a_memory_of_nothing_leaves_everything_over():
    memory = PhraseMemory(4, 3)
    batch = pack(Documents.from_lists([[[0, 1, 2]]]), 3)
    mass = memory(batch.levels, leave_out=False)
    assert all(part.eq(1).all() for part in mass.left_over)
    assert all(part.eq(0).all() for part in mass.known)
