"""``segtopic topics RUN``: what the topics of a run are about, in phrases and words."""

import io
import json
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from jsonargparse import Namespace

from segtopic.commands.arguments import CommandParser, command_parser, parse
from segtopic.commands.coherence import OWN, beside_lda, compare_definitions, quality_dict
from segtopic.commands.columns import (
    add_column_flags,
    changes_csv,
    found_changes,
    print_changes,
)
from segtopic.commands.display import print_file, print_json, tell_description
from segtopic.commands.opening import opening
from segtopic.commands.topic_tables import (
    print_common,
    print_topics,
    topic_dict,
    typical_documents,
)
from segtopic.config import DEFAULT_DEFINITION, Definition, Rank
from segtopic.errors import ConfigError
from segtopic.files import write_atomically

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.runs import TrainedModel

SHOWN_TOPICS = 20


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
        help="by relevance (what the topic's documents mention more than others, made readable: no "
        "part of a phrase beside the whole); by probability; by lift over the average document; or "
        "by divergence (both)",
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

    with opening(chosen.run):
        from segtopic.runs import load_run

        trained = load_run(chosen.run).reading_from(chosen.data, chosen.text_column)
    show = compare_definitions if chosen.compare_definitions else _show_topics
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
    from segtopic.topics.common_part import CommonPart
    from segtopic.topics.described import described_topics
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
    topics = described_topics(
        trained,
        chosen.n_phrases,
        n_topics,
        rank=chosen.rank,
        min_words=chosen.min_words,
        definition=chosen.definition,
        n_documents=chosen.n_documents,
        before=tell_description,
    )
    words = model_top_words(model, train, chosen.definition, chosen.rank, trained.view)
    qualities = beside_lda(train, len(vocabulary), words, chosen.rank) if chosen.coherence else {}
    typical = typical_documents(trained, topics)
    places = {number: place for place, number in enumerate(trained.view.numbers)}
    common = CommonPart.of(trained)
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
                "common": None if common is None else common.to_dict(),
                "coherence": [quality_dict(*item) for item in qualities.items()],
                "topics": [
                    topic_dict(topic, places[topic.number], typical, own) for topic in topics
                ],
            }
        )
    else:
        print_topics(topics, places, typical, qualities, chosen)
        print_common(common)
        print(f"diversity of the words of all {len(words)} topics: {topic_diversity(words):.2f}")


def _show_changes(trained: "TrainedModel", chosen: Namespace) -> None:
    found = found_changes(trained, chosen, chosen.n_phrases)
    if chosen.format == "csv":
        print_file(changes_csv(found))
    elif chosen.format == "json":
        print_json({"run": chosen.run, **{name: each.to_dict() for name, each in found.items()}})
    else:
        print_changes(chosen.run, found, chosen.n_topics or SHOWN_TOPICS)
