"""``segtopic phrases RUN [SOURCES]``: key phrases of documents, or a dictionary of all phrases."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from segtopic.commands.arguments import CommandParser, command_parser, parse, settings
from segtopic.commands.display import (
    counting,
    print_json,
    print_table,
    remark_skipped,
    remark_without_grammar,
)
from segtopic.commands.opening import opening
from segtopic.config import PhrasesConfig

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.corpus.records import Record
    from segtopic.runs import TrainedModel
    from segtopic.segment.dictionary import DictionaryEntry
    from segtopic.segment.key_phrases import KeyPhrase
    from segtopic.segment.marking import Marker
    from segtopic.segment.segmenter import ScoredTexts, Segmenter

SHOWN_ENTRIES = 50


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "phrases",
        "Show the key phrases of documents, or a dictionary of all their phrases. Sources are "
        "files, folders, named corpora or '-'.",
        PhrasesConfig,
    )
    made.add_argument("run", type=str, help="folder of the run")
    made.add_argument(
        "sources",
        nargs="*",
        type=str,
        default=[],
        help="the training documents of the run if not given",
    )
    made.add_argument("--data", type=str, help="where the texts of the run are now, if moved")
    return made


def run(arguments: Sequence[str]) -> int:
    """Find the phrases and print them."""
    chosen = parse(parser(), arguments)
    config = settings(chosen, PhrasesConfig)

    with opening(chosen.run):
        from segtopic.corpus.records import BadLines
        from segtopic.corpus.sources import locate, with_columns_of
        from segtopic.runs import load_run
        from segtopic.segment.job import records_of
        from segtopic.segment.marking import Marker
        from segtopic.segment.segmenter import Segmenter

        sources = [locate(config.source(data)) for data in chosen.sources]
        trained = load_run(chosen.run).reading_from(chosen.data)
    sources = [with_columns_of(source, trained.config) for source in sources]
    remark_without_grammar(trained)
    bad_lines = BadLines(config.on_bad_line)
    records = records_of(sources, bad_lines) if sources else _own_records(trained, config)
    segmenter = Segmenter.of(trained, trained.config.refinement(config.refine))
    marker = Marker.of(trained, segmenter, stop_words=config.mark_stop_words)
    with counting() as progress:
        scored = _scored(segmenter, records, not sources, progress)
        if config.dictionary:
            entries = _entries(marker, scored, config.min_count)
        else:
            documents = _key_phrases(trained, marker, scored, config.top)
    if config.dictionary:
        _show_dictionary(entries, config.min_count, chosen.json)
    else:
        _show_key_phrases(documents, chosen.json)
    remark_skipped(bad_lines.count, bad_lines.examples)
    return 0


def _own_records(trained: "TrainedModel", config: PhrasesConfig) -> "Iterator[Record]":
    """The training documents of the run, with their texts."""
    from segtopic.corpus.records import Record

    numbers = trained.corpus.split.train[: config.limit].tolist()
    ids, texts = trained.corpus.ids, trained.texts(numbers)
    for number in numbers:
        yield Record(ids[number], texts[number], "")


def _scored(
    segmenter: "Segmenter",
    records: "Iterator[Record]",
    trained_on: bool,
    progress: Callable[[str, int], None],
) -> "Iterator[tuple[list[str], ScoredTexts]]":
    """Ids and scored texts, batch by batch."""
    done = 0
    for batch in segmenter.batches(records, lambda record: len(record.text)):
        scored = segmenter.score([record.text for record in batch], trained_on)
        yield [record.id or "" for record in batch], scored
        done += len(batch)
        progress("finding phrases", done)


def _key_phrases(
    trained: "TrainedModel",
    marker: "Marker",
    batches: "Iterator[tuple[list[str], ScoredTexts]]",
    top: int,
) -> "list[tuple[str, list[KeyPhrase]]]":
    from segtopic.segment.key_phrases import KeyPhraseFinder

    finder = KeyPhraseFinder.of(trained, marker)
    return [
        document
        for ids, scored in batches
        for document in zip(ids, finder.read_off(scored, top), strict=True)
    ]


def _entries(
    marker: "Marker", batches: "Iterator[tuple[list[str], ScoredTexts]]", min_count: int
) -> "list[DictionaryEntry]":
    from segtopic.segment.dictionary import phrase_dictionary

    documents = (
        document
        for ids, scored in batches
        for document in zip(ids, marker.read_off(scored), strict=True)
    )
    return phrase_dictionary(documents, min_count)


def _show_key_phrases(documents: "list[tuple[str, list[KeyPhrase]]]", as_json: bool) -> None:
    if as_json:
        listed = [{"id": id_, "phrases": [one.to_dict() for one in own]} for id_, own in documents]
        print_json({"documents": listed})
        return
    header = ("phrase", "times", "probability", "score")
    for id_, own in documents:
        rows = [
            (
                phrase.text,
                f"{len(phrase.occurrences):,}",
                f"{max(one.probability for one in phrase.occurrences):.2f}",
                f"{phrase.score:.2f}",
            )
            for phrase in own
        ]
        print_table(id_ or "(no id)", header, rows)


def _show_dictionary(entries: "list[DictionaryEntry]", min_count: int, as_json: bool) -> None:
    if as_json:
        print_json({"phrases": [entry.to_dict() for entry in entries]})
        return
    shown = f", the first {SHOWN_ENTRIES}" if len(entries) > SHOWN_ENTRIES else ""
    title = f"{len(entries):,} phrases that stand {min_count} times or more{shown}"
    header = ("phrase", "times", "documents", "probability", "topic", "example")
    rows = [
        (
            entry.text,
            f"{entry.count:,}",
            f"{entry.n_documents:,}",
            f"{entry.probability:.2f}",
            f"{entry.topic} ({entry.topic_share:.0%})",
            entry.examples[0].text,
        )
        for entry in entries[:SHOWN_ENTRIES]
    ]
    print_table(title, header, rows)
