"""Samples to features: 40 log mel filter banks and the energy, with differences = 123 numbers.

The filter banks are Kaldi's, by ``kaldi-native-fbank``: frames of 25 ms every 10 ms, pre-emphasis,
Povey's window, no dither, so the same sound always has the same features.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from segtopic.config.checks import check_range
from segtopic.speech.differences import with_differences
from segtopic.speech.extra import kaldi_native_fbank
from segtopic.speech.recordings import Features
from segtopic.speech.sound import Samples

FULL_SCALE = 32_768  # Kaldi's samples are whole numbers of 16 bits


@dataclass(frozen=True)
class FilterBanks:
    """How a sound becomes features.

    Attributes:
        rate: Samples a second; every sound is resampled to it.
        filters: Mel filter banks.
        frame: Milliseconds of a frame.
        shift: Milliseconds from one frame to the next.
    """

    rate: int = 16_000
    filters: int = 40
    frame: float = 25.0
    shift: float = 10.0

    def __post_init__(self) -> None:
        check_range(self, "rate", at_least=4_000, at_most=384_000)
        check_range(self, "filters", at_least=3, at_most=200)
        check_range(self, "frame", at_least=1, at_most=1000)
        check_range(self, "shift", at_least=1, at_most=1000)

    @property
    def width(self) -> int:
        """Numbers in each input."""
        return 3 * (self.filters + 1)

    def features(self, samples: Samples) -> Features:
        """``(T, 3 (filters + 1))``; no input if the sound is shorter than a frame."""
        return with_differences(self.static(samples))

    def static(self, samples: Samples) -> Features:
        """``(T, filters + 1)``: the log energy first, as Kaldi writes it, then the filter banks."""
        computer = kaldi_native_fbank().OnlineFbank(self._options())
        computer.accept_waveform(self.rate, samples * FULL_SCALE)
        computer.input_finished()
        rows = [computer.get_frame(number) for number in range(computer.num_frames_ready)]
        if not rows:
            return np.zeros((0, self.filters + 1), np.float32)
        return np.stack(rows).astype(np.float32)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def _options(self) -> Any:
        options = kaldi_native_fbank().FbankOptions()
        options.frame_opts.samp_freq = self.rate
        options.frame_opts.frame_length_ms = self.frame
        options.frame_opts.frame_shift_ms = self.shift
        options.frame_opts.dither = 0.0
        options.mel_opts.num_bins = self.filters
        options.use_energy = True
        return options
