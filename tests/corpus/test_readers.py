"""Every way in: formats, compression, columns, encodings, folders, archives, standard input."""

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from segtopic.config import SourceConfig
from segtopic.corpus.records import BadLines, DuplicateIds
from segtopic.corpus.sources import locate, read_documents

ROWS = [
    ("a", "First one", "body, with comma"),
    ("b", 'A "quoted" one', "two\nlines"),
    ("c", "", "é"),
]
JOINED = ["First one\n\nbody, with comma", 'A "quoted" one\n\ntwo\nlines', "\n\né"]


def read(data, **settings):
    source = locate(SourceConfig(data=str(data), **settings))
    records = read_documents(source, BadLines(source.config.on_bad_line), DuplicateIds())
    return [(record.id, record.text) for record in records]


def csv_text(delimiter=","):
    quoted = [[f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row] for row in ROWS]
    return "\n".join(delimiter.join(row) for row in [["key", "title", "body"], *quoted]) + "\n"


def jsonl_text():
    rows = [dict(zip(("key", "title", "body"), row, strict=True)) for row in ROWS]
    return "".join(json.dumps(row) + "\n\n" for row in rows)


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.ndjson", "t.parquet"])
def test_tables_with_several_text_columns(tmp_path, name):
    path = tmp_path / name
    if name.endswith(".parquet"):
        columns = list(zip(*ROWS, strict=True))
        pq.write_table(pa.table(dict(zip(("key", "title", "body"), columns, strict=True))), path)
    elif name.endswith("sv"):
        path.write_text(csv_text("\t" if name == "t.tsv" else ","), encoding="utf-8")
    else:
        path.write_text(jsonl_text(), encoding="utf-8")
    expected = list(zip("abc", JOINED, strict=True))
    assert read(path, text_column="title,body", id_column="key") == expected
    assert read(path, text_column=["title", "body"], id_column="key", limit=2) == expected[:2]
    assert [text for _, text in read(path, text_column="body")] == [row[2] for row in ROWS]
    assert [name for name, _ in read(path, text_column="body")] == ["1", "2", "3"]


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_other_delimiters_are_found(tmp_path, delimiter):
    path = tmp_path / "t.csv"
    path.write_text(f"id{delimiter}text\nx{delimiter}one, two\n")
    assert read(path) == [("x", "one, two")]


def test_columns_called_text_and_id_are_found(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"text": "x", "id": 7}\n{"id": 8, "text": null}\n{"id": 9, "text": 1.5}')
    assert read(path) == [("7", "x"), ("8", ""), ("9", "1.5")]
    single = tmp_path / "single.csv"
    single.write_text("story\none\ntwo\n")
    assert read(single) == [("1", "one"), ("2", "two")]


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress), ("", bytes)],
)
def test_compression_and_lines(tmp_path, suffix, compress):
    path = tmp_path / f"t.lines{suffix}"
    path.write_bytes(compress("\ufefffirst é\r\n\nthird".encode()))
    assert read(path) == [("1", "first é"), ("2", ""), ("3", "third")]


def test_long_lines_over_many_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("segtopic.corpus.textfiles.BLOCK", 7)
    path = tmp_path / "t.lines"
    lines = ["é" * 50, "", "short", "x" * 30]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert [text for _, text in read(path)] == lines


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "cp1252", "utf-8"])
def test_encodings(tmp_path, encoding):
    path = tmp_path / "t.lines"
    path.write_text("café\nnaïve", encoding=encoding)
    assert read(path, encoding=encoding) == [("1", "café"), ("2", "naïve")]


