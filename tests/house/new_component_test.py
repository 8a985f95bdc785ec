"""A component with a state that survives an exact resume is one file and one line.

It is a curriculum: actors begin with short steps, and may take longer ones after some updates.
"""

import os
import signal

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import learner, saved_arrays
from sc2impala.agents.wrapper import AgentWrapper
from sc2impala.learner.impala.settings import ImpalaSettings
from sc2impala.learner.impala.update import Impala
from sc2impala.learner.registry import OneFile
from sc2impala.training import components
from sc2impala.training.component import Component
from sc2impala.training.state import State
from tests.runtime import tiny

NUM_UPDATES, EVERY_UPDATES = 6, 2
FIRST, LAST = 30, 120
COLLECTION = 'curriculum'


class Limited(AgentWrapper):
    """An agent whose steps are at most as long as a variable says."""

    def __init__(self, agent, limit):
        super().__init__(agent)
        self._limit = limit

    def act(self, inputs, prev_state, greedy=False, given=None, seed=None):
        output, state = self._agent.act(inputs, prev_state, greedy, given, seed)
        step_mul = tf.minimum(output.step_mul, self._limit.read_value())
        return output._replace(step_mul=step_mul), state


class CurriculumImpala(Impala):
    """IMPALA whose actors have the limit."""

    settings_class = ImpalaSettings

    def acting_agents(self, agent, num_actors, num_envs):
        collections = [tf.GraphKeys.LOCAL_VARIABLES, COLLECTION]
        limit = tf.Variable(
            FIRST, trainable=False, collections=collections, use_resource=True, name=COLLECTION
        )
        return [Limited(agent, limit)] * num_actors


class Curriculum(Component):
    """Doubles the limit after every few updates."""

    def __init__(self, stop_after, seen):
        (self._limit,) = tf.get_collection(COLLECTION)
        self._new_limit = tf.placeholder(tf.int32, [])
        self._assign = self._limit.assign(self._new_limit).op
        self._stop_after, self._seen = stop_after, seen
        self.updates, self.limit = 0, FIRST
        self.states = [CurriculumState(self)]

    def set(self, session, updates, limit):
        self.updates, self.limit = updates, limit
        session.run(self._assign, {self._new_limit: limit})

    def after_run(self, run_context, run_values):
        is_next = (self.updates + 1) % EVERY_UPDATES == 0
        limit = min(LAST, 2 * self.limit) if is_next else self.limit
        self.set(run_context.session, self.updates + 1, limit)
        self._seen.append((self.updates, int(run_context.session.run(self._limit))))
        if self.updates == self._stop_after:
            os.kill(os.getpid(), signal.SIGTERM)


class CurriculumState(State):
    """Progress of the curriculum."""

    name = 'curriculum'
    otherwise = 'the curriculum begins again'

    def __init__(self, curriculum):
        self._curriculum = curriculum

    def get_state(self, session):
        return {
            'updates': np.array(self._curriculum.updates, np.int64),
            'limit': np.array(self._curriculum.limit, np.int32),
        }

    def set_state(self, session, state):
        saved_arrays.check(state, self.get_state(session))
        self._curriculum.set(session, int(state['updates']), int(state['limit']))


@pytest.fixture
def train(monkeypatch):
    """Trains with the curriculum; returns (updates, limit) after each update."""
    monkeypatch.setitem(learner.ALGORITHMS, 'curriculum', OneFile(__name__, 'CurriculumImpala'))

    def train(folder, exit_code, stop_after=None):
        seen = []
        # The one line.
        monkeypatch.setattr(components, 'OWN', [lambda run: [Curriculum(stop_after, seen)]])
        flags = ('--algorithm=curriculum', '--nofixed_step_mul', f'--max_step_mul={LAST}')
        total = f'--total_environment_frames={NUM_UPDATES * 20 * FIRST * 4}'
        assert tiny.main(folder, *flags, '--deterministic', total) == exit_code
        return seen

    return train


@pytest.mark.long
def test_it_goes_on_where_it_was_interrupted(train, tmp_path):
    whole = train(tmp_path / 'whole', 0)
    assert [limit for _, limit in whole[:4]] == [30, 60, 60, 120]
    before = train(tmp_path / 'parts', 128 + signal.SIGTERM, stop_after=3)
    after = train(tmp_path / 'parts', 0)
    # The request is seen after the next update.
    assert len(before) == 4 and before + after == whole
    frames = [tiny.newest_frames(tmp_path / name) for name in ('whole', 'parts')]
    assert frames[0] == frames[1]
    variables = [tiny.variables(tmp_path / name, frames[0]) for name in ('whole', 'parts')]
    assert tiny.same_arrays(*variables)
    episodes = [tiny.episodes(tmp_path / name) for name in ('whole', 'parts')]
    assert [row[1:] for row in episodes[0]] == [row[1:] for row in episodes[1]]
