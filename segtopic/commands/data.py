"""``segtopic data``: the named corpora; ``segtopic data download NAME``: fetch one."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from segtopic.commands.arguments import CommandParser, command_parser, parse
from segtopic.commands.display import print_json, print_line, print_table
from segtopic.commands.terminal import is_lively
from segtopic.errors import ConfigError, DownloadError

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.corpus.named import NamedCorpus


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "data", "List the named corpora, or fetch one: 'segtopic data download NAME'."
    )
    made.add_argument("action", nargs="?", type=str, help="'download', or nothing for the list")
    made.add_argument("name", nargs="?", type=str, help="of the corpus to download")
    return made


def run(arguments: Sequence[str]) -> int:
    """List the corpora, or download one."""
    chosen = parse(parser(), arguments)

    from segtopic.corpus.named import NAMED_CORPORA, named_corpus

    if chosen.action is None:
        _list(chosen.json)
    elif chosen.action != "download":
        raise ConfigError(f"'data {chosen.action}' is unknown; use 'data' or 'data download NAME'")
    elif chosen.name is None:
        raise ConfigError(f"name the corpus to download: {', '.join(NAMED_CORPORA)}")
    else:
        _download(named_corpus(chosen.name), chosen.json)
    return 0


def _download(corpus: "NamedCorpus", as_json: bool) -> None:
    from segtopic.corpus.named import download, find

    on_terminal = is_lively(sys.stderr)
    file = corpus.downloadable
    if file is not None and not on_terminal and find(corpus) is None:
        print(f"downloading {file.url} ({file.megabytes} MB)", file=sys.stderr, flush=True)
    path = download(corpus, progress=on_terminal)
    if as_json:
        print_json({"name": corpus.name, "path": str(path)})
    else:
        print_line(f"{corpus.name} is here: {path}")


def _list(as_json: bool) -> None:
    from segtopic.corpus.named import NAMED_CORPORA, find

    entries = []
    for corpus in NAMED_CORPORA.values():
        digests = {file.filename: file.digest for file in corpus.files}
        here, problem = None, None
        try:
            found = find(corpus)
            here = str(found[0]) if found else None
        except DownloadError as error:
            problem = str(error)
        entries.append(
            {
                "name": corpus.name,
                "about": corpus.about,
                "licence": corpus.licence,
                "source": corpus.homepage,
                "digests": digests,
                "downloadable": corpus.downloadable is not None,
                "here": here,
                "problem": problem,
            }
        )
    if as_json:
        print_json({"corpora": entries})
        return
    for entry, corpus in zip(entries, NAMED_CORPORA.values(), strict=True):
        fetch = f"segtopic data download {corpus.name}"
        missing = f"no; run '{fetch}'" if corpus.downloadable else "no; see data/README.md"
        rows = [
            ("about", corpus.about),
            ("licence", corpus.licence),
            ("source", corpus.homepage),
            *(("digest", f"{file.filename} {file.digest}") for file in corpus.files),
            ("here", entry["problem"] or entry["here"] or missing),
        ]
        print_table(corpus.name, ("", ""), [(str(a), str(b)) for a, b in rows])
