"""The folder of a run: settings, vocabulary, corpus manifest and weights; nothing is unpickled.

config.yaml         every setting; 'segtopic train --config' repeats the run
corpus.json         the manifest of the corpus it was trained on
vocabulary.txt      its words
model.safetensors   the weights of the best epoch
metrics.csv         what was watched, a line an epoch
run.json            format version, results, and the digests of the files above
checkpoints/        Lightning's, to resume from; tensorboard/ for curves

A model that was trained on texts in memory has no source to read them from again. Its folder keeps

documents.safetensors   the training documents as numbers of words, in place of the last two
"""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
import yaml  # type: ignore[import-untyped]
from safetensors import SafetensorError
from safetensors.torch import load, save

from segtopic import __version__
from segtopic.config import CorpusConfig, RunConfig, build, part_of
from segtopic.corpus import Corpus, prepare_corpus
from segtopic.corpus import corpus as corpus_format
from segtopic.corpus.documents import Documents
from segtopic.corpus.encode import TextEncoder
from segtopic.corpus.spans import SpanRules
from segtopic.corpus.split import Split
from segtopic.corpus.summary import Summary
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.errors import ConfigError, RunError
from segtopic.model import check_settings
from segtopic.model.build import build_model
from segtopic.model.topics import TopicModel
from segtopic.training.documents import load_documents
from segtopic.training.files import write_atomically
from segtopic.training.seal import RUN, sealed, unsealed
from segtopic.typed import fits, shown

CONFIG, CORPUS, VOCABULARY, WEIGHTS = (
    "config.yaml",
    "corpus.json",
    "vocabulary.txt",
    "model.safetensors",
)
METRICS, DOCUMENTS = "metrics.csv", "documents.safetensors"
SEALED = (CONFIG, CORPUS, VOCABULARY, WEIGHTS, METRICS, DOCUMENTS)
"""Files that are checked whenever a run is opened; not all runs have the last two."""
UNREADABLE = (OSError, ValueError, KeyError, TypeError, RecursionError)
"""What comes of files with something else in them; a nest of brackets ends the recursion."""
IN_MEMORY = "(texts in memory)"
"""Stands for the source of a corpus that has none."""


