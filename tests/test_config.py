"""Settings: checked when made, the same as flags, YAML keys and Python names."""

import doctest
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from segtopic import config
from segtopic.commands import arguments
from segtopic.commands.arguments import command_parser, parse, settings
from segtopic.config import CorpusConfig, RunConfig, SplitConfig, build
from segtopic.errors import ConfigError

CONFIGS = Path(__file__).parents[1] / "configs"


def parsed(*flags):
    return settings(parse(command_parser("test", "Test.", CorpusConfig), flags), CorpusConfig)


def test_docstring_examples():
    for module in (config, arguments):
        assert doctest.testmod(module, optionflags=doctest.IGNORE_EXCEPTION_DETAIL).failed == 0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"data": ""}, "data is empty"),
        ({"input_format": "cvs"}, "input_format is 'cvs'; did you mean 'csv'"),
        ({"on_bad_line": "ignore"}, "on_bad_line is 'ignore'"),
        ({"encoding": "utf-88"}, "encoding is 'utf-88', which Python does not know"),
        ({"limit": 0}, "limit is 0, but must be at least 1"),
        ({"text_column": "a,,b"}, "text_column holds an empty name"),
        ({"text_column": []}, "text_column holds an empty name"),
        ({"stop_words": ""}, "stop_words is empty"),
        ({"min_word_length": 0}, "min_word_length is 0"),
        ({"vocabulary_size": "many"}, "vocabulary_size is 'many', but must be a number"),
        ({"vocabulary_size": True}, "must be a number"),
        ({"max_df": 1.5}, "max_df is 1.5, but must be at most 1.0"),
        ({"min_df": -1}, "min_df is -1"),
        ({"test_share": 0.95}, "test_share is 0.95, but must be at most 0.9"),
        ({"test_share": float("nan")}, "test_share is nan"),
        ({"test_share": 0.5, "dev_share": 0.5}, "leave nothing to train on"),
        ({"split_seed": -1}, "split_seed is -1"),
    ],
)
def test_impossible_values_are_refused(values, message):
    with pytest.raises(ConfigError, match=message):
        CorpusConfig(**values)


def test_unknown_keys_name_the_nearest():
    with pytest.raises(ConfigError, match="unknown setting 'test_shar'; did you mean 'test_share'"):
        build(SplitConfig, {"test_shar": 0.1})


def test_flags_are_the_fields():
    assert parsed() == CorpusConfig()
    flags = ["--text-column", "title,body", "--no-lowercase", "--min-df", "0.5", "--limit", "3"]
    expected = CorpusConfig(text_column="title,body", lowercase=False, min_df=0.5, limit=3)
    assert parsed(*flags) == expected
    assert parsed("--min-df", "2", "--latex", "true") == CorpusConfig(min_df=2, latex=True)


def test_every_field_is_explained():
    texts = arguments._help_texts(CorpusConfig)
    assert all(texts.get(field.name) for field in fields(CorpusConfig))


def test_flags_win_over_the_file(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("data: ap\nlimit: 5\ntext_column: [a, b]\nlowercase: false\n")
    expected = CorpusConfig(data="ap", limit=7, text_column=["a", "b"], lowercase=False)
    assert parsed("--config", str(path), "--limit", "7") == expected
    assert parsed("--limit", "7", "--config", str(path)) == expected


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--limt", "3"], "unknown flag --limt; did you mean '--limit'"),
        (["--limt=3"], "unknown flag --limt; did you mean '--limit'"),
        (["--limit", "x"], "--limit .*'x' is not a whole number"),
        (["--test-share", "x"], "--test-share .*'x' is not a number"),
        (["--on-bad-line", "x"], "'x' is not one of error, skip"),
        (["--input-format", "docx"], "'docx' is not one of text, lines, csv"),
        (["extra"], "'extra' is one argument too many"),
        (["--limit"], "expected one argument"),
        (["--config", "nowhere.yaml"], "--config nowhere.yaml: cannot be read .No such file"),
    ],
)
def test_mistakes_in_flags(flags, message):
    with pytest.raises(ConfigError, match=message) as caught:
        parsed(*flags)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "text_colum: a\n",
            "c.yaml: unknown key 'text_colum'; did you mean 'text_column'",
        ),
        ("text-column: a\n", "unknown key 'text-column'.*'text_column'"),
        ("limit: many\n", "limit in the configuration.*'many' is not a whole number"),
        ("lowercase: 7\n", "lowercase: '7' is not true or false"),
        ("on_bad_line: halt\n", "c.yaml: on_bad_line: 'halt' is not one of error, skip"),
        ("input_format: docx\n", "c.yaml: input_format: 'docx' is not one of text, lines, csv"),
        ("limit: [\n", "is not YAML"),
        ("- a\n- b\n", "holds no settings"),
        ("limit: -1\n", "limit is -1, but must be at least 1"),
    ],
)
def test_mistakes_in_files(tmp_path, content, message):
    path = tmp_path / "c.yaml"
    path.write_text(content)
    with pytest.raises(ConfigError, match=message) as caught:
        parsed("--config", str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.name)
def test_the_configs_of_the_repository_name_their_corpus(path):
    assert yaml.safe_load(path.read_text())["data"] == path.stem.partition("-")[0]


@pytest.mark.parametrize(
    ("n_documents", "n_words", "batch_size", "epochs", "rate"),
    [
        (0, 0, 4, 20, 1e-3),
        (100, 10_000, 4, 14, 1e-3),
        (100, 1_000_000, 4, 9, 2e-3),  # few, but long
        (1796, 299_999, 32, 6, 1e-3),
        (1796, 348_263, 32, 4, 2e-3),
        (4000, 200_000, 32, 6, 1e-3),  # many, but short
        (3999, 325_743, 32, 4, 2e-3),
        (4000, 325_743, 64, 4, 3e-3),
        (1_000_000, 10**8, 64, 4, 3e-3),
    ],
)
def test_much_text_needs_larger_steps_and_fewer_epochs(
    n_documents, n_words, batch_size, epochs, rate
):
    found = RunConfig().settled(n_documents, n_words)
    assert (found.batch_size, found.epochs, found.learning_rate) == (batch_size, epochs, rate)
    given = RunConfig(epochs=9, batch_size=7, learning_rate=0.0).settled(n_documents, n_words)
    assert (given.epochs, given.batch_size, given.learning_rate) == (9, 7, 0)
    network = RunConfig(topics="network").settled(n_documents, n_words)
    assert network.batch_size <= 32
    assert network.epochs >= 6
    assert network.learning_rate == 1e-3
