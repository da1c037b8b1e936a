"""The words of g014b2b as entries and numbers: ``$SEGTOPIC_DATA/swan/g2p`` in, a split out."""

import os
from pathlib import Path

from segtopic.swan.batches import NumberedPairs
from segtopic.swan.development import Development
from segtopic.swan.pairs import Entry, Pair, read_entries, split_entries
from segtopic.swan.symbols import SymbolTable

N_DEVELOPMENT = 2000


class Data:
    """The words and their tables."""

    def __init__(self, n_words: int | None = None) -> None:
        self.folder = Path(os.environ["SEGTOPIC_DATA"]) / "swan" / "g2p"
        entries = read_entries(self.folder / "g014b2b.train")
        self.test = read_entries(self.folder / "g014b2b.ref")
        self.letters = SymbolTable.of(entry.inputs for entry in entries)
        self.phonemes = SymbolTable.of(r for entry in entries for r in entry.references)
        self.training, self.development = split_entries(entries, N_DEVELOPMENT, seed=0)
        if n_words is not None:
            every = len(self.training) // n_words
            self.training = self.training[::every][:n_words]

    def numbered(self, pairs: list[Pair]) -> NumberedPairs:
        return NumberedPairs.of(pairs, self.letters, self.phonemes)

    def references(self, entries: list[Entry]) -> Development:
        return Development.of(entries, self.letters, self.phonemes)
