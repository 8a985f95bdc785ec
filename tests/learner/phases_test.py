"""Phases: which there are, in which order; each counts its own frames; the lag of the policy."""

import dataclasses
import types

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors, agents, learner, structs
from sc2impala.learner import phases, sources
from sc2impala.learner.algorithm import Algorithm, Update
from sc2impala.learner.critic_pretraining.settings import CriticPretrainingSettings
from sc2impala.learner.critic_pretraining.update import CriticPretraining
from sc2impala.learner.impala.settings import ImpalaSettings
from sc2impala.learner.impala.update import Impala
from tests import fakes
from tests.learner import table_agent as table

K, T, STEP_MUL = 4, 3, 10
UPDATE = K * T * STEP_MUL


def build(with_critic):
    """Phases on a fake game in the default graph: (operation that plays, phases)."""
    env = fakes.FakeEnvironment(K)
    specs = env.observation_spec, env.action_spec
    agent = agents.make_agent('fully_conv', *specs, max_step_mul=16, fixed_step_mul=STEP_MUL)
    agent.create_variables(specs[0])
    version = phases.policy_version()
    output = actors.build_actor(agent, env, T, policy_version=version).output
    queue = actors.SequenceQueue(actors.sequence_spec(agent, specs[0], T), 2 * K)
    source = sources.QueueSource(queue, K)
    plans = []
    if with_critic:
        critic = CriticPretraining(CriticPretrainingSettings(num_critic_pretrain_frames=70))
        frames = phases.frames_variable(critic.frames_variable)
        plans.append(phases.Plan(critic, source, 'Map', critic.settings.num_frames, frames))
    global_step = tf.train.get_or_create_global_step()
    plans.append(phases.Plan(Impala(ImpalaSettings()), source, 'Map', 500, global_step))
    batch = source.next_batch()
    metrics = {'more/metrics': tf.constant(3.0)}
    built = phases.build_phases(plans, agent, lambda _: (batch, 'stage'), version, metrics)
    return queue.enqueue_many(output), built


@pytest.fixture(scope='module')
def built():
    """(graph, operation that plays, phases) of both phases."""
    with tf.Graph().as_default() as whole:
        return (whole,) + build(with_critic=True)


@pytest.fixture
def session(built):
    """A session in which no game was played and nothing was trained."""
    with built[0].as_default(), tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        yield session


def test_the_agent_alone():
    with tf.Graph().as_default():
        _, (phase,) = build(with_critic=False)
        assert (phase.title, phase.task, phase.num_frames) == ('training', 'Map', 500)
        assert phase.stage == 'stage'
        saved = [v.op.name for v in tf.global_variables()]
        # The number of updates is of this process, and in no checkpoint.
        assert 'critic_pretrain_frames' not in saved and 'num_updates' not in saved


def test_the_critic_comes_first_and_counts_for_itself(built, session):
    _, play, stages = built
    assert [phase.title for phase in stages] == ['critic pre-training', 'training']
    assert [phase.num_frames for phase in stages] == [70, 500]
    frames = [phase.frames for phase in stages]
    for index, expected in enumerate(([UPDATE, 0], [UPDATE, UPDATE])):
        session.run(play)
        unused = dict.fromkeys(['title', 'task', 'num_frames', 'frames', 'stage', 'recorded'], ())
        fetches = stages[index]._replace(**unused)
        values = session.run(fetches)
        assert values.train == UPDATE
        assert values.step == UPDATE * (index + 1)
        assert values.agent_steps == K * T
        assert values.done.shape == values.infos.episode_return.shape == (T, K)
        assert session.run(frames) == expected
    assert session.run(phases.policy_version()) == [UPDATE, 2]


@pytest.mark.parametrize('index, prefix', [(0, 'critic_pretrain/'), (1, 'loss/')])
def test_summaries_are_those_of_the_phase(index, prefix, built, session):
    _, play, stages = built
    session.run(play)
    tags = table.scalars(session.run(stages[index].summary))
    assert any(tag.startswith(prefix) for tag in tags)
    assert any('critic' in tag for tag in tags) == (index == 0)
    # In every phase: how old the policy is, and what the caller adds.
    assert tags['policy_lag/frames'] == tags['policy_lag/updates'] == 0.0
    assert tags['more/metrics'] == 3.0


def test_the_lag_is_the_age_of_the_weights(built, session):
    """Sequences that wait in the queue get older with every update, of either phase."""
    _, play, (critic, training) = built
    lags = []
    session.run([play])
    session.run([play])
    for phase in (critic, training):
        lags.append(table.scalars(session.run([phase.summary, phase.train])[0]))
    for _ in range(2):
        session.run(play)
    for phase in (training, training):
        lags.append(table.scalars(session.run([phase.summary, phase.train])[0]))
    # Frames are those of the training.
    assert [lag['policy_lag/frames'] for lag in lags] == [0, 0, 0, UPDATE]
    assert [lag['policy_lag/updates'] for lag in lags] == [0, 1, 0, 1]


