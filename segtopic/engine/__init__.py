"""Where work is done that can be cut into pieces: here, in processes, or on a Ray cluster.

One protocol, :class:`Engine`: whoever has pieces of work need not know where they are done.
"""

from segtopic.engine.processes import Processes
from segtopic.engine.protocol import Engine, Here

__all__ = ["Engine", "Here", "Processes"]
