"""The graph of a training."""

import pytest
import tensorflow.compat.v1 as tf

from tests.runtime import tiny
from tests.runtime.built_training import built_training


@pytest.mark.parametrize('demonstrator', ['none', 'PySC2'])
def test_labels_are_those_of_a_demonstrator(demonstrator, tmp_path):
    with built_training(tmp_path, f'--demonstrator={demonstrator}') as (_, _, training):
        assert training.has_labels == (demonstrator != 'none')


def test_its_initial_weights_depend_on_the_seed(tmp_path):
    def initial_weights(seed):
        with built_training(tmp_path, f'--seed={seed}') as (_, _, training):
            session = tf.Session()
            session.run(tf.global_variables_initializer())
            weights = session.run({v.name: v for v in training.agent.weights})
            session.close()
            return weights

    weights, others = initial_weights(0), initial_weights(1)
    assert sorted(weights) == sorted(others)
    assert not tiny.same_arrays(weights, others)
