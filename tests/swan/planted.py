"""A made-up transliteration that a tiny model learns in a second or two.

A is silent, B says one sound, X says two, D says 'd' after an X and 't' elsewhere.
"""

import itertools

from segtopic.config import SwanConfig

TINY = {
    "units": 16,
    "layers": 1,
    "segment_units": 16,
    "embedding": 8,
    "dropout": 0.1,
    "batch_size": 16,
    "learning_rate": 0.02,
    "threads": 1,
}


def spoken(word):
    rules = {"A": [], "B": ["b"], "X": ["k", "s"]}
    sounds = [
        rules.get(letter, ["d" if before == "X" else "t"])
        for before, letter in zip(["", *word], word, strict=False)
    ]
    return [sound for some in sounds for sound in some]


def words(lengths=(2, 3, 4)):
    found = ("".join(w) for n in lengths for w in itertools.product("ABXD", repeat=n))
    return [word for word in found if spoken(word)]


def pairs(lengths=(2, 3, 4)):
    return [(word, " ".join(spoken(word))) for word in words(lengths)]


def pairs_file(folder, lengths=(2, 3, 4), name="pairs.tsv"):
    path = folder / name
    path.write_text("".join(f"{word}\t{sounds}\n" for word, sounds in pairs(lengths)))
    return path


def tiny_config(path, **settings):
    return SwanConfig(**{"data": str(path), "epochs": 4, **TINY, **settings})


def train_arguments(path, folder, **settings):
    """``segtopic swan train``, as it is typed."""
    chosen = {"epochs": 4, **TINY, **settings}
    flags = [part for k, v in chosen.items() for part in (f"--{k.replace('_', '-')}", str(v))]
    return ["swan", "train", "--data", str(path), "--out", str(folder), *flags]
