"""Records whole episodes of a player as demonstrations."""

import os
import time
from typing import Any, Dict, Mapping, Tuple

import numpy as np

import sc2impala
from sc2impala import demonstrations, structs
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.vector import VectorEnvironment
from sc2impala.errors import UserError
from sc2impala.evaluation.players import Act
from sc2impala.runtime import console
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.settings.groups import EnvironmentSettings, OutputSettings
from sc2impala.structs import DEMONSTRATION

_MIB = 2**20


class LabelPlayer:
    """A player that takes the labels of a `DemonstratedEnvironment`."""

    def __call__(self, env_output: structs.EnvOutput) -> Tuple[Dict[str, np.ndarray], np.ndarray]:
        """Acts once; see `players.AgentPlayer`."""
        label = env_output.observation[DEMONSTRATION]
        return label['action'], label['step_mul']

    def close(self) -> None:
        """Nothing to release."""


def describe(
    environment: EnvironmentSettings, action_spec: ActionSpec, player: str, seed: int
) -> Dict[str, Any]:
    """Returns the description of a recording, for its manifest.

    Args:
      environment: `groups.EnvironmentSettings`.
      action_spec: `envs.actions.ActionSpec`.
      player: the value of `--policy`.
      seed: seed of the games.
    """
    return {
        'map_name': environment.map_name,
        'backend': environment.backend,
        'player': player,
        'seed': seed,
        'functions': list(action_spec.function_names),
        'fixed_arguments': dict(action_spec.fixed_arguments),
        'heads': dict(action_spec.heads),
        'screen_size': list(action_spec.screen_size),
        'minimap_size': list(action_spec.minimap_size),
        'version': sc2impala.__version__,
    }


def new_writer(
    folder: str, about: Mapping[str, Any], env: VectorEnvironment, chunk_steps: int
) -> demonstrations.Writer:
    """A new recording `<player>-<number>` in a folder of recordings.

    Args:
      folder: folder of the recordings.
      about: see `describe`.
      env: `VectorEnvironment` with the observations of the agent; may have labels.
      chunk_steps: number of steps per chunk.

    Raises:
      UserError: if it cannot be created.
    """
    components = demonstrations.components_of(_without_labels(env), list(env.action_spec.heads))
    name, number = about['player'].replace(' ', '_').replace(':', '.'), 0
    while True:
        path = os.path.join(folder, f'{name}-{number}')
        try:
            return demonstrations.Writer(path, about, components, chunk_steps)
        except FileExistsError:
            number += 1
        except OSError as error:
            raise _not_writable(path, error) from error


def record(
    env: VectorEnvironment,
    player: Act,
    writer: demonstrations.Writer,
    num_episodes: int,
    stop: StopRequest,
    output: OutputSettings,
) -> Dict[str, Any]:
    """Runs whole episodes and writes them; aborted ones are repeated.

    Every game runs the same number of episodes, give or take one: short episodes are not
    preferred. Whole episodes are written even if the recording is stopped or a game fails.

    Args:
      env: `VectorEnvironment` of K games.
      player: see `players.AgentPlayer`.
      writer: writer of the recording.
      num_episodes: number of episodes.
      stop: ends the recording early.
      output: seconds between lines of progress, and the maximum lost if the process is
        killed.

    Returns:
      The manifest of the recording.

    Raises:
      UserError: if it cannot be written.
    """
    try:
        try:
            _play(env, player, writer, num_episodes, stop, output)
        finally:
            writer.flush()
    except OSError as error:
        raise _not_writable(writer.folder, error) from error
    return writer.manifest()


def summary(folder: str, manifest: Mapping[str, Any]) -> str:
    """One line about a finished recording."""
    size = sum(part['bytes'] for part in manifest['parts']) / _MIB
    episodes = console.count_text(manifest['num_episodes'], 'episode')
    return (
        f'{episodes} of {manifest["player"]} on {manifest["map_name"]}, '
        f'{manifest["num_steps"]:,} steps, mean return {manifest["mean_return"]:.2f}, '
        f'{size:,.1f} MiB: {folder}'
    )


def _play(
    env: VectorEnvironment,
    player: Act,
    writer: demonstrations.Writer,
    num_episodes: int,
    stop: StopRequest,
    output: OutputSettings,
) -> None:
    num_envs = env.num_envs
    recorder = demonstrations.StepRecorder(writer.components, num_envs, writer.chunk_steps)
    wanted = np.full([num_envs], num_episodes // num_envs)
    wanted[: num_episodes % num_envs] += 1
    env_output = structs.EnvOutput(None, None, np.ones([num_envs], bool), env.reset())
    shown = saved = time.monotonic()
    while wanted.any() and not stop.requested:
        action, step_mul = player(env_output)
        next_output = env.step(action, step_mul)
        recorder.add(_step(env_output.observation, action, step_mul, next_output))
        env_output = next_output
        for game in np.flatnonzero(env_output.done).tolist():
            episode = recorder.end(game)
            if wanted[game] and not env_output.info.aborted[game]:
                writer.add(episode)
                wanted[game] -= 1
        now = time.monotonic()
        if now - shown >= output.progress_secs:
            shown = now
            console.say(f'recording: {num_episodes - wanted.sum():,} of {num_episodes:,} episodes')
        if now - saved >= output.save_checkpoint_secs:
            writer.flush()
            saved = now


def _step(
    observation: Mapping[str, structs.Nest],
    action: Mapping[str, np.ndarray],
    step_mul: np.ndarray,
    output: structs.EnvOutput,
) -> Dict[str, np.ndarray]:
    """The arrays of a step by name of component, with labels."""
    info = output.info
    return {
        **demonstrations.flatten({'observation': observation, 'action': action}),
        'step_mul': step_mul,
        'reward': output.reward,
        'done': output.done,
        'episode_return': info.episode_return,
        'episode_frames': info.episode_frames,
        'episode_steps': info.episode_steps,
    }


def _without_labels(env: VectorEnvironment) -> Dict[str, structs.Nest]:
    structure = dict(env.observation_spec.structure())
    structure.pop(DEMONSTRATION, None)
    return structure


def _not_writable(path: str, error: OSError) -> UserError:
    return UserError(
        f'{path} cannot be written ({error.strerror}), expected a --logdir with free space that '
        'this user may write to.'
    )
