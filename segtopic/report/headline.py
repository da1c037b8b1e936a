"""The head of the page: what was trained on what, and the figures that matter most."""

import math
from dataclasses import dataclass

from segtopic.evaluate.bootstrap import bootstrap_interval
from segtopic.evaluate.predictive import Evaluation
from segtopic.evaluate.stored_comparison import StoredComparison, StoredRow
from segtopic.report.figures import bounds, duration, number, share
from segtopic.report.prediction import OWN
from segtopic.runs import TrainedModel


@dataclass(frozen=True)
class KeyFigure:
    """A figure, what it is, and what should be known with it."""

    name: str
    value: str
    note: str


def summary(run: TrainedModel) -> str:
    """What was learned from what, in a sentence."""
    longest = run.config.max_segment_length
    phrases = f"segments of up to {longest} words" if longest > 1 else "single words"
    corpus = run.corpus
    return (
        f"{_several(run.model.n_topics, 'topic')} and {phrases}, learned from "
        f"{_several(len(corpus.split.train), 'document')} with {corpus.train.n_words:,} words."
    )


def training_summary(run: TrainedModel) -> str:
    """How the training ended, in a sentence or two."""
    split, results = run.corpus.split, run.results
    tested = f" and tested on {len(split.test):,} others" if len(split.test) else ""
    return (
        f"Trained with a vocabulary of {len(run.vocabulary):,} words; stopped by "
        f"{len(split.dev):,} development documents{tested}. The best of "
        f"{_several(results['epochs'], 'epoch')} was number {results['best_epoch']}; training "
        f"took {duration(results['seconds'])}."
    )


def key_figures(
    run: TrainedModel, evaluation: Evaluation | None, comparison: StoredComparison | None
) -> list[KeyFigure]:
    """Four or five figures, with intervals where there are any."""
    return [
        _likelihood(run, evaluation),
        *_ahead(comparison),
        _active(run, evaluation),
        *_phrases(run, evaluation),
    ]


def _likelihood(run: TrainedModel, evaluation: Evaluation | None) -> KeyFigure:
    name = "log likelihood per word"
    if evaluation is None:
        value = run.development_likelihood
        shown = number(math.nan if value is None else value)
        return KeyFigure(name, shown, "of development documents; nothing is left to test")
    interval = bootstrap_interval(evaluation.best)
    words = int(evaluation.best.words.sum())
    return KeyFigure(
        name, number(interval.mean), f"{bounds(interval)}, {words:,} test words never seen"
    )


def _ahead(comparison: StoredComparison | None) -> list[KeyFigure]:
    """The lead over the best LDA, and over whatever is hardest to beat, if there is a lead."""
    others = [r for r in comparison.rows if not r.name.startswith(OWN)] if comparison else []
    ldas = [row for row in others if row.name.startswith("LDA (") and row.name.endswith(")")]
    found = []
    kinds = [("the best LDA", ldas), ("the best baseline", others)]
    if comparison and comparison.by == "train":
        kinds = [("a quickly tuned LDA", ldas)]
    for what, rows in kinds:
        best = max(rows, key=lambda row: row.test.mean, default=None)
        if best is not None and best.reference_ahead is not None:
            found.append(_lead(what, best))
    return found


def _lead(what: str, row: StoredRow) -> KeyFigure:
    assert row.reference_ahead is not None
    place, by = row.reference_ahead.lead
    of = " of" if place == "ahead" else ""
    note = f"{bounds(by)} nats per word, {row.name}"
    return KeyFigure(f"{place}{of} {what}", number(by.mean), note)


def _active(run: TrainedModel, evaluation: Evaluation | None) -> KeyFigure:
    active = evaluation.active_topics if evaluation else run.results.get("active_topics", 0)
    divergence = evaluation.kl if evaluation else run.results.get("kl", math.nan)
    return KeyFigure(
        "topics in use",
        f"{active:.0f} of {run.model.n_topics}",
        f"a document tells {number(divergence, 1)} nats about its topics",
    )


def _phrases(run: TrainedModel, evaluation: Evaluation | None) -> list[KeyFigure]:
    if run.config.max_segment_length == 1:
        return []
    figures = vars(evaluation) if evaluation else run.results
    several = figures.get("long_segments", math.nan)
    length = figures.get("segment_length", math.nan)
    return [
        KeyFigure("multi-word segments", share(several), f"a segment has {number(length, 2)} words")
    ]


def _several(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
