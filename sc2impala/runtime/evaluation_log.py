"""The table of all checkpoints that were evaluated while a run was followed."""

import csv
import os
from typing import Any, Dict, List, Mapping, Optional

from sc2impala.errors import UserError
from sc2impala.runtime import episodes

EVALUATIONS_CSV = 'evaluations.csv'

_NUMBERS = {
    'global_step': int,
    'seed': int,
    'num_episodes': int,
    'mean_return': float,
    'std_return': float,
    'min_return': float,
    'max_return': float,
    'environment_frames': int,
}

COLUMNS = ('global_step', 'policy', *list(_NUMBERS)[1:])


class EvaluationLog:
    """Appends a row for each checkpoint.

    rows: all of them, {column: value}, those of earlier processes first.
    """

    def __init__(self, path: str):
        """Args:
        path: the file; it is continued if it exists.

        Raises:
          UserError: if it cannot be written to, or is another table.
        """
        self._path = path
        try:
            size = episodes.cut_unfinished_line(path)
            if not size:
                self._append(','.join(COLUMNS))
            with open(path, newline='') as file:
                self.rows: List[Dict[str, Any]] = [_typed(row) for row in csv.DictReader(file)]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(
                f'{path} cannot be continued ({error}), expected a table with the columns '
                f'{", ".join(COLUMNS)} that this user may change, or none.'
            ) from error

    def add(self, result: Mapping[str, Any]) -> None:
        """Writes a row.

        Args:
          result: with all columns, and possibly more.

        Raises:
          UserError: if that does not work.
        """
        row = {name: result[name] for name in COLUMNS}
        try:
            self._append(','.join(str(value) for value in row.values()))
        except OSError as error:
            raise UserError(
                f'{self._path} cannot be written to ({error.strerror}), expected a --logdir with '
                'free space that this user may write to.'
            ) from error
        self.rows.append(row)

    def find(self, frames: int, policy: str) -> Optional[Dict[str, Any]]:
        """The last row of a checkpoint and a policy; None if there is none."""
        found = [r for r in self.rows if (r['global_step'], r['policy']) == (frames, policy)]
        return found[-1] if found else None

    def _append(self, line: str) -> None:
        with open(self._path, 'a', newline='') as file:
            file.write(line + '\r\n')
            file.flush()
            os.fsync(file.fileno())


def _typed(row: Mapping[str, str]) -> Dict[str, Any]:
    values: Dict[str, Any] = {name: kind(row[name]) for name, kind in _NUMBERS.items()}
    return {name: values.get(name, row[name]) for name in COLUMNS}
