"""Recordings that cannot be used: each is an error, or is skipped and counted."""

from dataclasses import dataclass, field
from typing import Literal

from segtopic.errors import CorpusError

SHOWN = 3


@dataclass
class BadFiles:
    """What is done with a recording that cannot be used, and what was skipped so far."""

    policy: Literal["error", "skip"] = "error"
    count: int = 0
    examples: list[str] = field(default_factory=list)

    def report(self, error: CorpusError) -> None:
        """Raise, or count and remember the first few."""
        if self.policy == "error":
            raise error
        self.count += 1
        if len(self.examples) < SHOWN:
            self.examples.append(str(error))
