"""Sampled documents as JSON lines, in a file that can go on where it was interrupted."""

import dataclasses
import json
from collections.abc import Callable

from segtopic.config import SampleConfig
from segtopic.files import content_digest, digest_of
from segtopic.runs import TrainedModel
from segtopic.runs.folder import WEIGHTS
from segtopic.sample.sampler import DocumentSampler, SampledDocument
from segtopic.segment.output import ResumableFile

Progress = Callable[[str, int], None]


def write_samples(
    trained: TrainedModel, config: SampleConfig, write: Callable[[str], object]
) -> None:
    """Hand the lines to ``write``, some at a time."""
    sampler = DocumentSampler(trained, config.seed)
    for batch in sampler.batches(config.documents, config.first):
        write(_lines(batch, config.truth))


def save_samples(
    trained: TrainedModel,
    config: SampleConfig,
    output: ResumableFile,
    progress: Progress = lambda stage, documents: None,
) -> None:
    """Write a file, from where an earlier attempt stopped."""
    sampler = DocumentSampler(trained, config.seed)
    done = output.documents
    for batch in sampler.batches(config.documents - done, config.first + done):
        output.write(_lines(batch, config.truth))
        output.keep(len(batch))
        progress("sampling", output.documents)


def samples_key(trained: TrainedModel, config: SampleConfig) -> str:
    """What two outputs share only if one can go on with the other."""
    settings = dataclasses.asdict(dataclasses.replace(config, out=None))
    return content_digest([settings, digest_of(trained.saved_folder / WEIGHTS)])


def _lines(documents: list[SampledDocument], truth: bool) -> str:
    return "".join(
        json.dumps(document.to_dict(truth), ensure_ascii=False) + "\n" for document in documents
    )
