"""Arguments that depend on choices before them: an exact policy, the same in actor and learner."""

import itertools

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors, agents, structs
from sc2impala.agents.agent import make_policy
from sc2impala.learner import labels as labels_lib
from tests import fakes
from tests.agents.agents_test import MAX_STEP_MUL, B, T, _tensors, _trajectory
from tests.house import tiny_agent
from tests.learner.labels import random_labels
from tests.runtime import tiny

FUNCTIONS = 4


def make(agent_name='fully_conv', argument_conditioning=True):
    """The agent with its variables, on the specs of the fake game."""
    specs = fakes.make_specs(agent=agent_name)
    agent = agents.make_agent(
        agent_name, *specs, MAX_STEP_MUL, argument_conditioning=argument_conditioning
    )
    agent.create_variables(specs[0])
    return agent, specs


def embeddings(agent):
    names = ('_scale', '_shift', '_from_')
    return [v for v in agent.weights if any(name in v.name for name in names)]


def randomize(session, agent, seed=0, scale=1.0):
    """Initial values everywhere but in the embeddings, which are zero initially."""
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    perturb(session, agent, seed, scale)


def perturb(session, agent, seed, scale=1.0):
    rng = np.random.RandomState(seed)
    for variable in embeddings(agent):
        variable.load(rng.normal(scale=scale, size=variable.shape.as_list()), session)


@pytest.fixture(params=sorted(agents.AGENTS))
def agent_name(request):
    return request.param


@pytest.mark.long
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


@pytest.mark.long
@pytest.mark.parametrize('agent_name', ['fully_conv', 'fully_conv_lstm'])
def test_the_learner_evaluates_what_the_actor_sampled_from(agent_name):
    """Logits of the unrolled agent are those that the actor recorded, shifted by one step."""
    env = fakes.FakeEnvironment(B)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        agent, _ = make(agent_name)
        played = actors.build_actor(agent, env, T).output
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


CHAINS = ('no_op', 'select_point', 'select_rect', 'Move_screen', 'Attack_minimap')
"""Functions of which each argument shares its points, or its small argument, with another one."""

PAIR = ('select_point+Move_screen',)


def make_chain(related_points=False, agent_name='fully_conv'):
    specs = fakes.make_specs(CHAINS + PAIR * related_points, agent=agent_name)
    agent = agents.make_agent(
        agent_name,
        *specs,
        MAX_STEP_MUL,
        argument_conditioning=True,
        related_points=related_points,
    )
    agent.create_variables(specs[0])
    return agent, specs


def joint_actions(action_spec):
    """All actions that differ, int32 [N] by head; 0 where a head is unused."""
    rows = []
    for function, used in enumerate(action_spec.head_used):
        choices = [
            range(action_spec.heads[head] if used[column] else 1)
            for column, head in enumerate(action_spec.argument_heads)
        ]
        rows += [(function, *arguments) for arguments in itertools.product(*choices)]
    columns = np.array(rows, np.int32).T
    return dict(zip(('function', *action_spec.argument_heads), columns))


def one_step(specs, count, function_available=True):
    """The same input of one environment `count` times."""
    inputs = tf.nest.map_structure(lambda x: np.repeat(x[0, :1], count, 0), _trajectory(*specs))
    inputs[1].observation['available_actions'][:] = function_available
    return tf.nest.map_structure(tf.constant, inputs)


@pytest.mark.parametrize('related_points', [False, True])
def test_log_probabilities_entropy_and_divergence_are_those_of_the_joint_policy(related_points):
    """Summed over all joint actions; the logits of each are those given its own choices."""
    with tf.Graph().as_default(), tf.Session() as session:
        both = [make_chain(related_points), make_chain(related_points)]
        specs = both[0][1]
        policy = make_policy(specs[1], learn_step_mul=False)
        action = joint_actions(specs[1])
        count = len(action['function'])
        given = tf.nest.map_structure(tf.constant, action)
        mu, pi = (
            agent.act(one_step(specs, count), agent.initial_state(count), given=given)[0]
            for agent, _ in both
        )
        results = [
            policy.log_prob(mu, mu),
            policy.log_prob(pi, mu),
            policy.entropy(mu, mu),
            policy.kl(mu, pi, mu),
        ]
        session.run(tf.global_variables_initializer())
        for seed, (agent, _) in enumerate(both):
            perturb(session, agent, seed)
        log_p, log_q, entropy, kl, taken = session.run(results + [mu.action])
    pairs = 12 * 4 * 2 * 12 * related_points
    assert count == 1 + 12 * 4 + 2 * 12 * 12 + 2 * 12 + 2 * 10 + pairs
    for name, choice in action.items():
        np.testing.assert_array_equal(taken[name], choice)
    p = np.exp(np.float64(log_p))
    np.testing.assert_allclose([p.sum(), np.exp(np.float64(log_q)).sum()], 1, rtol=1e-5)
    np.testing.assert_allclose((p * entropy).sum(), -(p * log_p).sum(), rtol=1e-4)
    expected = (p * (log_p - log_q)).sum()
    assert expected > 1e-3
    np.testing.assert_allclose((p * kl).sum(), expected, rtol=1e-3)


