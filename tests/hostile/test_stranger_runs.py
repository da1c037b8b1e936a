"""The folder of a stranger executes nothing: a payload in any of its files ends in a sentence."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch

from segtopic.cli import main
from segtopic.config import CorpusConfig, part_of
from segtopic.corpus import prepare_corpus
from segtopic.errors import SegtopicError
from segtopic.estimator import SegTopic
from segtopic.runs.seal import sealed

TEXT = "a word of nothing\n"


def refused(capsys, *arguments):
    """The command ends with one sentence and exit code 2."""
    capsys.readouterr()
    assert main([str(argument) for argument in arguments]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[-1].startswith("segtopic: ")
    assert not any("Traceback" in line for line in said)
    return said[-1]


def commands(folder, text):
    """Every command that opens a finished run."""
    return {
        "evaluate": ("evaluate", folder, "--samples", 1),
        "compare": ("compare", folder, "--quick"),
        "segment": ("segment", folder, text),
        "topics": ("topics", folder),
        "report": ("report", folder),
    }


ALL = ("evaluate", "compare", "segment", "topics", "report")
READ_BY = {
    "config.yaml": ALL,
    "run.json": ALL,
    "model.safetensors": ALL,
    "corpus.json": ALL,
    "vocabulary.txt": ALL,
    "documents.arrow": ("evaluate", "compare", "topics", "report"),
    "metrics.csv": ("report",),
    "comparison.json": ("report",),
}


@pytest.mark.parametrize("kind", ["pickle", "torch"])
@pytest.mark.parametrize("name", READ_BY)
def test_a_pickle_in_place_of_a_file(run_copy, payload, capsys, tmp_path, name, kind):
    (tmp_path / "t.txt").write_text(TEXT)
    if kind == "pickle":
        (run_copy / name).write_bytes(pickle.dumps(payload))
    else:
        torch.save({"state_dict": payload}, run_copy / name)
    for command in READ_BY[name]:
        said = refused(capsys, *commands(run_copy, tmp_path / "t.txt")[command])
        assert name in said, said
    if "segment" in READ_BY[name]:
        with pytest.raises(SegtopicError, match=name):
            SegTopic.load(run_copy)


@pytest.mark.parametrize(
    "line",
    [
        'data: !!python/object/apply:os.system ["touch {mark}"]',
        "data: !!python/name:os.system ''",
        "data: !!python/object/new:os.system [touch {mark}]",
        "? !!python/object/apply:os.system [touch {mark}]\n: x",
    ],
)
def test_yaml_makes_no_objects(run_copy, payload, capsys, tmp_path, line):
    (tmp_path / "t.txt").write_text(TEXT)
    config = run_copy / "config.yaml"
    config.write_text(line.format(mark=payload.mark) + "\n")
    for arguments in commands(run_copy, tmp_path / "t.txt").values():
        assert "config.yaml: is damaged" in refused(capsys, *arguments)
    refused(capsys, "train", "--config", config, "--out", tmp_path / "new")
    refused(capsys, "train", "--config", config, "--out", run_copy, "--resume")


DEEP = "[" * 5_000
# Each line repeats the one before ten times: 10^9 in all.
BOMB = "a0: &a0 x\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config.yaml", DEEP),
        ("config.yaml", BOMB + "data: *a9\n"),
        ("config.yaml", BOMB + "n_topics: *a9\n"),
        ("config.yaml", "data: [lee]\n"),
        ("config.yaml", "hidden_size: 1000000000000\n"),
        ("config.yaml", "just text"),
        ("run.json", DEEP),
        ("run.json", '{"format_version": 1}'),
        ("run.json", sealed({"seconds": "<b>", "epochs": 1, "best_epoch": 1}, Path(), [])),
        ("run.json", "[]"),
        ("corpus.json", DEEP),
        ("corpus.json", "[]"),
        ("vocabulary.txt", "word\t" + "9" * 30 + "\t1\n"),
        ("vocabulary.txt", "word\t" + "9" * 9999 + "\t1\n"),
    ],
)
def test_files_made_to_exhaust_or_to_confuse(run_copy, capsys, tmp_path, name, content):
    (tmp_path / "t.txt").write_text(TEXT)
    (run_copy / name).write_text(content)
    for command in ("segment", "report"):
        said = refused(capsys, *commands(run_copy, tmp_path / "t.txt")[command])
        assert len(said) < 1000
    with pytest.raises(SegtopicError):
        SegTopic.load(run_copy)


@pytest.mark.parametrize("content", [DEEP, "[]", "{}", '{"format_version": 2}'])
def test_odd_comparisons(run_copy, capsys, content):
    (run_copy / "comparison.json").write_text(content)
    refused(capsys, "report", run_copy)


@pytest.mark.parametrize("kind", ["pickle", "torch", "hidden"])
def test_a_checkpoint_with_a_payload(run_copy, payload, capsys, kind):
    (run_copy / "run.json").unlink()
    for checkpoint in (run_copy / "checkpoints").glob("*.ckpt"):
        if kind == "pickle":
            checkpoint.write_bytes(pickle.dumps(payload))
        else:
            state = torch.load(checkpoint, weights_only=True)
            state["callbacks" if kind == "hidden" else "state_dict"]["more"] = payload
            torch.save(state, checkpoint)
    said = refused(
        capsys, "train", "--config", run_copy / "config.yaml", "--out", run_copy, "--resume"
    )
    assert "last.ckpt" in said
    assert not (run_copy / "run.json").exists()


def test_a_payload_among_the_baselines_is_computed_again(run_copy, payload, capsys):
    assert main(["compare", str(run_copy), "--quick", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    files = sorted((run_copy / "baselines").glob("*.npz"))
    for number, path in enumerate(files):
        if number % 2:
            path.write_bytes(pickle.dumps(payload))
        else:
            np.savez(path, key=np.array([payload], dtype=object), dev=np.array([payload]))
    assert main(["compare", str(run_copy), "--quick", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert [model["test"] for model in again["models"]] == [
        model["test"] for model in first["models"]
    ]


def test_documents_of_an_estimator(tmp_path, payload):
    texts = ["river bank money loan", "bank of a river", "money and a loan"] * 20
    folder = tmp_path / "model"
    SegTopic(n_topics=2, hidden_size=8, encoder_size=8, epochs=1).fit(texts).save(folder)
    assert SegTopic.load(folder).get_topics()
    for content in (pickle.dumps(payload), b"\xff" * 100, b""):
        (folder / "documents.arrow").write_bytes(content)
        with pytest.raises(SegtopicError, match=r"documents\.arrow"):
            SegTopic.load(folder).get_topics()


@pytest.mark.parametrize("name", ["manifest.json", "documents.arrow", "vocabulary.txt"])
def test_a_payload_in_the_cache_is_prepared_again(clean_run, payload, capsys, name):
    assert main(["evaluate", str(clean_run.folder), "--samples", "1", "--json"]) == 0
    first = capsys.readouterr().out
    folder = prepare_corpus(part_of(clean_run.config, CorpusConfig)).folder
    (folder / name).write_bytes(pickle.dumps(payload))
    assert main(["evaluate", str(clean_run.folder), "--samples", "1", "--json"]) == 0
    assert capsys.readouterr().out == first
