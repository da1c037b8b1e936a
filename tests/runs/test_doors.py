"""From one step to the next: whatever becomes of the source, a run answers as before or refuses."""

import io
import json
import os
import shutil
import sys

import numpy as np
import pytest

from segtopic import SegTopic
from segtopic.cli import main
from segtopic.config import CorpusConfig
from segtopic.corpus import Corpus, prepare_corpus
from tests.training.planted import planted_file

TRAINING = (
    *("--n-topics", "3", "--hidden-size", "8", "--encoder-size", "8", "--epochs", "2"),
    *("--refine-steps", "4", "--trainer.accelerator", "cpu", "--trainer.threads", "1"),
)


@pytest.fixture
def source(tmp_path):
    return planted_file(tmp_path, n_documents=60)


def segtopic(capsys, *arguments):
    """What a command prints."""
    capsys.readouterr()
    assert main([str(argument) for argument in arguments]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def refused(capsys, *arguments):
    capsys.readouterr()
    assert main([str(argument) for argument in arguments]) == 2
    return capsys.readouterr().err


def trained(capsys, data, out, *more):
    segtopic(capsys, "train", "--data", data, "--out", out, *TRAINING, *more)
    return out


def everything(capsys, run):
    """The figures of all commands that look at a finished run, and the page."""
    compared = json.loads(segtopic(capsys, "compare", run, "--quick", "--json"))
    segtopic(capsys, "report", run, "-o", run.parent / "page.html")
    return {
        "evaluate": json.loads(segtopic(capsys, "evaluate", run, "--samples", 2, "--json")),
        "compare": [model["test"] for model in compared["models"]],
        "topics": json.loads(segtopic(capsys, "topics", run, "--json")),
        "page": (run.parent / "page.html").read_text(),
    }


def test_a_reordered_source_changes_nothing(source, tmp_path, capsys):
    run = trained(capsys, source, tmp_path / "run")
    before = everything(capsys, run)
    lines = source.read_text().splitlines()
    source.write_text("\n".join(reversed(lines)) + "\n")
    assert everything(capsys, run) == before


def test_a_changed_source_is_refused_where_its_text_is_shown(source, tmp_path, capsys):
    run = trained(capsys, source, tmp_path / "run")
    before = everything(capsys, run)
    lines = source.read_text().splitlines()
    first = json.loads(lines[0])
    changed = json.dumps({**first, "text": first["text"] + " and more"})
    source.write_text("\n".join([changed, *lines[1:]]) + "\n")
    said = refused(capsys, "report", run)
    assert f"{source}: the text of '1' has changed or is gone since the training" in said
    for command in ("evaluate", "compare"):  # need no text
        more = ("--quick",) if command == "compare" else ("--samples", 2)
        assert segtopic(capsys, command, run, *more, "--json")
    found = json.loads(segtopic(capsys, "topics", run, "--json"))
    without_text = [
        [{**document, "begins": None} for document in topic["documents"]]
        for topic in found["topics"]
    ]
    assert without_text == [
        [{**document, "begins": None} for document in topic["documents"]]
        for topic in before["topics"]["topics"]
    ]


def test_a_source_that_is_gone_or_moved(source, tmp_path, capsys):
    run = trained(capsys, source, tmp_path / "run")
    before = everything(capsys, run)
    moved = source.rename(tmp_path / "moved.jsonl")
    for command, remedy in (("report", "--data"), ("apply", "name the files")):
        told = refused(capsys, command, run)
        assert "there is no such file" in told
        assert remedy in told.rpartition("; ")[2]
    assert segtopic(capsys, "evaluate", run, "--samples", 2, "--json")
    assert "documents are shown without their first words" in (
        main(["topics", str(run)]) or capsys.readouterr().err
    )
    topics = json.loads(segtopic(capsys, "topics", run, "--json", "--data", moved))
    assert topics == before["topics"]
    segtopic(capsys, "report", run, "--data", moved)


def test_standard_input(source, tmp_path, capsys, monkeypatch):
    """Every command after the training works, and two corpora do not share a cache."""

    def train_from_pipe(text, out):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return trained(capsys, "-", out, "--input-format", "jsonl")

    text = source.read_text()
    runs = tmp_path / "runs"
    first = train_from_pipe(text, runs / "a" / "run")
    lines = text.splitlines()
    train_from_pipe("\n".join(lines[:50]) + "\n", runs / "b" / "run")
    of_file = trained(capsys, source, runs / "c" / "run")
    found, expected = everything(capsys, first), everything(capsys, of_file)
    assert found["compare"] == expected["compare"]
    assert found["topics"]["topics"] == expected["topics"]["topics"]
    shutil.rmtree(os.environ["XDG_CACHE_HOME"])
    assert everything(capsys, first) == found


def test_standard_input_of_an_interrupted_training(source, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(source.read_bytes())))
    run = trained(capsys, "-", tmp_path / "run", "--input-format", "jsonl")
    whole = (run / "model.safetensors").read_bytes()
    (run / "run.json").unlink()
    (run / "model.safetensors").unlink()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    segtopic(capsys, "train", "--config", run / "config.yaml", "--out", run, "--resume")
    assert (run / "model.safetensors").read_bytes() == whole