@dataclass(frozen=True)
class Run:
    """A trained model with the settings and the corpus that made it."""

    folder: Path
    config: RunConfig
    model: TopicModel
    results: dict[str, Any]

    def corpus(self) -> Corpus:
        """The corpus of the run, prepared again if it is no longer in the cache."""
        if self.config.data == IN_MEMORY:
            raise RunError(
                f"{self.folder}: was trained on texts in memory, which are not kept; "
                "use SegTopic.load in Python, and give it texts"
            )
        corpus_folder = prepare_corpus(part_of(self.config, CorpusConfig)).folder
        now, then = corpus_format.read_manifest(corpus_folder), self.manifest()
        if now["summary"] != then["summary"]:
            raise RunError(
                f"{self.folder}: the corpus '{self.config.data}' has changed since the training; "
                "bring back the old files, or train again"
            )
        return Corpus.load(corpus_folder)

    def training_documents(self) -> Documents:
        """The documents that the model has learned from."""
        path = self.folder / DOCUMENTS
        if path.exists():
            return load_documents(path, self.model.scorer.vocabulary_size)
        corpus = self.corpus()
        return corpus.documents.select(self.split(corpus).train)

    def manifest(self) -> dict[str, Any]:
        """The manifest of the corpus, with the rules by which text is cut."""
        path = self.folder / CORPUS
        try:
            manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            SpanRules.from_dict(manifest["rules"])
            Summary.from_dict(manifest["summary"])
        except (*UNREADABLE, AttributeError, ConfigError) as error:
            raise RunError(f"{path}: is missing or damaged ({error}); restore it") from None
        return manifest

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words that the model knows."""
        vocabulary = Vocabulary.load(self.folder / VOCABULARY)
        if len(vocabulary) != self.model.scorer.vocabulary_size:
            raise RunError(
                f"{self.folder / VOCABULARY}: has {len(vocabulary)} words, but the model knows "
                f"{self.model.scorer.vocabulary_size}; bring back the file of this run"
            )
        return vocabulary

    def encoder(self) -> TextEncoder:
        """Encodes new text as the training text was, without need of the corpus."""
        return TextEncoder(self.vocabulary, SpanRules.from_dict(self.manifest()["rules"]))

    def split(self, corpus: Corpus) -> Split:
        """Which documents trained, stopped and test this run."""
        return corpus.split(self.config)


def save_config(folder: Path, config: RunConfig, trainer: Mapping[str, Any]) -> None:
    """``config.yaml``, in the form that ``--config`` reads."""
    values = {key: _plain(value) for key, value in dataclasses.asdict(config).items()}
    text = yaml.safe_dump({**values, "trainer": dict(trainer)}, sort_keys=False)
    write_atomically(folder / CONFIG, text)


def save_model(folder: Path, model: TopicModel) -> None:
    """``model.safetensors``."""
    weights = {
        name: tensor.detach().cpu().contiguous() for name, tensor in model.state_dict().items()
    }
    write_atomically(folder / WEIGHTS, save(weights))


def manifest_of(corpus: Corpus, config: RunConfig) -> dict[str, Any]:
    """The manifest of a corpus in memory, as ``segtopic prepare`` would write it."""
    return {
        "format": corpus_format.FORMAT,
        "format_version": corpus_format.FORMAT_VERSION,
        "segtopic": __version__,
        "source": IN_MEMORY,
        "key": None,
        "config": dataclasses.asdict(part_of(config, CorpusConfig)),
        "summary": corpus.summary.to_dict(),
        "rules": corpus.rules.to_dict(),
    }


def save_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """``corpus.json``."""
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    write_atomically(folder / CORPUS, text)


def save_results(folder: Path, results: Mapping[str, Any]) -> None:
    """``run.json``; it is written last, so a folder that has it is complete."""
    there = [name for name in SEALED if (folder / name).exists()]
    write_atomically(folder / RUN, sealed(results, folder, there))


def load_config(folder: Path) -> RunConfig:
    """The settings of a run."""
    try:
        values = yaml.safe_load((folder / CONFIG).read_text(encoding="utf-8"))
        values.pop("trainer", None)
        config = build(RunConfig, values)
        check_settings(config)
        return config
    except FileNotFoundError:
        raise RunError(
            f"{folder}: is not a run (no {CONFIG}); make one with 'segtopic train --out {folder}'"
        ) from None
    except (*UNREADABLE, AttributeError, yaml.YAMLError, ConfigError) as error:
        reason = " ".join(str(error).split())
        raise RunError(f"{folder / CONFIG}: is damaged ({reason}); restore it") from None


def load_run(folder: Path | str) -> Run:
    """Open a finished run."""
    folder = Path(folder)
    config = load_config(folder)
    results = unsealed(folder)
    try:
        weights = load((folder / WEIGHTS).read_bytes())
        check_sizes(config, weights)
        model = build_model(config, vocabulary_size(weights))
        model.load_state_dict(weights)
    except (OSError, SafetensorError, RuntimeError, KeyError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0]
        raise RunError(f"{folder / WEIGHTS}: is damaged or of other settings ({reason})") from None
    if config.data != IN_MEMORY:
        check_results(folder, results)
    return Run(folder, config, model.eval(), results)


def check_sizes(config: RunConfig, weights: Mapping[str, torch.Tensor]) -> None:
    """Refuse settings that do not fit the weights, before they take any memory."""
    with torch.device("meta"):
        model = build_model(config, vocabulary_size(weights))
    for name, parameter in model.named_parameters():
        if weights[name].shape != parameter.shape:
            found, wanted = tuple(weights[name].shape), tuple(parameter.shape)
            raise ValueError(f"{name} is {found}, but by {CONFIG} {wanted}")


def check_results(folder: Path, results: Mapping[str, Any]) -> None:
    """Refuse results that are no numbers."""
    for name in ("best_epoch", "epochs", "seconds"):
        if not fits(results.get(name), float):
            raise RunError(
                f"{folder / RUN}: is damaged ({name} is '{shown(results.get(name))}', "
                "but must be a number); train again"
            )


def vocabulary_size(weights: Mapping[str, torch.Tensor]) -> int:
    """The number of words that saved weights know."""
    return len(weights["encoder.words.weight"])


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
