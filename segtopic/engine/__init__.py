"""Where work is done that can be cut into pieces: here, in processes, or on a Ray cluster.

One protocol, :class:`Engine`: whoever has pieces of work need not know where they are done.
"""

from segtopic.engine.processes import Processes, end_with_parent
from segtopic.engine.protocol import Engine, Here, a_few_ahead

__all__ = ["Engine", "Here", "Processes", "a_few_ahead", "end_with_parent"]