def test_a_prepared_corpus_is_a_source(source, tmp_path, capsys):
    folder = tmp_path / "corpus"
    segtopic(capsys, "prepare", source, "--out", folder, "--vocabulary-size", "40")
    run = trained(capsys, folder, tmp_path / "a" / "run")
    other = trained(capsys, source, tmp_path / "b" / "run", "--vocabulary-size", "40")
    found, expected = everything(capsys, run), everything(capsys, other)
    assert found["compare"] == expected["compare"]
    assert found["topics"]["topics"] == expected["topics"]["topics"]
    assert len((run / "vocabulary.txt").read_text().splitlines()) == 40
    said = refused(capsys, "train", "--data", folder, "--vocabulary-size", "50")
    assert "is a prepared corpus, made with vocabulary_size 40, not 50" in said
    assert "is a prepared corpus" in refused(capsys, "train", "--data", folder, "--limit", "50")
    phrases = segtopic(capsys, "segment", run, folder, "--limit", "3", "--json")
    assert len(phrases.splitlines()) == 3


def test_a_prepared_corpus_is_not_silently_overruled(source, tmp_path, capsys):
    """Also by a setting that has its default, if the user has named it."""
    folder, file = tmp_path / "corpus", tmp_path / "settings.yaml"
    segtopic(capsys, "prepare", source, "--out", folder, "--vocabulary-size", "40")
    file.write_text("lowercase: true\nvocabulary_size: 10000\n")
    for command in ("train", "prepare"):
        for given in (["--vocabulary-size", "10000"], ["--config", file]):
            said = refused(capsys, command, "--data", folder, *given)
            assert "made with vocabulary_size 40, not 10000; leave vocabulary_size out" in said
    segtopic(capsys, "prepare", folder, "--vocabulary-size", "40")


