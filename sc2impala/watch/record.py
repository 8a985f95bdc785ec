"""Runs episodes of a player and records their traces."""

import contextlib
from typing import Any, Callable, Dict, List, Mapping, Tuple

import numpy as np

from sc2impala.runtime import seeds
from sc2impala.watch import advantages, choices, layers, trace, units
from sc2impala.watch.players import Decision, WatchedPlayer


def record(
    player: WatchedPlayer,
    num_episodes: int,
    seed: int,
    with_layers: bool = True,
    report: Callable[[float], None] = lambda fraction: None,
) -> trace.Trace:
    """Runs the first episodes of several games, the same games for every player of a map.

    They are the first games of an evaluation with the same seed.

    Args:
      player: the player.
      num_episodes: number of games, which run side by side.
      seed: seed of the games.
      with_layers: whether to record the feature layers of the player.
      report: called with the fraction of frames that are done.

    Returns:
      The trace.
    """
    game_seeds = seeds.streams(seed, 'evaluation', num_episodes)
    with contextlib.closing(player.make_environment(game_seeds)) as env:
        recorders = [EpisodeRecorder(player, number, with_layers) for number in range(num_episodes)]
        observation, first = env.reset(), np.ones([num_episodes], bool)
        simulated: Any = env.unwrapped
        game = simulated.game
        world, mobile = units.world_of(game), units.num_mobile(game)
        active = np.ones([num_episodes], bool)
        while active.any():
            decision = player.decide(observation, first)
            seen, cameras, loops = units.snapshot(game), units.camera(game), game.game_loop
            for k in np.flatnonzero(active).tolist():
                row = {name: array[k].copy() for name, array in seen.items()}
                recorders[k].add(int(loops[k]), row, cameras[k], observation, decision)
            output = env.step(decision.action, decision.step_mul)
            for k in np.flatnonzero(active).tolist():
                recorders[k].reward(float(output.reward[k]), int(output.info.episode_frames[k]))
            active &= ~output.done
            observation, first = output.observation, output.done
            report(min(float(loops[active].min()) / world.frames, 1.0) if active.any() else 1.0)
    return trace.Trace(world, player.about, [each.result(mobile) for each in recorders])


class EpisodeRecorder:
    """Collects the steps of one episode."""

    def __init__(self, player: WatchedPlayer, number: int, with_layers: bool):
        """Args:
        player: the player.
        number: number of the game and of the episode.
        with_layers: whether to keep the feature layers.
        """
        self._player = player
        self._number = number
        self._with_layers = with_layers
        self._choices = choices.ChoiceRecorder(player.about)
        self._frames: List[int] = []
        self._units: List[Dict[str, np.ndarray]] = []
        self._cameras: List[np.ndarray] = []
        self._layers: List[Mapping[str, Any]] = []
        self._rewards: List[float] = []
        self._values: List[float] = []

    def add(
        self,
        frame: int,
        row: Dict[str, np.ndarray],
        camera: np.ndarray,
        observation: Mapping[str, Any],
        decision: Decision,
    ) -> None:
        """Adds a step before it is executed.

        Args:
          frame: environment frame.
          row: the units of the game, see `units.snapshot`.
          camera: uint16 [2], see `units.camera`.
          observation: arrays [K, ...] of all games.
          decision: the choices in all games.
        """
        k = self._number
        self._frames.append(frame)
        self._units.append(row)
        self._cameras.append(camera)
        if self._with_layers:
            self._layers.append(layers.first_game(observation, k))
        if decision.values is not None:
            self._values.append(float(decision.values[k]))
        chosen = {name: int(array[k]) for name, array in decision.action.items()}
        chosen[choices.STEP_MUL] = int(decision.step_mul[k])
        of_game = {name: array[k] for name, array in decision.distributions.items()}
        self._choices.add(chosen, observation['available_actions'][k], of_game)

    def reward(self, reward: float, end: int) -> None:
        """Adds the result of the last step.

        Args:
          reward: reward of the game.
          end: environment frame after the step.
        """
        self._rewards.append(reward)
        self._end = end

    def result(self, mobile: int) -> trace.Episode:
        """Returns the episode.

        Args:
          mobile: number of slots of units that can move.
        """
        rewards = np.array(self._rewards, np.float32)
        frames = np.array(self._frames + [self._end], np.int32)
        values, errors, returns = self._estimates(rewards, np.diff(frames))
        kept: List[trace.Layer] = []
        left_out: List[str] = []
        if self._with_layers:
            kept, left_out = layers.convert(self._player.specs[0], self._layers)
        return trace.Episode(
            self._number,
            frames,
            np.stack(self._cameras),
            rewards,
            values,
            errors,
            returns,
            units.join(self._units, mobile),
            self._choices.result(),
            kept,
            left_out,
        )

    def _estimates(self, rewards: np.ndarray, step_mul: np.ndarray) -> Tuple[Any, Any, Any]:
        """Returns values, temporal difference errors and returns; None without a baseline."""
        settings = self._player.returns
        if settings is None or not self._values:
            return None, None, None
        values = np.array(self._values, np.float32)
        learned = advantages.learned_rewards(
            rewards, settings.reward_scaling, settings.reward_clipping
        )
        discounts = advantages.discounts(
            step_mul, settings.discounting, settings.discounting_per_frame
        )
        return (
            values,
            advantages.td_errors(learned, discounts, values),
            advantages.discounted_returns(learned, discounts),
        )
