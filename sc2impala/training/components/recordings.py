"""Recorded demonstrations (`--demonstrations`), and the place in their episodes."""

import dataclasses
from typing import List, Mapping, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import demonstrations as recordings_lib
from sc2impala import saved_arrays
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.vector import Specs
from sc2impala.errors import UserError
from sc2impala.runtime import console
from sc2impala.saved_arrays import Arrays
from sc2impala.settings.groups import DemonstrationSettings, EnvironmentSettings
from sc2impala.training.component import Component
from sc2impala.training.run import Run
from sc2impala.training.state import State


def make(run: Run) -> List[Component]:
    """Returns the component."""
    component = Component()
    component.states = [RecordingsState(run.graph.recorded.made)]
    return [component]


def open_recordings(
    folders: Sequence[str], environment: EnvironmentSettings, action_spec: ActionSpec
) -> List[recordings_lib.Recording]:
    """Opens all recordings in some folders.

    Args:
      folders: `--demonstrations`.
      environment: the game of the run.
      action_spec: action spec of the run.

    Raises:
      UserError: if a folder has no recording, or one is damaged or of another map or action space.
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


def _check_recording(
    recording: recordings_lib.Recording, environment: EnvironmentSettings, action_spec: ActionSpec
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


class Recorded:
    """The recordings of a run.

    recordings: may be empty.
    made: all streams of them.
    """

    def __init__(
        self,
        recordings: Sequence[recordings_lib.Recording],
        specs: Specs,
        unroll_length: int,
        seed: int,
    ):
        """Args:
        recordings: the recordings to learn from.
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
    """Returns lines about the demonstrations, printed at the start of a run."""
    lines = []
    if demonstrations.demonstrator != 'none':
        lines.append(f'demonstrator: {demonstrations.demonstrator}')
    for recording in recordings:
        manifest = recording.manifest
        episodes = console.count_text(manifest['num_episodes'], 'episode')
        lines.append(
            f'demonstrations: {episodes} of {manifest["player"]}, '
            f'mean return {manifest["mean_return"]:.2f} ({recording.folder})'
        )
    return lines


class RecordingsState(State):
    """State of the streams of recorded episodes."""

    name = 'recordings'
    otherwise = 'recorded episodes are read in a new order'

    def __init__(self, streams: Sequence[recordings_lib.Streams]):
        """Args: streams: `demonstrations.Streams`."""
        self._streams = list(streams)

    def get_state(self, session: tf.Session) -> Arrays:
        """See `State`."""
        return saved_arrays.join(
            {str(index): streams.get_state() for index, streams in enumerate(self._streams)}
        )

    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """See `State`."""
        saved_arrays.check(state, self.get_state(session))
        for index, streams in enumerate(self._streams):
            streams.set_state(saved_arrays.part(state, str(index)))
