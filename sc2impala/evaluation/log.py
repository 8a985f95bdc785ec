"""The table of the evaluations of a run, written by the run or by a process that follows it."""

import csv
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional

from sc2impala.envs import scores
from sc2impala.errors import UserError
from sc2impala.runtime import logdir

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

_FIRST_COLUMNS = ('global_step', 'policy', *list(_NUMBERS)[1:])
_SECOND_COLUMNS = (*_FIRST_COLUMNS, *scores.HUMAN_SCORES)

_THIRD_COLUMNS = (*_SECOND_COLUMNS, 'temperature')

_FOURTH_COLUMNS = (*_THIRD_COLUMNS, 'eval_max_step_mul')

COLUMNS = (*_FOURTH_COLUMNS, 'map_name')
"""Columns of `scores.HUMAN_SCORES` are empty on maps without published scores. `temperature` and
`eval_max_step_mul` are empty where they have no effect, and in rows of versions that did not write
them. Rows of such versions get the map of the run."""

_OLDER = (_FIRST_COLUMNS, _SECOND_COLUMNS, _THIRD_COLUMNS, _FOURTH_COLUMNS)


class EvaluatedPolicy(NamedTuple):
    """The policy that an evaluation scores. Scores of different ones are not compared.

    policy: 'sampled' or 'greedy'.
    temperature: of the sampled policy; None for others.
    eval_max_step_mul: 0 if steps are as in training.
    """

    policy: str
    temperature: Optional[float]
    eval_max_step_mul: int

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> 'EvaluatedPolicy':
        """Returns the policy of a row or of the content of `evaluation.json`."""
        temperature = result.get('temperature')
        if temperature is None and result['policy'] == 'sampled':
            temperature = 1.0  # Written by a version without the setting.
        return cls(result['policy'], temperature, result.get('eval_max_step_mul') or 0)

    @property
    def name(self) -> str:
        """A part of a file name, such as 'sampled-temperature-0.5'."""
        parts = [self.policy]
        if self.temperature not in (None, 1.0):
            parts.append(f'temperature-{self.temperature}')
        if self.eval_max_step_mul:
            parts.append(f'max-step-mul-{self.eval_max_step_mul}')
        return '-'.join(parts)

    @property
    def flags(self) -> str:
        """The flags of an evaluation of this policy."""
        parts = [f'--policy={self.policy}']
        if self.temperature is not None:
            parts.append(f'--temperature={self.temperature:g}')
        if self.eval_max_step_mul:
            parts.append(f'--eval_max_step_mul={self.eval_max_step_mul}')
        return ' '.join(parts)


class EvaluationLog:
    """Appends a row for each evaluation.

    rows: all rows, {column: value}, in the order of writing.
    """

    def __init__(self, path: str, map_name: str):
        """Args:
        path: the file; it is continued if it exists. One of an older version gets the columns that
          it lacks.
        map_name: map of the rows that do not name one.

        Raises:
          UserError: if it cannot be written to, or is another table.
        """
        self._path = path
        self._map_name = map_name
        self._waiting: List[str] = []
        self.rows: List[Dict[str, Any]] = []
        try:
            self._size = logdir.cut_unfinished_line(path)
            if not self._size:
                self._waiting.append(','.join(COLUMNS))
                self._write()
                return
            with open(path, newline='') as file:
                reader = csv.DictReader(file)
                columns = tuple(reader.fieldnames or ())
                if columns not in (COLUMNS, *_OLDER):
                    raise ValueError('it has other columns')
                self.rows = [self._typed(row) for row in reader]
            if columns != COLUMNS:
                self._write_anew()
        except (OSError, ValueError, TypeError) as error:
            raise UserError(
                f'{path} cannot be continued ({error}), expected a table with the columns '
                f'{", ".join(COLUMNS)} that this user may change, or none.'
            ) from error

    def undo(self, frames: Optional[int]) -> int:
        """Removes the rows of evaluations after the restored checkpoint.

        Args:
          frames: frames of the checkpoint; None removes all rows.

        Returns:
          The number of rows.

        Raises:
          UserError: if the file cannot be changed.
        """
        before, last = self.rows, -1 if frames is None else frames
        self.rows = [row for row in before if row['global_step'] <= last]
        if len(self.rows) < len(before):
            try:
                self._write_anew()
            except OSError as error:
                raise self._not_written(error) from error
        return len(before) - len(self.rows)

    def add(self, result: Mapping[str, object]) -> None:
        """Adds a row and writes it. If the write fails, the row is kept for the next call.

        Args:
          result: with all columns, and possibly more.

        Raises:
          UserError: if it cannot be written now.
        """
        row = {name: {'map_name': self._map_name, **result}[name] for name in COLUMNS}
        self.rows.append(row)
        self._waiting.append(_line(row))
        self.flush()

    def flush(self) -> None:
        """Writes pending rows.

        Raises:
          UserError: if they still cannot be written.
        """
        try:
            self._write()
        except OSError as error:
            raise self._not_written(error) from error

    def rows_of(
        self, policy: EvaluatedPolicy, map_name: Optional[str] = None
    ) -> List[Dict[str, Any]]:
        """Returns the rows of a policy, on all maps or on one."""
        return [
            row
            for row in self.rows
            if EvaluatedPolicy.of(row) == policy and map_name in (None, row['map_name'])
        ]

    def find(
        self, frames: int, policy: EvaluatedPolicy, map_name: Optional[str] = None
    ) -> Optional[Dict[str, Any]]:
        """The last row of a checkpoint and a policy; None if there is none."""
        found = [row for row in self.rows_of(policy, map_name) if row['global_step'] == frames]
        return found[-1] if found else None

    def last_frames(self, policy: EvaluatedPolicy) -> Optional[int]:
        """Frames of the last evaluation of a policy; None if there is none."""
        return max([row['global_step'] for row in self.rows_of(policy)], default=None)

    def _write(self) -> None:
        """Appends pending rows; overwrites what an earlier attempt has written in part."""
        if not self._waiting:
            return
        content = ''.join(line + '\r\n' for line in self._waiting).encode()
        with open(self._path, 'r+b' if self._size else 'wb') as file:
            file.seek(self._size)
            file.truncate()
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        self._size += len(content)
        self._waiting.clear()

    def _write_anew(self) -> None:
        lines = [','.join(COLUMNS), *map(_line, self.rows)]
        logdir.replace_text(self._path, ''.join(line + '\r\n' for line in lines))
        self._size = os.path.getsize(self._path)

    def _not_written(self, error: OSError) -> UserError:
        return UserError(
            f'{self._path} cannot be written to ({error.strerror}), expected a --logdir with '
            'free space that this user may write to.'
        )

    def _typed(self, row: Mapping[str, str]) -> Dict[str, Any]:
        values: Dict[str, Any] = {name: kind(row[name]) for name, kind in _NUMBERS.items()}
        values['map_name'] = row.get('map_name') or self._map_name
        values.update(scores.human_scores(values['map_name'], values['mean_return']))
        for name, kind in (('temperature', float), ('eval_max_step_mul', int)):
            values[name] = kind(row[name]) if row.get(name) else None
        return {name: values.get(name, row.get(name)) for name in COLUMNS}


def _line(row: Mapping[str, object]) -> str:
    return ','.join('' if value is None else str(value) for value in row.values())
