"""Looking up numbers in sorted ones: keys in, their places out.

>>> places = find(torch.tensor([2, 5, 9]), torch.tensor([5, 1, 9]))
>>> places.tolist()
[1, -1, 2]
>>> at(torch.tensor([10, 20, 30]), places).tolist()
[20, 0, 30]
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from segtopic.corpus.documents import IntArray

NOWHERE = -1

Numbers = Tensor | IntArray


def find(keys: Numbers, wanted: Numbers) -> Tensor:
    """The place of each wanted number among sorted, distinct keys; ``NOWHERE`` if it is missing."""
    keys, wanted = torch.as_tensor(keys), torch.as_tensor(wanted)
    if len(keys) == 0:
        return torch.full_like(wanted, NOWHERE)
    place = torch.searchsorted(keys, wanted).clamp(max=len(keys) - 1)
    return place.masked_fill(keys[place] != wanted, NOWHERE)


def at(values: Numbers | NDArray[np.float64], place: Tensor) -> Tensor:
    """``values[place]``, and 0 for what stands ``NOWHERE``."""
    values = torch.as_tensor(values)
    if len(values) == 0:
        return torch.zeros_like(place)
    return values[place.clamp(min=0)].masked_fill(place == NOWHERE, 0)
