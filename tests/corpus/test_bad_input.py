"""Bad input: one sentence with place and remedy, or a counted skip; nothing half-written."""

import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from segtopic.config import CorpusConfig
from segtopic.corpus import prepare_corpus
from segtopic.errors import SegtopicError
from tests.corpus.conftest import STORIES

GOOD = "".join(json.dumps({"id": f"s{i}", "text": text}) + "\n" for i, text in enumerate(STORIES))


def prepare(tmp_path, data, **settings):
    return prepare_corpus(CorpusConfig(data=str(data), **settings), tmp_path / "out", jobs=1)


def refused(tmp_path, data, *parts, **settings):
    """The preparation fails with a message that holds all parts, and leaves nothing behind."""
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(SegtopicError) as caught:
        prepare(tmp_path, data, **settings)
    message = str(caught.value)
    for part in parts:
        assert part in message
    assert "\n" not in message
    assert sorted(os.listdir(tmp_path)) == before
    return message


def write(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("name", ["e.jsonl", "e.csv", "e.lines", "e.txt", "e.sgml"])
def test_empty_file(tmp_path, name):
    refused(tmp_path, write(tmp_path, name, ""), name, "holds no documents with text")


def test_empty_parquet(tmp_path):
    path = tmp_path / "e.parquet"
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), path)
    refused(tmp_path, path, "holds no documents with text")


def test_empty_documents_are_counted(tmp_path):
    path = write(
        tmp_path, "t.jsonl", GOOD + '{"id": "e", "text": ""}\n{"id": "f", "text": " \\n"}\n'
    )
    summary = prepare(tmp_path, path).load().summary
    assert (summary.documents_read, summary.documents, summary.dropped_empty) == (12, 10, 2)


def test_documents_without_a_known_word_are_counted(tmp_path):
    path = write(tmp_path, "t.jsonl", GOOD + '{"id": "e", "text": "of the 12 ..."}\n')
    corpus = prepare(tmp_path, path).load()
    assert corpus.summary.dropped_no_known_word == 1
    assert len(corpus) == 10
    assert "e" not in corpus.ids


def test_nothing_but_stop_words(tmp_path):
    path = write(tmp_path, "t.lines", "of the\n" * 20)
    refused(tmp_path, path, "no word is left for the vocabulary", "stop_words")


def test_binary_file(tmp_path):
    png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256))
    refused(tmp_path, write(tmp_path, "t.txt", png), "t.txt: line 1, byte 1", "binary file")
    zipped = b"PK\x03\x04\x14\0\0\0"
    refused(tmp_path, write(tmp_path, "z.lines", zipped), "z.lines: line 1 holds a NUL byte")


def test_wrong_encoding_names_file_line_and_byte(tmp_path):
    path = write(tmp_path, "t.lines", "one\ntwo\ncaf\xe9 bar\n".encode("latin-1"))
    refused(tmp_path, path, "t.lines: line 3, byte 12", "0xe9 is not utf-8", "--encoding")
    refused(tmp_path, path, "is not utf-16", "--encoding", encoding="utf-16")


def test_wrong_encoding_far_into_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("segtopic.corpus.textfiles.BLOCK", 10)
    path = write(tmp_path, "t.lines", b"0123456\n" * 9 + b"abc\xc3(\n")
    refused(tmp_path, path, "line 10, byte 76", "0xc3")


