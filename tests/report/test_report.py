"""``segtopic report`` as a user calls it, on small runs."""

import base64
import hashlib
import json
import re

import numpy as np
import pytest

from segtopic.cli import main
from segtopic.errors import ConfigError, RunError
from segtopic.evaluate.stored_comparison import COMPARISON, load_comparison
from segtopic.harmless import for_page
from segtopic.report import contents, write_report
from segtopic.report.shown import SMALLEST_SHARE
from segtopic.report.typical import TYPICAL
from segtopic.runs import load_run
from segtopic.segment.segmenter import Segmenter
from tests.report.reported import HOSTILE, IMAGE, SCRIPT, corpus_file, small_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return small_run(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def page(run):
    return write_report(run).path.read_text(encoding="utf-8")


def embedded(page):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1])


def test_the_same_run_makes_the_same_page(run, page, tmp_path):
    path = tmp_path / "again.html"
    written = write_report(run, path)
    again = path.read_text(encoding="utf-8")
    told = f" -o {path}"
    assert again.replace(told, "") == page
    assert written.n_bytes == path.stat().st_size < 5_000_000
    assert (written.n_topics, written.n_documents, written.compared) == (3, 67, False)


def test_the_policy_names_the_only_script_and_style(page):
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', page)[1]
    assert policy.startswith("default-src 'none';")
    for element in ("style", "script"):
        text = re.findall(rf"<{element}>(.*?)</{element}>", page, re.DOTALL)
        assert len(text) == 1
        named = re.search(rf"{element}-src 'sha256-(.*?)'", policy)[1]
        assert base64.b64decode(named) == hashlib.sha256(text[0].encode()).digest()
    assert not re.search(r"\s(on\w+|style|src)=", re.sub(r"<script.*?</script>", "", page))
    links = set(re.findall(r"https?://[^\s\"'<]+", page))
    assert links <= {"http://www.w3.org/2000/svg"}


def test_text_of_users_stays_text(page):
    assert SCRIPT not in page
    assert "<img" not in page
    assert "{{ 7 * 7 }}" in page  # as a document, not evaluated
    documents = {document["id"]: document for document in embedded(page)["documents"]}
    assert IMAGE in documents
    assert documents["script"]["text"].startswith(SCRIPT)
    assert "bidi \u21c4gnp.exe" in documents
    assert "\u202e" not in page
    assert "hostile &amp; &lt;small&gt;.jsonl" in page


def test_every_document_is_told_by_its_pieces(page):
    data = embedded(page)
    assert len(data["documents"]) == 60 + len(HOSTILE)
    for document in data["documents"]:
        units = document["text"].encode("utf-16-le")
        for pieces in (document["best"], document["marked"]):
            at = 0
            for i in range(0, len(pieces), 5):
                gap, length, n_words, percent, topic = pieces[i : i + 5]
                at += gap + length
                phrase = units[2 * (at - length) : 2 * at].decode("utf-16-le")
                assert len(phrase.split()) == n_words
                assert 0 <= percent <= 100
                assert 0 <= topic < 3
        assert 0 < sum(share for _, share in document["topics"]) < 1.01


def test_topics_are_told_with_their_documents(page):
    data = embedded(page)
    assert sum(topic["share"] for topic in data["topics"]) == pytest.approx(1, abs=1e-3)
    for place, topic in enumerate(data["topics"]):
        assert topic["label"]
        shares = [share for _, share in topic["documents"]]
        assert shares == sorted(shares, reverse=True)
        assert len(shares) == TYPICAL
        for number, share in topic["documents"]:
            told = dict(map(tuple, data["documents"][number]["topics"])).get(place, 0)
            assert told == share if share >= SMALLEST_SHARE else told <= SMALLEST_SHARE


def test_typical_documents_are_the_best_of_the_corpus_and_always_shown(run, tmp_path):
    few = write_report(run, tmp_path / "few.html", n_documents=1)
    data = embedded(few.path.read_text(encoding="utf-8"))
    texts = run.texts(range(len(run.corpus)))
    shares = Segmenter.of(run).topics(list(texts.values()))
    for topic in data["topics"]:
        best = np.argsort(-shares[:, topic["number"]])[:TYPICAL]
        shown = {data["documents"][place]["id"] for place, _ in topic["documents"]}
        assert shown == {for_page(run.corpus.ids[number]) for number in best}
    assert few.n_documents <= 1 + TYPICAL * len(data["topics"])


