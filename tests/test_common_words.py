"""Words that all documents share, from ``train --common`` to all that tells their share."""

import csv
import json
import warnings

import numpy as np
import pytest

from segtopic import SegTopic, load
from segtopic.cli import main
from segtopic.runs import load_run
from segtopic.sample import DocumentSampler
from segtopic.segment.segmenter import Segmenter
from segtopic.topics.common_part import CommonPart
from segtopic.topics.shares import common_shares
from segtopic.training.system import Collapse

OF_TOPICS = [[f"{name}{number}" for number in range(20)] for name in ("sea", "law", "star", "farm")]
SHARED = [f"shared{number}" for number in range(15)]


def texts(n_documents=300, n_words=60):
    """About a few topics each, but for common words: more of them in those with odd numbers."""
    generator = np.random.default_rng(1)
    found = []
    for number in range(n_documents):
        share = generator.uniform(0.4, 0.7) if number % 2 else generator.uniform(0.1, 0.4)
        theta = generator.dirichlet([0.1] * len(OF_TOPICS))
        sources = [SHARED, *OF_TOPICS]
        chosen = generator.choice(len(sources), size=n_words, p=[share, *(1 - share) * theta])
        found.append(", ".join(generator.choice(sources[source]) for source in chosen))
    return found


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("common")
    source = folder / "texts.jsonl"
    rows = ({"id": str(n), "text": text} for n, text in enumerate(texts()))
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    arguments = ["--n-topics", "4", "--hidden-size", "8", "--encoder-size", "16", "--epochs", "2"]
    out = str(folder / "run")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Collapse)  # no phrases are planted
        assert main(["train", str(source), "--common", "--out", out, *arguments]) == 0
    return out, str(source)


def test_apply_has_a_column_of_the_common_share(run, capsys):
    folder, source = run
    capsys.readouterr()
    assert main(["apply", folder, source]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    names = list(rows[0])
    common = np.array([float(row["common"]) for row in rows])
    assert common[1::2].mean() - common[::2].mean() > 0.2
    topics = names[names.index("common") - 4 : names.index("common")]
    for row in rows:
        assert sum(float(row[name]) for name in topics) == pytest.approx(1, abs=1e-4)


def test_segments_tell_the_share_and_other_models_do_not(run, capsys):
    folder, source = run
    for phrases in ("best", "marked"):
        capsys.readouterr()
        arguments = ["--format", "jsonl", "--limit", "4", "--phrases", phrases]
        assert main(["segment", folder, source, *arguments]) == 0
        read = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert len(read) == 4
        assert all(0 < document["common"] < 1 for document in read)


def test_topics_and_page_tell_which_words_are_in_no_topic(run, capsys, tmp_path):
    capsys.readouterr()
    assert main(["topics", run[0], "--json"]) == 0
    common = json.loads(capsys.readouterr().out)["common"]
    assert set(common["words"]) <= set(SHARED)
    assert common["share"] == pytest.approx(0.4, abs=0.1)
    assert main(["topics", run[0]]) == 0
    assert f"of the words): {', '.join(common['words'])}" in capsys.readouterr().out
    page = tmp_path / "page.html"
    assert main(["report", run[0], "--out", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "In no topic, because all documents have them: " in text
    assert f"<bdi>{common['words'][0]}</bdi>, " in text


def test_the_estimator_tells_the_same_shares(run):
    loaded, some = SegTopic.load(run[0]), texts(n_documents=6)
    told = [document.common for document in Segmenter.of(load(run[0])).segment(some)]
    assert told == pytest.approx(loaded.common_shares(some).tolist())


def test_no_topic_has_the_common_words(run):
    model = load(run[0])
    shared = [model.vocabulary.numbers[word] for word in SHARED]
    assert model.model.topic_words[:, shared].sum(1).mean() < 0.1  # of 0.4 in the texts
    assert model.model.common.words[shared].sum() > 0.9


def test_documents_that_are_drawn_have_their_common_share(run):
    drawn = list(DocumentSampler(load(run[0])).documents(200))
    words = [[word for segment in each.segments for word in segment] for each in drawn]
    counted = np.array([np.mean([word in SHARED for word in own]) for own in words])
    told = np.array([each.common for each in drawn])
    assert np.corrcoef(counted, told)[0, 1] > 0.8
    assert counted.mean() == pytest.approx(told.mean(), abs=0.05)
    assert drawn[0].to_dict(truth=True)["common"] == pytest.approx(told[0], abs=1e-5)


def test_of_very_many_documents_some_tell_the_share(run, monkeypatch):
    trained = load_run(run[0])
    whole = CommonPart.of(trained)
    assert whole.share == pytest.approx(
        float(common_shares(trained.model, trained.corpus.train).mean())
    )
    assert {word.rstrip("0123456789") for word in whole.words[:5]} == {"shared"}
    read = []

    def watched(model, documents):
        read.append(documents.n_documents)
        return common_shares(model, documents)

    monkeypatch.setattr("segtopic.topics.common_part.common_shares", watched)
    monkeypatch.setattr("segtopic.topics.common_part.DESCRIBED_WORDS", 60 * 100)
    some = CommonPart.of(trained)
    assert 50 <= read[0] <= 100 < trained.corpus.train.n_documents
    assert some.words == whole.words
    assert some.share == pytest.approx(whole.share, abs=0.05)
