"""The log of a run: when it was written, and its remarks without lines of progress."""

import datetime
import os
import re
from typing import Dict, List, NamedTuple, Tuple

from sc2impala.runtime import console

ERROR, WARNING, NOTE = 'error', 'warning', 'note'

ERRORS = ('error: ', 'Traceback (most recent call last)')
"""Beginnings of lines."""

WARNINGS = (
    'gradient norm spike',
    'no update for ',
    'cannot be written',
    'cannot be saved',
    'cannot be read',
    'damaged checkpoints are moved to ',
    ' was saved with ',
    ' is not kept: ',
    'should later sequences compress less',
    'the disk is full',
)
"""Parts of the messages of a run that warn."""

NOTES = (
    ' are lost and will be generated',
    ' after the checkpoint, whose frames will be generated again',
    'training continues after ',
    'stopped before the first update',
    'stopping after this update',
    'stopping at ',
    ': they start fresh',
    'instead of',
    'weights and optimizer are those of ',
)
"""Parts of other messages that are no description of a run, and not its progress."""

_LINE = re.compile(r'(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d) (.*)')
_NUMBER = re.compile(r'\d+(?:[.,]\d+)*(?:e[+-]?\d+)?')
_MAX_LENGTH = 1000


class Remark(NamedTuple):
    """Lines of the log that differ in numbers only.

    level: ERROR, WARNING or NOTE.
    text: the last line.
    number: number of lines.
    first, last: Unix times.
    """

    level: str
    text: str
    number: int
    first: float
    last: float


class Log(NamedTuple):
    """The log of a run.

    remarks: in the order of their first lines.
    times: Unix times of all lines.
    fault: a sentence about what is missing, or empty.
    """

    remarks: List[Remark]
    times: List[float]
    fault: str


def read(folder: str) -> Log:
    """Reads `train.log` in the folder of a run; never raises an error."""
    found: Dict[Tuple[str, str], Remark] = {}
    times: List[float] = []
    try:
        with open(os.path.join(folder, console.NAME), encoding='utf-8', errors='replace') as file:
            for line in file:
                match = _LINE.match(line)
                if match is None:
                    continue
                try:
                    time = datetime.datetime.fromisoformat(match.group(1)).timestamp()
                except (ValueError, OverflowError):
                    continue
                times.append(time)
                _add(found, match.group(2)[:_MAX_LENGTH], time)
    except FileNotFoundError:
        return Log([], [], f'There is no {console.NAME}.')
    except OSError as error:
        return Log(list(found.values()), times, f'{console.NAME} cannot be read ({error}).')
    return Log(list(found.values()), times, '' if times else f'{console.NAME} is empty.')


def level_of(text: str) -> str:
    """Returns the level of a remark; empty for other lines."""
    if text.startswith(ERRORS):
        return ERROR
    if any(phrase in text for phrase in WARNINGS):
        return WARNING
    return NOTE if any(phrase in text for phrase in NOTES) else ''


def _add(found: Dict[Tuple[str, str], Remark], text: str, time: float) -> None:
    level = level_of(text)
    if not level:
        return
    key = (level, _NUMBER.sub('0', text))
    before = found.get(key, Remark(level, text, 0, time, time))
    found[key] = before._replace(text=text, number=before.number + 1, last=time)