def test_nul_bytes(tmp_path):
    path = write(tmp_path, "t.jsonl", GOOD + '{"text": "a\\u0000b", "id": "n"}\n')
    refused(tmp_path, path, "t.jsonl: line 11 holds a NUL byte", "--on-bad-line skip")
    summary = prepare(tmp_path, path, on_bad_line="skip").load().summary
    assert summary.skipped_lines == 1
    assert "line 11 holds a NUL byte" in summary.skipped_examples[0]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{broken", "is not JSON"),
        ("[1, 2]", "is not a JSON object but a list"),
        ('{"id": "x", "body": "y"}', "has no 'text'; it has: id, body"),
        ('{"id": "x", "text": ["y"]}', "has no text in 'text'"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_malformed_json_lines(tmp_path, line, reason):
    path = write(tmp_path, "t.jsonl", GOOD + line + "\n")
    refused(tmp_path, path, f"t.jsonl: line 11 {reason}", "--on-bad-line skip")
    summary = prepare(tmp_path, path, on_bad_line="skip").load().summary
    assert (summary.documents, summary.skipped_lines) == (10, 1)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("too,many,fields", "line 12 has 3 fields instead of 2"),
        ("few", "line 12 has 1 fields instead of 2"),
        ('x,"never closed', "line 12 opens a quotation mark that is never closed"),
        ('x,"a"b', "line 12 is not a row of the table"),
    ],
)
def test_malformed_csv_rows(tmp_path, row, reason):
    rows = "".join(f's{i},"{text}"\n' for i, text in enumerate(STORIES))
    path = write(tmp_path, "t.csv", f"id,text\n{rows}{row}\n")
    refused(tmp_path, path, f"t.csv: {reason}")
    assert prepare(tmp_path, path, on_bad_line="skip").load().summary.skipped_lines == 1


def test_malformed_sgml(tmp_path):
    refused(tmp_path, write(tmp_path, "t.sgml", "hello\n"), "line 1 stands outside <DOC>")
    refused(tmp_path, write(tmp_path, "u.sgml", "<DOC>\n<TEXT>\nx\n"), "line 1 opens a <DOC>")


def test_missing_columns_name_those_there_are(tmp_path):
    csv = write(tmp_path, "t.csv", "title,body\na,b\n")
    refused(tmp_path, csv, "t.csv: line 1 has no column 'text'", "--text-column", "title, body")
    refused(
        tmp_path, csv, "no column 'story' (--text-column); it has: title, body", text_column="story"
    )
    refused(tmp_path, csv, "no column 'key' (--id-column)", text_column="body", id_column="key")
    parquet = tmp_path / "t.parquet"
    pq.write_table(pa.table({"title": ["a"], "body": ["b"]}), parquet)
    refused(tmp_path, parquet, "has no column 'text'", "title, body")


def test_not_parquet(tmp_path):
    refused(tmp_path, write(tmp_path, "t.parquet", GOOD), "is not a whole Parquet file")
    whole = tmp_path / "w.parquet"
    pq.write_table(pa.table({"text": STORIES}), whole)
    refused(tmp_path, write(tmp_path, "h.parquet", whole.read_bytes()[:200]), "Parquet file")


def test_duplicate_ids(tmp_path):
    path = write(tmp_path, "t.jsonl", GOOD + '{"id": "s3", "text": "river bank"}\n')
    refused(tmp_path, path, "line 11 has the id 's3' of an earlier document", id_column="id")
    skipped = prepare(tmp_path, path, id_column="id", on_bad_line="skip").load()
    assert (len(skipped), skipped.summary.skipped_lines) == (10, 1)
    numbered = prepare(tmp_path, path).load()
    assert numbered.ids[-1] == "s3#11"
    assert (numbered.summary.duplicate_ids, numbered.summary.duplicate_examples) == (1, ["s3"])


def test_fewer_documents_than_a_split_needs(tmp_path):
    path = write(tmp_path, "t.lines", "river bank\nbank river\n")
    refused(tmp_path, path, "too few documents (2)", "give more documents")
    assert len(prepare(tmp_path, path, test_share=0.0, dev_share=0.0).load()) == 2


def test_truncated_and_false_compression(tmp_path):
    packed = gzip.compress(os.urandom(1000).hex().encode())
    refused(tmp_path, write(tmp_path, "t.lines.gz", packed[:-20]), "is not a whole .gz file")
    for suffix in ("gz", "bz2", "xz"):
        path = write(tmp_path, f"t.lines.{suffix}", "plain text")
        refused(tmp_path, path, f"is not a whole .{suffix} file", "rename it")