@pytest.mark.parametrize("n_read", [1, 20])
def test_documents_that_are_not_read_may_be_typical(run, tmp_path, monkeypatch, n_read):
    """As in a large corpus: the encoder's best are looked at, and what was read besides."""
    whole = embedded(write_report(run, tmp_path / "whole.html").path.read_text(encoding="utf-8"))
    monkeypatch.setattr(contents, "READ", n_read)
    few = write_report(run, tmp_path / "few.html", n_documents=1)
    part = embedded(few.path.read_text(encoding="utf-8"))
    for all_read, some_read in zip(whole["topics"], part["topics"], strict=True):
        best = [share for _, share in all_read["documents"]]
        found = [share for _, share in some_read["documents"]]
        assert len(found) == TYPICAL
        assert found[0] > 0.9 * best[0]  # ten candidates of 67 documents


def test_a_page_without_documents_has_no_text_of_them(run, tmp_path):
    none = write_report(run, tmp_path / "none.html", n_documents=0)
    page = none.path.read_text(encoding="utf-8")
    assert embedded(page)["documents"] == []
    assert 'class="heard"' not in page
    assert "planted-" not in page


def test_a_comparison_is_kept_and_shown(run, tmp_path, capsys):
    assert main(["compare", str(run.folder), "--quick", "--json"]) == 0
    models = json.loads(capsys.readouterr().out)["models"]
    kept = load_comparison(run)
    assert kept.quick
    assert [row.name for row in kept.rows] == [model["name"] for model in models]
    assert [row.test.mean for row in kept.rows] == [model["test"]["mean"] for model in models]
    written = write_report(run, tmp_path / "compared.html")
    page = written.path.read_text(encoding="utf-8")
    assert written.compared
    assert page.count('<path class="whisker"') == 2 * len(models) - 1
    assert "ahead of the best LDA" in page
    path = run.folder / COMPARISON
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "weights": "of another model"}))
    assert load_comparison(run) is None
    path.write_text(json.dumps({**content, "quick": not content["quick"]}))
    with pytest.raises(RunError, match="another digest"):
        load_comparison(run)
    path.write_text("{")
    with pytest.raises(RunError, match="segtopic compare"):
        load_comparison(run)
    path.unlink()


def test_only_a_report_is_replaced(run, tmp_path):
    foreign = tmp_path / "thesis.html"
    foreign.write_text("<p>three years of work</p>")
    with pytest.raises(RunError, match="something else than a report"):
        write_report(run, foreign)
    assert foreign.read_text() == "<p>three years of work</p>"
    with pytest.raises(RunError, match="cannot be replaced"):
        write_report(run, tmp_path)
    with pytest.raises(ConfigError, match="does not exist"):
        write_report(run, tmp_path / "no" / "report.html")
    with pytest.raises(ConfigError, match="--documents"):
        write_report(run, n_documents=-1)
    report = tmp_path / "report.html"
    write_report(run, report, n_documents=2)
    first = report.read_bytes()
    write_report(run, report, n_documents=2, seed=1)
    assert report.read_bytes() != first
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_the_command_tells_what_it_wrote(run, tmp_path, capsys):
    out = tmp_path / "page.html"
    arguments = ["report", str(run.folder), "-o", str(out), "--documents", "0", "--json"]
    assert main(arguments) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == {
        "report": str(out),
        "bytes": out.stat().st_size,
        "topics": 3,
        "documents": 0,
        "compared": False,
    }
    assert main(["report", str(run.folder), "--documents", "3"]) == 0
    assert "segtopic compare" in capsys.readouterr().out
    assert main(["report", str(tmp_path / "nothing")]) == 2
    assert "is not a run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("n_documents", "settings"),
    [
        (60, {"n_topics": 1}),
        (60, {"max_segment_length": 1}),
        (60, {"test_share": 0.0}),
        (3, {"test_share": 0.0, "dev_share": 0.34, "n_topics": 2}),
    ],
    ids=["one topic", "single words", "no test part", "three documents"],
)
def test_unusual_runs_have_a_report_too(tmp_path, n_documents, settings):
    corpus = corpus_file(tmp_path, n_documents, hostile=False)
    run = load_run(small_run(tmp_path, corpus, epochs=1, **settings).folder)
    page = write_report(run).path.read_text(encoding="utf-8")
    data = embedded(page)
    assert len(data["documents"]) == n_documents
    assert len(data["topics"]) == run.model.n_topics
    assert ("nothing to predict" in page) == (settings.get("test_share") == 0.0)
    assert ("multi-word segments" in page) == (run.config.max_segment_length > 1)
