"""Shards: what one machine writes, in pieces; nothing lost, nothing twice, whatever happens.

All but the last tests do the work of a cluster in this process; those start a real one.
"""

import json
import time
from contextlib import contextmanager
from itertools import pairwise

import pytest

from segtopic.cli import main
from segtopic.config import SegmentConfig
from segtopic.corpus import blocks
from segtopic.engine import Here
from segtopic.errors import OutputError
from segtopic.files.digests import digest_of_bytes
from segtopic.files.storage import Storage
from segtopic.segment import cluster
from segtopic.segment.job import SegmentJob
from tests.training.planted import planted_texts

N_DOCUMENTS = 60


class HereInOrder(Here):
    def __init__(self, n_workers):
        pass


@contextmanager
def nothing_to_connect(address, n_workers=None):
    yield 1


def one_by_one(start, pieces, n_workers):
    work = start()
    return map(work, reversed(pieces))  # in any order


@pytest.fixture
def no_cluster(monkeypatch):
    """The work of a cluster, here, on blocks of a few documents."""
    monkeypatch.setattr(cluster, "connected", nothing_to_connect)
    monkeypatch.setattr(cluster, "RayTasks", HereInOrder)
    monkeypatch.setattr(cluster, "in_any_order", one_by_one)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 4_000)


