"""Topics over time: means and intervals by hand, and a planted rise that must be found."""

import csv
import io
import json

import numpy as np
import pytest

from segtopic.cli import main
from segtopic.corpus.documents import Documents
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.evaluate.bootstrap import bootstrap_interval, bootstrap_means
from segtopic.evaluate.heldout import DocumentScores
from segtopic.explore.changing import changes
from segtopic.explore.values import times
from segtopic.runs import load_run
from segtopic.topics import Term, Topic
from tests.training.planted import N_TOPICS, PHRASES, planted_texts, small


def topic(number, *phrases):
    terms = tuple(Term(text, 0.1, 3.0, 5) for text in phrases)
    return Topic(number, f"name {number}", 0.5, terms, terms, ())


def test_intervals_of_means_are_those_of_one_column_alone():
    generator = np.random.default_rng(0)
    values = generator.random((40, 3))
    found = bootstrap_means(values, resamples=2000, seed=7)
    for column in range(3):
        scores = DocumentScores(values[:, column], np.ones(40, dtype=np.int64))
        alone = bootstrap_interval(scores, resamples=2000, seed=7)
        together = (found.mean[column], found.low[column], found.high[column])
        assert together == pytest.approx((alone.mean, alone.low, alone.high), abs=1e-12)


def test_no_document_has_no_mean():
    assert np.isnan(bootstrap_means(np.empty((0, 2)))).all()


def test_shares_are_means_over_the_documents_of_a_value():
    documents = Documents.from_lists([[[0, 1]], [[0, 1]], [[2]], [[2]], [[2]]])
    vocabulary = Vocabulary(("new", "york", "rome"), np.array([2, 2, 3]), np.array([2, 2, 3]))
    shares = np.array([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8], [0.4, 0.6], [0.5, 0.5]])
    topics = [topic(4, "new york", "rome"), topic(2, "rome")]
    values = times([2000, 2000, 2001, 2001, None], "year")
    found = changes(topics, shares, documents, vocabulary, values)
    assert found.values == ("2000", "2001")
    assert (found.documents, found.without) == ((2, 2), 1)
    assert [each.topic for each in found.topics] == [4, 2]
    assert found.topics[0].share == pytest.approx((0.8, 0.3))
    assert found.topics[0].phrases == (("new york",), ("rome",))
    for each in found.topics:
        for low, share, high in zip(each.low, each.share, each.high, strict=True):
            assert low <= share <= high
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.fixture(scope="module")
def dated_run(tmp_path_factory):
    """Of 150 documents, those of topic 0 stand in 2001 mostly, and the others in 2000."""
    import warnings

    from segtopic.commands.train import train
    from segtopic.config import TrainerConfig
    from segtopic.training.system import Collapse

    folder = tmp_path_factory.mktemp("dated")
    texts, labels = planted_texts()
    rows = [
        {"text": text, "date": f"{2001 if (label == 0) != (n % 10 == 0) else 2000}-05-06"}
        | {"who": "=cmd" if label == 1 else "b"}
        for n, (text, label) in enumerate(zip(texts, labels.tolist(), strict=True))
    ]
    path = folder / "dated.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Collapse)
        config = small(path, epochs=8, refine_steps=4)
        return train(config, folder / "run", TrainerConfig(accelerator="cpu", threads=1)).folder


