"""Files of pairs: a line an input and its outputs, separated by tabs.

``NAUSEOUS<tab>N AO SH AH S`` is a pair; further outputs of the same input stand behind further
tabs or on further lines. Each side is written in characters or in symbols with a separator.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from segtopic.config import LinesConfig, PairsConfig
from segtopic.config.swan import CHARACTERS, SPACES
from segtopic.corpus.records import BadLines
from segtopic.corpus.textfiles import line_blocks, open_bytes
from segtopic.errors import CorpusError
from segtopic.swan.symbols import SymbolTable

Symbols = tuple[str, ...]
_PlacedText = tuple[str, str]  # where a line stands, and the line
EVERY_LINE = LinesConfig()


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

    @classmethod
    def of(cls, config: PairsConfig) -> "Writing":
        """As the settings say."""
        names = {CHARACTERS: "", SPACES: " "}
        wanted = (config.input_symbols, config.output_symbols)
        return cls(*(names.get(each, each) for each in wanted))


class PairLine(NamedTuple):
    """A line of a file: an input, and one or more outputs that are right for it."""

    place: str
    inputs: Symbols
    outputs: list[Symbols]


def split_symbols(text: str, separator: str) -> Symbols:
    """The symbols of a text.

    >>> split_symbols("CAT", ""), split_symbols("K AE  T", " ")
    (('C', 'A', 'T'), ('K', 'AE', 'T'))
    """
    if not separator:
        return tuple(text)
    return tuple(symbol for symbol in text.split(separator) if symbol)


def read_entries(
    path: Path | str,
    writing: Writing = Writing(),  # noqa: B008
    lines: LinesConfig = EVERY_LINE,
    bad_lines: BadLines | None = None,
    known: SymbolTable | None = None,
) -> list[Entry]:
    """The inputs of a file in order of their first line, each with all its different outputs.

    Args:
        path: of the file; '-' is standard input.
        writing: how both sides are written.
        lines: how the file is read.
        bad_lines: what to do with lines that cannot be used; if not given, they are errors.
        known: if given, an input with another symbol is a bad line.
    """
    found: dict[Symbols, dict[Symbols, None]] = {}
    blocks = pair_blocks(path, writing, lines, bad_lines or BadLines(), known)
    for line in itertools.chain.from_iterable(blocks):
        found.setdefault(line.inputs, {}).update(dict.fromkeys(line.outputs))
    if not found:
        raise CorpusError(f"{_name(path)}: holds no pairs; give a line for each")
    return [Entry(inputs, tuple(references)) for inputs, references in found.items()]


def pair_blocks(
    path: Path | str,
    writing: Writing,
    lines: LinesConfig,
    bad_lines: BadLines,
    known: SymbolTable | None = None,
) -> Iterator[Iterator[PairLine]]:
    """The pairs of a file in constant memory; the arguments of ``read_entries``.

    They come in blocks: between two of them one may have to wait for the file.
    """
    for block in _blocks(path, lines, bad_lines):
        yield _pairs_in(block, writing, bad_lines, known)


def input_blocks(
    path: Path | str, writing: Writing, lines: LinesConfig, bad_lines: BadLines, known: SymbolTable
) -> Iterator[Iterator[Symbols]]:
    """The inputs of a file without outputs, one a line, in blocks as above."""
    for block in _blocks(path, lines, bad_lines):
        yield _inputs_in(block, writing, bad_lines, known)


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


def _pairs_in(
    block: Iterable[_PlacedText], writing: Writing, bad_lines: BadLines, known: SymbolTable | None
) -> Iterator[PairLine]:
    for place, text in block:
        written, *rest = text.split("\t")
        inputs = split_symbols(written, writing.input_separator)
        outputs = [split_symbols(each, writing.output_separator) for each in rest]
        if not text:
            bad_lines.report(place, "is empty")
        elif not rest:
            bad_lines.report(place, "has no tab between an input and an output")
        elif not inputs:
            bad_lines.report(place, "has an empty input")
        elif not all(outputs):
            bad_lines.report(place, "has an empty output")
        elif _is_known(place, inputs, known, bad_lines):
            yield PairLine(place, inputs, outputs)


def _inputs_in(
    block: Iterable[_PlacedText], writing: Writing, bad_lines: BadLines, known: SymbolTable
) -> Iterator[Symbols]:
    for place, text in block:
        inputs = split_symbols(text, writing.input_separator)
        if not inputs:
            bad_lines.report(place, "is empty")
        elif _is_known(place, inputs, known, bad_lines):
            yield inputs


def _is_known(place: str, inputs: Symbols, known: SymbolTable | None, bad_lines: BadLines) -> bool:
    if known is None or known.knows(inputs):
        return True
    symbol = next(each for each in inputs if not known.knows([each]))
    bad_lines.report(place, f"has the symbol '{symbol}', which was in no training input")
    return False


def _blocks(
    path: Path | str, lines: LinesConfig, bad_lines: BadLines
) -> Iterator[Iterator[_PlacedText]]:
    """The lines of a file with their places, as many at a time as have arrived."""
    name, file = _name(path), None if str(path) == "-" else Path(path)
    if file is not None and file.is_dir():
        raise CorpusError(
            f"{name}: is a folder; give a file with a line for each pair or input, or make "
            "features of the sounds in it with 'segtopic swan features'"
        )
    n_before = 0
    with open_bytes(file) as stream:
        for block in line_blocks(stream, name, lines.encoding or "utf-8"):
            wanted = block if lines.limit is None else block[: lines.limit - n_before]
            yield _texts(wanted, name, n_before, bad_lines)
            n_before += len(wanted)
            if n_before == lines.limit:  # without waiting for lines that nobody wants
                return


def _texts(
    lines: Sequence[str], name: str, n_before: int, bad_lines: BadLines
) -> Iterator[_PlacedText]:
    for number, line in enumerate(lines, start=n_before + 1):
        place = f"{name}: line {number}"
        if "\0" in line:
            bad_lines.report(place, "holds a NUL byte: this looks like binary data, not text")
        else:
            yield place, line.rstrip("\r\n")


def _name(path: Path | str) -> str:
    return "standard input" if str(path) == "-" else str(path)
