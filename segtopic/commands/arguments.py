"""Settings dataclasses in, a command's argument parser out.

Every field is a flag (``text_column`` -> ``--text-column``) and a key of the YAML file that
``--config`` names; flags win over the file. Mistakes become one sentence that names the nearest
valid spelling.

>>> from segtopic.config import SplitConfig
>>> parser = command_parser("demo", "Show the split.", SplitConfig)
>>> settings(parse(parser, ["--test-share", "0.2"]), SplitConfig).test_share
0.2
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import docstring_parser
import yaml  # type: ignore[import-untyped]
from jsonargparse import ActionYesNo, ArgumentParser, Namespace

from segtopic.config import build, did_you_mean
from segtopic.errors import ConfigError
from segtopic.typed import in_words, shown

Settings = TypeVar("Settings")


def command_parser(
    command: str, description: str, *settings_classes: type, **groups: type
) -> ArgumentParser:
    """A parser with a flag for every field of the dataclasses, ``--config`` and ``--json``.

    The fields of a class given by name become a group: ``--trainer.devices``, and in YAML
    ``devices`` under ``trainer``.
    """
    parser = ArgumentParser(
        prog=f"segtopic {command}",
        description=description,
        exit_on_error=False,
        print_config=None,
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and no table")
    if settings_classes:
        parser.add_argument(
            "--config", action="config", help="YAML file with any of the settings below"
        )
    for settings_class in settings_classes:
        _add_fields(parser, settings_class)
    for group, settings_class in groups.items():
        _add_fields(parser, settings_class, group)
    return parser


def parse(parser: ArgumentParser, arguments: Sequence[str]) -> Namespace:
    """Parse the arguments of a command; what is wrong with them becomes a ``ConfigError``."""
    for flag, value in zip(arguments, [*arguments[1:], ""], strict=False):
        if flag == "--config" or flag.startswith("--config="):
            _check_file(parser, Path(value if flag == "--config" else flag.partition("=")[2]))
    try:
        return parser.parse_args(list(arguments))
    except argparse.ArgumentError as error:
        raise ConfigError(_one_sentence(parser, str(error))) from None


def settings(
    namespace: Namespace, settings_class: type[Settings], group: str | None = None
) -> Settings:
    """The dataclass that the arguments, or a group of them, describe."""
    names = [field.name for field in fields(settings_class)]  # type: ignore[arg-type]
    values = namespace if group is None else namespace[group]
    return build(settings_class, {name: values[name] for name in names})


def _add_fields(parser: ArgumentParser, settings_class: type, group: str | None = None) -> None:
    types = get_type_hints(settings_class)
    help_texts = _help_texts(settings_class)
    for field in fields(settings_class):
        flag = f"--{group}.{field.name}" if group else "--" + field.name.replace("_", "-")
        details: dict[str, Any] = {"default": field.default, "help": help_texts.get(field.name, "")}
        if types[field.name] is bool:
            switch = ActionYesNo(yes_prefix="", no_prefix="no-")
            parser.add_argument(flag, action=switch, **details)
        else:
            parser.add_argument(flag, type=types[field.name], **details)


def _help_texts(settings_class: type) -> dict[str, str]:
    """The texts under *Attributes* in the docstrings of a class and its bases."""
    texts = {}
    for part in reversed(settings_class.__mro__):
        for parameter in docstring_parser.parse(part.__doc__ or "").params:
            texts[parameter.arg_name] = " ".join((parameter.description or "").split())
    return texts


def _check_file(parser: ArgumentParser, path: Path) -> None:
    """Find what is wrong with a configuration file where jsonargparse's words do not say where."""
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"--config {path}: cannot be read ({reason}); give a YAML file") from None
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise ConfigError(f"{path}: is not YAML ({reason}); correct the file") from None
    if values is not None and not isinstance(values, dict):
        raise ConfigError(f"{path}: holds no settings; write lines such as 'data: lee'")
    actions = {action.dest: action for action in parser._actions if action.option_strings}
    keys = [key for key in actions if key not in ("help", "config")]
    for key, value in _flat(values or {}, {key.partition(".")[0] for key in keys if "." in key}):
        if key not in keys:
            key = shown(key)
            raise ConfigError(f"{path}: unknown key '{key}'{did_you_mean(key, keys)}")
        if isinstance(actions[key], ActionYesNo) and not isinstance(value, bool):
            raise ConfigError(f"{path}: {key}: '{shown(value)}' is not true or false")


def _flat(values: dict[str, Any], groups: set[str]) -> Iterator[tuple[str, Any]]:
    """Keys and values, those of a group with its name before them."""
    for key, value in values.items():
        if key in groups and isinstance(value, dict):
            yield from ((f"{key}.{name}", inner) for name, inner in value.items())
        else:
            yield key, value


def _one_sentence(parser: ArgumentParser, message: str) -> str:
    flags = [flag for action in parser._actions for flag in action.option_strings]
    flags = [flag for flag in flags if flag.startswith("--") and not flag.endswith("+")]
    if found := re.match(r"(?i)unrecognized arguments: (\S+)", message):
        unknown = found[1].partition("=")[0]
        if unknown.startswith("-"):
            return f"unknown flag {unknown}{did_you_mean(unknown, flags)}"
        return f"'{unknown}' is one argument too many; see '{parser.prog} --help'"
    if found := re.match(r'Parser key "([\w.]+)":', message):
        value = re.search(r"(?:Given|Got) value: (.*)", message)
        action = next((a for a in parser._actions if a.dest == found[1]), None)
        if value and action is not None:
            flag = action.option_strings[0] if action.option_strings else found[1]
            wanted = in_words(getattr(action, "_typehint", None) or bool)
            return f"{flag} (or {found[1]} in the configuration): '{value[1]}' is not {wanted}"
    return " ".join(message.split())
