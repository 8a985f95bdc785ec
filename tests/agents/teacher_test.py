"""The teacher: copies in both directions, and when it acts."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors, agents
from sc2impala.agents import teacher as teacher_lib
from tests import fakes

K, T = 3, 4


def make_pair(env, agent_name='fully_conv_lstm', cost=1.0):
    """A student, its teacher, and the variable that is the cost."""
    student = agents.make_agent(agent_name, env.observation_spec, env.action_spec, 6)
    student.create_variables(env.observation_spec)
    with tf.name_scope(teacher_lib.SCOPE):
        copy = agents.make_agent(agent_name, env.observation_spec, env.action_spec, 6)
        copy.create_variables(env.observation_spec)
    variable = tf.Variable(np.float32(cost), trainable=False, use_resource=True, name='cost')
    return student, teacher_lib.Teacher(copy, student, variable), variable


class Case:
    """A student and its teacher, and an actor that runs both."""

    def __init__(self, agent_name='fully_conv_lstm'):
        self.env = fakes.FakeEnvironment(K, episode_steps=5)
        tf.set_random_seed(0)
        self.student, self.teacher, self.cost = make_pair(self.env, agent_name)
        self.output = actors.build_actor(self.student, self.env, T, teacher=self.teacher).output
        self.spec = actors.sequence_spec(self.student, self.env.observation_spec, T, self.teacher)
        self.disturb = [v.assign_add(0.1 * tf.ones_like(v)).op for v in self.student.weights]
        self.session = tf.Session()
        self._initial = [tf.global_variables_initializer(), tf.local_variables_initializer()]
        self.begin()

    def begin(self):
        """Gives all variables initial values."""
        self.session.run(self._initial)

    def play(self):
        return self.session.run(self.output)


@pytest.fixture(autouse=True)
def fresh_graph():
    with tf.Graph().as_default():
        yield


@pytest.fixture(scope='module')
def shared():
    """A case for all tests that put its variables into the state that they need."""
    with tf.Graph().as_default():
        case = Case()
    yield case
    case.session.close()


@pytest.mark.long
@pytest.mark.parametrize('agent_name', ['fully_conv', 'fully_conv_lstm'])
def test_says_what_it_would_play_and_not_what_the_student_plays(agent_name, shared):
    """The recorded logits are those of the old weights, in episodes that go on across unrolls."""
    case = shared if agent_name == 'fully_conv_lstm' else Case(agent_name)
    case.begin()
    case.play()
    case.session.run(case.teacher.keep)
    case.session.run(case.teacher.freeze)
    # The recurrent state in the middle of an episode is what it would be with the same weights.
    first = case.play()
    for name, logits in first.teacher_logits.action_logits.items():
        expected = first.agent_outputs.action_logits[name][:, 1:]
        np.testing.assert_allclose(logits[:, 1:], expected, atol=1e-5)
    case.session.run(case.disturb)
    sequences = [first, case.play(), case.play()]
    assert not np.array_equal(
        sequences[1].teacher_logits.action_logits['function'][:, 1:],
        sequences[1].agent_outputs.action_logits['function'][:, 1:],
    )
    joined = tf.nest.map_structure(
        lambda *parts: np.concatenate([parts[0]] + [p[:, 1:] for p in parts[1:]], axis=1),
        *[(s.agent_outputs.action, s.env_outputs, s.teacher_logits) for s in sequences],
    )
    assert joined[1].done[:, 1:].any()
    with tf.Graph().as_default(), tf.Session() as session:
        # The weights of the teacher in an agent that unrolls over everything at once.
        agent = agents.make_agent(agent_name, case.env.observation_spec, case.env.action_spec, 6)
        agent.create_variables(case.env.observation_spec)
        assign = [
            v.assign(value).op
            for v, value in zip(agent.weights, case.session.run(case.teacher.agent.weights))
        ]
        action, env_outputs, logits = tf.nest.map_structure(
            lambda a: tf.constant(np.swapaxes(a, 0, 1)), joined
        )
        state = tf.nest.map_structure(tf.constant, first.agent_state)
        outputs, _ = agent.unroll(action, env_outputs, state)
        session.run(assign)
        outputs, logits = session.run([outputs, logits])
    assert logits.valid[1:].all()
    for name, expected in outputs.action_logits.items():
        np.testing.assert_allclose(logits.action_logits[name][1:], expected[:-1], atol=1e-4)
    np.testing.assert_allclose(logits.step_mul_logits[1:], outputs.step_mul_logits[:-1], atol=1e-4)


def test_is_silent_before_it_is_final_and_when_it_costs_nothing(shared):
    case = shared
    case.begin()
    assert not case.play().teacher_logits.valid.any()
    case.session.run(case.teacher.freeze)
    assert case.play().teacher_logits.valid[:, 1:].all()
    case.cost.load(0.0, case.session)
    last = case.play().teacher_logits
    assert not last.valid[:, 1:].any() and last.valid[:, 0].all()
    assert not last.action_logits['function'][:, 1:].any()


def test_copies_in_both_directions(shared):
    case = shared
    case.begin()
    session, student, teacher = case.session, case.student.weights, case.teacher.agent.weights
    session.run(case.teacher.keep)
    kept = session.run(student)
    tf.nest.map_structure(np.testing.assert_array_equal, session.run(teacher), kept)
    session.run(case.disturb)
    tf.nest.map_structure(np.testing.assert_array_equal, session.run(teacher), kept)
    assert any(not np.array_equal(a, b) for a, b in zip(session.run(student), kept))
    session.run(case.teacher.give)
    tf.nest.map_structure(np.testing.assert_array_equal, session.run(student), kept)


@pytest.mark.long
@pytest.mark.parametrize('agent_name', sorted(agents.AGENTS))
def test_the_student_has_the_names_that_it_has_alone(agent_name):
    env = fakes.FakeEnvironment(K, agent=agent_name)
    student, teacher, _ = make_pair(env, agent_name)
    names = [v.op.name for v in student.weights]
    with tf.Graph().as_default():
        alone = agents.make_agent(agent_name, env.observation_spec, env.action_spec, 6)
        alone.create_variables(env.observation_spec)
        assert names == [v.op.name for v in alone.weights]
    assert [v.op.name for v in teacher.agent.weights] == ['teacher/' + name for name in names]


def test_the_spec_of_a_sequence_agrees(shared):
    tf.nest.assert_same_structure(shared.spec, shared.output)
    for expected, tensor in zip(tf.nest.flatten(shared.spec), tf.nest.flatten(shared.output)):
        assert tensor.shape.as_list() == [K] + expected.shape.as_list()
        assert tensor.dtype == expected.dtype


def test_another_kind_of_agent_is_refused():
    env = fakes.FakeEnvironment(K)
    student, teacher, _ = make_pair(env)
    with pytest.raises(ValueError, match='the teacher has the variables'):
        teacher_lib.Teacher(student, teacher.agent)
