"""Files of pairs: a line an input and its outputs, separated by tabs.

``NAUSEOUS<tab>N AO SH AH S`` is a pair; further outputs of the same input stand behind further
tabs or on further lines. Each side is written in characters or in symbols with a separator.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from segtopic.errors import CorpusError

Symbols = tuple[str, ...]


class Pair(NamedTuple):
    """One input sequence and one output sequence."""

    inputs: Symbols
    outputs: Symbols


class Entry(NamedTuple):
    """One input sequence and every output sequence that is right for it."""

    inputs: Symbols
    references: tuple[Symbols, ...]


class Writing(NamedTuple):
    """How the sequences of each side are written; an empty separator means characters."""

    input_separator: str = ""
    output_separator: str = " "


def split_symbols(text: str, separator: str) -> Symbols:
    """The symbols of a text.

    >>> split_symbols("CAT", ""), split_symbols("K AE  T", " ")
    (('C', 'A', 'T'), ('K', 'AE', 'T'))
    """
    if not separator:
        return tuple(text)
    return tuple(symbol for symbol in text.split(separator) if symbol)


def read_entries(path: Path | str, writing: Writing = Writing()) -> list[Entry]:  # noqa: B008
    """The inputs of a file in order of their first line, each with all its different outputs.

    An empty line, one without a tab, and an empty input are errors that name the line. An empty
    output is one: nothing.
    """
    found: dict[Symbols, list[Symbols]] = {}
    for number, line in enumerate(_lines(path), start=1):
        text, *outputs = line.rstrip("\r\n").split("\t")
        inputs = split_symbols(text, writing.input_separator)
        if not inputs or not outputs:
            what = "has no input" if outputs else "has no tab"
            raise CorpusError(
                f"{path}: line {number} {what}; write an input, a tab and its output, "
                f"and leave no line empty"
            )
        references = found.setdefault(inputs, [])
        for output in outputs:
            symbols = split_symbols(output, writing.output_separator)
            if symbols not in references:
                references.append(symbols)
    if not found:
        raise CorpusError(f"{path}: the file is empty; give a line for each pair")
    return [Entry(inputs, tuple(references)) for inputs, references in found.items()]


def pairs_of(entries: Iterable[Entry]) -> list[Pair]:
    """Each right output of each input as a pair of its own."""
    return [Pair(entry.inputs, outputs) for entry in entries for outputs in entry.references]


def split_entries(
    entries: Sequence[Entry], n_development: int, seed: int
) -> tuple[list[Entry], list[Entry]]:
    """Training and development inputs, none in both; both keep the order of the file."""
    if not 0 < n_development < len(entries):
        raise CorpusError(
            f"{n_development} of {len(entries)} inputs cannot be kept for development; "
            f"choose at least 1 and leave some to learn from"
        )
    drawn = np.random.default_rng(seed).permutation(len(entries))[:n_development]
    held_out = set(drawn.tolist())
    training = [entry for number, entry in enumerate(entries) if number not in held_out]
    return training, [entries[number] for number in sorted(held_out)]


def _lines(path: Path | str) -> Iterable[str]:
    try:
        with open(path, encoding="utf-8-sig", newline="\n") as file:
            yield from file
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read ({error.strerror}); give a file") from None
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path}: is not UTF-8 ({error.reason}); convert it") from None
