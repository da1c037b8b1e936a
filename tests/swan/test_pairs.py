import doctest

import numpy as np
import pytest
import torch

from segtopic.config import LinesConfig
from segtopic.corpus.records import BadLines
from segtopic.errors import CorpusError
from segtopic.swan import error_rates, pairs, symbols
from segtopic.swan.batches import NumberedPairs
from segtopic.swan.error_rates import count_errors
from segtopic.swan.pairs import Entry, Pair, Writing, pairs_of, read_entries, split_entries
from segtopic.swan.symbols import SymbolTable


@pytest.mark.parametrize("module", [pairs, symbols, error_rates])
def test_docstring_examples(module):
    results = doctest.testmod(module)
    assert results.attempted > 0
    assert results.failed == 0


def written(folder, text):
    path = folder / "pairs.tsv"
    path.write_bytes(text.encode())
    return path


def test_alternatives_of_one_input_are_gathered(tmp_path):
    text = "\ufeffCAT\tK AE T\nA\tAH\tEY\r\nCAT\tK AA T\tK AE T\n"
    entries = read_entries(written(tmp_path, text))
    assert entries == [
        Entry(("C", "A", "T"), (("K", "AE", "T"), ("K", "AA", "T"))),
        Entry(("A",), (("AH",), ("EY",))),
    ]
    assert pairs_of(entries)[1] == Pair(("C", "A", "T"), ("K", "AA", "T"))


def test_either_side_in_either_writing(tmp_path):
    path = written(tmp_path, "to be\tsein\nnot  to be\tx\n")
    assert read_entries(path, Writing(" ", "")) == [
        Entry(("to", "be"), (("s", "e", "i", "n"),)),
        Entry(("not", "to", "be"), (("x",),)),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CAT\tK\n\nDOG\tD\n", "line 2 is empty; fix it, or pass --on-bad-line skip"),
        ("CAT\n", "line 1 has no tab"),
        ("CAT\tK\n\tD\n", "line 2 has an empty input"),
        ("CAT\tK\nDOG\t\n", "line 2 has an empty output"),
        ("CAT\tK\t\n", "line 1 has an empty output"),
        ("CAT\tK\0\n", "line 1 holds a NUL byte"),
        ("", "holds no pairs"),
    ],
)
def test_bad_lines_are_named(tmp_path, text, message):
    with pytest.raises(CorpusError, match=message):
        read_entries(written(tmp_path, text))


def test_bad_lines_can_be_skipped(tmp_path):
    path = written(tmp_path, "CAT\tK\n\nDOG\n\tD\nOX\tO\n")
    bad_lines = BadLines("skip")
    assert [entry.inputs for entry in read_entries(path, bad_lines=bad_lines)] == [
        ("C", "A", "T"),
        ("O", "X"),
    ]
    assert bad_lines.count == 3
    only_first = LinesConfig(limit=1)
    assert len(read_entries(path, lines=only_first)) == 1


def test_unknown_input_symbols_are_bad_lines(tmp_path):
    path = written(tmp_path, "CAT\tK\nDOG\tD\n")
    with pytest.raises(CorpusError, match="line 2 has the symbol 'D', which was in no training"):
        read_entries(path, known=SymbolTable.of(["CAT"]))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(CorpusError, match="is a folder"):
        read_entries(tmp_path)
    with pytest.raises(CorpusError, match="cannot be read"):
        read_entries(tmp_path / "none.tsv")
    (tmp_path / "latin.tsv").write_bytes(b"caf\xe9\tK\n")
    with pytest.raises(CorpusError, match="line 1, byte 4 of the file: 0xe9 is not utf-8"):
        read_entries(tmp_path / "latin.tsv")


def test_unknown_symbols_are_named():
    table = SymbolTable.of(["AB", "BC"])
    assert table.knows("CAB")
    assert not table.knows("CAD")
    with pytest.raises(CorpusError, match=r"the symbol 'D' does not occur .* knows A B C"):
        table.numbers("CAD")


def test_development_inputs_are_no_training_inputs():
    entries = [Entry((str(number),), ((),)) for number in range(50)]
    training, development = split_entries(entries, 10, seed=3)
    assert len(development) == 10
    assert sorted(training + development) == sorted(entries)
    assert split_entries(entries, 10, seed=3) == (training, development)
    assert split_entries(entries, 10, seed=4) != (training, development)
    with pytest.raises(CorpusError, match="50 of 50 inputs cannot be kept"):
        split_entries(entries, 50, seed=0)


def some_pairs(n):
    random = np.random.default_rng(0)
    words = ["".join(random.choice(list("ABC"), random.integers(1, 9))) for _ in range(n)]
    return [Pair(tuple(word), tuple(word.lower()[::-1])) for word in words]


def test_an_epoch_holds_every_pair_once_in_a_seeded_order():
    pairs = some_pairs(500)
    numbered = NumberedPairs.of(pairs, SymbolTable.of(["ABC"]), SymbolTable.of(["abc"]))

    def epoch(seed, number):
        found = []
        for batch in numbered.epoch(16, seed, number):
            rows = zip(batch.inputs.tolist(), batch.input_lengths.tolist(), strict=True)
            found.append([tuple(row[:length]) for row, length in rows])
        return found

    batches = epoch(1, 0)
    assert len(batches) == numbered.n_batches(16) == 32
    flat = sorted(word for batch in batches for word in batch)
    assert flat == sorted(tuple("ABC".index(s) for s in pair.inputs) for pair in pairs)
    assert epoch(1, 0) == batches
    assert epoch(1, 1) != batches
    assert epoch(2, 0) != batches
    # Sorted by length within pools: nearly no padding.
    lengths = [[len(word) for word in batch] for batch in batches]
    assert np.mean([max(some) - min(some) for some in lengths]) < 1


def test_batches_keep_both_sides_together():
    pairs = some_pairs(40)
    tables = SymbolTable.of(["ABC"]), SymbolTable.of(["abc"])
    for batch in NumberedPairs.of(pairs, *tables).in_order(7):
        for x, n, y, m in zip(*map(torch.Tensor.tolist, batch), strict=True):
            assert n == m
            assert x[:n] == y[:m][::-1]


def test_errors_count_the_closest_reference():
    counts = count_errors(
        [("K", "AE"), ("D",), ()],
        [[("K", "AE", "T"), ("K", "AA", "T", "S")], [("D",)], [("S", "T")]],
    )
    assert counts.wrong.tolist() == [1, 0, 1]
    assert counts.edits.tolist() == [1, 0, 2]
    assert counts.symbols.tolist() == [3, 1, 2]
    assert counts.word_error == pytest.approx(2 / 3)
    assert counts.symbol_error == pytest.approx(3 / 6)


def test_errors_of_very_long_outputs():
    """As an untrained model may write them."""
    counts = count_errors(
        [("a",) * 5000, tuple("ab" * 1500)], [[("a",) * 10], [tuple("ab" * 1499)]]
    )
    assert counts.edits.tolist() == [4990, 2]
