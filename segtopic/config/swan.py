"""A sequence-to-sequence run: its pairs, its network, its training, and what is done with it."""

import math
from dataclasses import dataclass
from typing import Literal

from segtopic.config.checks import check_choice, check_encoding, check_range
from segtopic.errors import ConfigError

CHARACTERS, SPACES, PHONES = "characters", "spaces", "phones"
DEFAULT_BEAM = 5


@dataclass(frozen=True)
class LinesConfig:
    """How a file of pairs or of inputs is read.

    Attributes:
        encoding: Character encoding of the file, utf-8 if not given.
        on_bad_line: Stop at a line that cannot be used, or skip and count it.
        limit: Read only the first so many lines, or recordings of a part.
    """

    encoding: str | None = None
    on_bad_line: Literal["error", "skip"] = "error"
    limit: int | None = None

    def __post_init__(self) -> None:
        check_encoding(self, "encoding")
        check_choice(self, "on_bad_line", ("error", "skip"))
        check_range(self, "limit", at_least=1)


@dataclass(frozen=True)
class PairsConfig(LinesConfig):
    """The pairs that a model learns from.

    Attributes:
        data: File with a line for each pair: input, tab, output; further outputs of the same input
            stand behind further tabs or on further lines. '-' is standard input. Or a folder made
            by 'segtopic swan features'.
        dev: File with the development pairs; if not given, a share of the inputs is kept for it.
            Or another folder of features: its part 'dev', or all of it.
        dev_share: Share of the inputs that is not learned but tells which epoch is the best.
        split_seed: Which inputs that are.
        input_symbols: How inputs are written - 'characters', symbols with 'spaces' between them,
            or with another separator, such as ','.
        output_symbols: How outputs are written, in the same way; speech is written in
            'characters', 'spaces' (words) or 'phones'.
    """

    data: str = ""
    dev: str | None = None
    dev_share: float = 0.05
    split_seed: int = 0
    input_symbols: str = CHARACTERS
    output_symbols: str = SPACES

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.data:
            raise ConfigError("there is no file of pairs to learn from; give one with --data")
        check_range(self, "dev_share", at_least=0, at_most=0.9)
        check_range(self, "split_seed", at_least=0)
        for name in ("input_symbols", "output_symbols"):
            separator = getattr(self, name)
            if not separator.strip() or set(separator) & set("\t\r\n"):
                raise ConfigError(
                    f"{name} is '{separator}', but must be '{CHARACTERS}', '{SPACES}' or a "
                    "separator without tabs and line ends"
                )


