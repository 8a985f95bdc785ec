"""What a state has to be like to be saved."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import agents, envs
from sc2impala.errors import UnsoundState
from sc2impala.training.finite_check import FiniteCheck


class Checked:
    """An agent whose weights are changed, and the check."""

    def __init__(self, name):
        self.graph = tf.Graph()
        specs = envs.make_specs('MoveToBeacon', screen_size=(8, 8), minimap_size=(8, 8))
        with self.graph.as_default():
            self.agent = agents.make_agent(name, *specs, 8)
            self.agent.create_variables(specs[0])
            best = tf.Variable(np.float32(-np.inf), trainable=False, use_resource=True)
            check = FiniteCheck(self.agent, specs[0], [*self.agent.weights, best], lambda: 70)
            self.session = tf.Session()
            self.session.run(tf.global_variables_initializer())
        self.check = lambda: check(self.session)

    def fill(self, value, count=None):
        """Gives a value to all weights, or to the first element of one."""
        for weight in self.agent.weights[:count]:
            array = np.full(weight.shape.as_list(), value, np.float32)
            if count:
                array[:] = 0
                array.flat[0] = value
            with self.graph.as_default():
                weight.load(array, self.session)


@pytest.fixture(params=['fully_conv', 'fully_conv_lstm'])
def checked(request):
    checked = Checked(request.param)
    yield checked
    checked.session.close()


def test_a_new_agent_is_sound(checked):
    checked.check()


@pytest.mark.parametrize('value', [np.nan, np.inf])
def test_a_weight_that_is_not_finite(checked, value):
    checked.fill(value, count=1)
    with pytest.raises(UnsoundState, match='weights .*NaN or infinite.*is checkpoints/70: lower'):
        checked.check()


def test_weights_with_which_the_policy_overflows(checked):
    """As of a training whose actors fail first."""
    checked.fill(5e18)
    with pytest.raises(UnsoundState, match='outputs .*NaN or infinite'):
        checked.check()
