"""Sequences that overlap: what is played is that of an actor without overlap, cut elsewhere."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors, agents, saved_arrays
from sc2impala.training.state import LocalVariables
from tests import fakes

K, SEED = 3, 7


class Playing:
    """An actor on fake games of five steps, with sampled actions of a fixed seed."""

    def __init__(self, unroll_length, overlap=0, agent='fully_conv_lstm'):
        self.env = fakes.FakeEnvironment(K, abort_every=3)
        specs = self.env.observation_spec, self.env.action_spec
        with tf.Graph().as_default() as self.graph:
            tf.set_random_seed(0)
            self.agent = agents.make_agent(agent, *specs, 6)
            self.agent.create_variables(specs[0])
            self.output = actors.build_actor(
                self.agent, self.env, unroll_length, seed=SEED, overlap=overlap
            ).output
            self.spec = actors.sequence_spec(self.agent, specs[0], unroll_length)
            self.variables = LocalVariables(tf.local_variables())
            self.session = tf.Session()
            self.session.run([tf.global_variables_initializer()])
            self.session.run(tf.local_variables_initializer())

    def play(self, count):
        return [self.session.run(self.output) for _ in range(count)]


def steps(unroll, start, stop):
    """Env and agent outputs of some steps."""
    return tf.nest.map_structure(
        lambda array: array[:, start:stop], (unroll.env_outputs, unroll.agent_outputs)
    )


def equal(nest, other):
    tf.nest.map_structure(np.testing.assert_array_equal, nest, other)


@pytest.mark.long
@pytest.mark.parametrize('unroll_length, overlap', [(7, 2), (5, 4), (6, 3)])
def test_plays_what_is_played_without_overlap(unroll_length, overlap):
    """One unroll of all steps, and unrolls of single steps for the recurrent states."""
    num_new = unroll_length - overlap
    count = 15 // num_new
    (whole,) = Playing(num_new * count).play(1)
    states = [u.agent_state for u in Playing(1).play(num_new * count + 1)]
    playing = Playing(unroll_length, overlap)
    for index, unroll in enumerate(playing.play(count)):
        for array, spec in zip(tf.nest.flatten(unroll), tf.nest.flatten(playing.spec)):
            assert array.shape == (K, *spec.shape.as_list())
        first = index * num_new - overlap
        assert len(playing.env.tape) == 1 + num_new * count
        missing = max(0, -first)
        equal(
            steps(unroll, missing, None), steps(whole, first + missing, first + 1 + unroll_length)
        )
        equal(unroll.agent_state, states[max(0, first)])
        for step in range(missing):
            equal(steps(unroll, step, step + 1), steps(whole, 0, 1))
    assert whole.env_outputs.done[:, 1:].any() and whole.env_outputs.info.aborted.any()
    assert any(array.any() for array in tf.nest.flatten(states[3]))


def test_what_stands_before_a_game_leaves_the_first_state():
    """All of these steps start an episode, and the state is reset there."""
    playing = Playing(6, 4)
    (unroll,) = playing.play(1)
    assert (
        unroll.env_outputs.done[:, :5].all()
        and not unroll.agent_outputs.action['function'][:, :5].any()
    )
    with playing.graph.as_default():
        inputs = tf.nest.map_structure(
            lambda array: tf.constant(np.swapaxes(array, 0, 1)),
            (unroll.agent_outputs.action, unroll.env_outputs),
        )
        start = tf.nest.map_structure(lambda t: tf.ones_like(t), playing.agent.initial_state(K))
        outputs, _ = playing.agent.unroll(*inputs, start)
        found = playing.session.run(outputs.baseline)
    expected = np.swapaxes(unroll.agent_outputs.baseline, 0, 1)
    np.testing.assert_allclose(found[4:-1], expected[5:], atol=1e-5)


def test_an_agent_without_a_state():
    playing = Playing(4, 2, 'fully_conv')
    first, second = playing.play(2)
    assert first.agent_state == ()
    equal(steps(first, -3, None), steps(second, 0, 3))


@pytest.mark.long
def test_goes_on_from_saved_variables():
    """An actor whose variables are restored between two unrolls plays on as the other one."""
    expected = Playing(5, 3).play(4)
    playing = Playing(5, 3)
    playing.play(2)
    state = playing.variables.get_state(playing.session)
    zeros = {name: np.zeros_like(array) for name, array in state.items()}
    playing.variables.set_state(playing.session, zeros)
    playing.variables.set_state(playing.session, state)
    for unroll, other in zip(playing.play(2), expected[2:]):
        equal(unroll, other)
    with pytest.raises(saved_arrays.DifferentState):
        Playing(5, 2).variables.check(state)


def test_without_overlap_there_are_no_more_variables():
    names, more = (
        [v.op.name for v in Playing(4, overlap).graph.get_collection(tf.GraphKeys.LOCAL_VARIABLES)]
        for overlap in (0, 2)
    )
    assert names == [name for name in more if '/past_' not in name]
    assert len(more) > len(names)
