"""``segtopic find RUN``: documents like this one, of a topic, topics of a text, phrases, words."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from jsonargparse import Namespace

from segtopic.commands.arguments import CommandParser, command_parser, parse
from segtopic.commands.describing import describe_first
from segtopic.commands.display import print_json, print_table, remark, shortened
from segtopic.commands.opening import opening
from segtopic.errors import ConfigError, RunError

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.explore.find import FoundDocument
    from segtopic.runs import TrainedModel

QUESTIONS = ("like", "text", "topic", "phrase", "after")
SHOWN_CHARACTERS = 72
SHOWN_TOPICS = 5  # of a text


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "find",
        "Find documents of a run, topics of a text, or phrases. Ask one question.",
    )
    add = made.add_argument
    add("run", type=str, help="folder of the run")
    add("--like", type=str, help="id of a document: others with the same topics and words")
    add("--text", type=str, help="a text, or '-' for standard input: its topics, documents like it")
    add("--topic", type=str, help="number or name of a topic: the documents with most of it")
    add("--phrase", type=str, help="letters: phrases that hold them, and where they belong")
    add("--after", type=str, help="the first words of a phrase: what follows them, topic by topic")
    add("-n", "--number", type=int, default=10, help="so many")
    add("--data", type=str, help="where the texts are now, if they were moved")
    return made


def run(arguments: Sequence[str]) -> int:
    """Answer the question."""
    chosen = parse(parser(), arguments)
    asked = [question for question in QUESTIONS if chosen[question] is not None]
    if len(asked) != 1:
        raise ConfigError("ask one question: --like, --text, --topic, --phrase or --after")
    if chosen.number < 1:
        raise ConfigError(f"--number is {chosen.number}, but must be at least 1")

    with opening(chosen.run):
        from segtopic.explore.find import Finder
        from segtopic.runs import load_run

        trained = load_run(chosen.run).reading_from(chosen.data)
    describe_first(trained)
    finder = Finder(trained)
    if chosen.phrase is not None:
        phrases = finder.phrases(chosen.phrase, chosen.number)
        if chosen.json:
            _print_json(chosen, phrases=[asdict(phrase) for phrase in phrases])
            return 0
        rows = [
            (
                each.text,
                f"{each.count:,}",
                f"{each.documents:,}",
                f"{each.topic}: {each.topic_name}",
            )
            for each in phrases
        ]
        title = f"{chosen.run}: phrases with '{chosen.phrase}'" + ("" if rows else ": none")
        print_table(title, ("phrase", "count", "documents", "topic"), rows)
    elif chosen.after is not None:
        following = finder.after(chosen.after, chosen.number)
        if chosen.json:
            _print_json(chosen, topics=[asdict(each) for each in following])
            return 0
        rows = [
            (
                f"{each.topic}: {each.topic_name}",
                f"{each.begins:.2%}",
                f"{each.goes_on:.0%}",
                ", ".join(
                    f"{word} {share:.0%}"
                    for word, share in zip(each.words, each.shares, strict=True)
                ),
            )
            for each in following
        ]
        title = f"{chosen.run}: what follows '{chosen.after}'"
        print_table(title, ("topic", "begins a phrase", "goes on", "followed by"), rows)
    elif chosen.text is not None:
        text = sys.stdin.read() if chosen.text == "-" else chosen.text
        topics, documents = finder.topics(text), finder.like_text(text, chosen.number)
        if chosen.json:
            told = [asdict(topic) for topic in topics]
            _print_json(chosen, topics=told, documents=_told(trained, documents))
            return 0
        shares = [(str(t.topic), t.name, f"{t.share:.1%}") for t in topics[:SHOWN_TOPICS]]
        print_table("topics of the text", ("topic", "name", "share"), shares)
        _print_documents(trained, documents, "documents like it", "similarity")
    elif chosen.like is not None:
        documents = finder.like(chosen.like, chosen.number)
        _answer(trained, chosen, documents, f"documents like '{chosen.like}'", "similarity")
    else:
        documents = finder.of_topic(chosen.topic, chosen.number)
        _answer(trained, chosen, documents, f"documents of topic '{chosen.topic}'", "share")
    return 0


def _answer(
    trained: "TrainedModel",
    chosen: Namespace,
    documents: Sequence["FoundDocument"],
    title: str,
    score: str,
) -> None:
    if chosen.json:
        _print_json(chosen, documents=_told(trained, documents))
    else:
        _print_documents(trained, documents, f"{chosen.run}: {title}", score)


def _print_json(chosen: Namespace, **found: Any) -> None:
    question = next(name for name in QUESTIONS if chosen[name] is not None)
    print_json({"run": chosen.run, "question": question, **found})


def _told(trained: "TrainedModel", documents: Sequence["FoundDocument"]) -> list[dict[str, Any]]:
    """The documents with their first words."""
    try:
        numbers = (document.number for document in documents)
        begins = trained.first_words(numbers, SHOWN_CHARACTERS)
    except RunError as error:
        remark(f"documents are shown without their first words: {error}")
        begins = {}
    return [{**asdict(each), "begins": begins.get(each.number, "")} for each in documents]


def _print_documents(
    trained: "TrainedModel", documents: Sequence["FoundDocument"], title: str, score: str
) -> None:
    rows = [
        (
            shortened(each["id"]),
            f"{each['score']:.1%}" if score == "share" else f"{each['score']:.3f}",
            f"{each['topic']}: {each['topic_name']}",
            each["begins"],
        )
        for each in _told(trained, documents)
    ]
    print_table(title, ("document", score, "largest topic", "begins"), rows)
