"""What is learned from, and what tells which epoch is the best: recordings, chosen and checked."""

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from segtopic.config import SwanConfig
from segtopic.corpus.records import BadLines
from segtopic.errors import CorpusError
from segtopic.speech.recordings import Recording
from segtopic.speech.store import FeatureStore
from segtopic.swan.heard import check_alike
from segtopic.swan.spoken import Utterance, utterances, with_outputs
from segtopic.swan.symbols import SymbolTable


class Parts(NamedTuple):
    """Recordings to learn from, and others to tell which epoch is the best."""

    training: list[Recording]
    development: list[Recording]


class Lesson(NamedTuple):
    """What is learned, and what tells which epoch is the best; a model can say some of each."""

    learned: list[Utterance]
    held_out: list[Utterance]
    symbols: SymbolTable


def parts_of(store: FeatureStore, config: SwanConfig, bad_lines: BadLines) -> Parts:
    """The parts that the settings name; where there is no 'dev', other speakers are drawn."""

    def usable(some: Iterable[Recording], what: str) -> list[Recording]:
        found = [each for each, _ in with_outputs(some, config.output_symbols, bad_lines)]
        if not found:
            raise CorpusError(f"nobody wrote down what is said in any {what} recording")
        return found

    training = usable(_training(store, config.limit), "training")
    held_out = _development(store)
    if config.dev is not None:
        other = FeatureStore(Path(config.dev))
        check_alike(other, store.width, store.banks, str(store.folder))
        held_out = _development(other) or list(other.recordings())
    if not held_out:
        return split_by_speaker(training, config.dev_share, config.split_seed)
    return Parts(training, usable(held_out, "development"))


def lesson_of(parts: Parts, store: FeatureStore, config: SwanConfig) -> Lesson:
    """As a model hears them; refused if it could say nothing of a part."""
    learned, held_out = (
        utterances(some, config.output_symbols, store.normaliser) for some in parts
    )
    for what, some in (("training", learned), ("development", held_out)):
        if not any(is_possible(each, config) for each in some):
            raise CorpusError(
                f"none of the {len(some)} {what} recordings is long enough for what is said in it; "
                "use smaller strides, or raise max_segment_length"
            )
    return Lesson(learned, held_out, SymbolTable.of(each.outputs for each in learned + held_out))


def is_possible(utterance: Utterance, config: SwanConfig) -> bool:
    """Whether the recording is long enough for what is said in it."""
    n_vectors = len(utterance.inputs) // config.stride
    return len(utterance.outputs) <= config.max_segment_length * n_vectors


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


def _training(store: FeatureStore, limit: int | None) -> list[Recording]:
    """The part 'train', or the first so many recordings of it."""
    training = list(itertools.islice(store.recordings(["train"]), limit))
    if not training:
        raise CorpusError(f"{store.folder}: has no part 'train' to learn from")
    return training


def _development(store: FeatureStore) -> list[Recording]:
    """The part 'dev', if there is one."""
    return list(store.recordings(["dev"]))
