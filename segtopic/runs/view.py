"""Topics as a user wants to see them: theta in, shares of named and merged topics out.

Merging is a view. The model, and so every likelihood, stays as it is; the share of a merged topic
is the sum of its parts' shares, document by document. What a merged topic says is read off a
document that holds its parts in the proportions of the training documents.

>>> view = TopicView.of(Naming({0: "News"}, ((0, 2),)), n_topics=3)
>>> view.numbers, view.names
((0, 1), {0: 'News'})
>>> view.shares(torch.tensor([[0.5, 0.25, 0.25]]))
tensor([[0.7500, 0.2500]])
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from segtopic.runs.naming import Naming


@dataclass(frozen=True)
class TopicView:
    """Groups of the model's topics, in the order of their numbers.

    Attributes:
        groups: Topics that are one; most groups have one member. The first gives the number.
        names: Given by hand, by the numbers of groups.
    """

    groups: tuple[tuple[int, ...], ...]
    names: Mapping[int, str]

    @classmethod
    def of(cls, naming: Naming, n_topics: int) -> "TopicView":
        """What a user has said of the topics of a model."""
        inside = {number for group in naming.merged for number in group[1:]}
        by_first = {group[0]: group for group in naming.merged}
        first = [number for number in range(n_topics) if number not in inside]
        names = {number: name for number, name in naming.names.items() if number not in inside}
        return cls(tuple(by_first.get(number, (number,)) for number in first), names)

    @property
    def numbers(self) -> tuple[int, ...]:
        """Of the groups: their columns in :meth:`shares`."""
        return tuple(group[0] for group in self.groups)

    @property
    def is_by_hand(self) -> bool:
        """Whether a user has named or merged anything."""
        return bool(self.names) or any(len(group) > 1 for group in self.groups)

    def name(self, number: int) -> str:
        """The name by hand, or else the number in words."""
        return self.names.get(number, f"topic {number}")

    def group(self, number: int) -> tuple[int, ...]:
        """The members of the group with this number."""
        return next(group for group in self.groups if group[0] == number)

    def shares(self, theta: Tensor) -> Tensor:
        """``(D, G)`` from ``(D, K)``: shares of merged topics add up, so rows still sum to one."""
        return theta @ self.members(theta)

    def seen(self, topics: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """``(G,)`` shares from ``(K,)`` of one document."""
        shares: npt.NDArray[np.float64] = self.shares(torch.from_numpy(topics)[None])[0].numpy()
        return shares

    def mixtures(self, theta: Tensor) -> Tensor:
        """``(G, K)``: how much of each group its members are, in documents with these shares.

        Rows sum to one.
        """
        members = self.members(theta).t()
        weights = members * theta.mean(0).clamp(min=torch.finfo(theta.dtype).tiny)
        return weights / weights.sum(1, keepdim=True)

    def members(self, theta: Tensor) -> Tensor:
        """``(K, G)``: one where a topic belongs to a group; like ``(D, K)`` theta in its type."""
        members = theta.new_zeros(theta.shape[1], len(self.groups))
        for place, group in enumerate(self.groups):
            members[list(group), place] = 1
        return members
