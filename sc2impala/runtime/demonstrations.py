"""Demonstrations of a run: the script beside its actors, and the recordings that it learns from."""

import dataclasses
from typing import Any, List, Sequence, Tuple

import numpy as np

from sc2impala import demonstrations as recordings_lib
from sc2impala import envs
from sc2impala.envs import demonstrator
from sc2impala.errors import UserError
from sc2impala.runtime import graph, players
from sc2impala.settings.groups import (
    DemonstrationSettings,
    EnvironmentSettings,
    StarCraftSettings,
)


def labelled_specs(
    demonstrations: DemonstrationSettings, specs: Tuple[Any, Any]
) -> Tuple[Any, Any]:
    """Observation and action spec of a run: observations have labels if there is a use for them.

    Args:
      demonstrations: whether there is a script, or recordings, whose sequences have labels.
      specs: without labels.
    """
    if demonstrations.demonstrator == 'none' and not demonstrations.demonstrations:
        return specs
    return demonstrator.with_labels(*specs), specs[1]


def step_mul(environment: EnvironmentSettings, demonstrations: DemonstrationSettings) -> int:
    """Frames from one call of a demonstrator to the next."""
    if environment.fixed_step_mul:
        return environment.step_mul
    return min(demonstrations.demonstration_step_mul, environment.max_step_mul)


def make_environment(
    environment: EnvironmentSettings,
    starcraft: StarCraftSettings,
    demonstrations: DemonstrationSettings,
    specs: Tuple[Any, Any],
    seeds: Sequence[int],
    share_seed: int,
    flag: str = 'demonstrator',
    spread: bool = False,
) -> envs.VectorEnvironment:
    """The environment of an actor: a `DemonstratedEnvironment` if the specs have labels.

    Args:
      environment, starcraft: the games.
      demonstrations: the script, which plays all episodes until another share is set.
      specs: see `labelled_specs`.
      seeds: one per game.
      share_seed: determines which episodes the script plays.
      flag: that names the script, for errors.
      spread: whether the games are soon in all parts of an episode, if the environment has that:
        a script plays up to there, and without one the first episodes are aborted.

    Raises:
      UserError: if the script cannot play, or StarCraft II does not run.
    """
    spread_frames = environment.spread_frames if spread else 0
    if not specs[0].demonstration_heads:
        return graph.make_environment(environment, starcraft, specs, seeds, spread_frames)
    of_agent, action_spec = dataclasses.replace(specs[0], demonstration_heads=()), specs[1]
    script, seen = None, of_agent
    if demonstrations.demonstrator != 'none':
        script_class = players.find_script(environment.map_name, demonstrations.demonstrator)
        assert script_class is not None
        on_simulator = environment.backend == 'simulator'
        seen = demonstrator.with_needs(of_agent, script_class, fine=on_simulator)
        script = players.make_script(
            environment.map_name, (seen, action_spec), flag, demonstrations.demonstrator
        )
    env_spread_frames = 0 if script is not None else spread_frames
    env = graph.make_environment(
        environment, starcraft, (seen, action_spec), seeds, env_spread_frames
    )
    return demonstrator.DemonstratedEnvironment(
        env,
        of_agent,
        script,
        step_mul(environment, demonstrations),
        1.0,
        share_seed,
        spread_frames,
    )


def open_recordings(
    folders: Sequence[str], environment: EnvironmentSettings, action_spec: Any
) -> List[recordings_lib.Recording]:
    """Opens all recordings in some folders.

    Args:
      folders: `--demonstrations`.
      environment: the game of the run.
      action_spec: of the run.

    Raises:
      UserError: if there is none, or one is damaged, or of another map or action space.
    """
    opened = []
    for folder in folders:
        try:
            for path in recordings_lib.find(folder):
                recording = recordings_lib.Recording(path)
                _check_recording(recording, environment, action_spec)
                opened.append(recording)
        except ValueError as error:
            raise UserError(f'--demonstrations={folder} cannot be used: {error}') from error
    return opened


class Recorded:
    """The recordings of a run.

    recordings: possibly none.
    made: all streams of them.
    """

    def __init__(
        self,
        recordings: Sequence[recordings_lib.Recording],
        specs: Tuple[Any, Any],
        unroll_length: int,
        seed: int,
    ):
        """Args:
        recordings: to learn from.
        specs: observation and action spec of the run.
        unroll_length: T.
        seed: determines the order of the episodes in all streams.
        """
        self.recordings = list(recordings)
        self.made: List[recordings_lib.Streams] = []
        self._unroll_length = unroll_length
        self._rng = np.random.RandomState(seed)
        structure = dataclasses.replace(specs[0], demonstration_heads=()).structure()
        self._components = recordings_lib.components_of(structure, list(specs[1].heads))

    def streams(self, num_streams: int) -> recordings_lib.Streams:
        """Makes streams of sequences as the agent sees them.

        Raises:
          UserError: if a recording lacks a layer or vector, or has one of another size.
        """
        rng = np.random.RandomState(self._rng.randint(2**31))
        try:
            made = recordings_lib.Streams(
                self.recordings, num_streams, self._unroll_length, self._components, rng
            )
        except ValueError as error:
            raise UserError(f'--demonstrations cannot be used: {error}') from error
        self.made.append(made)
        return made


def describe(
    demonstrations: DemonstrationSettings, recordings: Sequence[recordings_lib.Recording]
) -> List[str]:
    """What there is to learn from, in lines for the start of a run."""
    lines = []
    if demonstrations.demonstrator != 'none':
        lines.append(f'demonstrator: {demonstrations.demonstrator}')
    for recording in recordings:
        manifest = recording.manifest
        lines.append(
            f'demonstrations: {manifest["num_episodes"]:,} episodes of {manifest["player"]}, '
            f'mean return {manifest["mean_return"]:.2f} ({recording.folder})'
        )
    return lines


def _check_recording(
    recording: recordings_lib.Recording, environment: EnvironmentSettings, action_spec: Any
) -> None:
    """Raises: ValueError: if a recording is of another map or action space."""
    folder, manifest = recording.folder, recording.manifest
    longest = environment.longest_step if environment.fixed_step_mul else environment.max_step_mul
    for name, found, expected in (
        ('--map_name', manifest['map_name'], environment.map_name),
        ('--functions', ','.join(manifest['functions']), ','.join(action_spec.function_names)),
        *(
            (f'choices of {head}', manifest['heads'].get(head, 'none'), size)
            for head, size in action_spec.heads.items()
        ),
    ):
        if found != expected:
            raise ValueError(f'{folder!r} has {name} {found}, expected {expected} as in this run.')
    largest = manifest['largest_step_mul']
    if largest > longest:
        raise ValueError(
            f'{folder!r} has step multipliers up to {largest}, expected at most {longest} as in '
            'this run.'
        )
