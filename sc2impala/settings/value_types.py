"""Types of settings: from the text of a flag to a value, and to and from the manifest's JSON."""

import os
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple, Union

Names = Union[str, Tuple[str, ...]]
"""Names in the order chosen, or 'all'."""

FunctionNames = Union[str, Tuple[Union[str, int], ...]]
"""Names and ids in the order chosen, or 'all'."""

MAX_PIXELS = 1024

MAX_WEIGHT = 1e6


class ValueType(NamedTuple):
    """Parser and formatter of the values of a setting.

    metavar: placeholder of the value in `--help`.
    expected: completes 'expected ...' in an error.
    parse: text -> value; raises ValueError for invalid text. Returns None for
        empty text if maps have their own defaults.
    to_json: value -> entry of the manifest: a number, a bool or text.
    json_types: its types; others in a manifest are refused.
    """

    metavar: str
    expected: str
    parse: Callable[[str], Any]
    to_json: Callable[[Any], Any]
    json_types: Tuple[type, ...]

    def from_json(self, value: object) -> Any:
        """Parses an entry of the manifest; the inverse of `to_json`.

        Raises:
          ValueError: if the value has another type or is invalid.
        """
        if type(value) not in self.json_types:
            raise ValueError(f'{value!r} is not {self.expected}')
        return self.parse(value) if isinstance(value, str) else value

    def to_text(self, value: object) -> str:
        """Formats the value for a flag."""
        return str(self.to_json(value))


def _unchanged(value: Any) -> Any:
    return value


def _parse_text(text: str) -> str:
    """Any text that can be printed in a line and written to a file.

    Bytes of a command line that are not text arrive as lone surrogates, which are not printable.
    """
    if not text.isprintable():
        raise ValueError(text)
    return text


def _parse_path(text: str) -> str:
    """A path; '~' at its beginning is the home folder, which shells do not replace behind a '='."""
    return os.path.expanduser(_parse_text(text))


def _parse_boolean(text: str) -> bool:
    values = {'true': True, 't': True, '1': True, 'yes': True}
    values.update({'false': False, 'f': False, '0': False, 'no': False})
    if text.lower() not in values:
        raise ValueError(text)
    return values[text.lower()]


def _parse_number(text: str) -> float:
    """Parses a decimal integer, without other scripts and underscores, which Python accepts."""
    if not text.isascii() or '_' in text:
        raise ValueError(text)
    return float(text)


def _parse_whole_number(text: str) -> int:
    """Parses an integer; also accepts 5e6 for 5000000."""
    _parse_number(text)
    try:
        return int(text)
    except ValueError:
        number = float(text)
        if number != number or number in (float('inf'), -float('inf')) or number != int(number):
            raise
        return int(number)


def _parse_size(text: str) -> Tuple[int, int]:
    """'84' or '84x64' -> (width, height)."""
    parts = text.lower().split('x')
    allowed = all(_is_index(part) and 0 < int(part) <= MAX_PIXELS for part in parts)
    if not 1 <= len(parts) <= 2 or not allowed:
        raise ValueError(text)
    return int(parts[0]), int(parts[-1])


def _is_index(text: str) -> bool:
    """Returns whether a text is a non-negative integer in the digits 0 to 9."""
    return text.isascii() and text.isdecimal()


def _size_text(size: Tuple[int, int]) -> str:
    return str(size[0]) if size[0] == size[1] else '{}x{}'.format(*size)


def parse_names(text: str) -> Names:
    """'all', 'none' or names separated by commas."""
    if text == 'all':
        return 'all'
    if text in ('', 'none'):
        return ()
    return tuple(name.strip() for name in _parse_text(text).split(','))


def _parse_folders(text: str) -> Tuple[str, ...]:
    """'none', or folders separated by commas."""
    if text in ('', 'none'):
        return ()
    folders = tuple(_parse_path(folder.strip()) for folder in text.split(','))
    if not all(folders):
        raise ValueError(text)
    return folders


