"""Everything the page shows: a run in, one :class:`Contents` out.

The page depends on nothing but the run and the arguments, so the same run makes the same page to
the last byte.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

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
from segtopic.explore.changes import Changes
from segtopic.harmless import for_page
from segtopic.report.curves import Curves, training_curves
from segtopic.report.figures import settings_in_words
from segtopic.report.headline import KeyFigure, key_figures, summary, training_summary
from segtopic.report.prediction import Prediction, prediction_table
from segtopic.report.reading import Progress, Reading, choose, read
from segtopic.report.remarkable import RemarkablePhrases, remarkable_phrases
from segtopic.report.shown import (
    Coloured,
    ShownDocument,
    fitting,
    part_of_document,
    show_document,
    with_examples,
)
from segtopic.report.small_multiples import SmallMultiples, small_multiples
from segtopic.report.topic_list import ShownTopic, Topics, gather_topics, topics_of_phrases
from segtopic.report.typical import Context, best_first, context
from segtopic.runs import TrainedModel
from segtopic.runs.folder import CONFIG, METRICS
from segtopic.segment.segmented import SegmentedDocument
from segtopic.topics.common_part import CommonPart

READ = 1000  # documents in which phrases are counted, if so many are there
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
        summary: What was learned from what.
        topics: The largest first.
        common: What is in none of them; ``None`` if there is no such thing.
        typical: For each of them, places and shares of its most typical documents.
        contexts: For each of them, one of its phrases in such a document.
        over_time: How they change; ``None`` if there is no time.
        by_group: How they differ; ``None`` if there are no groups.
        documents: A sample, then typical ones that are not in it.
        marked: Whether their marked phrases are shown first, rather than their segments.
        n_documents: How many there are in all.
        phrases: Remarkable ones.
        training: What else is to know of the training.
        figures: The most important ones.
        prediction: Models and baselines; ``None`` without test documents.
        compared: Whether ``segtopic compare`` has put its baselines there.
        curves: Of the training; ``None`` if nothing was written down.
        settings: Names and values by group.
        commands: What they do, and how they are typed.
        version: Of segtopic.
        weights: Digest of the model.
        held_out: What the curves are about.
    """

    corpus: str
    run: str
    summary: str
    topics: list[ShownTopic]
    common: CommonPart | None
    typical: list[list[tuple[int, float]]]
    contexts: list[Context | None]
    over_time: SmallMultiples | None
    by_group: SmallMultiples | None
    documents: list[ShownDocument]
    marked: bool
    n_documents: int
    phrases: RemarkablePhrases
    training: str
    figures: list[KeyFigure]
    prediction: Prediction | None
    compared: bool
    curves: Curves | None
    settings: list[tuple[str, list[tuple[str, str]]]]
    commands: list[tuple[str, str]]
    version: str
    weights: str
    held_out: str = "development documents"


def gather(
    run: TrainedModel,
    n_documents: int,
    seed: int,
    progress: Progress,
    output: Path | None = None,
    over_time: Changes | None = None,
    by_group: Changes | None = None,
) -> Contents:
    """Evaluate and read a run.

    Args:
        run: finished.
        n_documents: how many documents to show besides typical ones, at most; 0 for none at all.
        seed: which ones.
        progress: called with a stage and a number of documents.
        output: where the page goes, if not into the run.
        over_time: shares of the topics over time, if there are any.
        by_group: shares of the topics by group, if there are any.
    """
    # First, because the texts may be gone.
    chosen = choose(run, max(n_documents, READ), seed, typical=n_documents > 0)
    comparison = load_comparison(run)
    evaluation = _evaluate(run, progress)
    topics = gather_topics(run)
    reading = read(run, chosen, progress)
    found, typical = reading.documents, [reading.typical[topic] for topic in topics.order]
    marked = run.corpus.grammar is not None
    preferred = reading.marked if marked else found
    phrases = remarkable_phrases({number: preferred[number] for number in reading.drawn})
    sample = with_examples(reading.drawn, n_documents, phrases.examples)
    documents = _fitting(best_first(typical), sample, partial(_show, run, topics, reading))
    places = {number: place for place, number in enumerate(documents)}
    folder, long_segments = run.saved_folder, run.config.max_segment_length > 1
    return Contents(
        corpus=_name(run.config.data),
        run=for_page(run.name),
        summary=summary(run),
        topics=topics.shown,
        common=_common(run),
        typical=[
            _with_shares(topic, [number for number in numbers if number in places], found, places)
            for topic, numbers in zip(topics.order.tolist(), typical, strict=True)
        ],
        contexts=[
            context([found[number] for number in numbers], (p.text for p in topic.phrases))
            for topic, numbers in zip(topics.shown, typical, strict=True)
        ],
        over_time=small_multiples(over_time, topics.shown),
        by_group=small_multiples(by_group, topics.shown),
        documents=list(documents.values()),
        marked=marked,
        n_documents=len(run.corpus),
        phrases=phrases,
        training=training_summary(run),
        figures=key_figures(run, evaluation, comparison),
        prediction=prediction_table(evaluation, comparison),
        compared=comparison is not None and comparison.by == "compare",
        curves=training_curves(folder / METRICS, int(run.results["best_epoch"]), long_segments),
        settings=settings_in_words(folder, _GROUPS),
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
    return evaluate_model(run.model, test, run.config.refinement(), n_samples=1, progress=progress)


def _fitting(
    typical: Sequence[int], sample: Sequence[int], show: Callable[[int], ShownDocument]
) -> dict[int, ShownDocument]:
    """Documents by their numbers: the page has room for typical ones first, and shows them last."""
    by_need = list(dict.fromkeys([*typical, *sample]))
    fits = dict(zip(by_need, fitting(map(show, by_need)), strict=False))
    return {number: fits[number] for number in (*sample, *typical) if number in fits}


def _common(run: TrainedModel) -> CommonPart | None:
    found = CommonPart.of(run)
    return found and replace(found, words=tuple(map(for_page, found.words)))


def _show(run: TrainedModel, topics: Topics, reading: Reading, number: int) -> ShownDocument:
    def coloured(found: SegmentedDocument) -> Coloured:
        shares = found.topics[topics.order]
        return Coloured(found, topics_of_phrases(found, run.vocabulary, shares, topics.words))

    return show_document(
        run.corpus.ids[number],
        part_of_document(run.corpus.split, number),
        coloured(reading.documents[number]),
        coloured(reading.marked[number]),
        reading.key_phrases[number],
        topics.order,
    )


def _with_shares(
    topic: int,
    numbers: Sequence[int],
    documents: Mapping[int, SegmentedDocument],
    places: Mapping[int, int],
) -> list[tuple[int, float]]:
    """Places of documents and what they have of a topic, most first."""
    shares = [
        (places[number], round(float(documents[number].topics[topic]), 3)) for number in numbers
    ]
    return sorted(shares, key=lambda pair: -pair[1])


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
