"""A softmax in two steps, against one that asks every class and every word."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from segtopic.model.class_softmax import ClassSoftmax, Likes
from segtopic.model.liking import Liking

WIDTH, DOCUMENTS = 4, 3


def made(n_words, seed=0):
    """A softmax with random weights and classes, and how much documents like its words."""
    torch.manual_seed(seed)
    softmax = ClassSoftmax(n_words, WIDTH).double()
    for parameter in softmax.parameters():
        torch.nn.init.normal_(parameter)
    softmax.class_of.copy_(softmax.class_of[torch.randperm(n_words)])
    power = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    likes = Likes(
        Liking(torch.randn(DOCUMENTS, n_words).double(), power),
        Liking(torch.randn(DOCUMENTS, softmax.n_classes).double(), power),
    )
    return softmax, likes


def one_by_one(softmax, likes, hidden, document):
    """``(R, V)`` probabilities, word by word from the definition."""
    rows = []
    for state, number in zip(hidden, document.tolist(), strict=True):
        of_words, of_classes = (
            (layer(state) + liking.power * liking.log_ratios[number]).exp()
            for layer, liking in (
                (softmax.words, likes.words),
                (softmax.classes, likes.classes),
            )
        )
        rows.append(
            torch.stack(
                [
                    of_classes[its_class] / of_classes.sum() * weight / of_words[same].sum()
                    for weight, its_class in zip(of_words, softmax.class_of, strict=True)
                    for same in [softmax.class_of == its_class]
                ]
            )
        )
    return torch.stack(rows)


def asked(n_rows, n_words, n_pairs, seed=1):
    torch.manual_seed(seed)
    hidden = torch.randn(n_rows, WIDTH, dtype=torch.float64, requires_grad=True)
    document = torch.randint(DOCUMENTS, (n_rows,))
    return hidden, document, torch.randint(n_rows, (n_pairs,)), torch.randint(n_words, (n_pairs,))


@given(n_words=st.integers(1, 30), n_rows=st.integers(1, 6), n_pairs=st.integers(0, 12))
def test_equals_the_definition_and_sums_to_one(n_words, n_rows, n_pairs):
    softmax, likes = made(n_words)
    hidden, document, row, word = asked(n_rows, n_words, n_pairs)
    expected = one_by_one(softmax, likes, hidden, document)
    torch.testing.assert_close(expected.sum(1), torch.ones(n_rows, dtype=torch.float64))
    torch.testing.assert_close(softmax.log_all(hidden, document, likes), expected.log())
    found = softmax.log_at(hidden, row, word, document, likes)
    torch.testing.assert_close(found, expected[row, word].log())


def test_gradients():
    softmax, likes = made(17)
    hidden, document, row, word = asked(5, 17, 20)
    learned = (hidden, likes.words.power, *softmax.parameters())
    upstream = torch.randn(20).double()
    found = softmax.log_at(hidden, row, word, document, likes)
    expected = one_by_one(softmax, likes, hidden, document)[row, word].log()
    gradients, expected_gradients = (
        torch.autograd.grad((each * upstream).sum(), learned) for each in (found, expected)
    )
    torch.testing.assert_close(gradients, expected_gradients)


def test_nothing_asked():
    softmax, likes = made(9)
    nothing = torch.zeros(0, dtype=torch.long)
    hidden = torch.zeros(0, WIDTH, dtype=torch.float64)
    assert softmax.log_at(hidden, nothing, nothing, nothing, likes).shape == (0,)


def test_large_logits_stay_finite():
    softmax, likes = made(16)
    hidden, document, row, word = asked(5, 16, 20)
    found = softmax.log_at(1000 * hidden, row, word, document, likes)
    assert found.isfinite().all()
    assert (found <= 0).all()
    torch.testing.assert_close(softmax.log_all(1000 * hidden, document, likes)[row, word], found)


@pytest.mark.parametrize("power", [0.0, 0.5])
def test_starts_from_frequencies_and_what_documents_like(power):
    """Documents that like all words alike have them as often as all texts."""
    softmax = ClassSoftmax(50, WIDTH).double()
    frequencies = torch.rand(50, generator=torch.Generator().manual_seed(0)).double()
    frequencies /= frequencies.sum()
    softmax.start(frequencies, torch.arange(50) % softmax.n_classes, deviation=0.0)
    likes = Likes(
        Liking(torch.zeros(1, 50).double(), torch.tensor(power)),
        Liking(torch.zeros(1, softmax.n_classes).double(), torch.tensor(power)),
    )
    found = softmax.log_all(torch.randn(3, WIDTH).double(), torch.zeros(3).long(), likes)
    torch.testing.assert_close(found.exp(), frequencies.expand(3, -1))
