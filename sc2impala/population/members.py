"""The runs of a population: their folders, commands and results."""

import json
import os
import sys
from typing import List, Mapping, Optional, Sequence

from sc2impala.checkpoints import choice, directory
from sc2impala.errors import UserError
from sc2impala.population.settings import PopulationSettings
from sc2impala.runtime import seeds
from sc2impala.settings import settings as settings_lib

COMMAND = (sys.executable, '-m', 'sc2impala.experiment')

_OWN = ('logdir', 'seed', 'mode', 'job_name', 'learner_address', 'task', 'follow')
"""Settings of members that the population sets, or that it does not support."""

_OF_SLICES = ('stop_at_frames', 'may_change')
_EVALUATION_JSON = 'evaluation.json'
_TAIL_BYTES = 2**16


class Members:
    """The runs of a population."""

    def __init__(
        self,
        settings: PopulationSettings,
        flags: Sequence[str],
        given: Mapping[str, object],
        names: Sequence[str],
    ):
        """Args:
        settings: settings of the population.
        flags: flags of all members.
        given: the settings in these flags.
        names: names of the sampled settings.

        Raises:
          UserError: if a flag is not for members.
        """
        for name in (*_OWN, *_OF_SLICES):
            if name in given:
                raise UserError(
                    f'--{name}={given[name]} is not for the members of a population, which gives '
                    'each of them its own, expected none.'
                )
        for name in names:
            if name in given and not settings.reference:
                raise UserError(
                    f'--{name} is drawn from --ranges, expected no such flag, or --reference, for '
                    'whose member it is.'
                )
        self._settings = settings
        self._names = list(names)
        self._flags = list(flags)
        known = settings_lib.all_settings()
        own = [n for n in given if known[n].own_in_evaluation and n != 'num_episodes']
        self._of_evaluation = [f'--{n}={known[n].type.to_text(given[n])}' for n in own]

    def folder(self, index: int) -> str:
        """The folder of a member."""
        return os.path.join(self._settings.logdir, f'member-{index}')

    def log(self, index: int) -> str:
        """The file with the output of a member."""
        return self.folder(index) + '.log'

    def training(
        self, index: int, own: Mapping[str, object], stop_at: Optional[int] = None
    ) -> List[str]:
        """The flags with which a member trains.

        Args:
          index: index of the member.
          own: its settings, as JSON values.
          stop_at: frames at which this start ends; None for the end of the training.
        """
        flags = [
            *self._flags,
            f'--logdir={self.folder(index)}',
            f'--seed={self._settings.seed + index}',
            f'--may_change={",".join(self._names)}',
            *(f'--{name}={value}' for name, value in own.items()),
        ]
        return flags if stop_at is None else [*flags, f'--stop_at_frames={stop_at}']

    def evaluation(self, index: int, generation: int) -> List[str]:
        """The flags of an evaluation: the same games for all members of a generation."""
        return [
            '--mode=evaluate',
            f'--logdir={self.folder(index)}',
            f'--seed={self._seed(generation)}',
            f'--num_episodes={self._settings.num_episodes}',
            *self._of_evaluation,
        ]

    def score(self, index: int, generation: int) -> Optional[float]:
        """The mean return of the evaluation; None without a result."""
        try:
            with open(os.path.join(self.folder(index), _EVALUATION_JSON)) as file:
                result = json.load(file)
            if result['seed'] != self._seed(generation):
                return None
            return float(result['mean_return'])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def newest(self, index: int) -> Optional[int]:
        """The frames of the newest complete checkpoint of a member, or None."""
        try:
            found = choice.choose(self.folder(index))
        except UserError:
            return None
        return None if found is None else directory.frames_of(found.checkpoint)

    def last_error(self, index: int) -> str:
        """The last line of a member's log that names an error, else the last line."""
        try:
            with open(self.log(index), 'rb') as file:
                file.seek(max(0, os.path.getsize(self.log(index)) - _TAIL_BYTES))
                lines = file.read().decode(errors='replace').split('\n')
        except OSError:
            return 'its log cannot be read'
        found = [line.strip() for line in lines if line.strip()]
        errors = [line for line in found if line.startswith('error: ')]
        return (errors or found or ['it has printed nothing'])[-1]

    def _seed(self, generation: int) -> int:
        return seeds.streams(self._settings.seed, 'population', 1, generation)[0]
