"""A run on its way in: what takes seconds before a command can begin is told."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from segtopic.commands.display import tell
from segtopic.commands.terminal import is_lively
from segtopic.harmless import for_line


@contextmanager
def opening(folder: str) -> Iterator[None]:
    """Tell that a run is opened, while torch is imported and the run is read.

    A moving line on a terminal, which goes away again; a line elsewhere. Nothing where torch is
    there already.
    """
    if "torch" in sys.modules:
        yield
    elif is_lively(sys.stderr):
        with Console(stderr=True).status(Text(f"opening {for_line(folder)}")):
            yield
    else:
        tell(f"opening {folder}")
        yield
