"""The vector environment on the built-in simulator, in this process."""

from typing import Any, Dict, Mapping, Optional, Sequence

import numpy as np

from sc2impala import saved_arrays, sim, structs
from sc2impala.envs import vector
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.specs import ObservationSpec
from sc2impala.envs.start_states import StartShare, StartStates
from sc2impala.structs import Nest

_NO_OP = 0


class SimulatedEnvironment(vector.VectorEnvironment):
    """K simulated games of one map; seeds[i] determines the episodes of game i.

    final_observation: the observation of all games at the end of the last step, before those that
        ended began their next episode. None if no game ended, or without `final_observations`.
    """

    final_observation: Optional[Dict[str, Any]] = None

    def __init__(
        self,
        map_name: str,
        seeds: Sequence[int],
        observation_spec: ObservationSpec,
        action_spec: ActionSpec,
        max_step_mul: int,
        final_observations: bool = False,
        spread_frames: int = 0,
        rules: Optional[Mapping[str, float]] = None,
        max_episode_frames: Optional[int] = None,
        start_share: Optional[StartShare] = None,
    ):
        """Makes the games.

        Args:
          map_name: one of `sim.MAP_NAMES`.
          seeds: K non-negative ints.
          observation_spec: the observation space; only its layers are rendered.
          action_spec: the action space.
          max_step_mul: the largest number of environment frames per step.
          final_observations: whether to observe once more in steps in which an episode ends, for
            `final_observation`.
          spread_frames: the first episodes after `reset` are aborted, the one of game i at frame
            (i + 1) / K of this number. With the length of an episode the games are in all parts of
            it from then on; with 0 no episode is aborted, and they stay in the same part.
          rules: constants of the rules that differ from their defaults, see `sim.make`.
          max_episode_frames: truncates an episode with the first step that reaches this frame;
            None leaves the end to the map.
          start_share: of the episodes that start in a visited state, see `start_states`; None for
            none. Their return is NaN, so that they are in no statistic.

        Raises:
          ValueError: if the map or a constant is unknown, a seed or `spread_frames` is negative,
            `max_episode_frames` is not positive, or the specs do not fit together.
        """
        super().__init__(len(seeds), observation_spec, action_spec, max_step_mul)
        self._game: Any = sim.make(
            map_name,
            seeds,
            screen_size=observation_spec.screen_size,
            minimap_size=observation_spec.minimap_size,
            screen_layers=tuple(layer.name for layer in observation_spec.screen_layers),
            minimap_layers=tuple(layer.name for layer in observation_spec.minimap_layers),
            rules=rules,
        )
        self._layers_dtype = _layers_dtype(self.num_envs, observation_spec.structure())
        self._final_observations = final_observations
        if spread_frames < 0:
            raise ValueError(f'spread_frames is {spread_frames}, expected at least 0.')
        self._spread_frames = spread_frames
        self._max_episode_frames = vector.check_max_episode_frames(max_episode_frames)
        # Frame at which the first episode of each game is aborted.
        self._first_frames = np.arange(1, self.num_envs + 1) * spread_frames / self.num_envs
        self._start_states = None
        if start_share is not None:
            seed = int(np.random.SeedSequence(list(seeds)).generate_state(1)[0])
            self._start_states = StartStates(self._game, seed, start_share)
        self._start_totals()

    @property
    def game(self) -> 'sim.GameBatch':
        """The games, with all that their players do not see."""
        return self._game

    def reset(self) -> Dict[str, Nest]:
        """See `VectorEnvironment.reset`."""
        self._game.reset()
        self._start_totals()
        self._start_elsewhere(np.ones([self.num_envs], bool))
        self.final_observation = None
        return self._observe()

    def step(self, action: Mapping[str, np.ndarray], step_mul: np.ndarray) -> structs.EnvOutput:
        """See `VectorEnvironment.step`. Only `spread_frames` aborts episodes."""
        step_mul = self._check_step_mul(step_mul)
        function_ids, arguments = self._decode(action)
        game = self._game
        truncated = game.game_loop >= self._max_episode_frames
        if truncated.any():
            function_ids = np.where(truncated, _NO_OP, function_ids)
            step_mul = np.where(truncated, 0, step_mul)
        selections = self.action_spec.decode_selections(action)
        score, loops = game.score.copy(), int(game.game_loop.sum())
        if selections is not None:
            ids, points = selections
            game.act(np.where(truncated, _NO_OP, ids), points)
        game.act(function_ids, arguments)
        game.advance(step_mul)
        self.frames_played += int(game.game_loop.sum()) - loops

        reward = ((game.score - score) * ~truncated).astype(np.float32)
        ended = np.array(game.ended)
        aborted = ~(ended | truncated) & self._first & (game.game_loop >= self._first_frames)
        done = ended | truncated | aborted
        self._returns += reward
        if self._start_states is not None:
            frames = int(game.game_loop.sum()) - loops
            self._start_states.after_step(game, frames, ended | truncated)
        self._steps += ~truncated
        info = structs.EpisodeInfo(
            episode_return=self._returns.copy(),
            episode_frames=(game.game_loop - self._start_loops).astype(np.int32),
            episode_steps=self._steps.copy(),
            aborted=aborted,
        )
        self.final_observation = None
        if done.any():
            if self._final_observations:
                self.final_observation = self._observe()
            game.reset(done)
            self._returns[done] = 0
            self._steps[done] = 0
            self._first[done] = False
            self._start_elsewhere(done)
        return structs.EnvOutput(reward, info, done, self._observe())

    def get_state(self) -> Dict[str, np.ndarray]:
        """See `VectorEnvironment.get_state`."""
        totals = {'returns': self._returns.copy(), 'steps': self._steps.copy()}
        parts = {'games': self._game.get_state(), 'totals': totals}
        if self._spread_frames:
            parts['spread'] = {'first': self._first.copy()}
        if self._start_states is not None:
            parts['start_states'] = self._start_states.get_state()
            parts['start_loops'] = {'loops': self._start_loops.copy()}
        return saved_arrays.join(parts)

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """See `VectorEnvironment.set_state`."""
        saved_arrays.check(state, self.get_state())
        self._game.set_state(saved_arrays.part(state, 'games'))
        self._returns[:] = state['totals/returns']
        self._steps[:] = state['totals/steps']
        if self._spread_frames:
            self._first[:] = state['spread/first']
        if self._start_states is not None:
            self._start_states.set_state(saved_arrays.part(state, 'start_states'))
            self._start_loops[:] = state['start_loops/loops']
        self.final_observation = None

    def close(self) -> None:
        """See `VectorEnvironment.close`."""
        self._game = None

    def _start_totals(self) -> None:
        self._returns = np.zeros([self.num_envs], np.float32)
        self._steps = np.zeros([self.num_envs], np.int32)
        self._start_loops = np.zeros([self.num_envs], np.int64)
        self._first = np.full([self.num_envs], self._spread_frames > 0)

    def _start_elsewhere(self, begun: np.ndarray) -> None:
        """Changes the first states of some of the episodes that have just begun."""
        if self._start_states is not None:
            self._start_states.start(self._game, begun)
            self._returns[begun & ~self._start_states.is_whole] = np.nan
            self._start_loops[begun] = self._game.game_loop[begun]

    def _observe(self) -> Dict[str, Nest]:
        """Copies the arrays of the spec, because the game reuses its buffers."""
        observed = self._game.observe()
        vectors = self.observation_spec.vectors
        observation: Dict[str, Any] = {
            name: np.array(observed[name]) for name in vectors if name != 'feature_units'
        }
        if 'feature_units' in vectors:
            # A new array, and too large to be copied.
            units = self._game.feature_units(self.observation_spec.units_size)
            observation['feature_units'] = units
        observation['available_actions'] = self.action_spec.available(observed['available_actions'])
        # One block of memory for all layers. With an allocation per layer, freed in every step, the
        # allocator returns pages and faults them in again, which costs ten times the copy.
        block = np.empty([], self._layers_dtype)
        for group in self._layers_dtype.names or ():
            names = block[group].dtype.names or ()
            observation[group] = {name: block[group][name] for name in names}
            for name, layer in observation[group].items():
                layer[:] = observed[group][name]
        return observation


def _layers_dtype(num_envs: int, structure: Mapping[str, Nest]) -> np.dtype:
    """Returns a record dtype with all layers, as {group: {layer: [K, H, W]}}."""
    groups = [(group, structure[group]) for group in ('screen', 'minimap') if group in structure]
    records = [
        (group, [(name, spec.dtype, (num_envs,) + spec.shape) for name, spec in layers.items()])
        for group, layers in groups
    ]
    return np.dtype(records, align=True)
