"""The estimator's parameters are the settings of a run."""

import inspect

import numpy as np
import pytest

from segtopic import SegTopic
from segtopic.config import RunConfig
from segtopic.corpus import SpanRules
from segtopic.errors import SegtopicError
from segtopic.estimator.parameters import parameters_of, run_config

NAMES = SegTopic._get_param_names()


def config_of(**parameters):
    return run_config(SegTopic(**parameters).get_params(deep=False))


def test_defaults_are_those_of_the_command_line():
    defaults = RunConfig()
    for name, parameter in inspect.signature(SegTopic).parameters.items():
        if hasattr(defaults, name):
            assert parameter.default == getattr(defaults, name), name


def test_there_and_back():
    given = {
        "n_topics": 7,
        "min_df": 0.01,
        "stop_words": "none",
        "settings": {"split_hyphens": True, "corrected": "no"},
        "random_state": 5,
    }
    config = config_of(**given)
    assert (config.split_hyphens, config.corrected, config.seed) == (True, "no", 5)
    back = parameters_of(config, NAMES)
    assert {name: back[name] for name in given} == given
    assert run_config(SegTopic(**back).get_params(deep=False)) == config


def test_numbers_of_numpy_are_numbers():
    config = config_of(n_topics=np.int64(4), dropout=np.float64(0.5), random_state=np.int32(3))
    assert type(config.n_topics) is int
    assert type(config.dropout) is float
    assert config.seed == 3


def test_no_refinement_stops_on_what_there_is():
    assert config_of(refine_steps=0).settled(10, 10).stop_on == "mean"
    assert config_of(stop_words=None).stop_words == "none"


def test_a_generator_gives_the_seed():
    first, second = (config_of(random_state=np.random.RandomState(1)).seed for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_topics": 0}, "n_topics is 0, but must be at least 1"),
        ({"n_topics": 2.5}, "n_topics is 2.5, but must be a whole number"),
        ({"n_topics": "many"}, "n_topics is 'many', but must be a number"),
        ({"patience": None}, "patience is None, but must be given"),
        ({"lowercase": 1}, "lowercase is 1, but must be True or False"),
        ({"stop_words": 3}, "stop_words is 3, but must be a string"),
        ({"stop_words": "nowhere.txt"}, "there is no file nowhere.txt"),
        ({"dropout": 2.0}, "dropout is 2.0, but must be at most 0.95"),
        ({"settings": {"n_topics": 3}}, "'n_topics' is a parameter of its own"),
        ({"settings": {"split_hypens": True}}, "did you mean 'split_hyphens'"),
        ({"settings": {"data": "x.csv"}}, "unknown setting 'data'"),
        ({"random_state": "lucky"}, "random_state: 'lucky' cannot be used to seed"),
        ({"random_state": -1}, "seed is -1, but must be at least 0"),
    ],
)
def test_a_wrong_parameter_is_noticed_in_fit(parameters, message):
    model = SegTopic(**parameters)
    with pytest.raises(ValueError, match=message) as caught:
        model.fit(["New York", "a river"])
    assert isinstance(caught.value, SegtopicError)


@pytest.mark.parametrize("words", [["river", "bank"], ("bank", "river"), {"river", "bank"}])
def test_stop_words_may_be_a_list(words):
    config = config_of(stop_words=words, random_state=0)
    assert config.stop_words == ("bank", "river")
    again = config_of(stop_words=parameters_of(config, NAMES)["stop_words"], random_state=0)
    assert again == config
    rules = SpanRules.from_config(config)
    assert {"bank", "river"} <= rules.stop_words
    assert "the" not in rules.stop_words


@pytest.mark.parametrize(("words", "message"), [(["two words"], "not one word"), ([1], "holds 1")])
def test_stop_words_that_are_no_words(words, message):
    with pytest.raises(SegtopicError, match=message):
        SpanRules.from_config(config_of(stop_words=words))
