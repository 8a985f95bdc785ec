"""What a training learns from."""

import contextlib

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.errors import UserError
from sc2impala.runtime import graph, training_experience
from tests.runtime import tiny


def test_environments_for_all_actors_and_a_table_if_sequences_are_replayed(
    plain_training, tmp_path
):
    settings = tiny.read_settings(tmp_path, *tiny.REPLAY, '--num_actors=2')
    environment = settings.environment
    specs = graph.make_specs(environment)
    with tf.Graph().as_default(), contextlib.ExitStack() as stack:
        agent = graph.make_agent(settings.agent, specs, environment.max_step_mul, tiny.STEP_MUL)
        played, table = training_experience.make_experience(settings, agent, specs, 0, stack)
        first, second = played.envs
        assert first.num_envs == second.num_envs == 4
        assert len(played.enqueue_ops) == 2
        # The games of different actors differ.
        layers = [tf.nest.flatten(env.reset()) for env in (first, second)]
        assert not all(np.array_equal(a, b) for a, b in zip(*layers))
    assert table.capacity == 6
    assert plain_training[2].table is None


def test_recordings_are_optional_but_have_to_exist(tmp_path):
    settings = tiny.read_settings(tmp_path)
    specs = graph.make_specs(settings.environment)
    assert training_experience.open_recordings(settings, specs, 0).recordings == []
    settings = tiny.read_settings(tmp_path, '--demonstrations=/no/such')
    with pytest.raises(UserError, match='--demonstrations=/no/such cannot be used'):
        training_experience.open_recordings(settings, specs, 0)
