"""The reference of commands and settings, made from the parsers that read them.

A page holds a marker where its reference stands: ``<!-- commands -->`` or ``<!-- settings -->``.
"""

import html
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from segtopic.cli import TABLE
from segtopic.commands.arguments import Argument, CommandParser, command_parser
from segtopic.config import ApplyConfig, RunConfig, SegmentConfig, SwanConfig, TrainerConfig
from segtopic.typed import in_words


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs with the text of a page."""
    for marker, lines in (("commands", _commands), ("settings", _settings)):
        place = f"<!-- {marker} -->"
        if place in markdown:
            markdown = markdown.replace(place, "\n".join(lines()))
    return markdown


def _commands() -> Iterator[str]:
    for command, module in TABLE.modules():
        parser: CommandParser = module.parser()
        yield from (f"## segtopic {command}", "", parser.description or "", "")
        yield from ("```", _usage(command, parser), "```", "")
        own = [item for item in parser.arguments.items() if item[1].settings is None]
        own.sort(key=lambda item: bool(item[1].flags))  # those known by their place come first
        yield from _table("argument", _flag_rows(own))
        for about, members in _by_class(parser):
            yield from (f"**{about}**", "")
            yield from _table("argument", _flag_rows(members))


def _settings() -> Iterator[str]:
    for title, parser in (
        ("Training", command_parser("train", "", RunConfig)),
        ("Machine, under `trainer`", command_parser("train", "", TrainerConfig)),
        ("Segmentation", command_parser("segment", "", SegmentConfig)),
        ("Tables of documents", command_parser("apply", "", ApplyConfig)),
        ("Sequences to sequences", command_parser("swan train", "", SwanConfig)),
    ):
        yield from (f"## {title}", "")
        for about, members in _by_class(parser):
            yield from (f"### {about.rstrip('.')}", "")
            yield from _table("key", _key_rows(members))


def _by_class(parser: CommandParser) -> Iterator[tuple[str, list[tuple[str, Argument]]]]:
    """The settings among the arguments, by the class that defines them, with its first sentence."""
    defined = [item for item in parser.arguments.items() if item[1].settings is not None]
    for settings, members in groupby(defined, lambda item: item[1].settings):
        yield (settings.__doc__ or "").partition("\n")[0], list(members)


def _usage(command: str, parser: CommandParser) -> str:
    words = [
        {None: "{}", "?": "[{}]", "*": "[{} ...]", "+": "{} ..."}[argument.nargs].format(
            key.upper()
        )
        for key, argument in parser.arguments.items()
        if not argument.flags
    ]
    return " ".join(["segtopic", command, *words, "[FLAGS]"])


def _flag_rows(arguments: Iterable[tuple[str, Argument]]) -> Iterator[Sequence[str]]:
    """Arguments as they are typed."""
    for key, argument in arguments:
        names = argument.flags or (key.upper(),)
        value = "" if argument.is_switch else in_words(argument.type)
        default = argument.default
        if argument.is_switch:
            default = "on" if default else None
        yield (
            "<br>".join(f"`{name}`" for name in names),
            f"{value}, any number" if argument.nargs == "*" else value,
            "" if default in (None, []) else f"`{default}`",
            argument.help,
        )


def _key_rows(arguments: Iterable[tuple[str, Argument]]) -> Iterator[Sequence[str]]:
    """Settings as they stand in a YAML file."""
    for key, argument in arguments:
        default = "" if argument.default is None else f"`{json.dumps(argument.default)}`"
        yield f"`{key}`", in_words(argument.type), default.replace('"', ""), argument.help


def _table(first: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {first} | value | default | what it does |"
    yield "|---|---|---|---|"
    for *cells, help_text in rows:
        yield f"| {' | '.join(cells)} | {html.escape(help_text, quote=False)} |"
    yield ""
