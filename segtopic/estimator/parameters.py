"""Parameters of an estimator in, the settings of a run out, and back.

A parameter has the name and the meaning of the setting; only ``random_state`` is called ``seed``
there. Settings that few users change are not parameters of their own but go through ``settings``.
"""

import dataclasses
from collections.abc import Mapping
from numbers import Integral, Real
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
from sklearn.utils import check_random_state

from segtopic.config import (
    ModelConfig,
    RunConfig,
    SwanConfig,
    SwanSettings,
    SwanTraining,
    TokenConfig,
    TrainingConfig,
    VocabularyConfig,
    build,
    did_you_mean,
)
from segtopic.config.seeds import seed_rows
from segtopic.errors import ConfigError
from segtopic.runs.trained import IN_MEMORY

LARGEST_SEED = 2**31 - 1
_NOT_SETTINGS = ("settings", "random_state", "partial_epochs", "accelerator", "beam", "verbose")


def _fields(*parts: type) -> set[str]:
    return {field.name for part in parts for field in dataclasses.fields(part)} - {"seed"}


_CHANGEABLE = _fields(TokenConfig, VocabularyConfig, ModelConfig, TrainingConfig)
_CHANGEABLE_SWAN = _fields(SwanSettings, SwanTraining) | {"on_bad_line"}


def run_config(parameters: Mapping[str, Any]) -> RunConfig:
    """The settings that the parameters of ``SegTopic`` stand for."""
    seeds = parameters["seeds"]
    values = _values({**parameters, "seeds": None}, RunConfig, _CHANGEABLE)
    if seeds is not None:
        values["seeds"] = seed_rows(seeds)
    if values["stop_words"] is None:
        values["stop_words"] = "none"
    seed = _seed(parameters["random_state"])
    return build(
        RunConfig,
        {**values, "data": IN_MEMORY, "test_share": 0.0, "seed": seed, "split_seed": seed},
    )


def swan_config(parameters: Mapping[str, Any]) -> SwanConfig:
    """The settings that the parameters of ``Swan`` stand for."""
    values = _values(parameters, SwanConfig, _CHANGEABLE_SWAN)
    seed = _seed(parameters["random_state"])
    return build(SwanConfig, {**values, "data": IN_MEMORY, "seed": seed, "split_seed": seed})


def parameters_of(config: RunConfig, names: list[str]) -> dict[str, Any]:
    """The inverse: values for the parameters ``names`` of ``SegTopic``."""
    if config.stop_on == ("refined" if config.refine_steps else "mean"):  # as if it was not given
        config = dataclasses.replace(config, stop_on=None)
    found = _parameters(config, RunConfig(), names, _CHANGEABLE)
    return {**found, "seeds": {name: words for name, *words in config.seed_rows} or None}


def parameters_of_swan(config: SwanConfig, names: list[str]) -> dict[str, Any]:
    """The inverse: values for the parameters ``names`` of ``Swan``."""
    defaults = SwanConfig(data=IN_MEMORY, layers=config.layers)  # as many strides as layers
    return _parameters(config, defaults, names, _CHANGEABLE_SWAN)


def _values(parameters: Mapping[str, Any], config: type, changeable: set[str]) -> dict[str, Any]:
    """Parameters and further settings, as plain values."""
    further = dict(parameters["settings"] or {})
    own = {name: value for name, value in parameters.items() if name not in _NOT_SETTINGS}
    for name in further:
        if name in own:
            raise ConfigError(f"'{name}' is a parameter of its own; take it out of settings")
        if name not in changeable:
            raise ConfigError(
                f"settings: unknown setting '{name}'"
                + did_you_mean(str(name), sorted(changeable - own.keys()))
            )
    types = get_type_hints(config)
    return {name: _plain(name, value, types[name]) for name, value in {**own, **further}.items()}


def _parameters(
    config: Any, defaults: Any, names: list[str], changeable: set[str]
) -> dict[str, Any]:
    values = {name: getattr(config, name) for name in names if name not in _NOT_SETTINGS}
    further = {
        name: getattr(config, name)
        for name in sorted(changeable - values.keys())
        if getattr(config, name) != getattr(defaults, name)
    }
    return {**values, "settings": further or None, "random_state": config.seed}


def _plain(name: str, value: Any, hint: Any) -> Any:
    """A value as plain Python, known to be of the setting's type."""
    if isinstance(value, np.generic):
        value = value.item()
    if get_origin(hint) is tuple:
        return value
    allowed = set(get_args(hint)) or {hint}
    if name == "stop_words":
        allowed.add(NoneType)
    if value is None and NoneType not in allowed:
        raise ConfigError(f"{name} is None, but must be given")
    if value is None:
        return value
    if bool in allowed and not isinstance(value, bool):
        raise ConfigError(f"{name} is {value!r}, but must be True or False")
    if {int, float} & allowed and (isinstance(value, bool) or not isinstance(value, Real)):
        raise ConfigError(f"{name} is {value!r}, but must be a number")
    if int in allowed and float not in allowed and not isinstance(value, Integral):
        raise ConfigError(f"{name} is {value!r}, but must be a whole number")
    if name == "stop_words" and isinstance(value, (list, tuple, set, frozenset)):
        for word in value:
            if not isinstance(word, str):
                raise ConfigError(f"stop_words holds {word!r}, but must be a list of strings")
        return sorted(value)  # in an order that is always the same
    if str in allowed and not isinstance(value, str):
        raise ConfigError(f"{name} is {value!r}, but must be a string")
    return value


def _seed(random_state: Any) -> int:
    """A whole number as it is; else one drawn from the generator."""
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        return int(random_state)
    try:
        return int(check_random_state(random_state).randint(LARGEST_SEED))
    except ValueError as error:
        raise ConfigError(f"random_state: {error}") from None
