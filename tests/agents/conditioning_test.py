"""Arguments that depend on the function: an exact joint policy, the same in actor and learner."""

import itertools

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors, agents, structs
from sc2impala.agents.agent import make_policy
from tests import fakes
from tests.agents.agents_test import MAX_STEP_MUL, B, T, _tensors, _trajectory
from tests.house import tiny_agent
from tests.runtime import tiny

FUNCTIONS = 4


def make(agent_name='fully_conv', argument_conditioning=True):
    """The agent with its variables, on the specs of the fake game."""
    specs = fakes.make_specs()
    agent = agents.make_agent(
        agent_name, *specs, MAX_STEP_MUL, argument_conditioning=argument_conditioning
    )
    agent.create_variables(specs[0])
    return agent, specs


def embeddings(agent):
    return [v for v in agent.weights if '_scale' in v.name or '_shift' in v.name]


def randomize(session, agent, seed=0):
    """Initial values everywhere but in the embeddings, which are zero initially."""
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    perturb(session, agent, seed)


def perturb(session, agent, seed):
    rng = np.random.RandomState(seed)
    for variable in embeddings(agent):
        variable.load(rng.normal(size=variable.shape.as_list()), session)


@pytest.fixture(params=sorted(agents.AGENTS))
def agent_name(request):
    return request.param


def test_an_untrained_agent_makes_no_difference_between_functions(agent_name):
    logits = []
    for conditioning in (False, True):
        with tf.Graph().as_default(), tf.Session() as session:
            agent, specs = make(agent_name, conditioning)
            output, _ = agent.unroll(*_tensors(_trajectory(*specs)), agent.initial_state(B))
            rng = np.random.RandomState(0)
            shared = [v for v in agent.weights if v not in embeddings(agent)]
            session.run(tf.global_variables_initializer())
            by_name = {v.name.replace('conditioned_heads/', ''): v for v in shared}
            for name in sorted(by_name):
                by_name[name].load(rng.normal(size=by_name[name].shape.as_list()) / 5, session)
            logits.append(session.run(output.action_logits))
            assert bool(embeddings(agent)) == conditioning
    tf.nest.map_structure(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), *logits)


@pytest.mark.parametrize('agent_name', ['fully_conv', 'fully_conv_lstm'])
def test_the_learner_evaluates_what_the_actor_sampled_from(agent_name):
    """Logits of the unrolled agent are those that the actor recorded, shifted by one step."""
    env = fakes.FakeEnvironment(B)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        agent, _ = make(agent_name)
        played = actors.build_actor(agent, env, T)
        like = tf.nest.map_structure(lambda t: tf.placeholder(t.dtype, t.shape), played)
        major = tf.nest.map_structure(
            lambda t: tf.transpose(t, [1, 0] + list(range(2, t.shape.rank))),
            (like.agent_outputs.action, like.env_outputs),
        )
        output, _ = agent.unroll(*major, like.agent_state)
        randomize(session, agent)
        session.run(played)
        sequence = session.run(played)
        output = session.run(output, dict(zip(tf.nest.flatten(like), tf.nest.flatten(sequence))))
    recorded = sequence.agent_outputs
    np.testing.assert_array_equal(
        recorded.action['function'][:, 1:].T, output.action['function'][:-1]
    )
    assert len(set(recorded.action['function'].flat)) > 1
    for name, logits in recorded.action_logits.items():
        np.testing.assert_allclose(
            logits[:, 1:].swapaxes(0, 1), output.action_logits[name][:-1], atol=1e-4, rtol=1e-4
        )


def _joint(logits_by_function, used):
    """Probabilities of all joint actions at one step by (function, arguments...)."""
    result = {}

    def probabilities(logits):
        exp = np.exp(np.float64(logits) - np.max(logits))
        return exp / exp.sum()

    for function, logits in enumerate(logits_by_function):
        heads = [name for name in sorted(used) if used[name][function]]
        tables = [probabilities(logits[name]) for name in heads]
        chosen = probabilities(logits['function'])[function]
        for index in itertools.product(*[range(len(table)) for table in tables]):
            p = chosen * np.prod([table[i] for table, i in zip(tables, index)])
            result[(function,) + index] = p
    return result