def test_replayed_columns_do_not_count_in_the_lag():
    frames, updates = np.array([10, 7, 40, 0]), np.array([1, 0, 4, 9])
    env, mu = table.random_env_outputs(0, T, 4), table.random_outputs(0, T, 4)
    with tf.Graph().as_default(), tf.Session() as session:
        version = [tf.Variable(np.int64(v), use_resource=True) for v in (100, 10)]
        lags = []
        for is_replay in ([False, True, False, True], [True] * 4):
            batch = table.make_batch(env, mu, is_replay)
            info = structs.SequenceInfo((), (), tf.constant(frames), tf.constant(updates))
            ages = phases.policy_ages(batch._replace(sequence_info=info), version)
            lags.append(phases.policy_lag(ages, batch.is_replay))
        session.run(tf.global_variables_initializer())
        mixed, only_replayed = session.run(lags)
    assert mixed == {
        'policy_lag/frames': (90 + 60) / 2,
        'policy_lag/frames_min': 60,
        'policy_lag/frames_max': 90,
        'policy_lag/updates': (9 + 6) / 2,
        'policy_lag/updates_min': 6,
        'policy_lag/updates_max': 9,
    }
    assert only_replayed == dict.fromkeys(mixed, 0.0)


class Counting(Algorithm):
    """Trains nothing, counts 7 frames, and returns priorities, of keys of its own, as set."""

    title = 'counting'
    agent_needs = ('weights',)

    def build_update(self, agent, batch, variables, schedule):
        self.built_with = agent, batch, variables, schedule
        done = batch.env_outputs.done[1:]
        priorities = tf.constant([0.5, 1.5]) if self.settings else None
        keys = tf.constant([4, -1], tf.int64) if self.settings == 'own keys' else None
        frames = tf.constant(7, tf.int64)
        return Update(tf.no_op(), frames, done, batch.env_outputs.info, {}, priorities, keys)


def counting_phase(algorithm, agent, update_priorities=None):
    env, mu = table.random_env_outputs(0, T, 2), table.random_outputs(0, T, 2)
    batch = table.make_batch(env, mu, [False, True])
    source = types.SimpleNamespace(recorded=False)
    plan = phases.Plan(algorithm, source, 'Map', 50, phases.frames_variable('counted'))
    (phase,) = phases.build_phases(
        [plan],
        agent,
        lambda source: (batch, None),
        phases.policy_version(),
        update_priorities=update_priorities,
    )
    return batch, phase


@dataclasses.dataclass
class FakeAgent:
    weights: tuple = ('weight',)


def test_an_algorithm_gets_the_weights_and_the_schedule_of_its_phase():
    with tf.Graph().as_default():
        algorithm, agent = Counting(None), FakeAgent()
        batch, phase = counting_phase(algorithm, agent)
        assert algorithm.built_with[0] is agent and algorithm.built_with[1] is batch
        assert algorithm.built_with[2] == ('weight',)
        assert algorithm.built_with[3].num_frames == 50
        assert algorithm.built_with[3].frames is phase.frames
        assert phase.title == 'counting' and phase.stage is None


@pytest.mark.parametrize('gives, keys', [(True, [-1, 1]), ('own keys', [4, -1]), (False, [])])
def test_priorities_are_given_back_with_every_update(gives, keys):
    calls = []

    def update_priorities(keys, priorities):
        return tf.py_func(
            lambda k, p: calls.append((k.tolist(), p.tolist())), [keys, priorities], []
        )

    with tf.Graph().as_default(), tf.Session() as session:
        _, phase = counting_phase(Counting(gives), FakeAgent(), update_priorities)
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        assert [session.run(phase.train) for _ in range(2)] == [7, 14]
        assert session.run(phases.policy_version()[1]) == 2
        # New columns only.
        assert session.run(phase.agent_steps) == T
    assert calls == [(keys, [0.5, 1.5])] * 2 * bool(gives)


def test_refuses_an_agent_that_lacks_something():
    expected = 'Counting needs an agent with weights, but object'
    with tf.Graph().as_default(), pytest.raises(ValueError, match=expected):
        counting_phase(Counting(None), object())


def test_counters_are_made_once():
    with tf.Graph().as_default():
        assert phases.policy_version()[1] is phases.policy_version()[1]
        assert phases.frames_variable('counted') is phases.frames_variable('counted')
        names = [v.op.name for v in tf.global_variables() + tf.local_variables()]
        assert sorted(names) == ['counted', 'global_step', 'num_updates']
        assert not tf.trainable_variables()


def test_registered_algorithms_have_what_the_command_needs():
    algorithms = {name: learner.load(name) for name in learner.ALGORITHMS}
    algorithms.update((name, learner.load_pretraining(name)) for name in learner.PRETRAINING)
    for name, algorithm in algorithms.items():
        assert issubclass(algorithm, Algorithm) and algorithm.title
        settings = learner.settings_groups()[name]()
        assert algorithm(settings).settings is settings
    with pytest.raises(KeyError):
        learner.load('alphastar')
