"""The formats: files in, a stream of documents out, one registry for all of them."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from segtopic.config import SourceConfig
from segtopic.corpus.records import BadLines, Record
from segtopic.corpus.tables import read_csv, read_jsonl, read_parquet, read_tsv
from segtopic.corpus.textfiles import COMPRESSIONS, decoded_blocks, decoded_lines, open_bytes
from segtopic.errors import CorpusError

Reader = Callable[[Path | None, str, SourceConfig, BadLines], Iterator[Record]]

_SGML_NAME = re.compile(r"<DOCNO>\s*(.*?)\s*</DOCNO>")


def read_text(
    path: Path | None, name: str, config: SourceConfig, bad_lines: BadLines
) -> Iterator[Record]:
    """The whole file is one document."""
    with open_bytes(path) as stream:
        text = "".join(decoded_blocks(stream, name, config.encoding or "utf-8"))
    yield Record(name, text, f"{name}:")


def read_lines(
    path: Path | None, name: str, config: SourceConfig, bad_lines: BadLines
) -> Iterator[Record]:
    """Every line is a document; the numbers of the lines name them."""
    with open_bytes(path) as stream:
        lines = decoded_lines(stream, name, config.encoding or "utf-8")
        for number, line in enumerate(lines, 1):
            yield Record(str(number), line.rstrip("\r\n"), f"{name}: line {number}")


def read_sgml(
    path: Path | None, name: str, config: SourceConfig, bad_lines: BadLines
) -> Iterator[Record]:
    """``<DOC> <DOCNO> name </DOCNO> <TEXT> ... </TEXT> </DOC>``, as the TREC collections are."""
    with open_bytes(path) as stream:
        lines = decoded_lines(stream, name, config.encoding or "utf-8")
        opened_on, doc_name, text, in_text = 0, None, [""], False
        number = 0
        for number, line in enumerate(lines, 1):
            tag = line.strip()
            if tag == "<DOC>":
                if opened_on:
                    bad_lines.report(f"{name}: line {opened_on}", "opens a <DOC> without an end")
                opened_on, doc_name, text, in_text = number, None, [], False
            elif tag == "</DOC>" and opened_on:
                yield Record(doc_name, "".join(text), f"{name}: line {opened_on}")
                opened_on = 0
            elif tag == "<TEXT>":
                in_text = True
            elif tag == "</TEXT>":
                in_text = False
            elif in_text:
                text.append(line)
            elif found := _SGML_NAME.search(line):
                doc_name = found[1]
            elif tag and not opened_on:
                bad_lines.report(f"{name}: line {number}", "stands outside <DOC> ... </DOC>")
        if opened_on:
            bad_lines.report(f"{name}: line {opened_on}", "opens a <DOC> without an end")


READERS: dict[str, Reader] = {
    "text": read_text,
    "lines": read_lines,
    "csv": read_csv,
    "tsv": read_tsv,
    "jsonl": read_jsonl,
    "parquet": read_parquet,
    "sgml": read_sgml,
}
EXTENSIONS = {
    ".txt": "text",
    ".lines": "lines",
    ".cor": "lines",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".sgml": "sgml",
    ".sgm": "sgml",
}


def format_of(path: Path) -> str | None:
    """The format that a file's extension names, compressed or not."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
    return EXTENSIONS.get(suffixes[-1]) if suffixes else None


def required_format(path: Path, config: SourceConfig) -> str:
    """The format asked for, or that of the extension."""
    found = config.input_format or format_of(path)
    if found is None:
        raise CorpusError(
            f"{path}: cannot tell the format from the extension '{path.suffix}'; "
            f"pass --input-format ({', '.join(READERS)})"
        )
    return found
