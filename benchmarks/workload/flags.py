"""The flags of a benchmark, and the settings and sizes that they stand for."""

import argparse
from typing import List, NamedTuple, Optional, Sequence, Tuple

from sc2impala import experiment
from sc2impala.settings import validation
from sc2impala.settings.settings import Settings

WORKLOADS = {
    'resnet': ['--backend=synthetic', '--map_name=Frames', '--num_envs=16'],
    'beacon32': ['--map_name=MoveToBeacon', '--screen_size=32', '--fixed_step_mul'],
    'beacon16': ['--map_name=MoveToBeacon', '--fixed_step_mul'],
}
"""Flags of a training by the name of the workload."""


class Sizes(NamedTuple):
    """The sizes that the speed of a training depends on; the first four are named as their flags.

    num_replay is the number of replayed sequences in a batch.
    """

    num_envs: int
    num_actors: int
    unroll_length: int
    batch_size: int
    num_replay: int

    @property
    def steps_per_unroll(self) -> int:
        """Agent steps of K environments unrolled over T steps."""
        return self.num_envs * self.unroll_length

    @property
    def steps_per_update(self) -> int:
        """Agent steps in the new sequences of a batch."""
        return (self.batch_size - self.num_replay) * self.unroll_length


def parse(
    parser: argparse.ArgumentParser, argv: Optional[Sequence[str]]
) -> Tuple[argparse.Namespace, List[str]]:
    """Splits a command line into the benchmark's own arguments and flags of the training.

    Adds --workload, which stands for the flags in `WORKLOADS`. Flags given on the command line
    override those of the workload.

    Args:
      parser: has the benchmark's own arguments.
      argv: command-line arguments; None for those of the process.

    Returns:
      The benchmark's arguments, and all flags of the training.
    """
    parser.add_argument(
        '--workload',
        choices=sorted(WORKLOADS),
        help='; '.join(f'{name}: {" ".join(flags)}' for name, flags in WORKLOADS.items())
        + '. All other flags are those of the training: python -m sc2impala.experiment --help',
    )
    arguments, flags = parser.parse_known_args(argv)
    return arguments, WORKLOADS.get(arguments.workload, []) + flags


def make_settings(flags: Sequence[str]) -> Settings:
    """Returns the settings of a training with these flags, from scratch by default.

    --from_scratch=False among the flags gives the default settings of the map: most maps begin with
    imitation.

    Raises:
      sc2impala.errors.UserError: if a flag is unknown or its value invalid.
    """
    flags = ['--logdir=no-such-folder', '--from_scratch', *flags]
    settings = experiment.read_settings(flags)
    validation.check(settings)
    return settings


def sizes(settings: Settings) -> Sizes:
    """Returns the numbers of environments, actors, steps and sequences of a training.

    Those of its first phase, see `imitates`.
    """
    batch_size, num_replay = settings.training.batch_size, batch_split(settings)[1]
    if imitates(settings):
        batch_size, num_replay = settings.algorithms['cloning'].batch_size or batch_size, 0
    return Sizes(
        num_envs=settings.actors.num_envs,
        num_actors=settings.actors.num_actors,
        unroll_length=settings.actors.unroll_length,
        batch_size=batch_size,
        num_replay=num_replay,
    )


def train(flags: Sequence[str]) -> int:
    """Runs the training command in this process; returns its exit code."""
    return experiment.main(list(flags))


def batch_split(settings: Settings) -> Tuple[int, int]:
    """Returns the numbers of new and of replayed sequences in a batch."""
    return validation.batch_split(settings.training, settings.replay)


def imitates(settings: Settings) -> bool:
    """Returns whether a training begins with the imitation of a script."""
    has_script = settings.demonstrations.demonstrator != 'none'
    return has_script and settings.algorithms['cloning'].num_frames > 0
