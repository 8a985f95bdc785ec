"""The state of a population, in one file with atomic writes."""

import dataclasses
import json
import os
from typing import Any, Collection, Dict, List, Optional

from sc2impala.errors import UserError
from sc2impala.runtime import logdir as logdir_lib

NAME = 'population.json'

TRAIN = 'train'
EVALUATE = 'evaluate'
DONE = 'done'
FAILED = 'failed'

_FORMAT = 1
_STATUSES = (TRAIN, EVALUATE, DONE, FAILED)


@dataclasses.dataclass
class Member:
    """A member in the current generation.

    settings: sampled settings by name, as JSON values.
    parent: source of its weights in this generation; None in the first one.
    status: its next task, `DONE` for the generation, or `FAILED`.
    restarts: number of restarts in this generation.
    frames: frames of its newest checkpoint, once it has been trained.
    score: mean return of its evaluation, if any.
    """

    settings: Dict[str, Any]
    parent: Optional[int] = None
    status: str = TRAIN
    restarts: int = 0
    frames: int = 0
    score: Optional[float] = None

    @property
    def is_over(self) -> bool:
        """Returns whether this generation is complete."""
        return self.status in (DONE, FAILED)


@dataclasses.dataclass
class State:
    """Progress of a population.

    settings: settings of the population, as JSON values; constant.
    given: the settings of all members in the command, except those that may change.
    members: members by index.
    generation: current generation, from 0.
    history: a row for each member of each finished generation; see `report`.
    """

    settings: Dict[str, Any]
    given: Dict[str, Any]
    members: List[Member]
    generation: int = 0
    history: List[Dict[str, Any]] = dataclasses.field(default_factory=list)

    def save(self, logdir: str) -> None:
        """Writes the file.

        Raises:
          UserError: if it cannot be written.
        """
        content = dict(dataclasses.asdict(self), format=_FORMAT)
        logdir_lib.write_json(os.path.join(logdir, NAME), content)


def read(logdir: str) -> Optional[State]:
    """Returns the state in a folder, or None.

    Raises:
      UserError: if it cannot be read.
    """
    path = os.path.join(logdir, NAME)
    try:
        with open(path, 'rb') as file:
            content = json.loads(file.read().decode())
        return _checked(content)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError, AttributeError, KeyError, TypeError) as error:
        raise UserError(
            f'{path} cannot be read ({error}), expected the state of a population: repair the file '
            'or choose another --logdir.'
        ) from error


def check_same(logdir: str, before: State, now: State, free: Collection[str] = ()) -> None:
    """Refuses to resume another population.

    Args:
      logdir: folder of the population.
      before: the saved settings.
      now: the settings of the command.
      free: names of the settings of members that may differ.

    Raises:
      UserError: naming every flag that differs.
    """
    pairs = [(before.settings, now.settings), (before.given, now.given)]
    different = [
        f'--{name}={old.get(name, "")} (now {new.get(name, "")})'
        for old, new in pairs
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name) and (old is not before.given or name not in free)
    ]
    if different:
        raise UserError(
            f'--logdir={logdir} contains a population with other settings: '
            f'{", ".join(different)}; use the same, or choose another folder.'
        )


def _checked(content: Any) -> State:
    """Raises: ValueError, KeyError, TypeError: if this is not a state."""
    if content.pop('format') != _FORMAT:
        raise ValueError('it is of another version')
    members = [Member(**member) for member in content.pop('members')]
    if not members or any(member.status not in _STATUSES for member in members):
        raise ValueError('a member has an unknown status')
    return State(members=members, **content)
