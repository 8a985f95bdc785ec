"""A minimal game for tests: its specs and a vector environment."""

import numpy as np

from sc2impala import structs
from sc2impala.envs import actions, specs

SCREEN = (4, 3)


def make_specs(
    functions=('no_op', 'select_army', 'Move_screen', 'Attack_minimap'), agent='fully_conv'
):
    """Returns specs with all types of heads: points of two sizes, and a binary argument.

    Agents that act on a list of units have it.
    """
    action_spec = actions.make_action_spec(functions, SCREEN, (5, 2))
    observation_spec = specs.make_observation_spec(
        SCREEN,
        (5, 2),
        ('player_relative', 'unit_hit_points'),
        ('camera',),
        ('player', 'feature_units') if agent == 'units_lstm' else ('player',),
        action_spec.num_functions,
    )
    return observation_spec, action_spec


class FakeEnvironment:
    """K environments with a reward of 1 for the function `episode index mod F`, and 0 otherwise.

    An episode lasts `episode_steps[k]` agent steps. The second column of `player` is 10 times the
    index of the rewarded function. Every call is appended to `tape`. If `abort_every` is not 0,
    every `abort_every`-th episode ends as aborted.
    """

    def __init__(
        self,
        num_envs=3,
        episode_steps=5,
        abort_every=0,
        max_step_mul=16,
        seed=0,
        agent='fully_conv',
    ):
        self.num_envs = num_envs
        self.max_step_mul = max_step_mul
        self.observation_spec, self.action_spec = make_specs(agent=agent)
        self.tape = []
        self.frames_played = 0
        self._episode_steps = episode_steps + np.arange(num_envs)
        self._abort_every = abort_every
        self._rng = np.random.RandomState(seed)
        self._episode = np.zeros(num_envs, np.int64)
        self._clear(np.ones(num_envs, bool))

    def reset(self):
        self.tape.append('reset')
        self._clear(np.ones(self.num_envs, bool))
        return self._observe()

    def step(self, action, step_mul):
        self.tape.append(({k: v.copy() for k, v in action.items()}, step_mul.copy()))
        reward = (action['function'] == self._rewarded_function()).astype(np.float32)
        self._return += reward
        self._frames += step_mul
        self.frames_played += int(step_mul.sum())
        self._steps += 1
        done = self._steps >= self._episode_steps
        aborted = done & (self._abort_every > 0)
        if self._abort_every:
            aborted &= self._episode % self._abort_every == self._abort_every - 1
        info = structs.EpisodeInfo(
            self._return.copy(), self._frames.copy(), self._steps.copy(), aborted
        )
        self._episode[done] += 1
        self._clear(done)
        return structs.EnvOutput(reward, info, done, self._observe())

    def get_state(self):
        return None

    def totals(self):
        zeros = np.zeros(self.num_envs, np.int32)
        return structs.EpisodeInfo(zeros.astype(np.float32), zeros, zeros, zeros > 0)

    def close(self):
        self.tape.append('close')

    def _rewarded_function(self):
        return self._episode % self.action_spec.num_functions

    def _clear(self, games):
        if not hasattr(self, '_return'):
            self._return = np.zeros(self.num_envs, np.float32)
            self._frames = np.zeros(self.num_envs, np.int32)
            self._steps = np.zeros(self.num_envs, np.int32)
        for total in (self._return, self._frames, self._steps):
            total[games] = 0

    def _observe(self):
        player = np.zeros([self.num_envs, 11], np.int32)
        player[:, 1] = self._rewarded_function() * 10
        observation = random_observation(self.observation_spec, [self.num_envs], self._rng)
        available = np.ones([self.num_envs, self.action_spec.num_functions], bool)
        available[:, 1] = self._steps % 2 == 0
        return dict(observation, player=player, available_actions=available)


def random_observation(observation_spec, leading, rng):
    """Returns random arrays of shape [*leading, ...]; at least one function is available."""

    def array(name, spec):
        shape = list(leading) + list(spec.shape)
        if spec.dtype == np.bool_:
            mask = rng.uniform(size=shape) < 0.6
            mask[..., 0] = True
            return mask
        scale = {'player_relative': 5, 'camera': 2}.get(name, 50)
        return rng.randint(scale, size=shape).astype(spec.dtype)

    def fill(structure):
        return {
            name: fill(spec) if isinstance(spec, dict) else array(name, spec)
            for name, spec in structure.items()
        }

    return fill(observation_spec.structure())
