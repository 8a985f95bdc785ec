"""Ranges of settings, and how members sample and perturb them.

Random numbers come from the `np.random.RandomState` that is passed in.
"""

import math
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence

import numpy as np

from sc2impala.errors import UserError
from sc2impala.settings import setting_flags, validation
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.fields import Setting

_EXPECTED = 'expected NAME=LOW..HIGH, NAME=LOW..HIGH:log or NAME=VALUE|VALUE, separated by commas'
_DIGITS = 6
"""Significant digits of sampled numbers: readable, and equal to the text of a flag."""


class Range(NamedTuple):
    """Range from which a setting is sampled.

    name: name of the setting.
    low, high: the smallest and the largest value.
    log: True if the logarithm is distributed evenly.
    whole: True if values are integers.
    values: choices in order; empty for the numbers from `low` to `high`.
    """

    name: str
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    whole: bool = False
    values: Sequence[Any] = ()

    def draw(self, random: np.random.RandomState) -> Any:
        """Samples a value uniformly."""
        if self.values:
            return self.values[random.randint(len(self.values))]
        if self.log:
            return self._within(math.exp(random.uniform(math.log(self.low), math.log(self.high))))
        return self._within(random.uniform(self.low, self.high))

    def perturb(
        self,
        value: Any,
        factors: Sequence[float],
        resample_probability: float,
        random: np.random.RandomState,
    ) -> Any:
        """Perturbs or resamples a value, as in Jaderberg et al. 2017 (arXiv 1711.09846).

        Args:
          value: in the range.
          factors: choices of a factor on the value; in a list of values a factor below
            1 moves to the previous value, and one above 1 to the next.
          resample_probability: probability of sampling a new value instead.
          random: random numbers.
        """
        if random.uniform() < resample_probability:
            return self.draw(random)
        factor = factors[random.randint(len(factors))]
        direction = int(np.sign(factor - 1.0))
        if self.values:
            index = list(self.values).index(value) + direction
            return self.values[min(max(index, 0), len(self.values) - 1)]
        perturbed = self._within(value * factor)
        if self.whole and perturbed == value:
            # Rounding must not keep a small number unchanged.
            perturbed = self._within(value + direction)
        return perturbed

    def _within(self, value: float) -> Any:
        if self.whole:
            return min(max(round(value), math.ceil(self.low)), math.floor(self.high))
        return min(max(float(f'{value:.{_DIGITS}g}'), self.low), self.high)


def parse(text: str) -> Dict[str, Range]:
    """The ranges of `--ranges` by the name of the setting.

    Raises:
      UserError: if the text is not understood, a setting cannot change when a run resumes, or a
        value is not allowed.
    """
    result: Dict[str, Range] = {}
    for part in text.split(','):
        name, equals, values = (piece.strip() for piece in part.partition('='))
        if not equals or name in result:
            reason = 'is there twice' if equals else 'is not understood'
            raise UserError(f'--ranges: {part} {reason}, {_EXPECTED}.')
        setting = settings_lib.all_settings().get(name)
        if setting is None or not setting.tunable:
            tunable = [n for n, each in settings_lib.all_settings().items() if each.tunable]
            raise UserError(
                f'--ranges: {name} cannot change when a run resumes, expected some of: '
                f'{", ".join(tunable)}.'
            )
        result[name] = _parse_range(setting, values, part)
    return result


def draw(ranges: Mapping[str, Range], random: np.random.RandomState) -> Dict[str, Any]:
    """Samples a value for each setting."""
    return {name: each.draw(random) for name, each in ranges.items()}


def perturb(
    ranges: Mapping[str, Range],
    values: Mapping[str, object],
    factors: Sequence[float],
    resample_probability: float,
    random: np.random.RandomState,
) -> Dict[str, Any]:
    """Perturbs each setting independently; the arguments are as in `Range.perturb`.

    Values out of range, e.g. of a reference, are first clipped to it.
    """
    return {
        name: each.perturb(_moved_in(each, values[name]), factors, resample_probability, random)
        for name, each in ranges.items()
    }


def _moved_in(of_setting: Range, value: Any) -> Any:
    if of_setting.values:
        return value if value in of_setting.values else of_setting.values[0]
    return min(max(value, of_setting.low), of_setting.high)


def _parse_range(setting: Setting, text: str, part: str) -> Range:
    low, dots, rest = text.partition('..')
    if not dots:
        return Range(setting.name, values=_parse_values(setting, text, part))
    high, colon, kind = rest.partition(':')
    if colon and kind != 'log':
        raise UserError(f'--ranges: {part} is not understood, {_EXPECTED}.')
    ends = [_parse_value(setting, end) for end in (low, high)]
    if any(isinstance(end, (bool, str)) for end in ends):
        raise UserError(f'--ranges: {part} is not a range of numbers, {_EXPECTED}.')
    if not ends[0] < ends[1] or (colon and ends[0] <= 0):
        above = ' with a positive LOW' if colon else ''
        raise UserError(f'--ranges: {part} is empty, expected LOW below HIGH{above}.')
    # For a setting with default 1.0 the text '1' is also valid.
    whole = isinstance(setting.default, int)
    return Range(setting.name, ends[0], ends[1], log=bool(colon), whole=whole)


def _parse_values(setting: Setting, text: str, part: str) -> List[Any]:
    values = [_parse_value(setting, value) for value in text.split('|')]
    if len(set(values)) < max(2, len(values)):
        raise UserError(f'--ranges: {part} is no choice, expected two or more different values.')
    return values


def _parse_value(setting: Setting, text: str) -> Any:
    value = setting_flags.read_text(setting, text.strip())
    known = {setting.name: setting}
    validation.check_choices({setting.name: value}, known)
    validation.check_ranges({setting.name: value}, known)
    return value
