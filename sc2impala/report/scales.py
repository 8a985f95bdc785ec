"""Axes: from values to positions, round tick values, and their text."""

import math
from typing import Iterable, List, NamedTuple, Sequence, Tuple, Union

import numpy as np

Values = Union[Sequence[float], np.ndarray]

SIZE = 1000.0
"""Length of an axis: positions are 0 to SIZE."""

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_SUFFIXES = ((1e9, 'G'), (1e6, 'M'), (1e3, 'k'))


class Scale(NamedTuple):
    """A linear or logarithmic axis.

    low, high: values at its ends; low < high, and 0 < low if it is logarithmic.
    is_log: whether it is logarithmic.
    """

    low: float
    high: float
    is_log: bool = False

    def positions(self, values: Values) -> np.ndarray:
        """Returns the positions of values, clipped to the axis; NaN stays.

        Args:
          values: [n]

        Returns:
          float64 [n].
        """
        array = np.asarray(values, np.float64)
        low, high = self.low, self.high
        if self.is_log:
            array = np.log(np.maximum(array, low))
            low, high = math.log(low), math.log(high)
        return np.clip((array - low) / (high - low), 0.0, 1.0) * SIZE

    def ticks(self, count: int = 6) -> List[float]:
        """Returns about `count` round values on the axis."""
        if self.is_log:
            return self._log_ticks(count)
        step = _round_step((self.high - self.low) / count)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [step * i for i in range(first, last + 1)]

    def _log_ticks(self, count: int) -> List[float]:
        first = math.floor(math.log10(self.low))
        last = math.ceil(math.log10(self.high))
        stride = max(1, math.ceil((last - first) / count))
        exponents = range(first, last + 1, stride)
        factors = (1.0, 2.0, 5.0) if last - first <= 2 else (1.0,)
        found = [factor * 10.0**exponent for exponent in exponents for factor in factors]
        edge = 1 + 1e-9
        return [value for value in found if self.low / edge <= value <= self.high * edge]


def linear(values: Iterable[Values], at_zero: bool = False) -> Scale:
    """Returns a linear axis for values, with a margin of 4 %.

    Args:
      values: sequences of values; NaN and infinity are ignored.
      at_zero: whether it begins at 0 if no value is negative.
    """
    low, high = _range(values)
    if low == high:
        low, high = low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2
    margin = 0.04 * (high - low)
    begin = 0.0 if at_zero and low >= 0 else low - margin
    return Scale(begin, high + margin)


def logarithmic(values: Iterable[Values]) -> Scale:
    """Returns a logarithmic axis for the positive values; at most 8 decades."""
    positive = [_finite(each) for each in values]
    low, high = _range([each[each > 0] for each in positive])
    if high <= 0:
        low, high = 0.1, 1.0
    low = max(low, high / 1e8)
    return Scale(low / 1.25, high * 1.25, is_log=True)


def tick_text(value: float) -> str:
    """25000.0 -> '25k', 0.00001 -> '1e-5'."""
    magnitude = abs(value)
    for factor, suffix in _SUFFIXES:
        if magnitude >= factor * 0.9999:
            return f'{value / factor:.4g}{suffix}'
    if 0 < magnitude < 1e-3:
        mantissa, exponent = f'{value:.2e}'.split('e')
        return f'{float(mantissa):g}e{int(exponent)}'
    return f'{value:.4g}' if magnitude > 1e-12 else '0'


def _round_step(step: float) -> float:
    magnitude = 10.0 ** math.floor(math.log10(step))
    return magnitude * min(_STEPS, key=lambda each: abs(math.log(each * magnitude / step)))


def _finite(values: Values) -> np.ndarray:
    array = np.asarray(values, np.float64)
    return array[np.isfinite(array)]


def _range(values: Iterable[Values]) -> Tuple[float, float]:
    """Smallest and largest finite value; (0, 0) without any."""
    arrays = [_finite(each) for each in values]
    arrays = [each for each in arrays if each.size]
    if not arrays:
        return 0.0, 0.0
    return float(min(each.min() for each in arrays)), float(max(each.max() for each in arrays))