def source_file(folder, n_documents=N_DOCUMENTS):
    path = folder / "new.jsonl"
    texts = planted_texts(n_documents, seed=9)[0]
    rows = [{"id": f"d{number % 50}", "text": text} for number, text in enumerate(texts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def source(tmp_path):
    return source_file(tmp_path)


def segment(trained, source, out, *flags):
    return main(["segment", str(trained.folder), str(source), "--out", str(out), *map(str, flags)])


def shards_of(out):
    storage = Storage.at(str(out))
    manifest = json.loads(storage.read("manifest.json"))
    content = [storage.read(shard["shard"]) for shard in manifest["shards"]]
    for shard, found in zip(manifest["shards"], content, strict=True):
        assert shard["digest"] == digest_of_bytes(found)
    assert storage.names() == ["manifest.json", *(shard["shard"] for shard in manifest["shards"])]
    return manifest, content


def sorted_lines(content):
    return sorted(content.splitlines())


@pytest.mark.parametrize("storage", ["here", "memory"])
def test_shards_hold_what_one_machine_writes(trained, source, tmp_path, storage, no_cluster):
    flags = ("--format", "jsonl", "--sample", 2)
    assert segment(trained, source, tmp_path / "one.jsonl", *flags) == 0
    out = tmp_path / "shards" if storage == "here" else f"memory://{tmp_path.name}/shards"
    assert segment(trained, source, out, "--ray", "local", *flags) == 0
    manifest, content = shards_of(out)
    assert len(content) > 5
    assert manifest["documents"] == N_DOCUMENTS
    assert b"".join(content) == (tmp_path / "one.jsonl").read_bytes()
    inputs = [shard["input"] for shard in manifest["shards"]]
    assert inputs[0]["begin"] == 0
    assert inputs[-1]["end"] == source.stat().st_size
    assert all(a["end"] == b["begin"] for a, b in pairwise(inputs))


def test_parquet_has_the_rows_of_json_lines(trained, source, tmp_path, no_cluster):
    import pyarrow.parquet as pq

    for form in ("jsonl", "parquet"):
        assert segment(trained, source, tmp_path / form, "--ray", "local", "--format", form) == 0
    lines = [json.loads(line) for line in b"".join(shards_of(tmp_path / "jsonl")[1]).splitlines()]
    rows = []
    for path in sorted((tmp_path / "parquet").glob("*.parquet")):
        rows += pq.read_table(path).drop_columns(["alternatives", "common"]).to_pylist()
    assert rows == lines


def test_a_resumed_job_does_only_what_is_missing(
    trained, source, tmp_path, no_cluster, monkeypatch
):
    arguments = (trained, source, tmp_path / "out", "--ray", "local")
    assert segment(*arguments[:2], tmp_path / "whole", "--ray", "local") == 0

    def interrupted(start, pieces, n_workers):
        work = start()
        for piece in pieces[:3]:
            yield work(piece)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(cluster, "in_any_order", interrupted)
        assert segment(*arguments) == 130
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("part-*")}
    assert len(before) == 3
    assert segment(*arguments, "--resume") == 0
    manifest, content = shards_of(tmp_path / "out")
    assert manifest["shards_made"] == len(content) - 3
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert content == shards_of(tmp_path / "whole")[1]


def test_a_poisoned_document_is_named(trained, source, tmp_path, no_cluster, monkeypatch, capsys):
    segment_ = SegmentJob.segment

    def choking(self, batch):
        if any(record.id == "d7" for record in batch):
            raise RuntimeError("too hot")
        return segment_(self, batch)

    monkeypatch.setattr(SegmentJob, "segment", choking)
    assert segment(trained, source, tmp_path / "out", "--ray", "local") == 0
    assert "1 documents could not be segmented (d7)" in capsys.readouterr().err
    manifest, content = shards_of(tmp_path / "out")
    failed = [each for shard in manifest["shards"] for each in shard["failed"]]
    assert failed == [{"id": "d7", "error": "too hot"}]
    assert manifest["documents"] == len(b"".join(content).splitlines()) == N_DOCUMENTS - 1


def test_what_is_there_is_not_replaced_unasked(trained, source, tmp_path, no_cluster, capsys):
    def says(*flags):
        assert segment(trained, source, tmp_path / "out", "--ray", "local", *flags) == 2
        return capsys.readouterr().err

    assert segment(trained, source, tmp_path / "out", "--ray", "local") == 0
    assert "holds finished shards; pass --overwrite" in says()
    assert segment(trained, source, tmp_path / "out", "--ray", "local", "--overwrite") == 0
    (tmp_path / "out" / "manifest.json").rename(tmp_path / "out" / "_job.json")
    assert "go on with --resume" in says()
    assert "another model, source or setting" in says("--resume")
    (tmp_path / "out" / "_job.json").unlink()
    assert "holds something else" in says("--overwrite")


def test_mistakes(trained, source, tmp_path, capsys):
    def says(*arguments):
        assert main(["segment", str(trained.folder), *map(str, arguments)]) == 2
        return capsys.readouterr().err

    assert "--ray needs --out" in says(source, "--ray", "local")
    out = ("--ray", "local", "--out", tmp_path / "out")
    assert "format html is one page" in says(source, *out, "--format", "html")
    assert "save it to a file" in says("-", *out)
    assert "for the shards of --ray" in says(source, "--format", "parquet")
    with pytest.raises(OutputError, match="check the address"):
        Storage.at("nonsense://x")
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'segtopic[ray]'")
    assert "nobody answers there" in says(source, "--ray", "127.0.0.1:1", *out[2:])
    assert not (tmp_path / "out").exists()


def test_settings_do_not_forget_the_stop_words(trained, source, tmp_path, no_cluster):
    """A list of words travels with the work."""
    words = tmp_path / "words.txt"
    words.write_text("bababa\n")
    flags = ("--phrases", "marked", "--mark-stop-words", words, "--format", "jsonl")
    assert segment(trained, source, tmp_path / "one", *flags) == 0
    assert segment(trained, source, tmp_path / "many", "--ray", "local", *flags) == 0
    assert b"".join(shards_of(tmp_path / "many")[1]) == (tmp_path / "one").read_bytes()
    assert SegmentConfig(format="parquet").format == "parquet"


@pytest.fixture(scope="module")
def two_nodes():
    """A real cluster: two nodes of one processor each, on this machine."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'segtopic[ray]'")
    from ray.cluster_utils import Cluster

    patched = pytest.MonkeyPatch()
    patched.setenv("RAY_worker_niceness", "0")  # else it waits for every other process
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = made.add_node(num_cpus=1)
    ray.init(address=made.address, log_to_driver=False)
    yield made, second
    ray.shutdown()
    made.shutdown()
    patched.undo()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_on_ray_a_lost_node_loses_and_repeats_nothing(trained, two_nodes, tmp_path, monkeypatch):
    """The second node goes when the first shards are there; before, both prepare a corpus."""
    made, second = two_nodes
    source = source_file(tmp_path, 400)
    for name, flags in (("alone", []), ("together", ["--ray", made.address])):
        assert main(["prepare", str(source), "--out", str(tmp_path / name), *flags]) == 0
    alone, together = (tmp_path / name / "documents.arrow" for name in ("alone", "together"))
    assert alone.read_bytes() == together.read_bytes()

    monkeypatch.setattr(blocks, "BLOCK_BYTES", 8_000)
    assert segment(trained, source, tmp_path / "one.jsonl", "--format", "jsonl") == 0
    gone = []

    def lose_it(stage, documents):
        if stage == "segmenting" and not gone:
            gone.append(time.monotonic())
            made.remove_node(second)

    @contextmanager
    def watching():
        yield lose_it

    monkeypatch.setattr("segtopic.commands.segment.counting", watching)
    assert segment(trained, source, tmp_path / "out", "--ray", made.address) == 0
    assert gone
    manifest, content = shards_of(tmp_path / "out")
    assert len(content) > 20
    assert sorted_lines(b"".join(content)) == sorted_lines((tmp_path / "one.jsonl").read_bytes())
    assert manifest["documents"] == 400