@dataclass(frozen=True)
class SwanSettings:
    """The network.

    Attributes:
        max_segment_length: Outputs that one input emits at most (the paper's L).
        carry_over: Whether a network over all outputs so far tells each segment what came before.
        pay_last_end: Whether a segment of the greatest length still pays for its end symbol, as
            in the paper; otherwise it ends for certain, and all outputs sum to one.
        embedding: Numbers that stand for an input or output symbol.
        units: Of each encoder layer and direction.
        layers: Of the encoder.
        direction: 'both' sees the whole input; 'forward' only what came before, for streams.
        window: Inputs that a convolution before the encoder's layers looks at; 1 for none.
        strides: How many inputs of each layer become one (all 1: nothing is lost).
        first_stride: How many inputs are joined to one before the first layer.
        last_stride: How many vectors a convolution after the last layer makes one of, as in the
            paper.
        segment_units: Of the segment network and of the carried-over network.
        dropout: Share of the numbers between layers that is left out in training.
        history_noise: Share of the outputs so far that the carried-over network reads wrongly in
            training, so that it does not trust them too much.
        stretch: In training, sounds are made longer or shorter by up to this share.
        time_mask: Share of a sound that is silenced in training, in up to two pieces.
        feature_mask: Share of the numbers in each input that is silenced in training, in up to two
            pieces.
        ctc_weight: Weight of a second loss that teaches the encoder (connectionist temporal
            classification); 0 for none.
        ctc_first: Share of the training in which that loss is the only one.
        band: With that loss, only positions so near to its own alignment are looked at in
            training; 0 for all of them.
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
    first_stride: int = 1
    last_stride: int = 1
    segment_units: int = 256
    dropout: float = 0.3
    history_noise: float = 0.0
    stretch: float = 0.0
    time_mask: float = 0.0
    feature_mask: float = 0.0
    ctc_weight: float = 0.0
    ctc_first: float = 0.0
    band: int = 0

    def __post_init__(self) -> None:
        for name in ("max_segment_length", "embedding", "units", "layers", "window"):
            check_range(self, name, at_least=1)
        for name in ("segment_units", "first_stride", "last_stride"):
            check_range(self, name, at_least=1)
        for name in ("dropout", "history_noise", "ctc_first"):
            check_range(self, name, at_least=0, at_most=0.95)
        for name in ("stretch", "time_mask", "feature_mask"):
            check_range(self, name, at_least=0, at_most=0.5)
        for name in ("ctc_weight", "band"):
            check_range(self, name, at_least=0)
        check_choice(self, "direction", ("both", "forward"))
        strides = tuple(self.strides) or (1,) * self.layers
        if len(strides) != self.layers or min(strides) < 1:
            raise ConfigError(
                f"strides is {list(self.strides)}, but must hold a whole number of at least 1 "
                f"for each of the {self.layers} layers"
            )
        object.__setattr__(self, "strides", strides)
        for name in ("band", "ctc_first"):
            if getattr(self, name) and not self.ctc_weight:
                raise ConfigError(
                    f"{name} is {getattr(self, name)}, but there is no second loss that it is "
                    "about; give that a weight with ctc_weight"
                )

    @property
    def stride(self) -> int:
        """How many inputs become one vector, and may emit a segment."""
        return self.first_stride * math.prod(self.strides) * self.last_stride


@dataclass(frozen=True)
class SwanTraining:
    """How a sequence-to-sequence model is trained.

    Attributes:
        epochs: How often every pair is seen, at most; the learning rate falls to zero by then.
        minutes: How long it may take, at most; the learning rate falls to zero by then. With a
            limit in time a training cannot be repeated to the last bit.
        patience: Stop after so many epochs without a better one; if not given, all are trained.
        batch_size: Pairs of a step.
        learning_rate: The highest one.
        warm_up: Share of the training during which the learning rate rises.
        weight_decay: Of the matrices.
        gradient_clip: Longest gradient.
        precision: Lightning's; 'bf16-mixed' is faster on processors that know it.
        threads: Of the processor; all cores if not given.
        seed: Of weights, dropout and the order of the pairs.
    """

    epochs: int = 20
    minutes: float | None = None
    patience: int | None = None
    batch_size: int = 128
    learning_rate: float = 2e-3
    warm_up: float = 0.1
    weight_decay: float = 1e-3
    gradient_clip: float = 1.0
    precision: Literal["32-true", "64-true", "bf16-mixed"] = "32-true"
    threads: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size", "patience", "threads"):
            check_range(self, name, at_least=1)
        for name in ("minutes", "learning_rate", "weight_decay", "gradient_clip", "seed"):
            check_range(self, name, at_least=0)
        check_range(self, "warm_up", at_least=0, at_most=1)
        check_choice(self, "precision", ("32-true", "64-true", "bf16-mixed"))


@dataclass(frozen=True)
class SwanConfig(SwanTraining, SwanSettings, PairsConfig):
    """Everything that makes a run of ``segtopic swan train``."""

    def __post_init__(self) -> None:
        for part in SwanConfig.__bases__:
            part.__post_init__(self)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class SearchConfig:
    """How outputs are searched.

    Attributes:
        beam: Candidates that go on from one input to the next; 1 is greedy search.
        local_beam: Segments that are searched at one input; as many as the beam if not given.
        merge: Whether candidates with equal outputs become one, and their probabilities add up.
    """

    beam: int = DEFAULT_BEAM
    local_beam: int | None = None
    merge: bool = True

    def __post_init__(self) -> None:
        check_range(self, "beam", at_least=1)
        check_range(self, "local_beam", at_least=1)


@dataclass(frozen=True)
class DecodeConfig(SearchConfig, LinesConfig):
    """What ``segtopic swan decode`` writes.

    Attributes:
        n_best: So many outputs of each input, at most the beam, best first.
        format: Lines of input, output and probability, or JSON lines.
    """

    n_best: int = 1
    format: Literal["text", "jsonl"] = "text"

    def __post_init__(self) -> None:
        for part in DecodeConfig.__bases__:
            part.__post_init__(self)  # type: ignore[attr-defined]
        check_range(self, "n_best", at_least=1)
        check_choice(self, "format", ("text", "jsonl"))
        if self.n_best > self.beam:
            raise ConfigError(
                f"n_best is {self.n_best}, but a beam of {self.beam} keeps no more than "
                f"{self.beam} outputs; raise beam"
            )


@dataclass(frozen=True)
class AlignConfig(LinesConfig):
    """What ``segtopic swan align`` writes.

    Attributes:
        format: Lines such as C:K A:AE T:T, or JSON lines.
    """

    format: Literal["text", "jsonl"] = "text"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self, "format", ("text", "jsonl"))


@dataclass(frozen=True)
class JudgeConfig(SearchConfig, LinesConfig):
    """How ``segtopic swan evaluate`` reads and searches."""

    def __post_init__(self) -> None:
        for part in JudgeConfig.__bases__:
            part.__post_init__(self)  # type: ignore[attr-defined]
