"""Everything the page shows: a run in, one :class:`Contents` out.

The page depends on nothing but the run and the arguments, so the same run makes the same page to
the last byte.
"""

import shlex
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import yaml  # type: ignore[import-untyped]

from segtopic import __version__
from segtopic.config import (
    ModelConfig,
    SourceConfig,
    SplitConfig,
    TokenConfig,
    TrainingConfig,
    VocabularyConfig,
)
from segtopic.corpus import Corpus
from segtopic.corpus.split import Split
from segtopic.evaluate.predictive import Evaluation, evaluate_model
from segtopic.evaluate.stored_comparison import load_comparison, weights_digest
from segtopic.explore.report.curves import Curves, training_curves
from segtopic.explore.report.figures import NOTHING
from segtopic.explore.report.headline import KeyFigure, key_figures, summary
from segtopic.explore.report.prediction import Prediction, prediction_table
from segtopic.explore.report.remarkable import RemarkablePhrases, remarkable_phrases
from segtopic.explore.report.shown import (
    ShownDocument,
    choose_documents,
    fitting,
    part_of_document,
    show_document,
    with_examples,
)
from segtopic.explore.report.topic_words import topics_of_words
from segtopic.explore.report.topics import ShownTopic, Topics, gather_topics
from segtopic.explore.report.visible import visible
from segtopic.explore.segmented import SegmentedDocument
from segtopic.explore.segmenter import Segmenter
from segtopic.training import Run
from segtopic.training.folder import CONFIG, METRICS

READ = 1000  # documents in which phrases are counted, if so many are there
READ_AT_ONCE = 64
Progress = Callable[[str, int], None]
_GROUPS: tuple[tuple[str, type], ...] = (
    ("Source", SourceConfig),
    ("Words and spans", TokenConfig),
    ("Vocabulary", VocabularyConfig),
    ("Split", SplitConfig),
    ("Model", ModelConfig),
    ("Training", TrainingConfig),
)


@dataclass(frozen=True)
class Contents:
    """What the page shows, in its order.

    Attributes:
        corpus: Name of the corpus.
        run: Folder of the run.
        summary: What was trained on what.
        figures: The most important ones.
        prediction: Models and baselines; ``None`` without test documents.
        compared: Whether there are baselines in it.
        curves: Of the training; ``None`` if nothing was written down.
        topics: The largest first.
        documents: A sample.
        n_documents: How many there are in all.
        phrases: Remarkable ones.
        settings: Names and values by group.
        commands: What they do, and how they are typed.
        version: Of segtopic.
        weights: Digest of the model.
    """

    corpus: str
    run: str
    summary: str
    figures: list[KeyFigure]
    prediction: Prediction | None
    compared: bool
    curves: Curves | None
    topics: list[ShownTopic]
    documents: list[ShownDocument]
    n_documents: int
    phrases: RemarkablePhrases
    settings: list[tuple[str, list[tuple[str, str]]]]
    commands: list[tuple[str, str]]
    version: str
    weights: str


def gather(
    run: Run, n_documents: int, seed: int, progress: Progress, output: Path | None = None
) -> Contents:
    """Evaluate and read a run.

    Args:
        run: finished.
        n_documents: how many documents to show, at most.
        seed: which ones.
        progress: called with a stage and a number of documents.
        output: where the page goes, if not into the run.
    """
    corpus = run.corpus()
    split = run.split(corpus)
    comparison = load_comparison(run)
    evaluation = _evaluate(run, corpus, split, progress)
    topics = gather_topics(run, corpus.documents.select(split.train))
    order = choose_documents(split, max(n_documents, READ), seed).tolist()
    read = _read(run, corpus, split, order, progress)
    phrases = remarkable_phrases(read)
    shown = with_examples(order, n_documents, phrases.examples)
    long_segments = run.config.max_segment_length > 1
    return Contents(
        corpus=_name(run.config.data),
        run=visible(str(run.folder)),
        summary=summary(run, corpus, split),
        figures=key_figures(run, evaluation, comparison),
        prediction=prediction_table(evaluation, comparison),
        compared=comparison is not None,
        curves=training_curves(run.folder / METRICS, int(run.results["best_epoch"]), long_segments),
        topics=topics.shown,
        documents=fitting(_show(run, corpus, split, topics, n, read[n]) for n in shown),
        n_documents=len(corpus),
        phrases=phrases,
        settings=_settings(run),
        commands=_commands(run, n_documents, seed, output),
        version=__version__,
        weights=weights_digest(run),
    )


def _name(data: str) -> str:
    return "standard input" if data == "-" else visible(Path(data).name)


def _evaluate(run: Run, corpus: Corpus, split: Split, progress: Progress) -> Evaluation | None:
    test = corpus.documents.select(split.test)
    if not test.n_documents:
        return None
    return evaluate_model(run.model, test, run.config.refine_steps, n_samples=1, progress=progress)


def _read(
    run: Run, corpus: Corpus, split: Split, order: list[int], progress: Progress
) -> dict[int, SegmentedDocument]:
    segmenter = Segmenter.of(run)
    is_training = np.isin(order, split.train)
    read: dict[int, SegmentedDocument] = {}
    for trained_on in (True, False):
        numbers = [
            number for number, own in zip(order, is_training, strict=True) if own == trained_on
        ]
        for begin in range(0, len(numbers), READ_AT_ONCE):
            batch = numbers[begin : begin + READ_AT_ONCE]
            texts = [corpus.text(number) for number in batch]
            read.update(zip(batch, segmenter.segment(texts, trained_on), strict=True))
            progress("segmenting", len(read))
    return {number: read[number] for number in order}


def _show(
    run: Run, corpus: Corpus, split: Split, topics: Topics, number: int, read: SegmentedDocument
) -> ShownDocument:
    numbers = run.vocabulary.numbers
    first = np.array([numbers[phrase.words[0]] for phrase in read.phrases], dtype=np.int64)
    places = topics_of_words(first, read.topics[topics.order], topics.words)
    part = part_of_document(split, number)
    return show_document(corpus.ids[number], part, read, places.tolist(), topics.order)


def _settings(run: Run) -> list[tuple[str, list[tuple[str, str]]]]:
    values = yaml.safe_load((run.folder / CONFIG).read_text(encoding="utf-8"))
    groups = []
    for title, part in _GROUPS:
        names = [field.name for field in fields(part) if field.name in values]
        groups.append((title, [(name, _in_words(values[name])) for name in names]))
    trainer = values.get("trainer") or {}
    return [*groups, ("Trainer", [(name, _in_words(value)) for name, value in trainer.items()])]


def _in_words(value: Any) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    return visible(", ".join(map(str, value)) if isinstance(value, list) else str(value))


def _commands(run: Run, n_documents: int, seed: int, output: Path | None) -> list[tuple[str, str]]:
    folder, config = (shlex.quote(str(path)) for path in (run.folder, run.folder / CONFIG))
    elsewhere = f" -o {shlex.quote(str(output))}" if output else ""
    report = f"segtopic report {folder}{elsewhere} --documents {n_documents} --seed {seed}"
    commands = [
        ("Train again", f"segtopic train --config {config} --out NEW_FOLDER"),
        ("Evaluate", f"segtopic evaluate {folder}"),
        ("Compare", f"segtopic compare {folder}"),
        ("Make this page", report),
    ]
    return [(what, visible(command)) for what, command in commands]
