"""``segtopic completion SHELL``: what a shell needs to complete commands, flags and choices.

``segtopic completion bash --install`` puts it where bash looks for it.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from segtopic.commands.arguments import Argument, CommandParser, parse
from segtopic.commands.display import print_line
from segtopic.commands.table import CommandTable
from segtopic.files import write_atomically

Shell = Literal["bash", "zsh"]


def parser() -> CommandParser:
    """The arguments of the command."""
    made = CommandParser("completion", "Let a shell complete commands, flags and choices.")
    made.add_argument("shell", type=Shell, help="bash or zsh")
    made.add_argument(
        "--install",
        action="store_true",
        help="write it to the folder where the shell looks for it; otherwise it is printed",
    )
    return made


def run_in(table: CommandTable, arguments: Sequence[str]) -> int:
    """Print or install the script for the commands of a table."""
    chosen = parse(parser(), arguments)
    import shtab

    script = shtab.complete(command_tree(table), shell=chosen.shell)
    if not chosen.install:
        sys.stdout.write(script)
        return 0
    path = place_for(chosen.shell)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, script, remedy="print it without --install, and put it elsewhere")
    print_line(f"completion for {chosen.shell} is in {path}; a new shell has it")
    if chosen.shell == "zsh":
        looked_at = f"fpath+=({path.parent}); autoload -U compinit; compinit"
        print_line(f"if it has not, add to ~/.zshrc: {looked_at}")
    return 0


def place_for(shell: str) -> Path:
    """Where a shell of this user looks for completions."""
    if shell == "zsh":
        return Path.home() / ".zfunc" / "_segtopic"
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return data / "bash-completion" / "completions" / "segtopic"


def command_tree(table: CommandTable) -> argparse.ArgumentParser:
    """One parser with all commands below it, which knows flags and choices but no settings."""
    root = argparse.ArgumentParser(table.prog, add_help=False)
    _add_commands(root, table)
    return root


def _add_commands(above: argparse.ArgumentParser, table: CommandTable) -> None:
    below = above.add_subparsers()
    for name, about in table.commands.items():
        module, own = table.module(name), below.add_parser(name, help=about)
        inner = getattr(module, "TABLE", None)
        if isinstance(inner, CommandTable):
            _add_commands(own, inner)
            continue
        for key, argument in module.parser().arguments.items():
            _add_argument(own, key, argument)


def _add_argument(parser: argparse.ArgumentParser, key: str, argument: Argument) -> None:
    import shtab

    details: dict[str, Any] = {"help": argument.help.replace("%", "%%")}
    choices = _choices(argument.type)
    if argument.is_switch:
        details["action"] = "store_true"
    else:
        details |= {"nargs": argument.nargs, "choices": choices}
    added = parser.add_argument(*(argument.flags or (key,)), **details)
    if not argument.is_switch and not choices and argument.type is not int:
        added.complete = shtab.FILE  # type: ignore[attr-defined]


def _choices(hint: Any) -> list[str] | None:
    """The words that a value may be, if they are few."""
    for part in (hint, *get_args(hint)):
        if get_origin(part) is Literal:
            return [str(choice) for choice in get_args(part)]
    return None
