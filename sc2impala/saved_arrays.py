"""States as flat dicts of arrays, for files: joined, split and checked.

An array of a part is named '<part>/<array>'.
"""

from typing import Dict, Mapping

import numpy as np

Arrays = Dict[str, np.ndarray]


class DifferentState(ValueError):
    """A state has other arrays than the target."""


_WORDS = 624
"""Number of words in the state of a Mersenne twister."""


def join(parts: Mapping[str, Mapping[str, np.ndarray]]) -> Arrays:
    """Joins states by the names of the parts."""
    return {
        f'{part}/{name}': np.asarray(array)
        for part, state in parts.items()
        for name, array in state.items()
    }


def part(state: Mapping[str, np.ndarray], name: str) -> Arrays:
    """Returns the state of a part."""
    prefix = name + '/'
    return {key[len(prefix) :]: state[key] for key in state if key.startswith(prefix)}


def check(state: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]) -> None:
    """Checks names, shapes and dtypes.

    Args:
      state: the state that was read.
      expected: another state; its values do not matter.

    Raises:
      DifferentState: if they differ.
    """
    if set(state) != set(expected):
        different = sorted(set(state) ^ set(expected))
        raise DifferentState(
            f'the state has {len(state)} arrays, expected {len(expected)}; {different[0]} is only '
            f'{"in the state" if different[0] in state else "expected"}.'
        )
    for name, array in expected.items():
        given, wanted = state[name], np.asarray(array)
        if (given.shape, given.dtype) != (wanted.shape, wanted.dtype):
            raise DifferentState(
                f'{name} is {given.dtype} {list(given.shape)}, expected {wanted.dtype} '
                f'{list(wanted.shape)}.'
            )


def get_random(rng: np.random.RandomState) -> Arrays:
    """The state of a random number generator."""
    unused_name, words, position, has_gauss, gauss = rng.get_state()
    return {
        'words': np.array(words),
        'position': np.array(position, np.int64),
        'has_gauss': np.array(has_gauss, np.int64),
        'gauss': np.array(gauss, np.float64),
    }


def set_random(rng: np.random.RandomState, state: Mapping[str, np.ndarray]) -> None:
    """Continues a random number generator from a state of `get_random`.

    Raises:
      ValueError: if it is invalid.
    """
    check(state, get_random(rng))
    position = int(state['position'])
    # NumPy does not check it, and would read outside of the words.
    if not 0 <= position <= _WORDS:
        raise ValueError(f'a random state has the position {position}, expected 0..{_WORDS}.')
    words, has_gauss, gauss = state['words'], int(state['has_gauss']), float(state['gauss'])
    rng.set_state(('MT19937', words, position, has_gauss, gauss))
