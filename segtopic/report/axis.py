"""An axis: the smallest and the largest value in, round ticks and places out.

>>> axis = nice_axis(0.3, 9.6, 4)
>>> axis.ticks, axis.place(5.0, 0, 100)
([0.0, 2.5, 5.0, 7.5, 10.0], 50.0)
"""

import math
from dataclasses import dataclass

SAME = 1e-9  # values that differ by a smaller share are drawn as one
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Axis:
    """From ``low`` to ``high``, with ticks a step apart."""

    low: float
    high: float
    step: float
    ticks: list[float]

    def place(self, value: float, begin: float, end: float) -> float:
        """Where a value lies, if the axis is drawn from ``begin`` to ``end``."""
        return begin + (value - self.low) / (self.high - self.low) * (end - begin)

    @property
    def digits(self) -> int:
        """Decimal places that tell the ticks apart."""
        return next(n for n in range(16) if abs(round(self.step, n) - self.step) < 1e-9 * self.step)


def nice_axis(
    low: float, high: float, n_ticks: int, whole: bool = False, tight: bool = False
) -> Axis:
    """An axis that holds both values.

    Args:
        low: the smallest value.
        high: the largest value.
        n_ticks: about how many steps there should be.
        whole: whether only whole numbers mean something.
        tight: whether it ends at the values and not at the ticks around them.
    """
    size = max(abs(low), abs(high), 1.0)
    span = high - low
    if span < SAME * size:
        span = 1.0 if whole else 0.1 * size
    rough = span / n_ticks
    magnitude = 10.0 ** math.floor(math.log10(rough))
    step = next(s * magnitude for s in _STEPS if s * magnitude >= rough * (1 - 1e-9))
    if whole:
        step = max(1.0, math.ceil(step))
    if tight:
        first, last = math.ceil(low / step), math.floor(high / step)
        begin, end = (low, high) if high > low else (low - 0.5, low + 0.5)
    else:
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        if first == last:
            first, last = first - 1, last + 1
        begin, end = first * step, last * step
    return Axis(begin, end, step, [tick * step for tick in range(first, last + 1)])
