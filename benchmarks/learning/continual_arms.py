"""The arms of `benchmarks.learning.continual`: methods of continual learning, and baselines.

An arm is an entry of ARMS, or `module:NAME` of an `Arm` in any other file. An arm that is an
algorithm of its own has it in the same file: see docs/guides/continual.md.
"""

import importlib
import os
from typing import Dict, List, NamedTuple, Tuple

from sc2impala.errors import UserError

SEQUENTIAL, SIMULTANEOUS, EXPERTS = 'sequential', 'simultaneous', 'experts'

FINISHED = 'finished'
"""A file in the folder of a finished run."""


class Experiment(NamedTuple):
    """The task of all arms.

    maps: names of the maps, in the order of learning.
    cycles: number of times that they are learned in turn.
    frames_per_task: environment frames of a block, in which one map is learned.
    evaluations_per_task: evaluations of all maps within and at the end of each block.
    num_episodes: episodes of each map in an evaluation.
    unroll_length: agent steps of a sequence.
    frames_per_step: environment frames of an agent step, assumed for the size of replay buffers.
    """

    maps: Tuple[str, ...]
    cycles: int
    frames_per_task: int
    evaluations_per_task: int
    num_episodes: int
    unroll_length: int
    frames_per_step: float

    @property
    def total_frames(self) -> int:
        """Environment frames of a run that learns all maps."""
        return len(self.maps) * self.cycles * self.frames_per_task

    def sequences(self, percent: float) -> int:
        """Returns the sequences that a percentage of the frames of a run has, at least 1."""
        per_sequence = self.unroll_length * self.frames_per_step
        return max(1, round(percent / 100 * self.total_frames / per_sequence))


class Arm(NamedTuple):
    """A method.

    help: one line.
    flags: flags of `sc2impala.experiment`.
    buffer_percent: size of the replay buffer, in percent of the frames of a run; 0 without one.
    schedule: SEQUENTIAL, SIMULTANEOUS, or EXPERTS: one run per map with as many frames as a map has
        in all cycles.
    """

    help: str
    flags: Tuple[str, ...] = ()
    buffer_percent: float = 0
    schedule: str = SEQUENTIAL


_HALF = '--replay_proportion=0.5'

ARMS: Dict[str, Arm] = {
    'fine_tuning': Arm('one map after the other, without replay'),
    'clear': Arm('CLEAR: half of each batch is new, reservoir of 10% of the frames', (_HALF,), 10),
    'clear_75': Arm('CLEAR, 75% of each batch is new', ('--replay_proportion=0.25',), 10),
    'clear_25': Arm('CLEAR, 25% of each batch is new', ('--replay_proportion=0.75',), 10),
    'strong_cloning': Arm(
        'CLEAR with ten times the costs of cloning',
        (_HALF, '--policy_cloning_cost=0.1', '--value_cloning_cost=0.05'),
        10,
    ),
    'without_cloning': Arm(
        'CLEAR without cloning of policy and values',
        (_HALF, '--policy_cloning_cost=0', '--value_cloning_cost=0'),
        10,
    ),
    'without_policy_cloning': Arm(
        'CLEAR without cloning of the policy', (_HALF, '--policy_cloning_cost=0'), 10
    ),
    'fifo': Arm('CLEAR with the latest 10% of the frames', (_HALF, '--replay_eviction=fifo'), 10),
    'buffer_1': Arm('CLEAR with a reservoir of 1% of the frames', (_HALF,), 1),
    'buffer_5': Arm('CLEAR with a reservoir of 5% of the frames', (_HALF,), 5),
    'buffer_25': Arm('CLEAR with a reservoir of 25% of the frames', (_HALF,), 25),
    'simultaneous': Arm('all maps at once, without replay', schedule=SIMULTANEOUS),
    'experts': Arm('one agent per map, without replay', schedule=EXPERTS),
}
"""By name, in the order of tables."""


def find(name: str) -> Arm:
    """Returns an arm by its name in ARMS, or by `module:NAME`.

    Raises:
      UserError: if there is none.
    """
    if name in ARMS:
        return ARMS[name]
    module, _, attribute = name.partition(':')
    found = None
    if attribute:
        try:
            found = getattr(importlib.import_module(module), attribute, None)
        except ImportError as error:
            raise UserError(f'--arms: {name} cannot be imported ({error}).') from error
    if not isinstance(found, Arm):
        raise UserError(
            f'--arms: {name} is no arm, expected one of {", ".join(ARMS)}, or module:NAME of an '
            'Arm.'
        )
    return found


def commands(arm: Arm, experiment: Experiment, seed: int) -> Dict[str, List[str]]:
    """Returns the flags of the runs of an arm with one seed, by the name of their folder."""
    flags = [
        f'--seed={seed}',
        f'--num_episodes={experiment.num_episodes}',
        f'--unroll_length={experiment.unroll_length}',
        *arm.flags,
    ]
    if arm.buffer_percent:
        flags.append(f'--replay_buffer_size={experiment.sequences(arm.buffer_percent)}')
    maps, of_task = experiment.maps, experiment.frames_per_task
    if arm.schedule == SIMULTANEOUS:
        every = max(1, of_task // experiment.evaluations_per_task)
        of_arm = [
            f'--map_name={",".join(maps)}',
            f'--task_schedule={SIMULTANEOUS}',
            f'--total_environment_frames={experiment.total_frames}',
            f'--evaluate_every_frames={every}',
        ]
        return {f'seed-{seed}': [*of_arm, *flags]}
    if arm.schedule == SEQUENTIAL:
        of_arm = _sequence(maps, of_task, experiment.cycles, experiment.evaluations_per_task)
        return {f'seed-{seed}': [*of_arm, *flags]}
    result = {}
    for i, name in enumerate(maps):
        # The run ends with its first block. Thus experts have the observations, actions, settings
        # and evaluations of the other arms, which those of a run on a single map would differ from.
        order = (name, *maps[:i], *maps[i + 1 :])
        frames, evaluations = (
            experiment.cycles * each for each in (of_task, experiment.evaluations_per_task)
        )
        of_arm = _sequence(order, frames, 1, evaluations)
        of_arm.append(f'--total_environment_frames={frames}')
        result[f'{name}-seed-{seed}'] = [*of_arm, *flags]
    return result


def folder(experiment: str, arm: str) -> str:
    """Returns the folder of an arm in that of an experiment.

    Args:
      experiment: the folder of the experiment.
      arm: its name, or `module:NAME`.
    """
    return os.path.join(experiment, arm.replace(':', '.'))


def _sequence(maps: Tuple[str, ...], frames: int, cycles: int, evaluations: int) -> List[str]:
    return [
        f'--map_name={",".join(maps)}',
        f'--task_schedule={SEQUENTIAL}',
        f'--frames_per_task={frames}',
        f'--cycles={cycles}',
        f'--evaluations_per_task={evaluations}',
    ]