def test_what_is_selected_comes_before_where_it_goes():
    """With related points, logits given a selection depend on the pixel and on what it shows."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        agent, specs = make_chain(related_points=True)
        function = specs[1].function_names.index(PAIR[0])
        given = {name: np.zeros([3], np.int32) for name in specs[1].heads}
        given['function'][:] = function
        given['screen2'][:] = [0, 1, 1]
        given['screen'][:] = [0, 0, 2]
        output, _ = agent.act(one_step(specs, 3), agent.initial_state(3), given=given)
        of_offsets = [v for v in agent.weights if '_from_' in v.name]
        # Larger logits (up to 50 at a scale of 1) are rounded by more than the tolerance below.
        randomize(session, agent, scale=0.2)
        before = session.run(output.action_logits)
        for variable in of_offsets:
            variable.load(np.zeros(variable.shape.as_list()), session)
        after = session.run(output.action_logits)
    assert {v.name.split('/')[-3] for v in of_offsets} == {'screen_from_screen2'}
    np.testing.assert_allclose(before['screen2'][1], before['screen2'][2], atol=1e-5)
    np.testing.assert_allclose(before['screen2'][0], before['screen2'][1], atol=1e-5)
    np.testing.assert_allclose(before['screen'][1], before['screen'][2], atol=1e-5)
    for logits in (before, after):
        assert np.abs(logits['screen'][0] - logits['screen'][1]).max() > 1e-3
    assert np.abs(before['screen'] - after['screen']).max() > 1e-3
    np.testing.assert_allclose(before['screen2'], after['screen2'], atol=1e-5)


def test_related_points_need_conditioned_arguments():
    with pytest.raises(ValueError, match='related_points=true needs --argument_conditioning'):
        agents.make_agent('fully_conv', *fakes.make_specs(), MAX_STEP_MUL, related_points=True)


@pytest.mark.long
def test_related_points_work_with_every_agent(agent_name):
    """Also with those whose features cover several pixels, or that have no map of them."""
    with tf.Graph().as_default(), tf.Session() as session:
        agent, specs = make_chain(related_points=True, agent_name=agent_name)
        output, _ = agent.unroll(*_tensors(_trajectory(*specs)), agent.initial_state(B))
        randomize(session, agent)
        for logits in session.run(output.action_logits).values():
            assert np.isfinite(logits).all()


@pytest.mark.long
@pytest.mark.parametrize(
    'function, before, after',
    [
        ('select_point', 'select_point_act', 'screen'),
        ('select_rect', 'select_add', 'screen'),
        ('select_rect', 'screen', 'screen2'),
        ('Attack_minimap', 'queued', 'minimap'),
    ],
)
def test_an_argument_depends_on_those_before_it(function, before, after):
    """One choice differs: so do the logits of what comes after, and of nothing else."""
    with tf.Graph().as_default(), tf.Session() as session:
        agent, specs = make_chain()
        names = specs[1].function_names
        given = {name: np.zeros([2], np.int32) for name in specs[1].heads}
        given['function'][:] = names.index(function)
        given[before][1] = 1
        output, _ = agent.act(one_step(specs, 2), agent.initial_state(2), given=given)
        unused, _ = agent.act(
            one_step(specs, 2),
            agent.initial_state(2),
            given=dict(given, function=np.full([2], names.index('no_op'), np.int32)),
        )
        randomize(session, agent)
        output, unused = session.run([output.action_logits, unused.action_logits])
    assert np.abs(output[after][0] - output[after][1]).max() > 1e-3
    order = [
        *sorted(set(output) - {'minimap', 'screen', 'screen2'}),
        'minimap',
        'screen',
        'screen2',
    ]
    earlier = ['function', *[n for n in order[: order.index(before) + 1] if n != 'function']]
    for name in earlier:
        np.testing.assert_allclose(output[name][0], output[name][1], atol=1e-5)
    # A value of an argument that the function does not use makes no difference to anything.
    for logits in unused.values():
        np.testing.assert_allclose(logits[0], logits[1], atol=1e-5)


@pytest.mark.parametrize('conditioning', [False, True])
def test_given_choices_are_taken_and_others_are_those_given_them(conditioning):
    function = np.array([2, -1, 3, 0], np.int32)
    queued = np.array([1, -1, -1, 1], np.int32)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        agent, specs = make(argument_conditioning=conditioning)
        inputs = tf.nest.map_structure(lambda x: tf.constant(x[0]), _trajectory(*specs))
        outputs = [
            agent.act(inputs, agent.initial_state(B), greedy=True, given=given)[0]
            for given in (None, {'function': function, 'queued': queued})
        ]
        randomize(session, agent)
        free, forced = session.run(outputs)
    expected = np.where(function < 0, free.action['function'], function)
    np.testing.assert_array_equal(forced.action['function'], expected)
    own = forced.action_logits['queued'].argmax(-1)
    np.testing.assert_array_equal(forced.action['queued'], np.where(queued < 0, own, queued))
    same = (free.action['function'] == expected) & (queued < 0)
    assert same.any() and not same.all()
    for name, logits in forced.action_logits.items():
        np.testing.assert_allclose(logits[same], free.action_logits[name][same])
        if conditioning and name != 'function':
            changed = free.action['function'] != expected
            assert not np.allclose(logits[changed], free.action_logits[name][changed])
        if name in ('screen', 'minimap'):
            np.testing.assert_array_equal(forced.action[name], logits.argmax(-1))


def test_what_was_played_and_labels_have_outputs_of_their_own_in_one_pass():
    """They are those of two passes. Labels differ from what was played, and some are missing."""
    with tf.Graph().as_default(), tf.Session() as session:
        agent, specs = make()
        actions, env_outputs = _tensors(_trajectory(*specs))
        labels = random_labels(5, specs[1].heads, MAX_STEP_MUL, [T, B])
        given = labels_lib.given({'demonstration': _tensors(labels)})
        state = agent.initial_state(B)
        both, last_state = agent.unroll_with_labels(actions, env_outputs, state, given)
        apart = [agent.unroll(actions, env_outputs, state, choices) for choices in (None, given)]
        randomize(session, agent)
        both, last_state, apart = session.run([both, last_state, apart])
    # Elsewhere choices are sampled, and arguments depend on them.
    was_played = np.repeat(np.arange(T)[:, np.newaxis] < T - 1, B, axis=1)
    for found, (expected, expected_state), known in zip(both, apart, (was_played, labels['valid'])):
        for name, logits in found.action_logits.items():
            of_head = np.ones([T, B], bool) if name == 'function' else known
            np.testing.assert_allclose(
                logits[of_head], expected.action_logits[name][of_head], atol=1e-5
            )
        np.testing.assert_allclose(found.baseline, expected.baseline, atol=1e-5)
        for ours, theirs in zip(tf.nest.flatten(last_state), tf.nest.flatten(expected_state)):
            np.testing.assert_allclose(ours, theirs, atol=1e-5)
    assert not np.allclose(both[0].action_logits['queued'], both[1].action_logits['queued'])


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
        (shift,) = [v for v in agent.weights if v.name.endswith('hidden_shift/w:0')]
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
        of_function = [v for v in embeddings(agent) if '_by_' not in v.name]
        gradients = tf.gradients(log_prob, of_function)
        randomize(session, agent)
        gradients = session.run(gradients)
    assert len(gradients) == 3
    for gradient in gradients:
        assert gradient[2].any() and not np.delete(gradient, 2, axis=0).any()


@pytest.mark.long
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
            given={'function': tf.constant(functions[np.newaxis])},
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


@pytest.mark.long
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
