"""How topics are read: which document stands for one, and what comes first in its list."""

from typing import Literal

Definition = Literal["corner", "peak", "direction", "documents"]
DEFAULT_DEFINITION: Definition = "direction"
Rank = Literal["relevance", "probability", "lift"]
