"""What merged topics cost: a model and a view in, a model whose merged topics are one out.

A document's words depend on its topics by ``W theta`` and, with given topics, by the mixture
``theta @ topic_words``: both are linear in theta. So topics with the same column of ``W`` and the
same words are one topic, of which only the summed share matters. :func:`fused` gives merged topics
the average of their columns and words, weighted by their shares. That is a model like any other,
its likelihoods are exact, and they tell what the differences between merged topics were worth.

The topics of a run are merged by a view (:mod:`segtopic.runs.view`), which sums theta and leaves
the model as it is: nothing is lost, and a merge can be undone. The prior of the sum is then that of
a sum of softmax components. It is not the prior that a smaller model of this kind would have; a
logistic normal, other than a Dirichlet, does not stay one when components are added.
"""

import copy
from dataclasses import dataclass

import torch
from torch import Tensor

from segtopic.evaluate.bootstrap import Interval, bootstrap_difference, bootstrap_interval
from segtopic.evaluate.predictive import Progress, predictive_log_likelihood
from segtopic.model.topic_model import TopicModel
from segtopic.runs import TrainedModel
from segtopic.runs.view import TopicView
from segtopic.topics.shares import topic_shares


@torch.no_grad()
def fused(model: TopicModel, view: TopicView, theta: Tensor) -> TopicModel:
    """A copy in which the members of a group are the same topic.

    Args:
        model: trained.
        view: tells the groups.
        theta: ``(D, K)`` of the training documents, for the weights.
    """
    mixtures, members = view.mixtures(theta), view.members(theta)
    spread = members @ mixtures  # (K, K): each topic becomes the mixture of its group
    made = copy.deepcopy(model)
    made.topics.weight.copy_(model.topics.weight @ spread.t())
    if model.topic_words is not None and made.topic_words is not None:
        made.topic_words.copy_(spread @ model.topic_words)
    return made


@dataclass(frozen=True)
class MergeCost:
    """Predictive log likelihood per word of the test documents.

    Attributes:
        before: Of the model, which a view does not change.
        after: If merged topics were one.
        difference: ``after - before``, paired by document.
    """

    before: Interval
    after: Interval
    difference: Interval


def merge_cost(
    trained: TrainedModel,
    view: TopicView,
    progress: Progress = lambda stage, documents: None,
) -> MergeCost:
    """What is lost on the test documents if the topics of each group are made one."""
    test, steps = trained.test, trained.config.refinement()
    model = fused(trained.model, view, topic_shares(trained.model, trained.corpus.train))
    before = predictive_log_likelihood(trained.model, test, steps, progress)
    after = predictive_log_likelihood(model, test, steps, progress)
    return MergeCost(
        bootstrap_interval(before), bootstrap_interval(after), bootstrap_difference(after, before)
    )
