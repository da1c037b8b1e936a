"""The pages of the gallery: their scripts run, and the pages kept beside them are theirs."""

import importlib.util
import json
from pathlib import Path

import pytest

import segtopic.estimator
from segtopic import SegTopic
from tests.training.planted import planted_texts

GALLERY = Path(__file__).parents[2] / "docs" / "gallery"
SCRIPTS = sorted(path for path in GALLERY.glob("*.py") if path.name != "run.py")
TINY = {
    "n_topics": 6,
    "hidden_size": 4,
    "encoder_size": 4,
    "epochs": 1,
    "refine_steps": 2,
    "batch_size": 300,
}


def page(script):
    specification = importlib.util.spec_from_file_location("gallery_run", GALLERY / "run.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.page(script)


@pytest.mark.filterwarnings("ignore::segtopic.training.system.Collapse")
def test_news_run_with_a_tiny_model(monkeypatch):
    monkeypatch.setattr(
        segtopic.estimator, "SegTopic", lambda **asked: SegTopic(**{**asked, **TINY})
    )
    text = page(GALLERY / "news_in_five_minutes.py")
    assert "6 topics" in text
    assert "nats a word" in text


@pytest.mark.filterwarnings("ignore::segtopic.training.system.Collapse")
def test_ten_years_run_on_planted_abstracts(monkeypatch, tmp_path):
    texts, _ = planted_texts(66)
    ids = [f"{letter}16-1{number:03d}" for number, letter in enumerate("PDWLCN" * 3)]
    ids += [f"2020.{venue}-main.{n}" for n, venue in enumerate(["acl", "emnlp", "lrec"] * 16)]
    papers = [
        {"id": name, "year": 2016 + number % 11, "text": text}
        for number, (name, text) in enumerate(zip(ids, texts, strict=True))
    ]
    source = tmp_path / "papers.jsonl"
    source.write_text("".join(json.dumps(paper) + "\n" for paper in papers))
    script = tmp_path / "ten_years.py"
    text = (GALLERY / "ten_years_of_abstracts.py").read_text(encoding="utf-8")
    script.write_text(text.replace('data="acl"', f'data="{source}"').replace("(273,", "(6,"))
    monkeypatch.setattr(
        segtopic.estimator, "SegTopic", lambda **asked: SegTopic(**{**asked, **TINY})
    )
    made = page(script)
    assert "66 abstracts" in made
    assert "workshops" in made
    assert made.count("most ") >= 6


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_kept_page_has_the_code_of_its_script(script):
    text = script.with_suffix(".md").read_text(encoding="utf-8")
    for cell in script.read_text(encoding="utf-8").split("# %%\n")[1:]:
        code = [line for line in cell.splitlines() if line and not line.startswith("#")]
        assert all(line in text for line in code)