def test_sources_that_are_not_there(tmp_path):
    refused(tmp_path, tmp_path / "nothing", "there is no such file", "lee, ap")
    refused(tmp_path, write(tmp_path, "t.xyz", "x"), "cannot tell the format", "--input-format")
    (tmp_path / "empty").mkdir()
    refused(tmp_path, tmp_path / "empty", "holds no .txt file", "--input-format")
    refused(tmp_path, "-", "Parquet cannot be read from standard input", input_format="parquet")


def run_python(code, *arguments):
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )


UNREADABLE = """
import os, sys
from segtopic.config import CorpusConfig
from segtopic.corpus import prepare_corpus
from segtopic.errors import CorpusError
if os.getuid() == 0:  # root may read everything
    os.setgid(65534); os.setuid(65534)
try:
    prepare_corpus(CorpusConfig(data=sys.argv[1]), sys.argv[2])
except CorpusError as error:
    print(error)
"""


@pytest.mark.parametrize("what", ["folder", "file"])
def test_unreadable(tmp_path, what):
    if os.getuid() == 0:
        base = Path(tempfile.gettempdir()).resolve()
        for part in (tmp_path, *tmp_path.parents):
            if base in part.parents:
                part.chmod(0o755)
    folder = tmp_path / "texts" / "deep"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("river")
    locked = folder if what == "folder" else folder / "a.txt"
    locked.chmod(0)
    try:
        done = run_python(UNREADABLE, tmp_path / "texts", tmp_path / "out")
    finally:
        locked.chmod(0o755)
    assert f"{locked}: cannot be read (Permission denied)" in done.stdout, done.stderr


FULL_DISK = """
import resource, signal, sys
from segtopic.config import CorpusConfig
from segtopic.corpus import prepare_corpus
from segtopic.errors import OutputError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
try:
    prepare_corpus(CorpusConfig(data=sys.argv[1]), sys.argv[2])
except OutputError as error:
    print(error)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="needs limits on file sizes")
@pytest.mark.parametrize("limit", [100, 3000])
def test_full_disk(tmp_path, stories, limit):
    """A file that may not grow fails as a full disk does: in the middle of a write."""
    out = tmp_path / "out"
    done = run_python(FULL_DISK, stories, out, limit)
    assert f"{out}: cannot be written" in done.stdout, done.stderr
    assert "nothing was kept" in done.stdout
    assert os.listdir(tmp_path) == [stories.name]


def test_a_folder_that_cannot_be_made(tmp_path, stories):
    blocker = write(tmp_path, "file", "x")
    with pytest.raises(SegtopicError, match="choose another --out"):
        prepare_corpus(CorpusConfig(data=str(stories)), blocker / "out", jobs=1)
    with pytest.raises(SegtopicError, match=r"is not a prepared corpus; choose another --out"):
        prepare_corpus(CorpusConfig(data=str(stories)), blocker, jobs=1)
    assert blocker.read_text() == "x"


def test_an_interrupted_preparation_leaves_nothing(tmp_path, stories):
    def interrupt(stage, documents):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare_corpus(CorpusConfig(data=str(stories)), tmp_path / "out", 1, interrupt)
    assert os.listdir(tmp_path) == [stories.name]


@pytest.mark.slow
def test_a_document_of_ten_million_words(tmp_path):
    words = " ".join(f"word{i % 5000:04d}s of" for i in range(5_000_000))
    path = tmp_path / "t.lines"
    path.write_text(words + "\n" + "\n".join(STORIES), encoding="utf-8")
    corpus = prepare(tmp_path, path).load()
    assert corpus.documents.words_per_document[0] == 5_000_000
    starts, ends = corpus.offsets(0)
    assert corpus.text(0)[starts[-1] : ends[-1]] == words.split()[-2]


def test_a_document_of_a_million_words(tmp_path):
    words = " ".join(f"word{chr(97 + i % 26)} of" for i in range(500_000))
    path = tmp_path / "t.lines"
    path.write_text(words + "\n" + "\n".join(STORIES), encoding="utf-8")
    corpus = prepare(tmp_path, path).load()
    assert corpus.documents.words_per_document[0] == 500_000
