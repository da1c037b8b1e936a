"""Values of columns: dates by their calendar, groups by their size, nothing lost or invented."""

import datetime
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.errors import ConfigError
from segtopic.explore.values import NOWHERE, OTHERS, groups, times

dates = st.dates(datetime.date(1000, 1, 1), datetime.date(9999, 12, 31))


def labelled(binned):
    return [None if place == NOWHERE else binned.labels[place] for place in binned.place]


@given(given=st.lists(st.none() | dates, min_size=1).filter(any))
def test_dates_are_binned_by_the_calendar(given):
    by_year = labelled(times(given, "date"))
    by_month = labelled(times(given, "date", "month"))
    assert by_year == [date and f"{date.year}" for date in given]
    assert by_month == [date and f"{date:%Y-%m}".zfill(7) for date in given]
    labels = times(given, "date", "month").labels
    assert list(labels) == sorted(labels)


@given(given=st.lists(st.integers(1990, 2020), min_size=1), n_bins=st.integers(1, 8))
def test_bins_are_runs_of_times_that_hold_every_document_once(given, n_bins):
    binned = times(given, "year", str(n_bins))
    order = np.argsort(given, kind="stable")
    assert (np.diff(binned.place[order]) >= 0).all()
    assert len(binned.labels) <= n_bins
    assert sum(binned.counts) == len(given)
    assert min(binned.counts) > 0
    same_time = dict(zip(given, binned.place, strict=True))
    assert [same_time[year] for year in given] == binned.place.tolist()


def test_many_ways_to_write_a_time():
    values = [2019, "2019", 2019.0, "2019-03", "2019/3/1", "2019-03-01T10:00:00Z"]
    values += [datetime.datetime(2019, 3, 1), np.datetime64("2019-03-01"), " 2019 "]
    assert times(values, "t").labels == ("2019",)
    nothing = [None, "", "  ", float("nan"), np.datetime64("NaT")]
    assert times([2019, *nothing], "t").place.tolist() == [0] + [NOWHERE] * 5


@pytest.mark.parametrize(
    ("values", "bins", "reason"),
    [
        (["spring"], "year", "'spring' in 't' is neither a year nor a date"),
        (["2019-13-01"], "year", "'2019-13-01' in 't' is neither a year nor a date"),
        ([2019, "spring", "autumn"], "year", "'spring' in 't' is neither a year nor a date"),
        ([None, ""], "year", "no document has a value in 't'"),
        ([2019], "month", "years without months"),
        ([2019], "week", "--time-bins is 'week'"),
        ([2019], "0", "--time-bins is '0'"),
        (["x" * 1000], "year", "x" * 40 + "'"),
    ],
)
def test_what_is_no_time_is_told(values, bins, reason):
    with pytest.raises(ConfigError) as caught:
        times(values, "t", bins)
    assert reason in str(caught.value)


def test_some_values_that_are_no_times_are_left_out():
    values = [2019, "unknown", "n/a", 2020, "2019-02", "2020-40", None, 2021, 2021, "x" * 99]
    found = times(values, "t")
    assert labelled(found) == [
        *("2019", None, None, "2020", "2019"),
        *(None, None, "2021", "2021", None),
    ]
    assert found.unread == ("unknown", "n/a", "2020-40")


@given(given=st.lists(st.none() | st.sampled_from("abcdef"), min_size=1).filter(any))
def test_groups_are_the_largest_and_the_rest(given):
    binned = groups(given, "g", most=3)
    counts = Counter(name for name in given if name)
    assert len(binned.labels) == min(len(counts), 4)
    assert [counts[name] for name in binned.labels[:3]] == sorted(counts.values(), reverse=True)[:3]
    for name, label in zip(given, labelled(binned), strict=True):
        assert label == (name if name in (None, *binned.labels[:3]) else OTHERS)


def test_a_group_may_be_called_others():
    assert groups(["others", "others", "a"], "g", most=1).labels == ("others", "others (together)")
