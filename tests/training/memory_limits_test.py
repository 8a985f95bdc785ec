"""Memory that a training takes at least, and trainings that are refused for it."""

import collections

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors
from sc2impala.errors import UserError
from sc2impala.factories import acting, environments
from sc2impala.runtime import memory
from sc2impala.settings import resolve
from sc2impala.settings.settings import Settings
from sc2impala.training import memory_limits as limits
from sc2impala.training import replay_buffer
from tests.runtime import tiny

Made = collections.namedtuple('Made', ['settings', 'agent', 'spec'])


def make(**given):
    """Settings, agent and sequences of a training; nothing has a value yet."""
    settings = Settings.from_values(resolve.complete(given))
    specs = environments.make_specs(settings.environment)
    with tf.Graph().as_default():
        environment = settings.environment
        agent = acting.create_agent(
            settings.agent, specs, environment.max_step_mul, environment.agent_step_mul
        )
        spec = actors.sequence_spec(agent, specs[0], settings.actors.unroll_length)
    return Made(settings, agent, spec)


@pytest.fixture(scope='module')
def default():
    return make()


def check(made):
    num_games = made.settings.actors.num_actors * made.settings.actors.num_envs
    limits.check(made.settings, made.agent, made.spec, num_games, learns_here=True)


def needs(made, num_games=2 * 32, learns_here=True):
    found = limits.training_needs(
        made.settings, made.agent.trainable_variables, made.spec, num_games, learns_here
    )
    return {need.what: need.num_bytes for need in found}


def test_the_parts_of_the_default_training(default):
    sequence = replay_buffer.raw_bytes(default.settings.replay, default.spec)
    sequence /= default.settings.replay.replay_buffer_size
    weights = 4 * sum(np.prod(v.shape.as_list()) for v in default.agent.trainable_variables)
    batch_size = default.settings.training.batch_size
    found = needs(default)
    assert found['weights, gradients and moments of the agent'] == 4 * weights > 4e6
    assert found['unfinished sequences'] == 2 * 32 * sequence
    assert found['sequences in the queue'] == batch_size * sequence
    assert 2 < found['batches of the learner'] / (batch_size * sequence) < 7


def test_what_is_elsewhere_takes_no_memory_here(default):
    everything = needs(default)
    assert needs(default, num_games=0)['unfinished sequences'] == 0
    on_gpu = needs(default, learns_here=False)
    assert on_gpu['batches of the learner'] == 0
    name = 'weights, gradients and moments of the agent'
    assert on_gpu[name] == everything[name] / 4


def test_a_training_that_just_fits(default, monkeypatch):
    total = sum(needs(default).values())
    monkeypatch.setattr(memory, 'available_bytes', lambda: total)
    check(default)
    monkeypatch.setattr(memory, 'available_bytes', lambda: total - 1)
    with pytest.raises(UserError, match='need at least [0-9,]+ MiB of memory'):
        check(default)


@pytest.mark.parametrize(
    'given, flag',
    [
        ({'screen_size': (1024, 1024)}, '--screen_size=1024'),
        ({'num_envs': 65536, 'num_actors': 1024}, '--num_envs=65536'),
        ({'unroll_length': 10000, 'batch_size': 65536}, '--unroll_length=10000'),
        ({'batch_size': 65536, 'screen_size': (64, 64)}, '--batch_size=65536'),
    ],
    ids=lambda value: value if isinstance(value, str) else '',
)
def test_the_flags_of_the_largest_part_are_named(given, flag, monkeypatch):
    monkeypatch.setattr(memory, 'available_bytes', lambda: 16.0 * 2**30)
    with pytest.raises(UserError) as error:
        check(make(**given))
    assert flag in str(error.value) and 'but only 16,384 MiB are available' in str(error.value)


def test_a_training_that_is_too_large_ends_before_it_is_built(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(memory, 'available_bytes', lambda: 2.0**20)
    assert tiny.main(tmp_path) == 1
    assert ' need at least ' in tiny.error_line(capsys)
    assert tiny.checkpoint_frames(tmp_path) == []