def test_a_prepared_corpus_is_copied(source, tmp_path, capsys):
    folder, copy = tmp_path / "corpus", tmp_path / "copy"
    segtopic(capsys, "prepare", source, "--out", folder, "--vocabulary-size", "40")
    assert "prepared, in" in segtopic(capsys, "prepare", folder, "--out", copy)
    assert Corpus.load(copy).equals(Corpus.load(folder))
    assert "nothing has changed" in segtopic(capsys, "prepare", folder, "--out", copy)
    assert "nothing has changed" in segtopic(capsys, "prepare", folder, "--out", folder)
    other = ("--out", tmp_path / "other", "--vocabulary-size", "50")
    assert "not 50" in refused(capsys, "prepare", folder, *other)
    (folder / "documents.arrow").write_bytes(b"")
    assert "is damaged" in refused(capsys, "prepare", folder, "--out", tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_an_open_corpus_and_settings_that_contradict_it(source, tmp_path):
    config = CorpusConfig(data=str(source), vocabulary_size=40, lowercase=False)
    corpus = prepare_corpus(config, tmp_path / "corpus").load()
    settings = {"n_topics": 2, "hidden_size": 4, "encoder_size": 4, "epochs": 1}
    with pytest.raises(ValueError, match="the corpus: is a prepared corpus, made with vocabulary_"):
        SegTopic(**settings, vocabulary_size=50).fit(corpus=corpus)
    with pytest.raises(ValueError, match="made with stop_words english, not none"):
        SegTopic(**settings, stop_words=None).fit(corpus=corpus)
    model = SegTopic(**settings, random_state=0).fit(corpus=corpus)
    assert (model.config_.vocabulary_size, model.config_.lowercase) == (40, False)


def test_a_prepared_corpus_for_the_estimator(source, tmp_path):
    folder = prepare_corpus(CorpusConfig(data=str(source)), tmp_path / "corpus").folder
    settings = {
        "n_topics": 3, "hidden_size": 8, "encoder_size": 8, "epochs": 1, "random_state": 0,
    }  # fmt: skip
    texts = list(Corpus.load(folder).texts())
    of_folder = SegTopic(**settings).fit(corpus=folder)
    of_corpus = SegTopic(**settings).fit(corpus=Corpus.load(folder))
    of_texts = SegTopic(**settings).fit(texts)
    for model in (of_corpus, of_texts):
        np.testing.assert_array_equal(model.transform(texts[:5]), of_folder.transform(texts[:5]))
    with pytest.raises(ValueError, match="exclude each other"):
        SegTopic(**settings).fit(texts, corpus=folder)


def test_a_relative_path_means_the_same_from_everywhere(source, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = trained(capsys, source.name, tmp_path / "run")
    before = everything(capsys, run)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert everything(capsys, run) == before
    moved = shutil.move(run, tmp_path / "elsewhere" / "run")
    again = everything(capsys, tmp_path / "elsewhere" / "run")
    assert again["evaluate"] == {**before["evaluate"], "run": str(moved)}


def test_a_model_saved_from_python_is_shown_by_commands(tmp_path, capsys, source):
    texts = [json.loads(line)["text"] for line in source.read_text().splitlines()]
    model = SegTopic(n_topics=3, hidden_size=8, encoder_size=8, epochs=1, random_state=0)
    model.fit(texts).save(tmp_path / "model")
    found = json.loads(segtopic(capsys, "topics", tmp_path / "model", "--json"))
    assert [topic["number"] for topic in found["topics"]] == list(model.get_topics())
    assert all(d["begins"] for topic in found["topics"] for d in topic["documents"])
    segtopic(capsys, "report", tmp_path / "model")
    judged = json.loads(segtopic(capsys, "evaluate", tmp_path / "model", "--json"))
    assert judged["judged_by"] == "development documents, as there is no test part"
    assert judged["documents"] == len(model.trained_.corpus.split.dev)
    options = ("--quick", "--lda-topics", "3", "--json")
    compared = json.loads(segtopic(capsys, "compare", tmp_path / "model", *options))
    assert compared["models"][-1]["name"] == "segtopic"
    assert not (tmp_path / "model" / "comparison.json").exists()  # they are no test documents


def test_a_model_is_judged_by_other_documents(tmp_path, capsys, source):
    texts = [json.loads(line)["text"] for line in source.read_text().splitlines()]
    model = SegTopic(n_topics=3, hidden_size=8, encoder_size=8, epochs=1, random_state=0)
    model.fit(texts[:50]).save(tmp_path / "model", documents=False)
    others = tmp_path / "others.lines"
    others.write_text("\n".join(texts[50:]))
    arguments = ("evaluate", tmp_path / "model", "--data", others, "--json")
    judged = json.loads(segtopic(capsys, *arguments))
    assert judged["judged_by"] == f"documents of {others}"
    assert judged["predictive_refined"] == pytest.approx(model.score(texts[50:]), abs=1e-9)
    assert judged["bigram_continuation"] is None
    others.write_text("nothing known\n")
    assert "no word that the model knows" in refused(
        capsys, "evaluate", tmp_path / "model", "--data", others
    )


def test_a_report_from_python(tmp_path, source):
    texts = [json.loads(line)["text"] for line in source.read_text().splitlines()]
    model = SegTopic(n_topics=3, hidden_size=8, encoder_size=8, epochs=1, random_state=0)
    page = model.fit(texts).report(tmp_path / "page.html", documents=5)
    assert page == tmp_path / "page.html"
    assert page.read_text().startswith("<!doctype html>") or "<html" in page.read_text()
    assert model.trained_.folder is None
    model.save(tmp_path / "saved")
    assert str(tmp_path / "saved") in model.report(page, documents=5).read_text()


def test_a_run_goes_on_in_python_and_comes_back(source, tmp_path, capsys):
    run = trained(capsys, source, tmp_path / "run")
    texts = [json.loads(line)["text"] for line in source.read_text().splitlines()]
    model = SegTopic.load(run).set_params(partial_epochs=1)
    model.partial_fit([*texts[:5], "a bad \ud800 half " + texts[0]]).save(tmp_path / "more")
    again = SegTopic.load(tmp_path / "more")
    assert len(set(again.trained_.corpus.ids)) == 66
    assert again.trained_.corpus.test.to_lists() == model.trained_.corpus.test.to_lists()
    assert json.loads(segtopic(capsys, "evaluate", tmp_path / "more", "--json"))["documents"] == 6
    assert model.trained_.folder == tmp_path / "more"


def test_only_runs_with_the_same_test_documents_stand_side_by_side(source, tmp_path, capsys):
    run = trained(capsys, source, tmp_path / "run")
    shorter = trained(capsys, source, tmp_path / "shorter", "--max-segment-length", "1")
    options = ("--quick", "--lda-topics", "3", "--json")
    compared = json.loads(segtopic(capsys, "compare", run, "--beside", shorter, *options))
    assert compared["models"][-1]["name"] == f"segtopic, {shorter}"
    other = trained(capsys, source, tmp_path / "other", "--split-seed", "7")
    said = refused(capsys, "compare", run, "--beside", other, *options)
    assert f"{other}: has other test documents than {run}" in said
    fewer = trained(capsys, source, tmp_path / "fewer", "--limit", "40")
    assert "knows other words" in refused(capsys, "compare", run, "--beside", fewer, *options)


def test_documents_of_another_run_are_not_taken(source, tmp_path, capsys):
    texts = [json.loads(line)["text"] for line in source.read_text().splitlines()]
    model = SegTopic(n_topics=3, hidden_size=8, encoder_size=8, epochs=1, random_state=0)
    model.fit(texts).save(tmp_path / "model", documents=False)
    run = trained(capsys, source, tmp_path / "run")
    shutil.copy(run / "documents.arrow", tmp_path / "model")
    assert "may be those of another one" in refused(capsys, "topics", tmp_path / "model")


def test_texts_of_the_first_documents_are_found_in_any_order(source, tmp_path, capsys):
    run = trained(capsys, source, tmp_path / "run", "--limit", "40")
    lines = source.read_text().splitlines()
    source.write_text("\n".join(reversed(lines)) + "\n")
    segtopic(capsys, "report", run)


def test_settings_of_a_prepared_corpus_come_back(source, tmp_path, capsys, monkeypatch):
    """Columns, stop words of a file and LaTeX, which was removed once."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stop.txt").write_text("the\n")
    rows = [json.loads(line) for line in source.read_text().splitlines()]
    bodies = [{"body": row["text"] + r" a \\&b"} for row in rows]
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in bodies))
    reading = ("--text-column", "body", "--stop-words", "stop.txt", "--latex", "true")
    segtopic(capsys, "prepare", "b.jsonl", "--out", "corpus", *reading)
    run = trained(capsys, "corpus", tmp_path / "run", *reading)
    segtopic(capsys, "report", run)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    segtopic(capsys, "train", "--config", run / "config.yaml", "--out", "again")


def test_what_is_no_source_and_what_is_no_run(source, tmp_path, capsys):
    run = trained(capsys, source, tmp_path / "run")
    assert "is a run, not a source of text" in refused(capsys, "train", "--data", run)
    assert "is a file, not the folder of a run" in refused(capsys, "evaluate", source)
    segtopic(capsys, "prepare", source, "--out", tmp_path / "corpus")
    said = refused(capsys, "topics", tmp_path / "corpus")
    assert f"make one with 'segtopic train --data {tmp_path / 'corpus'}'" in said
    said = refused(capsys, "segment", run, source, "--out", tmp_path, "--overwrite")
    assert "is a folder; give --out the name of a file" in said


def test_a_run_of_the_earlier_format(source, tmp_path, capsys):
    """It segments; whatever needs its documents tells how to get them back."""
    run = trained(capsys, source, tmp_path / "run")
    (tmp_path / "text.txt").write_text(json.loads(source.read_text().splitlines()[0])["text"])
    expected = segtopic(capsys, "segment", run, tmp_path / "text.txt")
    make_earlier(run)
    assert segtopic(capsys, "segment", run, tmp_path / "text.txt") == expected
    said = refused(capsys, "evaluate", run)
    assert "was made by an earlier segtopic, which did not keep a run's documents" in said
    assert f"train again with 'segtopic train --config {run}/config.yaml --out NEW'" in said
    config = run / "config.yaml"
    config.write_text(config.read_text().replace("\nformat:", "\ninput_format:"))
    segtopic(capsys, "train", "--config", config, "--out", tmp_path / "new")


def make_earlier(run):
    """As version 3 left a run: no documents, and 'format' for 'input_format'."""
    from segtopic.files import content_digest, digest_of

    (run / "documents.arrow").unlink()
    config = run / "config.yaml"
    config.write_text(config.read_text().replace("input_format:", "format:"))
    content = json.loads((run / "run.json").read_text())
    del content["digest"], content["files"]["documents.arrow"]
    content["format_version"] = 3
    content["files"]["config.yaml"] = digest_of(config)
    (run / "run.json").write_text(json.dumps({**content, "digest": content_digest(content)}))


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
