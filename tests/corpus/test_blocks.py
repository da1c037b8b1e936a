"""Blocks together are the source: the same documents with the same ids, however it is cut."""

import json

import pytest

from segtopic.config import SourceConfig
from segtopic.corpus.blocks import blocks_of, places, read_block, survey
from segtopic.corpus.records import BadLines, DuplicateIds
from segtopic.corpus.sources import locate, read_documents
from segtopic.errors import CorpusError
from segtopic.files.storage import Storage


def in_blocks(sources, block_bytes, policy="error"):
    blocks = blocks_of(sources, block_bytes)
    bad_lines = BadLines(policy)
    where = places(blocks, [survey(block, bad_lines) for block in blocks], bad_lines)
    read = [list(read_block(*each)) for each in zip(blocks, where, strict=True)]
    return len(blocks), [(record.id, record.text) for part in read for record in part]


def in_one_go(sources, policy="error"):
    return [
        (record.id, record.text)
        for source in sources
        for record in read_documents(source, BadLines(policy), DuplicateIds())
    ]


ROWS = [
    *({"id": f"n{number}", "text": f"text number {number}"} for number in range(30)),
    {"id": "n3", "text": "again"},
    {"id": "", "text": "without a name"},
    {"id": "n3", "text": "and again"},
    {"text": "ünï\u2028cödé", "id": "n40"},
]


@pytest.fixture
def jsonl(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("\n\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    return path


@pytest.mark.parametrize("block_bytes", [1, 37, 200, 10**6])
def test_json_lines_with_names_that_come_again(jsonl, block_bytes):
    source = locate(SourceConfig(data=str(jsonl)))
    n_blocks, found = in_blocks([source, source], block_bytes)
    assert found == in_one_go([source, source])
    assert ("n3#31", "again") in found
    assert n_blocks == 2 if block_bytes == 10**6 else n_blocks > 4


@pytest.mark.parametrize("limit", [0, 1, 7, 100])
def test_only_the_first_documents(jsonl, limit):
    source = locate(SourceConfig(data=str(jsonl), limit=limit or None))
    assert in_blocks([source], 99)[1] == in_one_go([source])


@pytest.mark.parametrize("form", ["lines", "csv", "txt", "gz"])
def test_folders_of_every_kind(tmp_path, form):
    import gzip

    for name in ("b", "a"):
        lines = "".join(f"text,{name} {number}\n" for number in range(9))
        if form == "gz":
            (tmp_path / f"{name}.jsonl.gz").write_bytes(
                gzip.compress("".join(json.dumps(row) + "\n" for row in ROWS[:4]).encode())
            )
        elif form == "csv":
            (tmp_path / f"{name}.csv").write_text("id,text\n1,x\n2,y\n")
        else:
            (tmp_path / f"{name}.{form}").write_text(lines)
    source = locate(SourceConfig(data=str(tmp_path)))
    n_blocks, found = in_blocks([source], 30)
    assert found == in_one_go([source])
    assert n_blocks == (6 if form == "lines" else 2)


def test_bad_lines_and_asked_for_names(jsonl, tmp_path):
    named = locate(SourceConfig(data=str(jsonl), id_column="id"))
    with pytest.raises(CorpusError, match="document 31 has the id of an earlier document"):
        in_blocks([named], 50)
    assert in_blocks([named], 50, "skip")[1] == in_one_go([named], "skip")
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"text": "a"}\n{"text"\n{"text": "b"}\n')
    source = locate(SourceConfig(data=str(broken)))
    with pytest.raises(CorpusError, match=r"broken\.jsonl from byte 15: line 1 is not JSON"):
        in_blocks([source], 14)
    assert in_blocks([source], 14, "skip")[1] == [("1", "a"), ("2", "b")]


def test_other_file_systems(jsonl):
    folder = Storage.at("memory://blocks/in")
    for name in ("b.jsonl", "a.jsonl"):
        folder.write(name, jsonl.read_bytes())
    folder.write("_SUCCESS", b"")
    source = locate(SourceConfig(data="memory://blocks/in"))
    found = in_one_go([source])
    assert len(found) == 2 * len(ROWS)
    assert in_blocks([source], 100)[1] == found
    one = locate(SourceConfig(data="memory://blocks/in/a.jsonl"))
    assert (
        in_blocks([one], 100)[1]
        == in_one_go([one])
        == in_one_go([locate(SourceConfig(data=str(jsonl)))])
    )
    with pytest.raises(CorpusError, match="there is no such file"):
        in_one_go([locate(SourceConfig(data="memory://blocks/nothing"))])
    with pytest.raises(CorpusError, match="check the address"):
        in_one_go([locate(SourceConfig(data="nonsense://blocks"))])


def test_standard_input_is_here_only():
    with pytest.raises(CorpusError, match="save it to a file"):
        blocks_of([locate(SourceConfig(data="-"))])
