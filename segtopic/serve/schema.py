"""What is asked and answered, field by field: the source of the OpenAPI document."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from segtopic.config.use import ShownPhrases
from segtopic.corpus.records import storable

MOST_ALTERNATIVES = 50
MOST_DECISIONS = 5_000
# Before the length is checked, because pydantic cannot measure half of a surrogate pair.
Text = Annotated[
    str, BeforeValidator(lambda given: storable(given) if isinstance(given, str) else given)
]
Place = Annotated[int, Field(ge=0, le=1 << 40, strict=True)]


class Strict(BaseModel):
    """Unknown fields are mistakes, and are told."""

    model_config = ConfigDict(extra="forbid")


class TextToRead(Strict):
    """A text, and boundaries in it that are decided."""

    text: Text = Field(description="The text to be read.")
    phrases: ShownPhrases = Field(
        default="best",
        description="The best segmentation, or the phrases that a reader would mark.",
    )
    join: list[Place] = Field(
        default=[],
        max_length=MOST_DECISIONS,
        description="No segment ends at these characters, each the end of a word: one phrase "
        "holds it and the next.",
    )
    cut: list[Place] = Field(
        default=[],
        max_length=MOST_DECISIONS,
        description="A segment ends at these characters, each the end of a word: no phrase "
        "holds it and the next.",
    )


class TextToSegment(TextToRead):
    """The same, and which segmentations are wanted."""

    id: Text = Field(default="", max_length=1_000, description="Comes back in the answer.")
    k_best: int = Field(
        default=1,
        ge=1,
        le=MOST_ALTERNATIVES,
        strict=True,
        description="The so many most probable segmentations, if more than the best.",
    )


class Segment(Strict):
    """One segment of the text."""

    text: str
    start: int = Field(description="Its first character.")
    end: int = Field(description="One after its last character.")
    words: int = Field(description="How many words it has.")
    probability: float = Field(
        description="That exactly these words are one segment, over all segmentations."
    )


class AlternativeSegments(Strict):
    """One of the best segmentations."""

    log_probability: float
    segments: list[Segment]


class SegmentedText(Strict):
    """What 'segtopic segment --format jsonl' writes of a document."""

    id: str
    text: str
    segments: list[Segment]
    log_probability: float | None = Field(
        description="Of this segmentation, given the topics; none of marked phrases."
    )
    topics: list[float] = Field(description="Share of each topic, by its number.")
    common: float | None = Field(
        default=None,
        description="Share of words that all documents have, if the model keeps them apart.",
    )
    alternatives: list[AlternativeSegments] | None = Field(
        default=None, description="With k_best above 1, the best first."
    )


class Word(Strict):
    """A word of the text: one that the model knows, or for marked phrases any."""

    start: int
    end: int
    boundary: float = Field(description="Probability that a segment ends after it.")


class Choice(Strict):
    """One segmentation of a span."""

    probability: float
    ends: list[int] = Field(description="Numbers of the words after which segments end.")


class Span(Strict):
    """Words between known boundaries, and the best ways to cut them."""

    first: int = Field(description="Number of its first word.")
    last: int
    alternatives: list[Choice] | None = Field(
        default=None, description="Of the best segmentation; marked phrases have candidates."
    )


class Candidate(Strict):
    """Words that might be marked."""

    first: int = Field(description="Number of its first word.")
    last: int
    probability: float = Field(description="That exactly these words are one phrase.")


class SimilarDocument(Strict):
    """A document of the run with similar topics."""

    id: str
    affinity: float = Field(description="1 if the topic shares are equal, 0 if none is common.")
    begins: str = Field(description="Its first words; empty if the texts are not at hand.")


class ReadText(Strict):
    """All that the page shows of a text."""

    segmented: SegmentedText
    segment_topics: list[int] = Field(
        description="For each segment, the topic of its first word; of a marked phrase, of all."
    )
    words: list[Word]
    spans: list[Span]
    candidates: list[Candidate] | None = Field(
        default=None, description="Phrases that might be marked, if marked ones are asked for."
    )
    similar: list[SimilarDocument]


class LiveTopic(Strict):
    """A topic of the run."""

    number: int
    label: str
    share: float | None = Field(description="Of the training documents, where these are at hand.")
    hue: int = Field(description="Of its colour, in degrees.")
    phrases: list[str]


class RunFacts(Strict):
    """What is served."""

    run: str
    version: str = Field(description="Of segtopic.")
    max_segment_length: int
    max_characters: int = Field(description="The longest text that is read.")
    grammar: bool = Field(
        description="Whether a phrase grammar marks phrases; the page then begins with them."
    )
    topics: list[LiveTopic]


class Problem(Strict):
    """Why there is no answer, in a sentence."""

    detail: str


PROBLEMS: dict[int | str, dict[str, Any]] = {
    413: {"model": Problem, "description": "The text or the request is too long."},
    422: {"model": Problem, "description": "A field is wrong, or decisions contradict each other."},
    503: {"model": Problem, "description": "Too many texts are waiting; ask again in a second."},
}
