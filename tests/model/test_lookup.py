"""Places in sorted keys against a dictionary."""

import doctest

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from segtopic.model import lookup
from segtopic.model.lookup import at, find

NUMBERS = st.lists(st.integers(-5, 20), max_size=12)


def test_docstring_examples():
    assert doctest.testmod(lookup).failed == 0


@given(st.sets(st.integers(0, 15)).map(sorted), NUMBERS, st.booleans())
def test_places_and_values_are_those_of_a_dictionary(keys, wanted, as_arrays):
    made = np.array if as_arrays else torch.tensor
    dtype = np.int64 if as_arrays else torch.int64
    places = find(made(keys, dtype=dtype), made(wanted, dtype=dtype))
    assert places.tolist() == [keys.index(key) if key in keys else -1 for key in wanted]
    values = [100 + key for key in keys]
    expected = [100 + key if key in keys else 0 for key in wanted]
    assert at(made(values, dtype=dtype), places).tolist() == expected
