"""Sampled documents as JSON lines, in a file that can go on where it was interrupted."""

import dataclasses
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch

from segtopic.config import SampleConfig
from segtopic.engine import Engine, Here
from segtopic.files import content_digest, digest_of
from segtopic.runs import TrainedModel, load_run
from segtopic.runs.folder import WEIGHTS
from segtopic.sample.sampler import DocumentSampler
from segtopic.segment.output import ResumableFile

Progress = Callable[[str, int], None]


@dataclass(frozen=True)
class SampleWriter:
    """Numbers of documents in, their lines out.

    Attributes:
        sampler: Draws them.
        truth: Whether topics and segments are written, too.
    """

    sampler: DocumentSampler
    truth: bool

    def __call__(self, numbers: range) -> str:
        """The lines of the documents with these numbers."""
        drawn = (document.to_dict(self.truth) for document in self.sampler.draw(numbers))
        return "".join([json.dumps(each, ensure_ascii=False) + "\n" for each in drawn])


def write_samples(
    trained: TrainedModel,
    config: SampleConfig,
    write: Callable[[str], object],
    workers: Engine | None = None,
) -> None:
    """Hand the lines to ``write``, some at a time; workers, if there are any, draw them."""
    for _, lines in _batches(trained, config, config.first, workers):
        write(lines)


def save_samples(
    trained: TrainedModel,
    config: SampleConfig,
    output: ResumableFile,
    progress: Progress = lambda stage, documents: None,
    workers: Engine | None = None,
) -> None:
    """Write a file, from where an earlier attempt stopped."""
    for numbers, lines in _batches(trained, config, config.first + output.documents, workers):
        output.write(lines)
        output.keep(len(numbers))
        progress("sampling", output.documents)


def _batches(
    trained: TrainedModel, config: SampleConfig, first: int, workers: Engine | None
) -> Iterator[tuple[range, str]]:
    """The documents from a number on, with their lines."""
    sampler = DocumentSampler(trained, config.seed)
    batches = sampler.batches(config.first + config.documents - first, first)
    if workers is None:
        return Here().map(lambda: SampleWriter(sampler, config.truth), batches)
    return workers.map(partial(_start, trained.saved_folder, config), batches)


def _start(folder: Path, config: SampleConfig) -> SampleWriter:
    torch.set_num_threads(1)
    return SampleWriter(DocumentSampler(load_run(folder), config.seed), config.truth)


def samples_key(trained: TrainedModel, config: SampleConfig) -> str:
    """What two outputs share only if one can go on with the other."""
    settings = dataclasses.asdict(dataclasses.replace(config, out=None))
    return content_digest([settings, digest_of(trained.saved_folder / WEIGHTS)])
