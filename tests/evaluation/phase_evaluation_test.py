"""Evaluations in the session of a training: the same games, with the weights of the moment."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import agents
from sc2impala.evaluation import phase_evaluation
from tests import fakes

K = 3


@pytest.fixture
def case():
    """A session with an agent, its evaluation, and the environments that were made."""
    made = []

    def make_env():
        made.append(Environment(K, episode_steps=4))
        return made[-1]

    specs = fakes.make_specs()
    with tf.Graph().as_default(), tf.Session() as session:
        agent = agents.make_agent('fully_conv_lstm', *specs, 6)
        agent.create_variables(specs[0])
        evaluate = phase_evaluation.PhaseEvaluation(agent, specs[0], make_env, K)
        # Weights with which the agent always plays the first function: its logit is above all.
        prefer = [
            v.assign(np.array([100.0, 0.0, 0.0, 0.0], np.float32)).op
            for v in agent.weights
            if v.op.name.endswith('heads/function/b')
        ]
        assert len(prefer) == 1
        session.run(tf.global_variables_initializer())
        tf.get_default_graph().finalize()
        yield session, evaluate, prefer, made


class Environment(fakes.FakeEnvironment):
    """With the methods of a `VectorEnvironment` as a context."""

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


def test_is_the_mean_return_with_the_weights_of_the_moment(case):
    session, evaluate, prefer, made = case
    evaluate(session)
    session.run(prefer)
    # Every step of the first episode, of 4 to 6 steps, is rewarded for the first function.
    assert evaluate(session) == np.mean([4, 5, 6])
    assert len(made) == 2 and all(env.tape[0] == 'reset' for env in made)
    assert all(env.tape[-1] == 'close' for env in made)


def test_a_stop_ends_it_within_an_episode(case):
    session, evaluate, _, made = case
    left = [2]

    def should_stop():
        left[0] -= 1
        return left[0] < 0

    assert evaluate.play(session, should_stop) is None
    # One step was played before the request.
    assert [isinstance(event, tuple) for event in made[0].tape].count(True) == 1
    assert made[0].tape[-1] == 'close'
    assert evaluate.play(session, lambda: True) is None and len(made) == 1
    assert len(evaluate.play(session)) == K


def test_the_simulator_plays_the_same_games_every_time(monkeypatch):
    made = []
    monkeypatch.setattr(
        phase_evaluation.envs, 'make_environment', lambda *args, **kwargs: made.append(args)
    )
    specs = fakes.make_specs()
    with tf.Graph().as_default():
        agent = agents.make_agent('fully_conv', *specs, 6)
        evaluate = phase_evaluation.on_simulator(agent, specs, 'MoveToBeacon', 8, [5, 6])
        evaluate._make_env()
        evaluate._make_env()
    assert made == [('simulator', 'MoveToBeacon', [5, 6], *specs, 8)] * 2
