"""Checks of user input; each raises a ValueError with one sentence."""

import difflib
import numbers
from typing import Iterable, Sequence, Tuple, Union


def check_size(argument: str, size: Sequence[int]) -> Tuple[int, int]:
    """Returns `size` as (width, height) in pixels; ValueError unless it is two positive ints."""
    if not isinstance(size, (tuple, list)) or [_is_positive(s) for s in size] != [True, True]:
        raise ValueError(
            f'{argument} is {size!r}, expected (width, height) with two positive integers.'
        )
    width, height = size
    return int(width), int(height)


def check_positive(argument: str, value: int) -> int:
    """Returns `value` as an int; ValueError unless it is a positive integer."""
    if not _is_positive(value):
        raise ValueError(f'{argument} is {value!r}, expected a positive integer.')
    return int(value)


def check_fraction(argument: str, value: float) -> float:
    """Returns `value`; ValueError unless it is a number in 0..1."""
    if not 0 <= value <= 1:
        raise ValueError(f'{argument} is {value!r}, expected a number from 0 to 1.')
    return float(value)


def check_name(argument: str, name: str, known: Iterable[str]) -> str:
    """Returns `name`; ValueError with the known names, or the nearest of many, if it is unknown."""
    _check_known(f'{argument} is', name, tuple(known))
    return name


def check_names(
    argument: str, names: Union[str, Iterable[str]], known: Iterable[str]
) -> Tuple[str, ...]:
    """Resolves a choice among known names.

    Args:
      argument: name of the argument in an error.
      names: 'all', or known names without duplicates.
      known: the names to choose from, in the order in which 'all' returns them.

    Returns:
      The chosen names, in the order given.

    Raises:
      ValueError: if `names` is any other string, or has an unknown or a repeated name.
    """
    known = tuple(known)
    if isinstance(names, str):
        if names != 'all':
            raise ValueError(f"{argument} is {names!r}, expected a list of names or 'all'.")
        return known
    names = tuple(names)
    for name in names:
        _check_known(f'{argument} has', name, known)
        if names.count(name) > 1:
            raise ValueError(
                f'{argument} has {name!r} {names.count(name)} times, expected each name once.'
            )
    return names


def _is_positive(value: object) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) > 0


def _check_known(subject: str, name: str, known: Sequence[str]) -> None:
    if name in known:
        return
    if len(known) <= 12:
        expected = 'one of: ' + ', '.join(known)
    else:
        nearest = difflib.get_close_matches(str(name), known, n=3, cutoff=0)
        expected = 'a known name, such as the nearest ones: ' + ', '.join(nearest)
    raise ValueError(f'{subject} {name!r}, expected {expected}.')
