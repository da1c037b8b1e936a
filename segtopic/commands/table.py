"""A table of commands: names in, one module called, and its help."""

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType

from segtopic.config import did_you_mean
from segtopic.errors import ConfigError


@dataclass(frozen=True)
class CommandTable:
    """Commands by name, each a module with ``parser()`` and ``run(arguments) -> exit code``.

    A module with a ``TABLE`` of its own holds further commands; one with ``run_in(table,
    arguments)`` in place of ``run`` is told which commands there are.

    A module is imported only when it is called, so that help answers at once.

    Attributes:
        prog: What is typed before a command.
        about: What the commands do together.
        package: Of the modules.
        commands: What each does.
        more: Said at the end of the help.
    """

    prog: str
    about: str
    package: str
    commands: Mapping[str, str]
    more: str = ""

    def run(self, arguments: Sequence[str]) -> int:
        """Call the command that the first argument names; without one, show the help."""
        command, *rest = arguments or ["--help"]
        if command in ("-h", "--help"):
            print(self.help())
            return 0
        if command not in self.commands:
            near = did_you_mean(command, list(self.commands))
            group = self.prog.removeprefix("segtopic").lstrip()
            raise ConfigError(f"unknown command '{f'{group} {command}'.lstrip()}'{near}")
        module = self.module(command)
        if hasattr(module, "run_in"):
            return int(module.run_in(self, rest))
        return int(module.run(rest))

    def module(self, command: str) -> ModuleType:
        """The module of a command."""
        return importlib.import_module(f"{self.package}.{command}")

    def modules(self) -> Iterator[tuple[str, ModuleType]]:
        """Every command with its module, those of tables within the table by both names."""
        for command in self.commands:
            module = self.module(command)
            if isinstance(getattr(module, "TABLE", None), CommandTable):
                yield from ((f"{command} {name}", inner) for name, inner in module.TABLE.modules())
            else:
                yield command, module

    def help(self) -> str:
        """The list of commands."""
        width = max(map(len, self.commands))
        commands = "\n".join(f"  {name:<{width}}  {about}" for name, about in self.commands.items())
        return (
            f"usage: {self.prog} COMMAND ...\n\n{self.about}\n\ncommands:\n{commands}\n\n"
            f"'{self.prog} COMMAND --help' explains a command{self.more}."
        )
