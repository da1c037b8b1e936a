"""Seeds from the command line and from Python: the run keeps them, and the topics their names."""

import warnings

import numpy as np
import pytest
import yaml

from segtopic import SegTopic
from segtopic.cli import main
from segtopic.runs import load_run
from segtopic.training.system import Collapse
from tests.training.planted import WORDS, planted_file, planted_texts

SMALL = (
    *("--n-topics", "3", "--hidden-size", "4", "--encoder-size", "4", "--epochs", "1"),
    *("--kl-warmup", "0", "--refine-steps", "2", "--trainer.threads", "1"),
)
SEEDS = {"The last": WORDS[2][:3], "first": [WORDS[0][0], "nowhere"]}


@pytest.fixture(scope="module", autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Collapse)
        yield


def planted_in(trained):
    """For each topic of a model, the planted topic that most of its words are of."""
    numbers = trained.vocabulary.numbers
    planted = [[numbers[word] for word in words if word in numbers] for words in WORDS]
    shares = np.stack([trained.model.topic_words[:, words].sum(1).numpy() for words in planted])
    return shares.argmax(0).tolist()


@pytest.fixture(scope="module")
def seeded(tmp_path_factory):
    """The run folder, and what was said while it was made."""
    folder = tmp_path_factory.mktemp("seeded")
    (folder / "seeds.yaml").write_text(yaml.safe_dump(SEEDS, sort_keys=False))
    source, run = str(planted_file(folder, n_documents=60)), folder / "run"
    given = ["--seeds", str(folder / "seeds.yaml")]
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        patch.setenv("XDG_CACHE_HOME", str(folder))
        assert main(["train", "--data", source, "--out", str(run), *SMALL, *given]) == 0
    (folder / "seeds.yaml").unlink()  # the run knows them
    return run, [str(warning.message) for warning in told]


def test_the_run_keeps_seeds_and_names(seeded):
    run, told = seeded
    trained = load_run(run)
    assert trained.config.seed_rows == tuple((name, *words) for name, words in SEEDS.items())
    assert dict(trained.naming.names) == {0: "The last", 1: "first"}
    unknown = [sentence for sentence in told if sentence.startswith("seeds")]
    assert unknown == ["seeds that are no words of the corpus are left out: 'nowhere'"]
    assert planted_in(trained)[:2] == [2, 0]


def test_training_from_the_config_of_a_run_needs_no_file(seeded, tmp_path, monkeypatch, capsys):
    run, _ = seeded
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = ["train", "--config", str(run / "config.yaml"), "--out", str(tmp_path / "again")]
        assert main(again) == 0
    assert "The last:" in capsys.readouterr().out
    one, other = (load_run(folder).model.topic_words for folder in (run, tmp_path / "again"))
    assert bool((one == other).all())


def test_the_estimator_takes_and_gives_back_seeds(tmp_path):
    texts, _ = planted_texts(45)
    seeds = {"last": WORDS[2][:3], "first": WORDS[0][:3]}
    model = SegTopic(
        n_topics=3, hidden_size=4, encoder_size=4, epochs=1, refine_steps=0, kl_warmup=0,
        seeds=seeds, random_state=0,
    ).fit(texts)  # fmt: skip
    assert planted_in(model.trained_)[:2] == [2, 0]
    model.save(tmp_path / "saved")
    loaded = SegTopic.load(tmp_path / "saved")
    assert loaded.get_params()["seeds"] == seeds
    assert dict(loaded.trained_.naming.names) == {0: "last", 1: "first"}
    with pytest.raises(ValueError, match="must have a list of words"):
        SegTopic(seeds={"a": 3}).fit(texts)


def test_mistakes_are_one_sentence(tmp_path, capsys):
    assert (
        main(["train", "--seeds", str(tmp_path / "none.yaml"), "--out", str(tmp_path / "r")]) == 2
    )
    reading, error = capsys.readouterr().err.splitlines()
    assert reading == "reading lee"
    assert "cannot be read" in error
