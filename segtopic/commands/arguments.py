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
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from types import NoneType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import docstring_parser
import yaml  # type: ignore[import-untyped]
from jsonargparse import ActionYesNo, ArgumentParser, Namespace

from segtopic.config import build, did_you_mean
from segtopic.errors import ConfigError

Settings = TypeVar("Settings")


def command_parser(command: str, description: str, *settings_classes: type) -> ArgumentParser:
    """A parser with a flag for every field of the dataclasses, ``--config`` and ``--json``."""
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


def settings(namespace: Namespace, settings_class: type[Settings]) -> Settings:
    """The dataclass that the arguments describe."""
    names = [field.name for field in fields(settings_class)]  # type: ignore[arg-type]
    return build(settings_class, {name: namespace[name] for name in names})


def _add_fields(parser: ArgumentParser, settings_class: type) -> None:
    types = get_type_hints(settings_class)
    help_texts = _help_texts(settings_class)
    for field in fields(settings_class):
        flag = "--" + field.name.replace("_", "-")
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
    for key, value in (values or {}).items():
        if key not in keys:
            raise ConfigError(f"{path}: unknown key '{key}'{did_you_mean(str(key), keys)}")
        if isinstance(actions[key], ActionYesNo) and not isinstance(value, bool):
            raise ConfigError(f"{path}: {key}: '{value}' is not true or false")


def _one_sentence(parser: ArgumentParser, message: str) -> str:
    flags = [flag for action in parser._actions for flag in action.option_strings]
    flags = [flag for flag in flags if flag.startswith("--") and not flag.endswith("+")]
    if found := re.match(r"unrecognized arguments: (\S+)", message):
        unknown = found[1].partition("=")[0]
        if unknown.startswith("-"):
            return f"unknown flag {unknown}{did_you_mean(unknown, flags)}"
        return f"'{unknown}' is one argument too many; see '{parser.prog} --help'"
    if found := re.match(r'Parser key "(\w+)":', message):
        value = re.search(r"(?:Given|Got) value: (.*)", message)
        action = next((a for a in parser._actions if a.dest == found[1]), None)
        if value and action is not None:
            flag = action.option_strings[0] if action.option_strings else found[1]
            wanted = _in_words(getattr(action, "_typehint", None) or bool)
            return f"{flag} (or {found[1]} in the configuration): '{value[1]}' is not {wanted}"
    return " ".join(message.split())


def _in_words(hint: Any) -> str:
    simple = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
    if hint in simple:
        return simple[hint]
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(str, get_args(hint)))}"
    parts = [_in_words(part) for part in get_args(hint) if part is not NoneType]
    return " or ".join(parts) if parts else str(hint)
