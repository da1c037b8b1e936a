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
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import docstring_parser
import yaml  # type: ignore[import-untyped]
from jsonargparse import ActionYesNo, ArgumentParser, Namespace

from segtopic.config import build, did_you_mean
from segtopic.config.checks import SWITCH
from segtopic.errors import ConfigError
from segtopic.typed import fits, in_words, shown

Settings = TypeVar("Settings")


@dataclass(frozen=True)
class Argument:
    """An argument of a command, as error messages and the documentation show it.

    Attributes:
        flags: Such as ``--refine`` and ``--no-refine``; none where it is known by its place.
        type: Of the value; ``bool`` for a switch.
        default: If it is not given.
        help: What it does.
        nargs: As in argparse: ``?`` may be left out, ``*`` takes any number of values, ``+`` at
            least one.
        settings: The dataclass that defines it, if one does.
    """

    flags: tuple[str, ...]
    type: Any
    default: Any
    help: str
    nargs: str | None
    settings: type | None

    @property
    def is_switch(self) -> bool:
        """Whether it stands alone, without a value."""
        return self.type is bool


class CommandParser(ArgumentParser):
    """A parser that can tell its arguments.

    Attributes:
        arguments: By their keys, in the order they were added; without ``--help``.
    """

    def __init__(self, command: str, description: str) -> None:
        self.arguments: dict[str, Argument] = {}
        self._settings: type | None = None
        super().__init__(
            prog=f"segtopic {command}",
            description=description,
            exit_on_error=False,
            print_config=None,
            allow_abbrev=False,
        )

    def add_argument(self, *names: Any, **details: Any) -> Any:
        """As :meth:`argparse.ArgumentParser.add_argument`, and remember it."""
        action = super().add_argument(*names, **details)
        if action.dest != "help":
            takes_none = isinstance(action, ActionYesNo) or details.get("action") == "store_true"
            self.arguments[action.dest] = Argument(
                tuple(flag for flag in action.option_strings if not flag.endswith("+")),
                bool if takes_none else details.get("type", str),
                action.default,
                action.help or "",
                details.get("nargs"),
                self._settings,
            )
        return action

    def add_settings(self, settings_class: type, group: str | None = None) -> None:
        """A flag for every field of a dataclass, or of a group: ``--trainer.devices``."""
        types = get_type_hints(settings_class)
        help_texts = _help_texts(settings_class)
        for field in fields(settings_class):
            flag = f"--{group}.{field.name}" if group else "--" + field.name.replace("_", "-")
            details = {"default": field.default, "help": help_texts.get(field.name, "")}
            self._settings = next(c for c in settings_class.__mro__ if field.name in vars(c))
            if types[field.name] is bool or field.metadata == SWITCH:
                self.add_argument(
                    flag, action=ActionYesNo(yes_prefix="", no_prefix="no-"), **details
                )
            else:
                self.add_argument(flag, type=types[field.name], **details)
        self._settings = None


def command_parser(
    command: str, description: str, *settings_classes: type, **groups: type
) -> CommandParser:
    """A parser with a flag for every field of the dataclasses, ``--config`` and ``--json``.

    The fields of a class given by name become a group: ``--trainer.devices``, and in YAML
    ``devices`` under ``trainer``.
    """
    parser = CommandParser(command, description)
    parser.add_argument("--json", action="store_true", help="print one JSON object and no table")
    if settings_classes:
        parser.add_argument(
            "--config", action="config", help="YAML file with any of the settings below"
        )
    for settings_class in settings_classes:
        parser.add_settings(settings_class)
    for group, settings_class in groups.items():
        parser.add_settings(settings_class, group)
    return parser


def given_settings(parser: CommandParser, arguments: Sequence[str]) -> set[str]:
    """The names of what the user has given, by flags or in a file.

    >>> from segtopic.config import SplitConfig
    >>> given_settings(command_parser("demo", "", SplitConfig), ["--test-share", "0.1"])
    {'test_share'}
    """
    return set(vars(parse(parser, arguments, defaults=False)))


def parse(parser: CommandParser, arguments: Sequence[str], defaults: bool = True) -> Namespace:
    """Parse the arguments of a command; what is wrong with them becomes a ``ConfigError``."""
    files, flags = [], []  # files come first, because what is read later wins
    rest = iter(arguments)
    for argument in rest:
        name, equals, path = argument.partition("=")
        if name == "--config" and "config" in parser.arguments:
            path = path if equals else next(rest, "")
            if not path:
                raise ConfigError("--config names no file; give a YAML file")
            _check_file(parser, Path(path))
            files.append(f"--config={path}")
        else:
            flags.append(argument)
    try:
        return parser.parse_args([*files, *_places_first(parser, flags)], defaults=defaults)
    except argparse.ArgumentError as error:
        raise ConfigError(_one_sentence(parser, str(error))) from None


