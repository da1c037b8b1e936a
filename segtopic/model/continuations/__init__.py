"""What follows the words of a segment: one file a continuation, one protocol, one registry."""

import dataclasses

from segtopic.config import ModelConfig, did_you_mean
from segtopic.errors import ConfigError
from segtopic.model.continuations.gated import GatedSoftmax
from segtopic.model.continuations.joint import JointSoftmax
from segtopic.model.continuations.phrases import CountedPhrases
from segtopic.model.continuations.protocol import (
    Context,
    Continuation,
    Counted,
    LastStep,
    Need,
    NextWords,
    SegmentSettings,
    Steps,
)
from segtopic.model.continuations.roles import WordRoles
from segtopic.model.continuations.three_ways import ThreeWays

__all__ = [
    "CONTINUATIONS",
    "Context",
    "Continuation",
    "Counted",
    "LastStep",
    "Need",
    "NextWords",
    "SegmentSettings",
    "Steps",
    "check_settings",
]

CONTINUATIONS: dict[str, type[Continuation]] = {
    "three-ways": ThreeWays,
    "phrases": CountedPhrases,
    "roles": WordRoles,
    "gated": GatedSoftmax,
    "joint": JointSoftmax,
}
"""By the names that :class:`segtopic.config.ModelConfig` knows them by."""


def check_settings(config: ModelConfig) -> None:
    """Refuse a continuation that is unknown, or does not go with the other settings."""
    name = config.continuation
    if name not in CONTINUATIONS:
        raise ConfigError(f"continuation is '{name}'{did_you_mean(str(name), [*CONTINUATIONS])}")
    CONTINUATIONS[name].check(name, dataclasses.asdict(config))
