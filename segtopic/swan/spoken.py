"""Recordings with features in; inputs and outputs of a sequence model out, at one level."""

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from segtopic.config.swan import CHARACTERS, PHONES, SPACES
from segtopic.errors import ConfigError, CorpusError
from segtopic.speech.recordings import Mark, Recording
from segtopic.speech.store import FeatureStore, Normaliser
from segtopic.swan.pairs import Symbols

LEVELS = {CHARACTERS: "characters", SPACES: "words", PHONES: "phones"}
_JOINED = {CHARACTERS: "", SPACES: " ", PHONES: " "}


class Utterance(NamedTuple):
    """A recording as a model hears it, and what is said in it."""

    name: str
    speaker: str
    inputs: Tensor  # (T'', F) normalised
    outputs: Symbols
    words: str
    audio: tuple[Path, ...]
    marks: tuple[Mark, ...]


class Parts(NamedTuple):
    """Recordings to learn from, and others to tell which epoch is the best."""

    training: list[Recording]
    development: list[Recording]


def outputs_of(recording: Recording, level: str) -> Symbols:
    """The symbols of what is said: characters, words or phones.

    >>> outputs_of(Recording("a", words="GO ON", phones=("G", "OW", "AA", "N")), "spaces")
    ('GO', 'ON')
    """
    if level not in LEVELS:
        raise ConfigError(
            f"output_symbols is '{level}', but speech is written in "
            f"'{CHARACTERS}', '{SPACES}' (words) or '{PHONES}'"
        )
    said = recording.phones if level == PHONES else recording.words
    if said is None:
        missing = "phones" if level == PHONES else "transcript"
        raise CorpusError(f"{recording.name}: has no {missing}; give one, or leave it out")
    return tuple(said.split()) if level == SPACES and isinstance(said, str) else tuple(said)


def written(symbols: Sequence[str], level: str) -> str:
    """The symbols as one text."""
    return _JOINED[level].join(symbols)


def utterances(
    recordings: Iterable[Recording], level: str, normaliser: Normaliser
) -> list[Utterance]:
    """As a model hears them."""
    return [
        Utterance(
            each.name,
            each.speaker,
            torch.from_numpy(normaliser(each.features)),
            outputs_of(each, level),
            each.words or "",
            each.audio,
            each.marks,
        )
        for each in recordings
    ]


def split_by_speaker(recordings: Sequence[Recording], share: float, seed: int) -> Parts:
    """Recordings to learn from, and at least one to tell which epoch is the best.

    Speakers are drawn one after the other until they have said the share; where there are fewer
    than three, recordings are drawn.
    """
    speakers = sorted({each.speaker for each in recordings})
    keys = [each.speaker if len(speakers) > 2 else each.name for each in recordings]
    different = sorted(set(keys))
    wanted, held_out = max(share * len(recordings), 1), set[str]()
    for place in np.random.default_rng(seed).permutation(len(different)):
        if sum(key in held_out for key in keys) >= wanted or len(held_out) == len(different) - 1:
            break
        held_out.add(different[place])
    learned = [each for each, key in zip(recordings, keys, strict=True) if key not in held_out]
    rest = [each for each, key in zip(recordings, keys, strict=True) if key in held_out]
    if not learned or not rest:
        raise CorpusError(
            "there is only one recording: one is needed to learn from, and one to tell which epoch "
            "is the best; give more"
        )
    return Parts(learned, rest)


def training_of(store: FeatureStore, limit: int | None = None) -> list[Recording]:
    """The part 'train', or the first so many recordings of it."""
    training = list(itertools.islice(store.recordings(["train"]), limit))
    if not training:
        raise CorpusError(f"{store.folder}: has no part 'train' to learn from")
    return training


def development_of(store: FeatureStore) -> list[Recording]:
    """The part 'dev', if there is one."""
    return list(store.recordings(["dev"]))


def parts_of(store: FeatureStore, share: float, seed: int, limit: int | None = None) -> Parts:
    """Training and development recordings: the store's own 'dev' part, or other speakers."""
    training, development = training_of(store, limit), development_of(store)
    return Parts(training, development) if development else split_by_speaker(training, share, seed)
