"""A document in a notebook: a model and a text in, its phrases marked in HTML out.

It stands in the page of somebody else, so it brings no style sheet and no script: every mark has
its own colour, light enough for the text of a light and of a dark notebook.
"""

import html
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from segtopic.config.use import ShownPhrases
from segtopic.errors import ConfigError
from segtopic.harmless import for_page
from segtopic.plots.drawing import srgb, topics_of, trained_of
from segtopic.report.topic_list import ShownTopic, topics_of_phrases
from segtopic.segment import Marker, SegmentedDocument, Segmenter
from segtopic.segment.alternatives import Alternative
from segtopic.segment.formats import SegmentedRecord, TextFormat

TOLD_TOPICS = 4
SMALLEST_SHARE = 0.02


@dataclass(frozen=True, eq=False)
class MarkedDocument:
    """A segmented document that shows itself: phrases in colour in a notebook, brackets elsewhere.

    Attributes:
        segmented: The document.
        topics: Of each of its phrases.
        shares: Topics with their shares of the document, the largest first.
    """

    segmented: SegmentedDocument
    topics: list[ShownTopic]
    shares: list[tuple[ShownTopic, float]]

    def __repr__(self) -> str:
        record = SegmentedRecord("", [Alternative(self.segmented, 0.0)])
        return TextFormat(headings=False).record(record).rstrip("\n")

    def _repr_html_(self) -> str:
        names = "".join(
            f'<span style="margin-right:1.2em"><span style="color:{_rgba(topic, 1)}">●</span> '
            f"{_escaped(topic.label)} {share:.0%}</span>"
            for topic, share in self.shares
        )
        parts = []
        places = zip(self.segmented.gaps, self.segmented.phrases, self.topics, strict=False)
        for gap, phrase, topic in places:
            parts.append(_escaped(gap))
            if len(phrase.words) == 1:
                parts.append(_escaped(phrase.text))
                continue
            told = _escaped(f"{phrase.probability:.0%} certain, topic {topic.label}")
            ground = _rgba(topic, 0.12 + 0.38 * phrase.probability)
            parts.append(
                f'<mark title="{told}" style="color:inherit;background:{ground};'
                f'border-radius:.35em;padding:.1em .25em">{_escaped(phrase.text)}</mark>'
            )
        parts.append(_escaped(self.segmented.gaps[-1]))
        return (
            f'<div style="max-width:46em"><p style="font-size:.9em;opacity:.85">{names}</p>'
            '<p dir="auto" style="line-height:1.9;white-space:pre-wrap;overflow-wrap:anywhere">'
            f"{''.join(parts)}</p></div>"
        )


def document(model: Any, text: str, phrases: ShownPhrases | None = None) -> MarkedDocument:
    """A text with its phrases marked in the colours of their topics.

    Args:
        model: a fitted estimator or a trained model.
        text: any.
        phrases: ``marked``, those that a reader would mark, or ``best``, the segments of the most
            probable segmentation; marked ones if not given, where the model has a phrase grammar.
    """
    if not isinstance(text, str):
        raise ConfigError(f"a text expected, but got {type(text).__name__}")
    if phrases not in (None, *get_args(ShownPhrases)):
        raise ConfigError(f"phrases is {phrases!r}; choose 'best' or 'marked'")
    trained = trained_of(model)
    found = topics_of(trained)
    marked = phrases == "marked" if phrases else trained.corpus.grammar is not None
    read = Marker.of(trained).mark if marked else Segmenter.of(trained).segment
    (segmented,) = read([text])
    shares = trained.view.seen(segmented.topics)[found.order]
    places = topics_of_phrases(segmented, trained.vocabulary, shares, found.words)
    largest = np.argsort(-shares, kind="stable")[:TOLD_TOPICS].tolist()
    told = [place for place in largest if shares[place] >= SMALLEST_SHARE] or largest[:1]
    return MarkedDocument(
        segmented,
        [found.shown[place] for place in places],
        [(found.shown[place], float(shares[place])) for place in told],
    )


def _rgba(topic: ShownTopic, opacity: float) -> str:
    return f"rgba({', '.join(map(str, srgb(0.68, 0.13, topic.hue)))}, {opacity:.2f})"


def _escaped(text: str) -> str:
    return html.escape(for_page(text))
