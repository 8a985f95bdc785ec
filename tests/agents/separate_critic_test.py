"""A critic with a network of its own: nothing of it reaches the policy, and the reverse."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import agents, learner
from sc2impala.agents import teacher as teacher_lib
from sc2impala.agents.separate_critic import SCOPE
from sc2impala.learner.critic_pretraining.settings import CriticPretrainingSettings
from tests import fakes
from tests.learner import table_agent as table
from tests.runtime import tiny

T, B = 3, 2


@pytest.fixture(autouse=True)
def fresh_graph():
    with tf.Graph().as_default():
        yield


def make(name='fully_conv_lstm', separate_critic=True, **options):
    """The agent and its specs."""
    specs = fakes.make_specs(agent=name)
    agent = agents.make_agent(name, *specs, 6, separate_critic=separate_critic, **options)
    return agent, specs


def inputs(specs, seed=0):
    """Actions and `EnvOutput` of [T, B], of which a column ends in the middle."""
    env = table.random_env_outputs(seed, T - 1, B)
    rng = np.random.RandomState(seed)
    env = env._replace(observation=fakes.random_observation(specs[0], [T, B], rng))
    actions = {n: tf.zeros([T, B], tf.int32) for n in specs[1].heads}
    return actions, table.tensors(env)


def is_of_critic(variable):
    return variable.op.name.startswith(f'{SCOPE}/')


@pytest.mark.long
@pytest.mark.parametrize('name', sorted(agents.AGENTS))
def test_no_gradient_crosses(name):
    agent, specs = make(name, argument_conditioning=True)
    output, _ = agent.unroll(*inputs(specs), agent.initial_state(B))
    weights = agent.weights
    policy = tf.nest.flatten([output.action_logits, output.step_mul_logits])
    of_policy, of_baseline = (tf.gradients(t, weights) for t in (policy, output.baseline))
    for variable, to_policy, to_baseline in zip(weights, of_policy, of_baseline):
        assert (to_baseline if not is_of_critic(variable) else to_policy) is None, variable
    own = [v for v, gradient in zip(weights, of_baseline) if gradient is not None]
    assert any('/heads/baseline/' in v.op.name for v in own)
    assert any('/heads/' not in v.op.name for v in own)


def test_the_policy_has_the_variables_of_a_single_network_except_its_baseline():
    names = []
    for separate_critic in (False, True):
        with tf.Graph().as_default():
            agent, specs = make(separate_critic=separate_critic)
            agent.create_variables(specs[0])
            names.append([v.op.name for v in agent.weights])
    single, both = names
    assert [n for n in single if '/baseline/' not in n] == [
        n for n in both if not n.startswith(SCOPE)
    ]
    assert [n for n in single if '/baseline/' in n]


def test_unroll_equals_single_steps():
    agent, specs = make()
    actions, env = inputs(specs)
    unrolled, last_state = agent.unroll(actions, env, agent.initial_state(B))
    state, baselines = agent.initial_state(B), []
    for t in range(T):
        output, state = agent(tf.nest.map_structure(lambda x, t=t: x[t], (actions, env)), state)
        baselines.append(output.baseline)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run([baselines, tf.nest.flatten(state)])
        expected = session.run([unrolled.baseline, tf.nest.flatten(last_state)])
    np.testing.assert_allclose(found[0], expected[0], atol=1e-5)
    for one_by_one, at_once in zip(found[1], expected[1]):
        np.testing.assert_allclose(one_by_one, at_once, atol=1e-5)
    spec = tf.nest.flatten(agent.state_spec())
    assert [[B, *s.shape.as_list()] for s in spec] == [list(s.shape) for s in found[1]]


def test_critic_pretraining_trains_the_whole_critic():
    agent, specs = make()
    env = table.random_env_outputs(2, T, B)
    rng = np.random.RandomState(0)
    env = env._replace(observation=fakes.random_observation(specs[0], [T + 1, B], rng))
    actions = {n: tf.zeros([T + 1, B], tf.int32) for n in specs[1].heads}
    played, _ = agent.unroll(actions, table.tensors(env), agent.initial_state(B))
    behaviour = tf.nest.map_structure(
        lambda t: np.ones(t.shape.as_list(), t.dtype.as_numpy_dtype), played
    )
    batch = table.make_batch(env, behaviour, agent_state=agent.initial_state(B))
    settings = CriticPretrainingSettings(discounting=0.5)
    update = learner.build_critic_learner(agent, batch, settings).num_env_frames_and_train
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(agent.weights)
        session.run(update)
        after = session.run(agent.weights)
    for variable, old, new in zip(agent.weights, before, after):
        if not is_of_critic(variable):
            np.testing.assert_array_equal(old, new)
        elif '/function/' not in variable.op.name:
            assert not np.array_equal(old, new), variable


def test_heads_of_another_class(monkeypatch):
    parts = agents.load_make_parts('fully_conv')

    class Wrapped:
        def __init__(self, heads):
            self._heads = heads

        def __call__(self, features):
            return self._heads(features)

    def make_parts(*specs):
        torso, core, heads = parts(*specs)
        return torso, core, Wrapped(heads)

    monkeypatch.setattr(agents, 'load_make_parts', lambda name: make_parts)
    agent, specs = make()
    output, _ = agent.unroll(*inputs(specs), agent.initial_state(B))
    gradients = tf.gradients(output.baseline, agent.weights)
    assert {is_of_critic(v) for v, g in zip(agent.weights, gradients) if g is not None} == {True}
    with pytest.raises(ValueError, match='value_normalisation=popart needs .* has Wrapped'):
        make(value_normalisation='popart')


def test_copies_have_a_critic():
    agent, specs = make(value_normalisation='popart')
    agent.create_variables(specs[0])
    copy = agent.make_copy('copy')
    assert [f'copy/{v.op.name}' for v in agent.weights] == [v.op.name for v in copy.weights]
    with tf.name_scope(teacher_lib.SCOPE):
        other, _ = make(value_normalisation='popart')
        other.create_variables(specs[0])
    teacher_lib.Teacher(other, agent)


def test_bootstrapped_heads_have_no_baseline():
    with pytest.raises(ValueError, match='separate_critic=true needs a baseline'):
        make(bootstrap_heads=3)


@pytest.mark.long
def test_a_run_takes_the_policy_of_a_single_network_and_resumes(tmp_path, capsys):
    single, both = tmp_path / 'single', tmp_path / 'both'
    common = '--agent=fully_conv_lstm', '--value_normalisation=popart'
    tiny.train(single, 1, *common)
    frames = 2 * tiny.FRAMES_PER_UPDATE
    flags = (
        *common,
        *tiny.REPLAY,
        '--separate_critic',
        f'--init_checkpoint={single}',
        f'--num_critic_pretrain_frames={frames}',
        '--teacher_cost=0.1',
        '--save_checkpoint_secs=0',
        '--keep_checkpoints=0',
    )
    capsys.readouterr()
    tiny.train(both, 1, *flags)
    text = capsys.readouterr().out
    assert f'has no {SCOPE}/' in text and ' more: they start fresh' in text
    loaded, start = tiny.variables(single, tiny.newest_frames(single)), tiny.variables(both, 0)
    for name, value in loaded.items():
        if tiny.is_weight(name) and '/baseline/' not in name and 'statistics' not in name:
            np.testing.assert_array_equal(value, start[name])
    pretrained = [n for n in tiny.checkpoint_frames(both) if n <= frames][-1]
    after = tiny.variables(both, pretrained)
    moved = {n for n in start if tiny.is_weight(n) and not np.array_equal(start[n], after[n])}
    assert any(n.startswith(SCOPE) for n in moved)
    assert not [n for n in moved if not n.startswith((SCOPE, 'value_statistics', 'teacher'))]
    newest = tiny.newest_frames(both)
    tiny.train(both, 2, *flags)
    assert tiny.newest_frames(both) > newest
