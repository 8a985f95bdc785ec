"""One game, run by PySC2's `SC2Env` and observed through shared arrays."""

import os
import random
from typing import Any, Mapping, Optional

from sc2impala.envs import pysc2_api
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.pysc2_backend import conversion, own_map
from sc2impala.envs.pysc2_backend.settings import GameSettings
from sc2impala.envs.specs import ObservationSpec
from sc2impala.structs import Nest

NOT_SUPPORTED = 2
"""The `action_result` of an unavailable function, the same as in the simulator."""


class Game:
    """An `SC2Env` that reads actions from arrays and writes observations and results to arrays."""

    def __init__(
        self,
        sc2_env: Any,
        observation_spec: ObservationSpec,
        action_spec: ActionSpec,
        call: Mapping[str, Nest],
        observation: Mapping[str, Nest],
        result: Mapping[str, Nest],
    ):
        """Connects an environment with its arrays.

        Args:
          sc2_env: PySC2's environment of one agent.
          observation_spec, action_spec: the observation and action spaces.
          call, observation, result: the game's part of `SharedArrays`.
        """
        self._env = sc2_env
        self._call = call
        self._result = result
        self._writer = conversion.ObservationWriter(observation_spec, action_spec, observation)
        self._truncated = False

    def reset(self) -> None:
        """Starts the next episode and writes its first observation."""
        self._truncated = False
        self._writer.write(self._env.reset()[0].observation)

    def step(self) -> bool:
        """Executes the call; if the episode ends, starts the next one.

        A function that is not available has no effect except for its `action_result`. If the
        episode is truncated (PySC2's discount of the last step is not 0), its final observation is
        written, and the next step ignores the call and starts the next episode.

        Returns:
          True if the episode has ended. The result then belongs to the last step, and the
          observation is the first one of the next episode.
        """
        self._result['reset'][...] = self._truncated
        if self._truncated:
            self._result['reward'][...] = 0
            self._result['done'][...] = True
            self.reset()
            return True
        function_id = int(self._call['function_id'])
        selection = conversion.selection_call(self._call['selection'])
        # Whether an order is available after a selection is only known to the game.
        refused = selection is None and not self._writer.available[function_id]
        if refused:
            function_id = conversion.NO_OP
        call = conversion.function_call(function_id, self._call['arguments'])
        calls = [call] if selection is None else [[selection, call]]
        (time_step,) = self._env.step(calls, step_mul=int(self._call['step_mul']))
        self._truncated = bool(time_step.last()) and time_step.discount > 0
        ended = bool(time_step.last()) and not self._truncated
        self._result['reward'][...] = time_step.reward
        self._result['done'][...] = ended
        self._result['episode_frames'][...] = int(time_step.observation['game_loop'][0])
        if ended:
            self.reset()
        else:
            self._writer.write(time_step.observation, NOT_SUPPORTED if refused else None)
        return ended

    def close(self) -> None:
        """Ends the game."""
        self._env.close()


def make_sc2_env(
    map_name: str,
    seed: int,
    observation_spec: ObservationSpec,
    settings: GameSettings,
    client: Optional[Any] = None,
) -> Any:
    """Launches a game and joins it.

    Args:
      map_name: PySC2's name of the map, or the name of the file in the settings.
      seed: seed of all randomness in the game, in 0..2**32 - 1.
      observation_spec: determines what PySC2 requests from the game.
      settings: settings of the game.
      client: see `pysc2_api.load_client`; None imports it, with its effects on the whole process.

    Returns:
      PySC2's `SC2Env`.

    Raises:
      Exception: any error that PySC2 raises if the game cannot be started.
    """
    client = client or pysc2_api.load_client(settings.launch_deadline_secs)
    sc2_env = client.sc2_env
    # PySC2 draws races and the opponent's strategy from this generator.
    random.seed(seed)
    players = [sc2_env.Agent(sc2_env.Race[settings.race])]
    if settings.opponent is not None:
        players.append(
            sc2_env.Bot(sc2_env.Race[settings.opponent_race], sc2_env.Difficulty[settings.opponent])
        )
    minimap_layers = [layer.name for layer in observation_spec.minimap_layers]
    interface = sc2_env.AgentInterfaceFormat(
        feature_dimensions=sc2_env.Dimensions(
            screen=observation_spec.screen_size, minimap=observation_spec.minimap_size
        ),
        camera_width_world_units=settings.camera_width,
        use_feature_units='feature_units' in observation_spec.vectors,
        allow_cheating_layers='unit_type' in minimap_layers,
    )
    replay_dir = settings.replay_dir
    saves_replays = settings.save_replay_episodes > 0
    played: Any = map_name
    if settings.map_file is not None:
        scores = settings.score_index, settings.score_multiplier
        played = own_map.make_map(client.maps, settings.map_file, len(players), *scores)
    return sc2_env.SC2Env(
        map_name=played,
        players=players,
        agent_interface_format=interface,
        visualize=settings.visualize,
        realtime=settings.realtime,
        save_replay_episodes=settings.save_replay_episodes,
        replay_dir=os.path.abspath(replay_dir) if saves_replays and replay_dir else None,
        # Without a prefix, replays saved in the same second would have the same name.
        replay_prefix=f'{map_name}_{seed}' if saves_replays else None,
        game_steps_per_episode=settings.max_episode_frames,
        # With an opponent PySC2 creates a new game for every episode, which with a fixed seed would
        # be the same game every time.
        random_seed=seed if settings.opponent is None else None,
        disable_fog=settings.disable_fog,
        # `Game.step` never sends an unavailable function.
        ensure_available_actions=False,
        version=settings.version,
    )
