"""``segtopic serve RUN``: a local page where texts are pasted and read at once."""

import sys
import webbrowser
from collections.abc import Sequence
from importlib.util import find_spec

from segtopic.commands.arguments import CommandParser, command_parser, parse, settings
from segtopic.commands.display import print_json, print_line, remark
from segtopic.commands.opening import opening
from segtopic.config import ServeConfig
from segtopic.errors import ConfigError


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "serve",
        "Serve a page on this machine: paste a text and see its phrases, their alternatives and "
        "probabilities, topics and similar documents; join and cut phrases by a click. The same "
        "as JSON, with its reference. Nothing leaves the machine; Ctrl-C ends it.",
        ServeConfig,
    )
    made.add_argument("run", type=str, help="folder of the run")
    made.add_argument("--data", type=str, help="where the texts are now, if they were moved")
    made.add_argument("--open", action="store_true", help="open the page in the browser")
    return made


def run(arguments: Sequence[str]) -> int:
    """Serve the page until Ctrl-C."""
    chosen = parse(parser(), arguments)
    config = settings(chosen, ServeConfig)
    if missing := [name for name in ("fastapi", "uvicorn") if find_spec(name) is None]:
        raise ConfigError(
            f"segtopic serve needs {' and '.join(missing)}; "
            "install them with 'pip install segtopic[serve]'"
        )

    with opening(chosen.run):
        from segtopic.runs import load_run
        from segtopic.serve.server import live_server

        trained = load_run(chosen.run).reading_from(chosen.data)
    live = live_server(trained, config, remark)
    if not config.is_local:
        remark(
            f"{config.host} can be reached from other machines, and what is sent is not "
            "encrypted: whoever has the address can use the model and see its documents"
        )
    if chosen.json:
        print_json({"address": live.address, "api": f"{live.address}api", "run": chosen.run})
    else:
        print_line(f"{live.address}  (Ctrl-C ends it)")
    sys.stdout.flush()  # whoever waits for the address gets it now
    if chosen.open:
        webbrowser.open(live.address)
    live.run()
    remark("ended")
    return 0
