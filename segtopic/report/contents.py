"""Everything the page shows: a run in, one :class:`Contents` out, and of it the HTML.

The page depends on nothing but the run and the arguments, so the same run makes the same page to
the last byte.
"""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from segtopic import __version__
from segtopic.config import (
    ModelConfig,
    SourceConfig,
    SplitConfig,
    TokenConfig,
    TrainingConfig,
    VocabularyConfig,
)
from segtopic.evaluate.predictive import Evaluation, evaluate_model
from segtopic.evaluate.stored_comparison import load_comparison, weights_digest
from segtopic.harmless import for_page
from segtopic.report import curves
from segtopic.report.changes import Changes
from segtopic.report.curves import Curves, training_curves
from segtopic.report.document import document
from segtopic.report.figures import settings_in_words
from segtopic.report.headline import KeyFigure, key_figures, summary
from segtopic.report.prediction import Prediction, prediction_table
from segtopic.report.remarkable import RemarkablePhrases, remarkable_phrases
from segtopic.report.shown import (
    ShownDocument,
    choose_documents,
    fitting,
    part_of_document,
    show_document,
    with_examples,
)
from segtopic.report.topic_list import ShownTopic, Topics, gather_topics, topics_of_words
from segtopic.runs import TrainedModel
from segtopic.runs.folder import CONFIG, METRICS
from segtopic.segment.segmented import SegmentedDocument
from segtopic.segment.segmenter import Segmenter

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


SCRIPTS = ("page.js", "theme.js", "curves.js", "map.js", "topics.js", "reader.js", "documents.js")
TYPICAL = 5  # documents told with a topic


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
        held_out: What the curves are about.
        over_time: Shares of topics over time, if that is wanted.
        by_group: Shares of topics by group.
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
    held_out: str = "development documents"
    over_time: Changes | None = None
    by_group: Changes | None = None


def gather(
    run: TrainedModel, n_documents: int, seed: int, progress: Progress, output: Path | None = None
) -> Contents:
    """Evaluate and read a run.

    Args:
        run: finished.
        n_documents: how many documents to show, at most.
        seed: which ones.
        progress: called with a stage and a number of documents.
        output: where the page goes, if not into the run.
    """
    order = choose_documents(run.corpus.split, max(n_documents, READ), seed).tolist()
    texts = run.texts(order)  # first, because they may be gone
    comparison = load_comparison(run)
    evaluation = _evaluate(run, progress)
    topics = gather_topics(run)
    read = _read(run, texts, progress)
    phrases = remarkable_phrases(read)
    shown = with_examples(order, n_documents, phrases.examples)
    folder, long_segments = run.saved_folder, run.config.max_segment_length > 1
    return Contents(
        corpus=_name(run.config.data),
        run=for_page(run.name),
        summary=summary(run),
        figures=key_figures(run, evaluation, comparison),
        prediction=prediction_table(evaluation, comparison),
        compared=comparison is not None,
        curves=training_curves(
            run.saved_folder / METRICS, int(run.results["best_epoch"]), long_segments
        ),
        topics=topics.shown,
        documents=fitting(_show(run, topics, n, read[n]) for n in shown),
        n_documents=len(run.corpus),
        phrases=phrases,
        settings=settings_in_words(run.saved_folder, _GROUPS),
        commands=_commands(folder, n_documents, seed, output),
        version=__version__,
        weights=weights_digest(run),
    )


def _name(data: str) -> str:
    return "standard input" if data == "-" else for_page(Path(data).name)


def _evaluate(run: TrainedModel, progress: Progress) -> Evaluation | None:
    test = run.corpus.test
    if not test.n_documents:
        return None
    return evaluate_model(run.model, test, run.config.refine_steps, n_samples=1, progress=progress)


def _read(
    run: TrainedModel, texts: dict[int, str], progress: Progress
) -> dict[int, SegmentedDocument]:
    segmenter = Segmenter.of(run)
    order = list(texts)
    is_training = np.isin(order, run.corpus.split.train)
    read: dict[int, SegmentedDocument] = {}
    seen = run.view.seen
    for trained_on in (True, False):
        numbers = [
            number for number, own in zip(order, is_training, strict=True) if own == trained_on
        ]
        for begin in range(0, len(numbers), READ_AT_ONCE):
            batch = numbers[begin : begin + READ_AT_ONCE]
            found = segmenter.segment([texts[number] for number in batch], trained_on)
            found = [replace(document, topics=seen(document.topics)) for document in found]
            read.update(zip(batch, found, strict=True))
            progress("segmenting", len(read))
    return {number: read[number] for number in order}


def _show(run: TrainedModel, topics: Topics, number: int, read: SegmentedDocument) -> ShownDocument:
    numbers = run.vocabulary.numbers
    first = np.array([numbers[phrase.words[0]] for phrase in read.phrases], dtype=np.int64)
    places = topics_of_words(first, read.topics[topics.order], topics.words)
    part = part_of_document(run.corpus.split, number)
    return show_document(run.corpus.ids[number], part, read, places.tolist(), topics.order)


def _commands(
    run_folder: Path, n_documents: int, seed: int, output: Path | None
) -> list[tuple[str, str]]:
    folder, config = (shlex.quote(str(path)) for path in (run_folder, run_folder / CONFIG))
    elsewhere = f" -o {shlex.quote(str(output))}" if output else ""
    report = f"segtopic report {folder}{elsewhere} --documents {n_documents} --seed {seed}"
    commands = [
        ("Train again", f"segtopic train --config {config} --out NEW_FOLDER"),
        ("Evaluate", f"segtopic evaluate {folder}"),
        ("Compare", f"segtopic compare {folder}"),
        ("Make this page", report),
    ]
    return [(what, for_page(command)) for what, command in commands]


def render(contents: Contents) -> str:
    """The page."""
    return document(
        "page.html",
        ("page.css",),
        SCRIPTS,
        _data(contents),
        c=contents,
        frame=curves,
        n_cut=sum(shown.characters > len(shown.text) for shown in contents.documents),
    )


def _data(contents: Contents) -> dict[str, Any]:
    shown = contents.documents
    return {
        "topics": [_topic(topic, place, shown) for place, topic in enumerate(contents.topics)],
        "documents": [vars(document) for document in shown],
        "curves": curves.for_the_script(contents.curves),
        "over_time": contents.over_time and asdict(contents.over_time),
        "by_group": contents.by_group and asdict(contents.by_group),
    }


def _topic(topic: ShownTopic, place: int, shown: Sequence[ShownDocument]) -> dict[str, Any]:
    shares = [(dict(document.topics).get(place, 0), n) for n, document in enumerate(shown)]
    typical = sorted((s for s in shares if s[0] > 0), key=lambda pair: (-pair[0], pair[1]))
    return {
        "number": topic.number,
        "label": topic.label,
        "share": round(topic.share, 5),
        "hue": topic.hue,
        "x": topic.place[0],
        "y": topic.place[1],
        "phrases": [[p.text, float(f"{p.probability:.3g}"), p.count] for p in topic.phrases],
        "documents": [[number, share] for share, number in typical[:TYPICAL]],
    }
