"""Labels of a demonstrator for the observations of tests."""

import dataclasses
from typing import Tuple

import numpy as np

from sc2impala.envs import specs


def random_labels(seed, heads, max_step_mul, shape, plays=0.0):
    """`observation['demonstration']` of arrays; what is not valid holds numbers out of range."""
    rng = np.random.RandomState(seed)
    valid = rng.uniform(size=shape) < 0.7
    action = {
        name: np.where(valid, rng.randint(choices, size=shape), -7).astype(np.int32)
        for name, choices in heads.items()
    }
    step_mul = np.where(valid, rng.randint(1, max_step_mul + 1, size=shape), 99)
    return {
        'action': action,
        'step_mul': step_mul.astype(np.int32),
        'plays': valid & (rng.uniform(size=shape) < plays),
        'valid': valid,
    }


class LabelledEnvironment:
    """Wraps a vector environment: labels by a function of the observation, which may play.

    `label(observation)` returns actions of [K] and step multipliers of [K]. As with an actor that
    replaces the agent's choices, the label is what is played where `plays`.
    """

    def __init__(self, env, label, plays=False):
        self._env = env
        self._label = label
        self._plays = plays
        self._last = None
        self.enabled = True
        self.shares = []
        self.tape = []
        self.observation_spec = labelled_spec(env.observation_spec, env.action_spec.heads)
        for name in ('num_envs', 'action_spec', 'max_step_mul'):
            setattr(self, name, getattr(env, name))

    failure = None

    def enable(self, enabled):
        self.tape.append(('enable', enabled))
        self.enabled = enabled

    def set_share(self, share):
        self.tape.append(('set_share', share))
        self.shares.append(share)

    def reset(self):
        return self._labelled(self._env.reset())

    def step(self, action, step_mul):
        output = self._env.step(action, step_mul)
        return output._replace(observation=self._labelled(output.observation))

    def set_state(self, state):
        self._env.set_state(state)
        self._last = None

    def __getattr__(self, name):
        """Totals, state, frames that were played: those of the games."""
        return getattr(self._env, name)

    def close(self):
        self._env.close()

    def _labelled(self, observation):
        action, step_mul = self._label(observation)
        enabled = np.full([self.num_envs], self.enabled)
        label = {
            'action': {name: np.asarray(choice, np.int32) for name, choice in action.items()},
            'step_mul': np.asarray(step_mul, np.int32),
            'plays': enabled & self._plays,
            'valid': enabled,
        }
        return dict(observation, demonstration=label)


@dataclasses.dataclass(frozen=True)
class LabelledSpec(specs.ObservationSpec):
    """An observation spec with labels; made of another one by `labelled_spec`."""

    label_heads: Tuple[str, ...] = ()

    def structure(self):
        integer = specs.ArraySpec((), np.dtype(np.int32))
        boolean = specs.ArraySpec((), np.dtype(np.bool_))
        labels = {
            'action': dict.fromkeys(sorted(self.label_heads), integer),
            'plays': boolean,
            'step_mul': integer,
            'valid': boolean,
        }
        structure = dict(super().structure(), demonstration=labels)
        return {name: structure[name] for name in sorted(structure)}


def labelled_spec(spec, heads):
    """The same spec with labels for these heads."""
    if isinstance(spec, LabelledSpec):
        return spec
    fields = {field.name: getattr(spec, field.name) for field in dataclasses.fields(spec)}
    return LabelledSpec(**fields, label_heads=tuple(heads))
