"""Every agent: shapes, unroll against single steps, resets, invariances, and its weights."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import agents, envs, learner, structs
from sc2impala.learner import optimization
from sc2impala.learner.critic_pretraining.settings import CriticPretrainingSettings
from sc2impala.learner.impala.settings import ImpalaSettings
from tests import fakes
from tests.learner import table_agent

T, B = 5, 4
MAX_STEP_MUL = 6


def _trajectory(observation_spec, action_spec, seed=0):
    """Last actions (dict of int32 [T, B]) and EnvOutput of [T, B] with ends in the middle."""
    rng = np.random.RandomState(seed)
    actions = {
        name: rng.randint(n, size=[T, B]).astype(np.int32) for name, n in action_spec.heads.items()
    }
    done = rng.uniform(size=[T, B]) < 0.3
    done[2, 1] = True
    zeros = np.zeros([T, B], np.float32)
    info = structs.EpisodeInfo(zeros, zeros.astype(np.int32), zeros.astype(np.int32), done & False)
    observation = fakes.random_observation(observation_spec, [T, B], rng)
    return actions, structs.EnvOutput(zeros, info, done, observation)


def _tensors(nest):
    return tf.nest.map_structure(tf.constant, nest)


def _logits(output):
    return [output.action_logits, output.step_mul_logits, output.baseline]


@pytest.fixture(scope='module', params=sorted(agents.AGENTS))
def agent_name(request):
    return request.param


class Shared:
    """One agent in one graph, which all tests of it feed: unrolled, step by step, and greedy."""

    def __init__(self, name):
        self.name = name
        self.specs = fakes.make_specs(agent=name)
        with tf.Graph().as_default():
            self.agent = agents.make_agent(name, *self.specs, MAX_STEP_MUL)
            self._inputs = tf.nest.map_structure(
                lambda x: tf.placeholder(x.dtype, x.shape), _trajectory(*self.specs)
            )
            self.unrolled = self.agent.unroll(*self._inputs, self.agent.initial_state(B))
            self.steps = self._step_by_step()
            first = tf.nest.map_structure(lambda x: x[0], self._inputs)
            self.greedy, _ = self.agent.act(first, self.agent.initial_state(B), greedy=True)
            self.trainable = tf.trainable_variables()
            self.session = tf.Session()
            self.session.run(tf.global_variables_initializer())

    def _step_by_step(self):
        """Logits stacked over time, and the last state."""
        state, steps = self.agent.initial_state(B), []
        for t in range(T):
            inputs = tf.nest.map_structure(lambda x, t=t: x[t], self._inputs)
            output, state = self.agent(inputs, state)
            steps.append(_logits(output))
        return tf.nest.map_structure(lambda *x: tf.stack(x), *steps), state

    def run(self, fetches, actions, env_outputs):
        """Returns the values of `fetches` on this trajectory."""
        feeds = zip(tf.nest.flatten(self._inputs), tf.nest.flatten((actions, env_outputs)))
        return self.session.run(fetches, dict(feeds))

    def logits(self, actions, env_outputs):
        """Logits and baselines of the unrolled agent."""
        return self.run(_logits(self.unrolled[0]), actions, env_outputs)


@pytest.fixture(scope='module')
def shared(agent_name):
    made = Shared(agent_name)
    yield made
    made.session.close()


@pytest.mark.long
def test_unroll_equals_single_steps(shared):
    (unrolled, last_state), (steps, state) = shared.unrolled, shared.steps
    expected, found, states = shared.run(
        [steps, _logits(unrolled), [list(state), list(last_state)]], *_trajectory(*shared.specs)
    )
    tf.nest.map_structure(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-5), expected, found)
    for one_by_one, at_once in zip(*states):
        np.testing.assert_allclose(one_by_one, at_once, atol=1e-5)


def test_shapes_and_ranges(shared):
    heads = shared.specs[1].heads
    actions, env_outputs = _trajectory(*shared.specs)
    output = shared.run(shared.unrolled[0], actions, env_outputs)
    assert set(output.action) == set(heads)
    for name, choices in heads.items():
        assert output.action[name].shape == (T, B)
        assert output.action_logits[name].shape == (T, B, choices)
        assert output.action_logits[name].dtype == np.float32
        assert (output.action[name] >= 0).all() and (output.action[name] < choices).all()
    assert output.step_mul_logits.shape == (T, B, MAX_STEP_MUL)
    assert output.step_mul.min() >= 1 and output.step_mul.max() <= MAX_STEP_MUL
    assert output.baseline.shape == (T, B)
    available = env_outputs.observation['available_actions']
    assert np.take_along_axis(available, output.action['function'][..., np.newaxis], -1).all()


def test_done_forgets_what_was_before(shared):
    actions, env_outputs = _trajectory(*shared.specs)
    env_outputs.done[:] = False
    env_outputs.done[2, 1] = True
    other = fakes.random_observation(shared.specs[0], [T, B], np.random.RandomState(9))
    outputs = []
    for first_steps in (env_outputs.observation, other):
        observation = tf.nest.map_structure(
            lambda a, b: np.concatenate([a[:2], b[2:]]), first_steps, env_outputs.observation
        )
        outputs.append(shared.logits(actions, env_outputs._replace(observation=observation)))
    first, second = map(tf.nest.flatten, outputs)
    for a, b in zip(first, second):
        np.testing.assert_allclose(a[2:, 1], b[2:, 1], atol=1e-6)
    if shared.name not in ('atari_net', 'fully_conv'):
        assert any(not np.allclose(a[2:, 0], b[2:, 0], atol=1e-6) for a, b in zip(first, second))


def test_last_function_of_the_old_episode_is_forgotten(shared):
    actions, env_outputs = _trajectory(*shared.specs)
    env_outputs.done[:] = True
    outputs = []
    for function in (0, 3):
        actions['function'][:] = function
        outputs.append(shared.logits(actions, env_outputs))
    tf.nest.map_structure(np.testing.assert_array_equal, *outputs)


def test_greedy_takes_the_largest_logits(shared):
    output = shared.run(shared.greedy, *_trajectory(*shared.specs))
    for name, logits in output.action_logits.items():
        np.testing.assert_array_equal(output.action[name], logits.argmax(-1))
    np.testing.assert_array_equal(output.step_mul, output.step_mul_logits.argmax(-1) + 1)


def test_calls_after_the_first_make_no_weights(shared):
    assert [v.name for v in shared.agent.weights] == [v.name for v in shared.trainable]


@pytest.mark.long
def test_order_of_dictionaries_changes_nothing(shared):
    """Neither which weights there are, nor what is computed with them."""

    def backwards(nest):
        if not isinstance(nest, dict):
            return nest
        return {name: backwards(nest[name]) for name in reversed(list(nest))}

    actions, env_outputs = _trajectory(*shared.specs)
    with tf.Graph().as_default(), tf.Session() as session:
        agent = agents.make_agent(shared.name, *shared.specs, MAX_STEP_MUL)
        observation = backwards(env_outputs.observation)
        output, _ = agent.unroll(
            *_tensors((backwards(actions), env_outputs._replace(observation=observation))),
            agent.initial_state(B),
        )
        assert [v.name for v in agent.weights] == [v.name for v in shared.agent.weights]
        for variable, value in zip(agent.weights, shared.session.run(shared.agent.weights)):
            variable.load(value, session)
        found = session.run(_logits(output))
    expected = shared.logits(actions, env_outputs)
    tf.nest.map_structure(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6), expected, found
    )


@pytest.mark.parametrize('agent_name', ['fully_conv', 'unet_lstm'])
def test_fixed_step_mul_is_played_always(agent_name):
    specs = fakes.make_specs()
    with tf.Graph().as_default(), tf.Session() as session:
        agent = agents.make_agent(agent_name, specs[0], specs[1], MAX_STEP_MUL, fixed_step_mul=3)
        trajectory = _tensors(_trajectory(*specs))
        output, _ = agent.unroll(*trajectory, agent.initial_state(B))
        session.run(tf.global_variables_initializer())
        output = session.run(output)
    assert (output.step_mul == 3).all()
    assert output.step_mul_logits.shape == (T, B, 1)
    assert not agent.policy.learn_step_mul


def test_unknown_agent():
    specs = fakes.make_specs()
    with pytest.raises(ValueError, match="unknown agent 'transformer'.*fully_conv_lstm"):
        agents.make_agent('transformer', specs[0], specs[1], MAX_STEP_MUL)


def test_every_registered_agent_has_a_module_of_its_own():
    assert len(set(agents.AGENTS.values())) == len(agents.AGENTS)


def all_layers():
    """Specs with layers of every scale, of which some are embedded."""
    return envs.make_specs(
        'BuildMarines',
        functions=('no_op', 'select_point', 'Train_Marine_quick'),
        screen_size=(8, 8),
        minimap_size=(8, 8),
        screen_layers='all',
        minimap_layers='all',
        vectors='all',
    )


def test_the_variables_of_the_critic_are_those_that_only_its_gradient_reaches(shared):
    """Those found by a search of the graph, against the gradients themselves."""
    outputs, weights = shared.unrolled[0], shared.agent.weights
    of_policy = tf.nest.flatten([outputs.action_logits, outputs.step_mul_logits])
    with shared.session.graph.as_default():
        to_policy = tf.gradients(of_policy, weights)
        to_baseline = tf.gradients(outputs.baseline, weights)
    expected = [
        variable.name
        for variable, policy, baseline in zip(weights, to_policy, to_baseline)
        if policy is None and baseline is not None
    ]
    if not expected:
        with pytest.raises(ValueError, match='shares all its variables'):
            optimization.critic_variables(outputs, weights)
        return
    found = optimization.critic_variables(outputs, weights)
    assert [variable.name for variable in found] == expected


def made_in_graph(agent_name, first_calls):
    """The weights of agents made one after the other in a new graph, on specs with all layers.

    Each is unrolled, some after a call of `create_variables`. Checks that the weights of each are
    the trainable variables that were made with it, in order.
    """
    observation_spec, action_spec = all_layers()
    made = []
    with tf.Graph().as_default():
        before = tf.Variable(1.0)
        for first_call in first_calls:
            agent = agents.make_agent(agent_name, observation_spec, action_spec, MAX_STEP_MUL)
            count = len(tf.trainable_variables()) - len(agent.weights)
            if first_call == 'create_variables':
                agent.create_variables(observation_spec)
            trajectory = _tensors(_trajectory(observation_spec, action_spec))
            agent.unroll(*trajectory, agent.initial_state(B))
            assert [v.name for v in agent.weights] == [
                v.name for v in tf.trainable_variables()[count:]
            ]
            made.append(agent.weights)
            tf.Variable(2.0)
        assert before.name not in {v.name for v in made[0]}
    return made


@pytest.mark.long
def test_weights_are_the_trainable_variables_in_order_of_creation(agent_name):
    """Those of an agent made before or after in the same graph are not among them.

    They have the same names in every graph, whichever call of the agent is its first.
    """
    made = made_in_graph(agent_name, ['create_variables', 'unroll'])
    names = [{v.name for v in weights} for weights in made]
    assert not names[0] & names[1] and len(names[0]) == len(names[1]) > 10
    assert [v.shape.as_list() for v in made[0]] == [v.shape.as_list() for v in made[1]]
    (again,) = made_in_graph(agent_name, ['unroll'])
    assert [v.name for v in again] == [v.name for v in made[0]]


@pytest.mark.long
@pytest.mark.parametrize('phase', ['training', 'critic pre-training'])
def test_training_one_agent_leaves_another_in_the_graph_alone(phase):
    """As a target network or a teacher needs it, also where the loss depends on the other."""
    specs = fakes.make_specs()
    actions, env_outputs = _trajectory(*specs)
    with tf.Graph().as_default(), tf.Session() as session:
        agent, teacher = (
            agents.make_agent('fully_conv', *specs, max_step_mul=MAX_STEP_MUL) for _ in range(2)
        )
        teacher.create_variables(specs[0])
        agent.create_variables(specs[0])
        taught, _ = teacher.unroll(*_tensors((actions, env_outputs)), teacher.initial_state(B))
        played = tf.nest.map_structure(
            lambda t: np.ones(t.shape.as_list(), t.dtype.as_numpy_dtype), taught
        )
        batch = table_agent.make_batch(env_outputs, played, [True] + [False] * (B - 1))
        batch = batch._replace(agent_outputs=taught)
        if phase == 'training':
            output = learner.build_learner(agent, batch, 1e6, ImpalaSettings())
        else:
            settings = CriticPretrainingSettings(critic_pretrain_all_variables=True)
            output = learner.build_critic_learner(agent, batch, settings)
        session.run(tf.global_variables_initializer())
        before = session.run([agent.weights, teacher.weights])
        session.run(output.num_env_frames_and_train)
        after = session.run([agent.weights, teacher.weights])
    changed, kept = (
        [not np.array_equal(a, b) for a, b in zip(*pair)] for pair in zip(before, after)
    )
    assert sum(changed) > 10 and not any(kept)
