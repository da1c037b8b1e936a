"""What a terminal can do, and tables on narrow ones."""

import io
import sys

import pytest
import torch  # noqa: F401  (which is then there)
from hypothesis import given
from hypothesis import strategies as st

from segtopic.commands.opening import opening
from segtopic.commands.terminal import LONGEST_WORD, column_widths, has_colours, is_lively

cells = st.lists(st.text("abc ", max_size=60), min_size=3, max_size=3)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("environment", "lively", "coloured"),
    [
        ({"TERM": "xterm"}, True, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, True, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True, True),
        ({"TERM": "dumb"}, False, False),
    ],
)
def test_the_environment_says_what_is_wanted(environment, lively, coloured, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert (is_lively(Terminal()), has_colours(Terminal())) == (lively, coloured)
    assert not is_lively(io.StringIO())


@given(st.lists(cells, min_size=1, max_size=5), st.integers(20, 120))
def test_columns_fit_and_hold_their_longest_words(rows, width):
    widths = column_widths(rows, width)
    longest = [
        max((len(word) for row in rows for word in row[i].split()), default=0) for i in range(3)
    ]
    if widths is None:
        least = [min(long, LONGEST_WORD) for long in longest]
        indents = [max(len(row[i]) - len(row[i].lstrip()) for row in rows) for i in range(3)]
        assert sum(least) + sum(indents) + 10 > width
        return
    assert sum(widths) + 10 <= width
    for place, long in enumerate(longest):
        assert widths[place] >= min(long, LONGEST_WORD)
        assert widths[place] <= max(max(len(row[place]) for row in rows), LONGEST_WORD)
    if sum(max(len(row[i]) for row in rows) for i in range(3)) + 10 <= width:
        assert all(widths[i] >= max(len(row[i].rstrip()) for row in rows) for i in range(3))


def test_a_run_is_said_to_be_opened_before_torch_is_there(monkeypatch, capsys):
    with opening("runs/x"):
        assert capsys.readouterr().err == ""  # nothing slow is to be imported any more
    monkeypatch.delitem(sys.modules, "torch")
    with opening("runs/\x1bx"):
        assert capsys.readouterr().err == "opening runs/\\x1bx\n"
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with opening("runs/x"):
        pass
    assert "opening runs/x" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")  # and the line is gone
