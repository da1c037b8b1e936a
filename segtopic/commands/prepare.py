"""``segtopic prepare SOURCE --out DIR``: text to a corpus, with a summary."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from segtopic.commands.arguments import (
    CommandParser,
    add_source,
    command_parser,
    given_settings,
    parse,
    settings_with_source,
)
from segtopic.commands.display import counting, print_json, print_table
from segtopic.commands.reading import findings
from segtopic.config import CorpusConfig
from segtopic.errors import ConfigError

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.corpus.corpus import Summary
    from segtopic.engine import Engine


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser("prepare", "Turn text into a corpus for training.", CorpusConfig)
    add_source(made)
    made.add_argument("--out", type=str, help="folder for the corpus; a cache if not given")
    made.add_argument("--jobs", type=int | None, help="processes; all cores if not given")
    made.add_argument(
        "--ray", type=str | None, help="tokenise on a Ray cluster: its address, or 'local'"
    )
    return made


def run(arguments: Sequence[str]) -> int:
    """Prepare a corpus and print what it holds."""
    chosen = parse(parser(), arguments)
    config = settings_with_source(chosen, CorpusConfig)
    if chosen.jobs is not None and chosen.jobs < 1:
        raise ConfigError(f"jobs is {chosen.jobs}, but must be at least 1")

    from segtopic.corpus.prepare import prepare_corpus

    with counting() as progress, _engine(chosen.ray, chosen.jobs) as engine:
        given = given_settings(parser(), arguments)
        prepared = prepare_corpus(config, chosen.out, chosen.jobs, progress, given, engine)
    corpus = prepared.load()
    split = corpus.split(config)
    sizes = {"train": len(split.train), "dev": len(split.dev), "test": len(split.test)}
    if chosen.json:
        print_json(
            {
                "source": config.data,
                "folder": str(prepared.folder),
                "prepared_now": prepared.fresh,
                **corpus.summary.to_dict(),
                "split": sizes,
            }
        )
        return 0
    done = "prepared" if prepared.fresh else "was prepared before, nothing has changed"
    title = f"{config.data}: {done}, in {prepared.folder}"
    print_table(
        title, ("", ""), [*_rows(corpus.summary, config.copies_together), ("split", _listed(sizes))]
    )
    return 0


@contextmanager
def _engine(address: str | None, n_workers: int | None) -> Iterator["Engine | None"]:
    """Tasks on the cluster, if one is named."""
    if address is None:
        yield None
        return
    from segtopic.engine.on_ray import RayTasks, connected

    with connected(address, n_workers) as n_found:
        yield RayTasks(n_found)


def _rows(summary: "Summary", copies_together: bool) -> list[tuple[str, str]]:
    unknown = ", ".join(f"{word} {count:,}" for word, count in summary.most_frequent_unknown)
    return [
        ("documents read", f"{summary.documents_read:,}"),
        ("documents in the corpus", f"{summary.documents:,}"),
        *findings(summary, copies_together),
        ("words read", f"{summary.words_read:,}"),
        ("  stop words", f"{summary.stop_words:,}"),
        ("  numbers, single letters", f"{summary.never_words:,}"),
        ("  outside the vocabulary", f"{summary.unknown_words:,} ({summary.unknown_share:.1%})"),
        ("  words in the corpus", f"{summary.words:,}"),
        ("vocabulary", f"{summary.vocabulary:,}"),
        ("spans", f"{summary.spans:,}"),
        (
            "  words in a span",
            f"{summary.mean_span:.2f} on average, {summary.longest_span} at most",
        ),
        ("most frequent words left out", unknown or "none"),
    ]


def _listed(sizes: dict[str, int]) -> str:
    return ", ".join(f"{name} {size:,}" for name, size in sizes.items())
