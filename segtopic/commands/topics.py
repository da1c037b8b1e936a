"""``segtopic topics RUN``: what the topics of a run are about, in phrases and words."""

import dataclasses
import io
import json
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from jsonargparse import Namespace

from segtopic.commands.arguments import CommandParser, command_parser, parse
from segtopic.commands.columns import (
    add_column_flags,
    changes_csv,
    found_changes,
    print_changes,
)
from segtopic.commands.display import (
    counting,
    print_file,
    print_json,
    print_line,
    print_table,
    remark,
    shortened,
)
from segtopic.config import DEFAULT_DEFINITION, Definition, Rank
from segtopic.errors import ConfigError, RunError
from segtopic.files import write_atomically
from segtopic.harmless import excerpt

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.corpus.documents import Documents, IntArray
    from segtopic.evaluate.coherence import TopicQuality
    from segtopic.runs import TrainedModel
    from segtopic.topics import Term, Topic

SHOWN_TOPICS = 20
SHOWN_CHARACTERS = 64  # of a typical document
OWN = "segtopic"


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "topics",
        "Show each topic of a run by its phrases, with exact probabilities and their counts in the "
        "training text, its words and its most typical documents.",
    )
    add = made.add_argument
    add("run", type=str, help="folder of the run")
    add("--n-topics", type=int, help="so many of the largest; 20 in a table, else all")
    add("--n-phrases", type=int, default=8, help="phrases and words of each topic")
    add("--n-documents", type=int, default=3, help="typical documents of each topic")
    add("--min-words", type=int, default=1, help="only phrases of at least so many words")
    add(
        "--rank",
        type=Rank,
        default="relevance",
        help="by probability; by lift over the average document; or by relevance (both, and "
        "made readable: no part of a phrase beside the whole)",
    )
    add(
        "--definition",
        type=Definition,
        default=DEFAULT_DEFINITION,
        help="which document stands for a topic",
    )
    add("--coherence", action="store_true", help="NPMI and c_v, beside LDA with as many topics")
    add(
        "--compare-definitions",
        action="store_true",
        help="only tell how coherent the words are by each definition",
    )
    add("--format", type=Literal["table", "json", "csv"], default="table", help="of the output")
    add("--out", type=str, help="write to this file instead of the terminal")
    add("--pyldavis", type=str, help="also write a pyLDAvis page (.html) or its input (.json)")
    add("--data", type=str, help="where the texts are now, if they were moved")
    add_column_flags(made)
    return made


def run(arguments: Sequence[str]) -> int:
    """Describe the topics and print or write them."""
    chosen = parse(parser(), arguments)
    _check(chosen)

    from segtopic.runs import load_run

    trained = load_run(chosen.run).reading_from(chosen.data)
    show = _compare_definitions if chosen.compare_definitions else _show_topics
    if chosen.time_column or chosen.group_column:
        show = _show_changes
    if chosen.out is None:
        show(trained, chosen)
    else:
        with redirect_stdout(io.StringIO()) as output:
            show(trained, chosen)
        write_atomically(Path(chosen.out), output.getvalue())
    return 0


def _check(chosen: Namespace) -> None:
    for name, least in (("n_topics", 1), ("n_phrases", 1), ("n_documents", 0), ("min_words", 1)):
        if chosen[name] is not None and chosen[name] < least:
            flag = "--" + name.replace("_", "-")
            raise ConfigError(f"{flag} is {chosen[name]}, but must be at least {least}")
    if chosen.json:
        chosen.format = "json"
    if chosen.pyldavis and Path(chosen.pyldavis).suffix not in (".html", ".json"):
        raise ConfigError(f"--pyldavis is '{chosen.pyldavis}', but must end in .html or .json")
    if chosen.compare_definitions and (chosen.time_column or chosen.group_column):
        raise ConfigError("--compare-definitions knows no columns; leave one of them out")
    if chosen.compare_definitions and chosen.format == "csv":
        raise ConfigError("--compare-definitions makes no CSV; use --format table or json")