def test_entropy_and_divergence_are_those_of_the_joint_policy():
    """Averaged over the function they are the sums over all joint actions."""
    with tf.Graph().as_default(), tf.Session() as session:
        agent, specs = make()
        actions, env_outputs = _trajectory(*specs)
        env_outputs.observation['available_actions'][:] = True
        used = {
            head: specs[1].head_used[:, column]
            for column, head in enumerate(specs[1].argument_heads)
        }
        both = [agent, make()[0]]
        policy = make_policy(specs[1], learn_step_mul=False)
        given = []
        for function in range(FUNCTIONS):
            functions = tf.fill([T, B], function)
            mu, pi = (
                each.unroll(
                    *_tensors((actions, env_outputs)), each.initial_state(B), functions=functions
                )[0]
                for each in both
            )
            given.append((mu, pi, policy.entropy(mu, mu), policy.kl(mu, pi, mu)))
        session.run(tf.global_variables_initializer())
        for seed, each in enumerate(both):
            perturb(session, each, seed)
        mu, pi, entropies, kls = zip(*session.run(given))
    for t, b in [(0, 0), (2, 1), (T - 1, B - 1)]:
        p, q = (
            _joint([{n: x[t, b] for n, x in o.action_logits.items()} for o in outputs], used)
            for outputs in (mu, pi)
        )
        np.testing.assert_allclose(sum(p.values()), 1)
        marginal = [sum(v for k, v in p.items() if k[0] == f) for f in range(FUNCTIONS)]
        np.testing.assert_allclose(
            sum(marginal[f] * entropies[f][t, b] for f in range(FUNCTIONS)),
            -sum(v * np.log(v) for v in p.values()),
            rtol=1e-4,
        )
        expected = sum(v * np.log(v / q[k]) for k, v in p.items())
        assert expected > 1e-3
        np.testing.assert_allclose(
            sum(marginal[f] * kls[f][t, b] for f in range(FUNCTIONS)), expected, rtol=1e-3
        )


@pytest.mark.parametrize('conditioning', [False, True])
def test_a_given_function_is_taken_and_its_arguments_are_those_given_it(conditioning):
    given = np.array([2, -1, 3, 0], np.int32)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        agent, specs = make(argument_conditioning=conditioning)
        inputs = tf.nest.map_structure(lambda x: tf.constant(x[0]), _trajectory(*specs))
        outputs = [
            agent.act(inputs, agent.initial_state(B), greedy=True, function=function)[0]
            for function in (None, tf.constant(given))
        ]
        randomize(session, agent)
        free, forced = session.run(outputs)
    expected = np.where(given < 0, free.action['function'], given)
    np.testing.assert_array_equal(forced.action['function'], expected)
    for name, logits in forced.action_logits.items():
        same = free.action['function'] == expected
        np.testing.assert_allclose(logits[same], free.action_logits[name][same])
        if conditioning and name != 'function':
            assert not np.allclose(logits[~same], free.action_logits[name][~same])
            np.testing.assert_array_equal(forced.action[name], logits.argmax(-1))