def _parse_names_of_map(text: str) -> Optional[Names]:
    return parse_names(text) if text else None


def _parse_functions(text: str) -> Optional[FunctionNames]:
    """Names, and ids as numbers."""
    names = _parse_names_of_map(text)
    if isinstance(names, tuple):
        return tuple(int(name) if _is_index(name) else name for name in names)
    return names


def names_text(names: Optional[FunctionNames]) -> str:
    """The inverse of `parse_names`; None, the default of a map, is empty text."""
    if names is None or isinstance(names, str):
        return names or ''
    return ','.join(map(str, names)) or 'none'


def _parse_fixed_arguments(text: str) -> Optional[Dict[str, int]]:
    """'queued=0,select_add=0' -> dict, 'none' -> {}, '' -> None."""
    if not text:
        return None
    pairs = [str(pair).partition('=') for pair in parse_names(text)]
    if text == 'all' or not all(_is_index(value.strip()) for _, _, value in pairs):
        raise ValueError(text)
    values = {name.strip(): int(value) for name, _, value in pairs}
    if len(values) < len(pairs):
        raise ValueError(f'{text} names an argument twice')
    return values


def _fixed_arguments_text(values: Optional[Dict[str, int]]) -> str:
    if values is None:
        return ''
    return names_text(tuple(f'{name}={value}' for name, value in values.items()))


def _parse_weights(text: str) -> Tuple[Tuple[str, float], ...]:
    """'food_used=10,food_cap=0.5' -> (('food_used', 10.0), ('food_cap', 0.5)), 'none' -> ()."""
    if text == 'all':
        raise ValueError(text)
    parts = [str(pair).partition('=') for pair in parse_names(text)]
    pairs = tuple((name.strip(), _parse_number(value.strip())) for name, _, value in parts)
    if len(dict(pairs)) < len(pairs) or not all(abs(value) <= MAX_WEIGHT for _, value in pairs):
        raise ValueError(text)
    return pairs


def _weights_text(weights: Tuple[Tuple[str, float], ...]) -> str:
    return names_text(tuple(f'{name}={weight}' for name, weight in weights))


TEXT = ValueType('TEXT', 'printable text', _parse_text, _unchanged, (str,))
PATH = ValueType('PATH', 'a path of printable text', _parse_path, _unchanged, (str,))
BOOLEAN = ValueType('BOOL', 'true or false', _parse_boolean, _unchanged, (bool,))
WHOLE_NUMBER = ValueType('N', 'a whole number', _parse_whole_number, _unchanged, (int,))
NUMBER = ValueType('X', 'a number', _parse_number, _unchanged, (int, float))
SIZE = ValueType(
    'PIXELS',
    f'pixels as 84 or, width first, 84x64, each from 1 to {MAX_PIXELS}',
    _parse_size,
    _size_text,
    (str,),
)
NAMES = ValueType(
    'NAMES', "names separated by commas, 'all' or 'none'", parse_names, names_text, (str,)
)
FOLDERS = ValueType(
    'FOLDERS', "folders separated by commas, or 'none'", _parse_folders, names_text, (str,)
)
NAMES_OF_MAP = NAMES._replace(parse=_parse_names_of_map)
FUNCTIONS = NAMES._replace(
    expected="names or ids separated by commas, or 'all'", parse=_parse_functions
)
FIXED_ARGUMENTS = ValueType(
    'PAIRS',
    "pairs as queued=0,select_add=0, each argument once, or 'none'",
    _parse_fixed_arguments,
    _fixed_arguments_text,
    (str,),
)

WEIGHTS = ValueType(
    'PAIRS',
    "pairs of a name and a number as food_used=10,food_cap=0.5, each name once, or 'none'",
    _parse_weights,
    _weights_text,
    (str,),
)

BY_PYTHON_TYPE = {bool: BOOLEAN, int: WHOLE_NUMBER, float: NUMBER, str: TEXT}
"""Infers the type of a setting from its default."""
