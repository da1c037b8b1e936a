"""Views of topics: shares add up, and what merged topics say is what a mixture of them says."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from segtopic.runs.naming import Naming
from segtopic.runs.view import TopicView
from segtopic.topics.definitions import corner, direction, documents
from tests.runs.test_naming import N_TOPICS, namings


def random_theta(seed):
    generator = torch.Generator().manual_seed(seed)
    zeta = torch.randn(20, N_TOPICS, generator=generator, dtype=torch.float64)
    return (3 * zeta).softmax(1)


@given(naming=namings(), seed=st.integers(0, 100))
def test_shares_of_merged_topics_add_up(naming, seed):
    view, theta = TopicView.of(naming, N_TOPICS), random_theta(seed)
    shares = view.shares(theta)
    assert sorted(number for group in view.groups for number in group) == list(range(N_TOPICS))
    for place, group in enumerate(view.groups):
        expected = sum(theta[:, number] for number in group)
        torch.testing.assert_close(shares[:, place], expected)
    torch.testing.assert_close(shares.sum(1), torch.ones(20, dtype=torch.float64))


@given(seed=st.integers(0, 100))
def test_without_merging_nothing_changes_to_the_last_bit(seed):
    view, theta = TopicView.of(Naming(), N_TOPICS), random_theta(seed)
    assert torch.equal(view.shares(theta), theta)
    assert torch.equal(view.mixtures(theta) @ direction(theta), direction(theta))


@given(naming=namings(), seed=st.integers(0, 100))
def test_a_merged_topic_is_defined_as_a_topic_with_the_summed_share(naming, seed):
    """``documents`` averages by the share of the topic: the same from sums and from parts."""
    view, theta = TopicView.of(naming, N_TOPICS), random_theta(seed)
    shares = view.shares(theta)
    expected = (shares.t() @ theta) / shares.sum(0)[:, None]
    torch.testing.assert_close(view.mixtures(theta) @ documents(theta), expected)


@given(naming=namings(), seed=st.integers(0, 100))
def test_the_corner_of_a_merged_topic_holds_its_members_only(naming, seed):
    view, theta = TopicView.of(naming, N_TOPICS), random_theta(seed)
    vectors = view.mixtures(theta) @ corner(theta)
    torch.testing.assert_close(view.shares(vectors), torch.eye(len(view.groups)).double())
