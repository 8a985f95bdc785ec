"""A vector environment with labels of a scripted player in its observations: demonstrations.

    script = players.RULES['DefeatRoaches']['LH']
    seen = with_needs(observation_spec, script)
    env = DemonstratedEnvironment(
        make_environment('simulator', 'DefeatRoaches', seeds, seen, action_spec, max_step_mul=8),
        observation_spec,
        script(seen, action_spec),
        step_mul=8,
        share=1.0,
        seed=0,
    )

The script may see more than the agent does: its own layers and vectors are left out of the
observations. Each observation has the label of the script as `observation['demonstration']`, see
`specs`. In episodes in which the script acts, `plays` is set and the actor executes the label.
"""

import dataclasses
from typing import Dict, Iterable, Mapping, Optional, Tuple, Type

import numpy as np

from sc2impala import saved_arrays, structs
from sc2impala.envs import checks, vector
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.players import ScriptedPlayer
from sc2impala.envs.specs import ObservationSpec, make_observation_spec
from sc2impala.structs import DEMONSTRATION, Nest


def with_needs(
    observation_spec: ObservationSpec, script: Type[ScriptedPlayer], fine: bool = False
) -> ObservationSpec:
    """The spec of what agent and script observe: the layers and vectors of both, and no labels.

    Args:
      observation_spec: observations of the agent.
      script: a class of scripted players.
      fine: whether a script that decides by `feature_units` alone sees them in the smallest
        multiple of the agent's pixels that is as fine as the screen of its published scores,
        unless its `sees_finer_than_agent` is False.
    """
    seen = make_observation_spec(
        observation_spec.screen_size,
        observation_spec.minimap_size,
        _union((layer.name for layer in observation_spec.screen_layers), script.screen_layers),
        _union((layer.name for layer in observation_spec.minimap_layers), script.minimap_layers),
        _union(observation_spec.vectors, script.vectors),
        observation_spec.num_functions,
    )
    finer = fine and script.sees_finer_than_agent
    if not finer or script.screen_layers or 'feature_units' not in script.vectors:
        return seen
    (width, height), published = observation_spec.screen_size, script.screen_size
    fine_size = width * -(-published[0] // width), height * -(-published[1] // height)
    return dataclasses.replace(seen, units_size=fine_size)


def with_labels(
    observation_spec: ObservationSpec, action_spec: ActionSpec, num_candidates: int = 0
) -> ObservationSpec:
    """The spec of the observations of an agent that have labels.

    Args:
      observation_spec, action_spec: of the agent.
      num_candidates: M, see `specs`.
    """
    return dataclasses.replace(
        observation_spec,
        demonstration_heads=tuple(action_spec.heads),
        num_candidates=num_candidates,
    )


def without_labels(observation_spec: ObservationSpec) -> ObservationSpec:
    """The spec of the observations of an agent, of which some have labels."""
    return dataclasses.replace(observation_spec, demonstration_heads=(), num_candidates=0)


class DemonstratedEnvironment(vector.VectorEnvironment):
    """K games of another environment, with the labels of a scripted player.

    The script acts in a part of the episodes, drawn when an episode starts: with a share of 1 the
    agent sees the states of the script (behaviour cloning), with 0 those that it gets into itself
    (DAgger). `set_share` and `enable` may be called from any thread, and have an effect from the
    next observation or episode on.

    An episode that the script has begun and the agent ended is of neither: its return is NaN.
    """

    def __init__(
        self,
        env: vector.VectorEnvironment,
        observation_spec: ObservationSpec,
        player: Optional[ScriptedPlayer],
        step_mul: int,
        share: float,
        seed: int,
        spread_frames: int = 0,
        labelled_share: float = 1.0,
        num_candidates: int = 0,
        temperature: float = 1.0,
    ):
        """Wraps an environment, which is closed with this one.

        Args:
          env: of K games; observes what `with_needs` returns.
          observation_spec: observations of the agent, without labels.
          player: the script, made with the specs of `env`; None for no labels at all, where
            others have some, e.g. sequences of recordings.
          step_mul: the label of the step multiplier, in environment frames.
          share: probability with which the script acts in an episode.
          seed: determines which ones these are.
          spread_frames: `reset` lets the script act for up to this number of environment
            frames, one step to all of them in equal distances. With the length of an episode the
            games are in all parts of it at any time; else they stay in the same part, and long
            episodes are learned from their start to their end, while the start is forgotten.
          labelled_share: probability with which an observation is labelled in an episode of the
            agent, for a player that can leave games out.
          num_candidates: M, candidates that are given with the labels.
          temperature: of their distribution, see `ScriptedPlayer.candidates`.

        Raises:
          ValueError: if `step_mul`, `share`, `spread_frames` or `labelled_share` is out of range,
            or the player cannot play in this environment.
        """
        super().__init__(
            env.num_envs,
            with_labels(observation_spec, env.action_spec, num_candidates),
            env.action_spec,
            env.max_step_mul,
        )
        if not 1 <= step_mul <= env.max_step_mul:
            raise ValueError(f'step_mul is {step_mul}, expected 1..{env.max_step_mul}.')
        if spread_frames < 0:
            raise ValueError(f'spread_frames is {spread_frames}, expected at least 0.')
        self._env = env
        self._player = player
        self._spread_frames = spread_frames if player is not None else 0
        self._seen_by_agent = observation_spec.structure()
        self._step_mul = step_mul
        self._rng = np.random.RandomState(seed)
        self._plays = np.zeros([env.num_envs], bool)
        self._has_played = np.zeros([env.num_envs], bool)
        self._action: Optional[Dict[str, np.ndarray]] = None
        self._enabled = True
        self._totals = env.totals()
        self._frames_ahead = 0
        self._num_candidates, self._temperature = num_candidates, temperature
        self._labelled_share = checks.check_fraction('labelled_share', labelled_share)
        self.set_share(share)
        if player is not None:
            player.join(env, step_mul)

    @property
    def failure(self) -> Optional[Exception]:  # type: ignore[override]
        """The error that made the games unusable, or None."""
        return self._env.failure

    @property
    def frames_played(self) -> int:  # type: ignore[override]
        """Environment frames in `step`, without the script's frames in `reset`."""
        return self._env.frames_played - self._frames_ahead

    def totals(self) -> structs.EpisodeInfo:
        """See `VectorEnvironment.totals`: totals of the script's steps in `reset`."""
        return self._totals

    def set_share(self, share: float) -> None:
        """Sets the probability with which the script acts in episodes that start from now on.

        Raises:
          ValueError: if it is not in 0..1.
        """
        self._share = checks.check_fraction('share', share)

    def enable(self, enabled: bool) -> None:
        """Switches the script on or off.

        While it is off, it is not called, and nothing is labelled. When it is switched on, the
        agent acts until the end of each episode.
        """
        self._enabled = enabled

    def reset(self) -> Dict[str, Nest]:
        """See `VectorEnvironment.reset`."""
        every = np.ones([self.num_envs], bool)
        observed = self._env.reset()
        self._totals = self._env.totals()
        self._action = None
        if not self._spread_frames:
            return self._labelled(observed, every, every)
        observed, starts = self._spread(observed)
        observation = self._labelled(observed, starts, every)
        self._has_played |= ~starts
        return observation

    def step(self, action: Mapping[str, np.ndarray], step_mul: np.ndarray) -> structs.EnvOutput:
        """See `VectorEnvironment.step`."""
        output = self._env.step(action, step_mul)
        if self._player is not None and self._action is not None:
            # Whoever selects another worker than the script continues like the script: the order.
            # If it was the wrong unit, the order is not available, and the script selects again.
            self._player.forget(np.asarray(action['function'] != self._action['function']))
        is_mixed = output.done & self._has_played & ~self._plays
        returns = np.where(is_mixed, np.float32(np.nan), output.info.episode_return)
        observation = self._labelled(output.observation, output.done, output.done)
        return output._replace(
            observation=observation, info=output.info._replace(episode_return=returns)
        )

    def get_state(self) -> Optional[Dict[str, np.ndarray]]:
        """See `VectorEnvironment.get_state`; with the share, and whether the script is on."""
        games = self._env.get_state()
        if games is None:
            return None
        own = {
            'enabled': np.array(self._enabled),
            'share': np.array(self._share, np.float64),
            'plays': self._plays.copy(),
            'has_played': self._has_played.copy(),
            'has_action': np.array(self._action is not None),
        }
        action = self._no_action() if self._action is None else self._action
        parts = {
            'environment': games,
            'demonstrator': own,
            'random': saved_arrays.get_random(self._rng),
            'action': {head: choice.copy() for head, choice in action.items()},
        }
        if self._player is not None:
            parts['player'] = self._player.get_state(self.num_envs)
        return saved_arrays.join(parts)

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """See `VectorEnvironment.set_state`."""
        saved_arrays.check(state, self.get_state() or {})
        self.set_share(float(state['demonstrator/share']))
        saved_arrays.set_random(self._rng, saved_arrays.part(state, 'random'))
        self._env.set_state(saved_arrays.part(state, 'environment'))
        self._enabled = bool(state['demonstrator/enabled'])
        self._plays[:] = state['demonstrator/plays']
        self._has_played[:] = state['demonstrator/has_played']
        self._action = None
        if state['demonstrator/has_action']:
            action = saved_arrays.part(state, 'action')
            self._action = {head: np.array(choice) for head, choice in action.items()}
        if self._player is not None:
            self._player.set_state(saved_arrays.part(state, 'player'))

    def close(self) -> None:
        """See `VectorEnvironment.close`."""
        self._env.close()

    def _spread(self, observed: Mapping[str, Nest]) -> Tuple[Dict[str, Nest], np.ndarray]:
        """Steps the games with the script, each for more frames than the one before.

        Returns:
          The observations, and the games whose episode starts with them, bool [K].
        """
        assert self._player is not None
        num_steps = -(-self._spread_frames // self.max_step_mul)
        frames = np.linspace(num_steps, self._spread_frames, self.num_envs, endpoint=False)
        played = np.floor(np.arange(num_steps + 1)[:, np.newaxis] * (frames / num_steps))
        starts = np.ones([self.num_envs], bool)
        before = self._env.frames_played
        for step_mul in np.diff(played, axis=0).astype(np.int32):
            self._action = self._player.act(observed, starts)
            output = self._env.step(self._action, step_mul)
            observed, starts = output.observation, output.done
            self._totals = structs.EpisodeInfo(
                *[np.where(starts, np.zeros_like(total), total) for total in output.info]
            )
        self._frames_ahead += self._env.frames_played - before
        return dict(observed), starts

    def _labelled(
        self, observed: Mapping[str, Nest], starts: np.ndarray, drawn: np.ndarray
    ) -> Dict[str, Nest]:
        """The observation of the agent with labels.

        Args:
          observed: of agent and script.
          starts: bool [K], the games whose episode starts with it.
          drawn: bool [K], the games for which a new draw decides whether the script acts.
        """
        valid = np.zeros([self.num_envs], bool)
        if self._player is not None and self._enabled:
            is_new = self._action is None
            self._plays[drawn] = self._rng.random_sample(self.num_envs)[drawn] < self._share
            valid = self._plays | self._draw_labelled(self._player)
            # A script that was off knows nothing of the episodes that continue.
            self._action = self._player.act(observed, starts | is_new, valid)
        else:
            self._plays[:] = False
            self._action = None
        self._has_played[drawn] = False
        self._has_played |= self._plays
        observation = {
            name: {layer: observed[name][layer] for layer in spec}
            if isinstance(spec, dict)
            else observed[name]
            for name, spec in self._seen_by_agent.items()
        }
        observation[DEMONSTRATION] = {
            'action': self._no_action() if self._action is None else self._action,
            'plays': self._plays.copy(),
            'step_mul': np.where(valid, self._step_mul, 0).astype(np.int32),
            'valid': valid,
        }
        if self._num_candidates:
            observation[DEMONSTRATION]['candidates'] = self._candidates()
        return observation

    def _candidates(self) -> Dict[str, Nest]:
        known = None
        if self._player is not None and self._action is not None:
            known = self._player.candidates(self._num_candidates, self._temperature)
        shape = [self.num_envs, self._num_candidates]
        if known is None:
            action = {head: np.zeros(shape, np.int32) for head in self.action_spec.heads}
            known = action, np.zeros(shape, np.float32)
        return {'action': known[0], 'weights': known[1]}

    def _draw_labelled(self, player: ScriptedPlayer) -> np.ndarray:
        """Returns the games whose observation is labelled in any case, bool [K]."""
        if self._labelled_share == 1 or not player.can_skip:
            return np.ones([self.num_envs], bool)
        return self._rng.random_sample(self.num_envs) < self._labelled_share

    def _no_action(self) -> Dict[str, np.ndarray]:
        return {head: np.zeros([self.num_envs], np.int32) for head in self.action_spec.heads}


def _union(names: Iterable[str], others: Iterable[str]) -> Tuple[str, ...]:
    return tuple(dict.fromkeys([*names, *others]))
