"""Topics as ``segtopic topics`` shows them: tables for people, dictionaries for JSON."""

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jsonargparse import Namespace

from segtopic.commands.coherence import OWN, print_qualities
from segtopic.commands.display import print_line, print_table, remark, shortened
from segtopic.errors import RunError

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.evaluate.coherence import TopicQuality
    from segtopic.runs import TrainedModel
    from segtopic.topics import Term, Topic
    from segtopic.topics.common_part import CommonPart

SHOWN_CHARACTERS = 64  # of a typical document


def print_common(common: "CommonPart | None") -> None:
    """A line below the topics, if there are common words."""
    if common is not None:
        listed = ", ".join(common.words)
        print_line(f"common to all topics ({common.share:.0%} of the words): {listed}")


def topic_dict(
    topic: "Topic",
    place: int,
    typical: dict[int, tuple[str, str]],
    quality: "TopicQuality | None",
) -> dict[str, Any]:
    values = dataclasses.asdict(topic)
    values["documents"] = [
        {"id": id_, "share": share, "begins": begins}
        for share, id_, begins in _documents(topic, typical)
    ]
    if quality is not None:
        values["npmi"] = float(quality.npmi[place])
        values["c_v"] = float(quality.c_v[place])
    return values


def typical_documents(
    trained: "TrainedModel", topics: Sequence["Topic"]
) -> dict[int, tuple[str, str]]:
    """Ids and first words of the typical documents, by their numbers among the training ones."""
    corpus = trained.corpus
    numbers = {each.number for topic in topics for each in topic.documents}
    places = {number: int(corpus.split.train[number]) for number in sorted(numbers)}
    try:
        begins = trained.first_words(places.values(), SHOWN_CHARACTERS)
    except RunError as error:
        remark(f"documents are shown without their first words: {error}")
        begins = dict.fromkeys(places.values(), "")
    return {number: (corpus.ids[place], begins[place]) for number, place in places.items()}


def _documents(topic: "Topic", typical: dict[int, tuple[str, str]]) -> list[tuple[float, str, str]]:
    """Share, id and first words of the typical documents."""
    return [(document.share, *typical[document.number]) for document in topic.documents]


def print_topics(
    topics: Sequence["Topic"],
    places: dict[int, int],
    typical: dict[int, tuple[str, str]],
    qualities: dict[str, "TopicQuality"],
    chosen: Namespace,
) -> None:
    for topic in topics:
        title = f"topic {topic.number}: {topic.label} ({topic.share:.1%} of the corpus"
        if own := qualities.get(OWN):
            place = places[topic.number]
            title += f", NPMI {own.npmi[place]:.2f}, c_v {own.c_v[place]:.2f}"
        rows = [(*left, *right) for left, right in _side_by_side(topic)]
        header = ("phrase", "probability", "lift", "count", "word", "probability", "lift")
        print_table(title + ")", header, rows)
        for share, name, begins in _documents(topic, typical):
            print_line(f"  {share:4.0%}  {shortened(name)}  {begins}")
        print()
    if any(term.count == 0 for topic in topics for term in topic.phrases):
        print("* never stands in the training text")
    if qualities:
        title = f"{chosen.run}: ten words by {chosen.rank} of all topics, over the training texts"
        print_qualities(title, "model", qualities)


def _side_by_side(topic: "Topic") -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Phrases beside words, the shorter list filled up."""
    left, right = (
        [_cells(term, True) for term in topic.phrases],
        [_cells(term, False) for term in topic.words],
    )
    n_rows = max(len(left), len(right))
    left += [("",) * 4] * (n_rows - len(left))
    right += [("",) * 3] * (n_rows - len(right))
    return list(zip(left, right, strict=True))


def _cells(term: "Term", is_phrase: bool) -> tuple[str, ...]:
    figures = (f"{term.probability:.3%}", f"{term.lift:.1f}")
    if not is_phrase:
        return (term.text, *figures)
    never = "" if term.count else " *"
    return (term.text + never, *figures, f"{term.count:,}")