def shown(capsys, *arguments):
    capsys.readouterr()
    assert main(["topics", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def risen(found):
    """The topic that rises most."""
    return max(found["topics"], key=lambda topic: topic["share"][-1] - topic["share"][0])


def test_a_table_of_the_same_texts_may_call_them_otherwise(dated_run, tmp_path, capsys):
    """As for a model that was fitted in Python, whose texts had no table."""
    lines = (dated_run.parent / "dated.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    table = tmp_path / "table.jsonl"
    renamed = ({"body": row["text"], "date": row["date"]} for row in rows)
    table.write_text("".join(json.dumps(row) + "\n" for row in renamed))
    asked = (dated_run, "--time-column", "date", "--data", table, "--json")
    assert main(["topics", *map(str, asked)]) == 2
    assert "--text-column" in capsys.readouterr().err
    found = json.loads(shown(capsys, *asked, "--text-column", "body"))
    assert sum(found["over_time"]["documents"]) == 150


def test_a_planted_rise_is_found_with_its_phrases(dated_run, capsys):
    out = shown(capsys, dated_run, "--time-column", "date", "--group-column", "who", "--json")
    found = json.loads(out)
    over_time = found["over_time"]
    assert over_time["values"] == ["2000", "2001"]
    assert sum(over_time["documents"]) == 150
    rising = risen(over_time)
    assert rising["low"][1] > rising["high"][0]
    spoken = " ".join(rising["phrases"][1])
    assert any(" ".join(phrase) in spoken for phrase in PHRASES[0])
    assert set(found["by_group"]["values"]) == {"b", "=cmd"}
    by_value = np.array([topic["share"] for topic in over_time["topics"]])
    assert by_value.sum(0) == pytest.approx(1)
    assert len(over_time["topics"]) == N_TOPICS


def test_tables_and_csv_say_the_same(dated_run, capsys):
    found = json.loads(shown(capsys, dated_run, "--time-column", "date", "--json"))["over_time"]
    rows = list(
        csv.DictReader(
            io.StringIO(shown(capsys, dated_run, "--time-column", "date", "--format", "csv"))
        )
    )
    expected = [(t["topic"], v) for t in found["topics"] for v in found["values"]]
    assert [(int(row["topic"]), row["value"]) for row in rows] == expected
    table = shown(capsys, dated_run, "--time-column", "date", "--time-bins", "month")
    assert "2000-05" in table
    assert risen(found)["name"] in table
    by_group = shown(capsys, dated_run, "--group-column", "who", "--format", "csv")
    assert "\nwho,'=cmd," in by_group


def test_what_cannot_be_shown_is_told(dated_run, tmp_path, capsys):
    for arguments, reason in (
        (["--time-column", "dat"], "has no column 'dat'; did you mean 'date'?"),
        (["--time-column", "who"], "is neither a year nor a date"),
        (["--time-column", "date", "--group-column", "who", "--format", "csv"], "holds one of"),
        (["--group-column", "who", "--max-groups", "0"], "--max-groups is 0"),
    ):
        capsys.readouterr()
        assert main(["topics", str(dated_run), *arguments]) == 2
        error = capsys.readouterr().err
        assert reason in error
        assert error.count("\n") == 1
    (tmp_path / "other.jsonl").write_text('{"text": "x", "date": 2000}\n')
    data = ["--data", str(tmp_path / "other.jsonl")]
    assert main(["topics", str(dated_run), "--time-column", "date", *data]) == 2
    assert "holds none of the documents" in capsys.readouterr().err


def test_the_estimator_says_the_same(dated_run):
    from segtopic import SegTopic
    from segtopic.estimator import ParameterError

    model = SegTopic.load(dated_run)
    texts, labels = planted_texts(60, seed=8)
    years = np.where(labels == 0, 2001, 2000)
    found = model.topics_over_time(texts, years)
    topic_0 = max(found.topics, key=lambda topic: topic.change)
    assert topic_0.share[1] > 0.6 > 0.3 > topic_0.share[0]
    frame = model.topics_by_group(texts, [f"g{label}" for label in labels]).to_frame()
    assert frame.groupby("value")["share"].sum().tolist() == pytest.approx([1, 1, 1], abs=1e-5)
    with pytest.raises(ParameterError, match="60 texts, but 59 values"):
        model.topics_over_time(texts, years[1:])
    with pytest.raises(ParameterError, match="neither a year"):
        model.topics_over_time(texts, ["spring"] * 60)
    assert load_run(dated_run).model.n_topics == N_TOPICS