def _show_topics(trained: "TrainedModel", chosen: Namespace) -> None:
    from segtopic.evaluate.coherence import topic_diversity
    from segtopic.topics import describe_topics
    from segtopic.topics.export import ldavis_input, ldavis_page, topics_csv
    from segtopic.topics.quality import model_top_words

    model, vocabulary, train = trained.model, trained.vocabulary, trained.corpus.train
    longest = model.scorer.max_length
    if chosen.min_words > longest:
        raise ConfigError(
            f"--min-words is {chosen.min_words}, but the run's phrases have at most {longest}; "
            "train with a larger --max-segment-length"
        )
    if chosen.pyldavis:
        # First, because it may not be possible.
        values = ldavis_input(model, train, vocabulary, chosen.definition, trained.view)
        html = chosen.pyldavis.endswith(".html")
        page = ldavis_page(values) if html else json.dumps(values)
        write_atomically(Path(chosen.pyldavis), page)
    n_topics = chosen.n_topics or (SHOWN_TOPICS if chosen.format == "table" else None)
    topics = describe_topics(
        model,
        train,
        vocabulary,
        n_phrases=chosen.n_phrases,
        n_topics=n_topics,
        rank=chosen.rank,
        min_words=chosen.min_words,
        definition=chosen.definition,
        n_documents=chosen.n_documents,
        view=trained.view,
    )
    words = model_top_words(model, train, chosen.definition, chosen.rank, trained.view)
    qualities = _beside_lda(train, len(vocabulary), words, chosen.rank) if chosen.coherence else {}
    typical = _typical_documents(trained, topics)
    places = {number: place for place, number in enumerate(trained.view.numbers)}
    if chosen.format == "csv":
        print_file(topics_csv(topics))
    elif chosen.format == "json":
        own = qualities.get(OWN)
        print_json(
            {
                "run": chosen.run,
                "n_topics": len(trained.view.groups),
                "definition": chosen.definition,
                "rank": chosen.rank,
                "diversity": topic_diversity(words),
                "coherence": [_quality_dict(*item) for item in qualities.items()],
                "topics": [
                    _topic_dict(topic, places[topic.number], typical, own) for topic in topics
                ],
            }
        )
    else:
        _print_tables(topics, places, typical, qualities, chosen)
        print(f"diversity of the words of all {len(words)} topics: {topic_diversity(words):.2f}")


def _show_changes(trained: "TrainedModel", chosen: Namespace) -> None:
    found = found_changes(trained, chosen, chosen.n_phrases)
    if chosen.format == "csv":
        print_file(changes_csv(found))
    elif chosen.format == "json":
        print_json({"run": chosen.run, **{name: each.to_dict() for name, each in found.items()}})
    else:
        print_changes(chosen.run, found, chosen.n_topics or SHOWN_TOPICS)


def _beside_lda(
    train: "Documents", vocabulary_size: int, words: "IntArray", rank: Rank
) -> dict[str, "TopicQuality"]:
    from segtopic.evaluate.coherence import topic_qualities
    from segtopic.topics.quality import lda_top_words

    with counting("fits") as progress:
        lda = lda_top_words(train, vocabulary_size, len(words), rank, progress)
        progress("coherence", len(lda))
        return topic_qualities({OWN: words, **lda}, train)


def _compare_definitions(trained: "TrainedModel", chosen: Namespace) -> None:
    from segtopic.evaluate.coherence import topic_qualities
    from segtopic.topics.quality import definitions_top_words

    train = trained.corpus.train
    sets = definitions_top_words(trained.model, train, chosen.rank)
    with counting("definitions") as progress:
        progress("coherence", len(sets))
        qualities = topic_qualities(sets, train)
    if chosen.format == "json":
        found = [_quality_dict(*item) for item in qualities.items()]
        print_json({"run": chosen.run, "rank": chosen.rank, "definitions": found})
    else:
        title = f"{chosen.run}: ten words by {chosen.rank} of all {trained.model.n_topics} topics"
        _print_qualities(title, "definition", qualities)


def _quality_dict(name: str, quality: "TopicQuality") -> dict[str, Any]:
    return {
        "name": name,
        "npmi": quality.mean_npmi,
        "c_v": quality.mean_c_v,
        "diversity": quality.diversity,
    }


def _topic_dict(
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


def _typical_documents(
    trained: "TrainedModel", topics: Sequence["Topic"]
) -> dict[int, tuple[str, str]]:
    """Ids and first words of the typical documents, by their numbers among the training ones."""
    corpus = trained.corpus
    numbers = {each.number for topic in topics for each in topic.documents}
    places = {number: int(corpus.split.train[number]) for number in sorted(numbers)}
    try:
        texts = trained.texts(places.values())
    except RunError as error:
        remark(f"documents are shown without their first words: {error}")
        texts = dict.fromkeys(places.values(), "")
    return {
        number: (corpus.ids[place], excerpt(texts[place], SHOWN_CHARACTERS))
        for number, place in places.items()
    }


def _documents(topic: "Topic", typical: dict[int, tuple[str, str]]) -> list[tuple[float, str, str]]:
    """Share, id and first words of the typical documents."""
    return [(document.share, *typical[document.number]) for document in topic.documents]


def _print_tables(
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
        _print_qualities(title, "model", qualities)


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


def _print_qualities(title: str, first: str, qualities: dict[str, "TopicQuality"]) -> None:
    rows = [
        (name, f"{quality.mean_npmi:.4f}", f"{quality.mean_c_v:.4f}", f"{quality.diversity:.3f}")
        for name, quality in qualities.items()
    ]
    print_table(title, (first, "NPMI", "c_v", "diversity"), rows)
