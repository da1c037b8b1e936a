"""What a sequence-to-sequence model is made of, and how it is trained; checked when made."""

from dataclasses import dataclass
from typing import Literal

from segtopic.config.checks import check_choice, check_range
from segtopic.errors import ConfigError


@dataclass(frozen=True)
class SwanSettings:
    """The network.

    Attributes:
        max_segment_length: Outputs that one input emits at most (the paper's ``L``).
        carry_over: Whether a network over all outputs so far tells each segment what came before.
        pay_last_end: Whether a segment of the greatest length still pays for its end symbol, as
            in the paper; otherwise it ends for certain, and all outputs sum to one.
        embedding: Numbers that stand for an input or output symbol.
        units: Of each encoder layer and direction.
        layers: Of the encoder.
        direction: ``both`` sees the whole input; ``forward`` only what came before, for streams.
        window: Inputs that a convolution before the encoder's layers looks at; 1 for none.
        strides: How many inputs of each layer become one (all 1: nothing is lost).
        segment_units: Of the segment network and of the carried-over network.
        dropout: Share of the numbers between layers that is left out in training.
    """

    max_segment_length: int = 3
    carry_over: bool = True
    pay_last_end: bool = False
    embedding: int = 128
    units: int = 256
    layers: int = 2
    direction: Literal["both", "forward"] = "both"
    window: int = 1
    strides: tuple[int, ...] = ()
    segment_units: int = 256
    dropout: float = 0.3

    def __post_init__(self) -> None:
        for name in ("max_segment_length", "embedding", "units", "layers", "window"):
            check_range(self, name, at_least=1)
        check_range(self, "segment_units", at_least=1)
        check_range(self, "dropout", at_least=0, at_most=0.95)
        check_choice(self, "direction", ("both", "forward"))
        strides = tuple(self.strides) or (1,) * self.layers
        if len(strides) != self.layers or min(strides) < 1:
            raise ConfigError(
                f"strides is {list(self.strides)}, but must hold a whole number of at least 1 "
                f"for each of the {self.layers} layers"
            )
        object.__setattr__(self, "strides", strides)


@dataclass(frozen=True)
class SwanTraining:
    """How a sequence-to-sequence model is trained.

    Attributes:
        epochs: How often every pair is seen, at most.
        minutes: How long it may take, at most; none for no limit.
        batch_size: Pairs of a step.
        learning_rate: The highest one.
        warm_up: Share of the training during which the learning rate rises.
        weight_decay: Of the matrices.
        gradient_clip: Longest gradient.
        precision: Lightning's, for example ``bf16-mixed``.
        seed: Of weights, dropout and the order of the pairs.
    """

    epochs: int = 20
    minutes: float | None = None
    batch_size: int = 128
    learning_rate: float = 2e-3
    warm_up: float = 0.1
    weight_decay: float = 1e-3
    gradient_clip: float = 1.0
    precision: str = "32-true"
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size"):
            check_range(self, name, at_least=1)
        for name in ("minutes", "learning_rate", "weight_decay", "gradient_clip"):
            check_range(self, name, at_least=0)
        check_range(self, "warm_up", at_least=0, at_most=1)
