"""How sounds become features, and what is done with a speech model."""

from dataclasses import dataclass
from typing import Literal

from segtopic.config.checks import check_choice, check_range
from segtopic.config.swan import SearchConfig
from segtopic.errors import ConfigError


@dataclass(frozen=True)
class RecordingsConfig:
    """Which recordings are read.

    Attributes:
        unseen_speaker: Of the Free Spoken Digit Dataset - all that this speaker says is the test
            part; recordings 0 to 4 of everybody if not given.
        strings: Of the Free Spoken Digit Dataset - so many strings of 3 to 7 digits of each speaker
            to learn from, and a tenth of that to test with; 0 for single digits.
        string_seed: Which strings.
    """

    unseen_speaker: str | None = None
    strings: int = 0
    string_seed: int = 0

    def __post_init__(self) -> None:
        check_range(self, "strings", at_least=0)
        check_range(self, "string_seed", at_least=0)


@dataclass(frozen=True)
class FeaturesConfig(RecordingsConfig):
    """How ``segtopic swan features`` reads sounds.

    Attributes:
        rate: Samples a second; other sounds are resampled. That of the first sound if not given.
        filters: Mel filter banks; with the energy and two differences, three times one more.
        max_seconds: A longer recording is refused.
        on_bad_file: Stop at a recording that cannot be used, or skip and count it.
    """

    rate: int | None = None
    filters: int = 40
    max_seconds: float = 120.0
    on_bad_file: Literal["error", "skip"] = "error"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range(self, "rate", at_least=4_000, at_most=384_000)
        check_range(self, "filters", at_least=3, at_most=200)
        check_range(self, "max_seconds", at_least=0.1)
        check_choice(self, "on_bad_file", ("error", "skip"))


@dataclass(frozen=True)
class TranscribeConfig(SearchConfig):
    """How ``segtopic swan transcribe`` listens.

    Attributes:
        n_best: So many transcripts of each sound, at most the beam, best first.
        piece: Seconds of a long sound that are heard at once.
        format: 'text' for people; 'csv', a list of sounds that 'swan features' reads; 'ctm', words
            with their times; 'srt', subtitles of one sound.
        on_bad_file: Stop at a sound that cannot be read, or skip and count it.
    """

    n_best: int = 1
    piece: float = 30.0
    format: Literal["text", "csv", "ctm", "srt"] = "text"
    on_bad_file: Literal["error", "skip"] = "error"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range(self, "n_best", at_least=1)
        if self.n_best > self.beam:
            raise ConfigError(
                f"n_best is {self.n_best}, but a beam of {self.beam} finds no more than "
                f"{self.beam}; raise --beam"
            )
        check_range(self, "piece", at_least=1, at_most=600)
        check_choice(self, "format", ("text", "csv", "ctm", "srt"))
        check_choice(self, "on_bad_file", ("error", "skip"))
