"""A sampler with priorities, without the sum tree that a large table needs."""

import numpy as np

from sc2impala.replay import Sampler
from sc2impala.replay.entries import check_array


class Proportional(Sampler):
    """Draws slots with replacement, each with a probability proportional to its priority.

    A sequence without a priority gets the highest priority so far, as in prioritized experience
    replay.
    """

    name = 'proportional'
    has_priorities = True

    def reset(self, capacity):
        self._priorities = np.zeros([capacity])
        self._max_priority = 1.0

    def insert(self, slots, priorities):
        if priorities is None:
            priorities = np.full([len(slots)], self._max_priority)
        self.update(slots, priorities)

    def update(self, slots, priorities):
        assert slots.dtype == np.int64 and priorities.dtype == np.float64
        assert len(set(slots.tolist())) == len(slots) == len(priorities)
        self._priorities[slots] = priorities
        self._max_priority = max([self._max_priority] + priorities.tolist())

    def sample(self, size, count, rng):
        probabilities = self._priorities[:size] / self._priorities[:size].sum()
        slots = rng.choice(size, size=count, p=probabilities)
        return slots, probabilities[slots]

    def get_state(self, size):
        return {
            'priorities': self._priorities[:size].copy(),
            'max_priority': np.asarray(self._max_priority),
        }

    def set_state(self, state, size):
        check_array("state['sampler_priorities']", state['priorities'], [size], np.float64)
        self._priorities[:size] = state['priorities']
        self._max_priority = float(state['max_priority'])