def test_a_text_file_is_one_document(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("one\ntwo\n")
    assert read(path) == [(str(path), "one\ntwo\n")]
    assert len(read(path, input_format="lines")) == 2


def make_folder(root):
    (root / "b" / "deep").mkdir(parents=True)
    (root / "b.txt").write_text("second")
    (root / "b" / "deep" / "z.txt").write_text("first")
    (root / "c.txt.gz").write_bytes(gzip.compress(b"third"))
    (root / "notes.dat").write_text("ignored")
    (root / ".hidden.txt").write_text("ignored")


FOLDER = [("b/deep/z.txt", "first"), ("b.txt", "second"), ("c.txt.gz", "third")]


def test_a_folder_is_read_in_a_stable_order(tmp_path):
    make_folder(tmp_path)
    assert read(tmp_path) == FOLDER


def test_folders_of_other_formats(tmp_path):
    (tmp_path / "1").write_text("one")
    (tmp_path / "2").write_text("two")
    assert read(tmp_path, input_format="text") == [("1", "one"), ("2", "two")]
    assert read(tmp_path, input_format="lines") == [("1:1", "one"), ("2:1", "two")]
    (tmp_path / "x.jsonl").write_text('{"text": "three"}')
    assert read(tmp_path) == [("1", "three")]


def test_archives_are_read_as_folders(tmp_path):
    make_folder(tmp_path / "files")
    with tarfile.open(tmp_path / "t.tgz", "w:gz") as tar:
        tar.add(tmp_path / "files", arcname=".")
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as zipped:
        for path in (tmp_path / "files").rglob("*.*"):
            zipped.write(path, path.relative_to(tmp_path / "files"))
    assert read(tmp_path / "t.tgz") == FOLDER
    assert read(tmp_path / "t.zip") == FOLDER


def test_sgml(tmp_path):
    path = tmp_path / "t.sgml"
    path.write_text(
        "<DOC>\n<DOCNO> A-1 </DOCNO>\n<TEXT>\n one\n two\n </TEXT>\n</DOC>\n"
        "<DOC>\n<TEXT>\nthree\n</TEXT>\n</DOC>\n"
    )
    assert read(path) == [("A-1", " one\n two\n"), ("2", "three\n")]


def test_standard_input(monkeypatch):
    class Input:
        buffer = io.BytesIO(b"one\ntwo\n")

    monkeypatch.setattr("sys.stdin", Input)
    assert read("-") == [("1", "one"), ("2", "two")]
    Input.buffer = io.BytesIO(b'{"text": "x"}\n')
    assert read("-", input_format="jsonl") == [("1", "x")]


def test_half_a_surrogate_pair_from_json_becomes_one_replacement_character(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"text": "a \\ud800 b", "id": "\\udfff"}\n{"text": "\\ud83d\\ude00"}')
    path.write_text('{"text": "a \\ud800 b", "id": "\\udfff"}')
    assert read(path) == [("\ufffd", "a \ufffd b")]
    path.write_text('{"text": "\\ud83d\\ude00"}')
    assert read(path) == [("1", "\U0001f600")]


def test_latex_is_read_on_request(tmp_path):
    path = tmp_path / "t.lines"
    path.write_text(r"Erd\H{o}s")
    assert read(path, latex=True) == [("1", "Erdős")]


def test_reading_streams(tmp_path):
    """The first documents arrive although a later line is bad."""
    path = tmp_path / "t.jsonl"
    path.write_text('{"text": "x"}\n' * 3 + "not JSON")
    assert len(read(path, limit=3)) == 3


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "text,more\nriver,NaN\nnull, None \nbank,nancy\n"),
        (
            "a.jsonl",
            '{"text": "river", "more": NaN}\n{"text": "null", "more": "None"}\n'
            '{"text": "bank", "more": "nancy"}\n',
        ),
    ],
)
def test_cells_that_say_that_they_are_missing_hold_nothing(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content)
    columns = {"text_column": "text,more"}
    records = list(
        read_documents(locate(SourceConfig(str(path), **columns)), BadLines(), DuplicateIds())
    )
    assert [record.text.strip() for record in records] == ["river", "", "bank\n\nnancy"]
    assert [record.missing_cells for record in records] == [1, 2, 0]
    as_text = SourceConfig(str(path), missing_cells="text", **columns)
    first = next(read_documents(locate(as_text), BadLines(), DuplicateIds()))
    assert (first.text.lower(), first.missing_cells) == ("river\n\nnan", 0)