def test_sampled_arguments_follow_the_sampled_function():
    """Each function is made to prefer another value of a head; what is sampled has to agree."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        agent, specs = make()
        trajectory = _trajectory(*specs)
        trajectory[1].observation['available_actions'][:] = True
        inputs = tf.nest.map_structure(lambda x: tf.constant(x[0]), trajectory)
        output, _ = agent.act(inputs, agent.initial_state(B))
        randomize(session, agent)
        (shift,) = [v for v in agent.weights if 'hidden_shift' in v.name]
        (queued,) = [v for v in agent.weights if v.name.endswith('/queued/w:0')]
        units = np.zeros(shift.shape.as_list())
        units[:2, 0], units[2:, 0] = 1e3, -1e3
        shift.load(units, session)
        first = np.zeros(queued.shape.as_list())
        first[0] = [0, 1]
        queued.load(first, session)
        seen = [session.run(output.action) for _ in range(30)]
    function, value = (np.concatenate([a[name] for a in seen]) for name in ('function', 'queued'))
    assert set(function) == set(range(FUNCTIONS))
    np.testing.assert_array_equal(value, function < 2)


def test_only_the_played_function_is_trained():
    with tf.Graph().as_default(), tf.Session() as session:
        agent, specs = make()
        actions, env_outputs = _trajectory(*specs)
        actions['function'][:] = 2
        tensors = _tensors((actions, env_outputs))
        output, _ = agent.unroll(*tensors, agent.initial_state(B))
        choice = structs.AgentOutput(tensors[0], None, tf.ones([T, B], tf.int32), None, None)
        log_prob = tf.reduce_sum(agent.policy.log_prob(output, choice)[:-1])
        gradients = tf.gradients(log_prob, embeddings(agent))
        randomize(session, agent)
        gradients = session.run(gradients)
    assert len(gradients) == 3
    for gradient in gradients:
        assert gradient[2].any() and not np.delete(gradient, 2, axis=0).any()


@pytest.mark.parametrize(
    'agent_name, conditioning',
    [('fully_conv', False), ('fully_conv', True), ('impala_resnet', True)],
)
def test_learns_to_move_to_one_point_and_to_attack_another(agent_name, conditioning):
    """Half of the labels are of each function: independent heads have to mix the points."""
    specs = fakes.make_specs(('no_op', 'Move_screen', 'Attack_screen'))
    functions, points = np.array([1, 2, 1, 2], np.int32), np.array([3, 8, 3, 8], np.int32)
    _, env_outputs = _trajectory(*specs)
    env_outputs.observation['available_actions'][:] = True
    # All columns are the same observation.
    first = tf.nest.map_structure(lambda x: np.repeat(x[:1, :1], B, axis=1), env_outputs)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        agent = agents.make_agent(
            agent_name, *specs, MAX_STEP_MUL, argument_conditioning=conditioning
        )
        output, _ = agent.unroll(
            {'function': tf.zeros([1, B], tf.int32)},
            _tensors(first),
            agent.initial_state(B),
            functions=tf.constant(functions[np.newaxis]),
        )
        loss = sum(
            tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(
                    labels=labels, logits=output.action_logits[head][0]
                )
            )
            for head, labels in (('function', functions), ('screen', points))
        )
        train = tf.train.AdamOptimizer(3e-3).minimize(loss, var_list=agent.weights)
        session.run(tf.global_variables_initializer())
        for _ in range(150):
            session.run(train)
        loss = session.run(loss)
    if conditioning:
        np.testing.assert_allclose(loss, np.log(2), atol=0.1)
    else:
        assert loss > 2 * np.log(2) - 0.01


def test_trains_and_is_evaluated(tmp_path):
    flags = ('--agent=fully_conv_lstm', '--argument_conditioning', *tiny.REPLAY)
    tiny.train(tmp_path, 3, '--deterministic', '--map_name=CollectMineralShards', *flags)
    last = tiny.checkpoint_frames(tmp_path)[-1]
    trained = tiny.variables(tmp_path, last)
    scales = [name for name in trained if name.endswith('spatial_scale/w')]
    assert len(scales) == 1 and trained[scales[0]].any()
    assert tiny.evaluate(tmp_path, '--num_episodes=2', '--policy=greedy') == 0


def test_refuses_heads_of_another_kind(monkeypatch):
    monkeypatch.setitem(agents.AGENTS, 'tiny', tiny_agent.__name__)
    with tf.Graph().as_default(), pytest.raises(ValueError, match='but tiny has Linears'):
        make('tiny')