def settings(
    namespace: Namespace, settings_class: type[Settings], group: str | None = None
) -> Settings:
    """The dataclass that the arguments, or a group of them, describe."""
    names = [field.name for field in fields(settings_class)]  # type: ignore[arg-type]
    values = namespace if group is None else namespace[group]
    return build(settings_class, {name: values[name] for name in names})


def add_source(parser: CommandParser) -> None:
    """The source of text, known by its place; see :func:`settings_with_source`."""
    parser.add_argument("source", nargs="?", type=str, help="the same as --data")


def settings_with_source(namespace: Namespace, settings_class: type[Settings]) -> Settings:
    """The settings, with the source that stands alone as their ``data``."""
    values = namespace if namespace.source is None else namespace.clone(with_meta=False)
    if namespace.source is not None:
        values["data"] = namespace.source
    return settings(values, settings_class)


def _help_texts(settings_class: type) -> dict[str, str]:
    """The texts under *Attributes* in the docstrings of a class and its bases."""
    texts = {}
    for part in reversed(settings_class.__mro__):
        for parameter in docstring_parser.parse(part.__doc__ or "").params:
            texts[parameter.arg_name] = " ".join((parameter.description or "").split())
    return texts


def _places_first(parser: CommandParser, arguments: Sequence[str]) -> Sequence[str]:
    """What is known by its place before all flags, in whatever order it was typed.

    argparse fills all places where it meets the first of them, so that in ``RUN --format jsonl -``
    the source would be one argument too many.
    """
    by_flag = {flag: known for known in parser.arguments.values() for flag in known.flags}
    places, flags, rest = [], [], list(arguments)
    while rest:
        argument = rest.pop(0)
        if argument == "-" or not argument.startswith("-"):
            places.append(argument)
            continue
        known = by_flag.get(argument.partition("=")[0])
        if known is None:  # --help, or a mistake, which is best told in the order it was made
            return arguments
        flags.append(argument)
        if "=" in argument or known.is_switch:
            continue
        most = len(rest) if known.nargs == "*" else 1
        while rest and most and (known.nargs != "*" or not rest[0].startswith("-")):
            flags.append(rest.pop(0))
            most -= 1
    return [*places, *flags]


def _check_file(parser: CommandParser, path: Path) -> None:
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
    flags = {key: known for key, known in parser.arguments.items() if known.flags}
    keys = [key for key in flags if key != "config"]
    for key, value in _flat(values or {}, {key.partition(".")[0] for key in keys if "." in key}):
        if key not in keys:
            key = shown(key)
            raise ConfigError(f"{path}: unknown key '{key}'{did_you_mean(key, keys)}")
        if flags[key].is_switch and not isinstance(value, bool):
            raise ConfigError(f"{path}: {key}: '{shown(value)}' is not true or false")
        wanted = flags[key].type
        if isinstance(value, str) and _is_choice(wanted) and not fits(value, wanted):
            raise ConfigError(f"{path}: {key}: '{shown(value)}' is not {in_words(wanted)}")


def _is_choice(wanted: Any) -> bool:
    """Whether one of some names is wanted."""
    if get_origin(wanted) is Literal:
        return True
    return any(_is_choice(part) for part in get_args(wanted))


def _flat(values: dict[str, Any], groups: set[str]) -> Iterator[tuple[str, Any]]:
    """Keys and values, those of a group with its name before them."""
    for key, value in values.items():
        if key in groups and isinstance(value, dict):
            yield from ((f"{key}.{name}", inner) for name, inner in value.items())
        else:
            yield key, value


def _one_sentence(parser: CommandParser, message: str) -> str:
    if found := re.match(r"(?i)unrecognized arguments: (\S+)", message):
        unknown = found[1].partition("=")[0]
        if unknown.startswith("-"):
            flags = [flag for known in parser.arguments.values() for flag in known.flags]
            long_ones = [flag for flag in [*flags, "--help"] if flag.startswith("--")]
            return f"unknown flag {unknown}{did_you_mean(unknown, long_ones)}"
        return f"'{unknown}' is one argument too many; see '{parser.prog} --help'"
    if found := re.match(r'Parser key "([\w.]+)"(?: element \d+)?:', message):
        value = re.search(r"(?:Given|Got) value: (.*)", message)
        known = parser.arguments.get(found[1])
        if value and known is not None:
            flag = known.flags[0] if known.flags else found[1]
            where = f" (or {found[1]} in the configuration)" if known.settings else ""
            return f"{flag}{where}: '{value[1]}' is not {in_words(known.type)}"
    return " ".join(message.split())
