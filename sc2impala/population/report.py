"""The table of a population: a row for each member of each generation."""

import csv
import io
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence

from sc2impala.checkpoints import transfer
from sc2impala.errors import UserError
from sc2impala.population.settings import PopulationSettings
from sc2impala.population.state import Member
from sc2impala.runtime import logdir

NAME = 'population.csv'

COLUMNS = ('generation', 'member', 'frames', 'score', 'parent', 'copied', 'kept')
"""Columns before the sampled settings, see docs/guides/populations.md."""


def kept_parts(settings: PopulationSettings) -> List[str]:
    """Parts that a member keeps when it copies another: keys of `transfer.FILES`."""
    keeps = {'games': settings.keep_games, 'replay': settings.keep_replay}
    return [name for name in transfer.FILES if keeps[name]]


def row(
    generation: int, index: int, member: Member, settings: PopulationSettings
) -> Dict[str, Any]:
    """Returns the row of a member at the end of a generation.

    Args:
      generation: its number.
      index: index of the member.
      member: the member at the end.
      settings: settings of the population.
    """
    took_over = member.parent not in (None, index)
    return {
        'generation': generation,
        'member': index,
        'frames': member.frames,
        'score': member.score,
        'parent': member.parent,
        'copied': ['weights', 'optimizer'] if took_over else [],
        'kept': kept_parts(settings) if took_over else [],
        'settings': member.settings,
    }


def score_text(score: Optional[float]) -> str:
    """A score for a line of text."""
    return 'failed' if score is None else f'{score:.2f}'


def write(folder: str, history: Sequence[Mapping[str, Any]], names: Sequence[str]) -> None:
    """Writes the table atomically.

    Args:
      folder: folder of the population.
      history: results of `row`.
      names: names of the sampled settings.

    Raises:
      UserError: if it cannot be written.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([*COLUMNS, *names])
    for each in history:
        cells = [each[name] for name in COLUMNS] + [each['settings'][name] for name in names]
        writer.writerow(['+'.join(c) if isinstance(c, list) else c for c in cells])
    path = os.path.join(folder, NAME)
    try:
        logdir.replace_text(path, text.getvalue().replace('\r\n', '\n'))
    except OSError as error:
        raise UserError(
            f'{path} cannot be written ({error.strerror}), expected a --logdir with free space '
            'that this user may write to.'
        ) from error
