"""The actor: it records what was played, in order, across unrolls."""

import dataclasses

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors, agents, structs
from tests import fakes

K = 3


class _Run:
    """Four unrolls of an actor on the fake game, concatenated without their overlap."""

    def __init__(self, unroll_length, abort_every=0, fixed_step_mul=None):
        self.env = fakes.FakeEnvironment(K, abort_every=abort_every)
        with tf.Graph().as_default() as self.graph:
            tf.set_random_seed(0)
            specs = self.env.observation_spec, self.env.action_spec
            self.agent = agents.make_agent('fully_conv_lstm', *specs, 6, fixed_step_mul)
            self.agent.create_variables(specs[0])
            output = actors.build_actor(self.agent, self.env, unroll_length, task=3, actor=5).output
            self.session = tf.Session()
            self.session.run([tf.global_variables_initializer()])
            self.session.run(tf.local_variables_initializer())
            self.unrolls = [self.session.run(output) for _ in range(4)]
        self.steps = tf.nest.map_structure(
            lambda *parts: np.concatenate([parts[0][:, :1]] + [p[:, 1:] for p in parts], axis=1),
            *[(u.env_outputs, u.agent_outputs) for u in self.unrolls],
        )


@pytest.fixture(scope='module')
def run():
    """Unrolls of seven steps, in which every second episode is aborted."""
    made = _Run(7, abort_every=2)
    yield made
    made.session.close()


@pytest.fixture(scope='module')
def run_of_single_steps():
    """Unrolls of one step, with a fixed step multiplier."""
    made = _Run(1, fixed_step_mul=3)
    yield made
    made.session.close()


@pytest.mark.parametrize('fixture, unroll_length', [('run_of_single_steps', 1), ('run', 7)])
def test_unrolls_overlap_by_one_step(fixture, unroll_length, request):
    run = request.getfixturevalue(fixture)
    for before, after in zip(run.unrolls, run.unrolls[1:]):
        for a, b in zip(
            tf.nest.flatten((before.env_outputs, before.agent_outputs)),
            tf.nest.flatten((after.env_outputs, after.agent_outputs)),
        ):
            assert a.shape[:2] == (K, unroll_length + 1)
            np.testing.assert_array_equal(a[:, -1], b[:, 0])


def test_records_what_was_played(run):
    assert run.env.tape[0] == 'reset' and len(run.env.tape) == 1 + 4 * 7
    env_outputs, agent_outputs = run.steps
    for t, (action, step_mul) in enumerate(run.env.tape[1:], start=1):
        for name in action:
            np.testing.assert_array_equal(agent_outputs.action[name][:, t], action[name])
        np.testing.assert_array_equal(agent_outputs.step_mul[:, t], step_mul)
        available = env_outputs.observation['available_actions'][:, t - 1]
        assert available[np.arange(K), action['function']].all()
    assert run.steps[0].done[:, 0].all()
    assert not run.steps[0].reward[:, 0].any()


def test_done_belongs_to_the_old_episode(run):
    env_outputs, agent_outputs = run.steps
    assert env_outputs.done[:, 1:].any()
    for k in range(K):
        total, frames = 0.0, 0
        for t in range(1, env_outputs.done.shape[1]):
            total += env_outputs.reward[k, t]
            frames += agent_outputs.step_mul[k, t]
            assert env_outputs.info.episode_return[k, t] == total
            assert env_outputs.info.episode_frames[k, t] == frames
            if env_outputs.done[k, t]:
                total, frames = 0.0, 0


def test_behaviour_logits_are_those_of_the_observation_before(run):
    """Unrolling the agent over a recorded sequence gives the recorded logits, shifted by one."""
    second = run.unrolls[1]
    assert second.env_outputs.done[:, 1:].any()
    with run.graph.as_default():
        time_major = tf.nest.map_structure(
            lambda a: tf.constant(np.swapaxes(a, 0, 1)), (second.env_outputs, second.agent_outputs)
        )
        state = tf.nest.map_structure(tf.constant, second.agent_state)
        again, _ = run.agent.unroll(time_major[1].action, time_major[0], state)
        again = run.session.run(again)
    for name, logits in second.agent_outputs.action_logits.items():
        expected = np.swapaxes(logits, 0, 1)[1:]
        np.testing.assert_allclose(again.action_logits[name][:-1], expected, atol=1e-5)
    expected = np.swapaxes(second.agent_outputs.baseline, 0, 1)[1:]
    np.testing.assert_allclose(again.baseline[:-1], expected, atol=1e-5)


def test_aborted_episodes_are_passed_on(run):
    env_outputs, _ = run.steps
    aborted = env_outputs.info.aborted
    assert aborted.any()
    assert (env_outputs.done & ~aborted)[:, 1:].any()
    assert not (aborted & ~env_outputs.done).any()


def test_fixed_step_mul_reaches_the_environment(run_of_single_steps):
    tape = run_of_single_steps.env.tape
    assert len(tape) == 5 and all((step_mul == 3).all() for _, step_mul in tape[1:])


def check_info(info, *expected):
    """Checks the `SequenceInfo` of K games, which is the same for all."""
    assert [array.dtype for array in info] == [np.int32, np.int32, np.int64, np.int64]
    assert [array.tolist() for array in info] == [[number] * K for number in expected]


def test_every_sequence_says_where_it_comes_from(run):
    for unroll in run.unrolls:
        check_info(unroll.sequence_info, 3, 5, 0, 0)


def test_the_version_is_that_of_the_first_step():
    """Weights that change while an unroll is played do not make it younger."""
    with tf.Graph().as_default(), tf.Session() as session:
        version = [tf.Variable(np.int64(v), use_resource=True) for v in (500, 7)]
        bump = [variable.assign_add(10).op for variable in version]

        class Game(fakes.FakeEnvironment):
            def step(self, action, step_mul):
                session.run(bump)
                return super().step(action, step_mul)

        env = Game(K)
        agent = agents.make_agent('fully_conv', env.observation_spec, env.action_spec, 6)
        agent.create_variables(env.observation_spec)
        output = actors.build_actor(agent, env, 4, policy_version=version).output
        session.run(tf.global_variables_initializer())
        session.run(tf.local_variables_initializer())
        for bumps in (0, 40):
            info = session.run(output).sequence_info
            check_info(info, 0, 0, 500 + bumps, 7 + bumps)


def test_greedy_plays_the_largest_logits():
    env = fakes.FakeEnvironment(K)
    with tf.Graph().as_default(), tf.Session() as session:
        agent = agents.make_agent('fully_conv', env.observation_spec, env.action_spec, 6)
        agent.create_variables(env.observation_spec)
        output = actors.build_actor(agent, env, 4, greedy=True).output
        session.run(tf.global_variables_initializer())
        session.run(tf.local_variables_initializer())
        played = session.run(output).agent_outputs
    for name, logits in played.action_logits.items():
        np.testing.assert_array_equal(played.action[name][:, 1:], logits[:, 1:].argmax(-1))


class _Labelled(fakes.FakeEnvironment):
    """Labels every observation at random, and plays them in some games."""

    def __init__(self, num_envs):
        super().__init__(num_envs)
        self.labels = []
        self.labelling = np.random.RandomState(5)
        self.observation_spec = dataclasses.replace(
            self.observation_spec, demonstration_heads=tuple(self.action_spec.heads)
        )

    def _observe(self):
        draw = self.labelling.randint
        observation = super()._observe()
        observation['demonstration'] = {
            'action': {
                head: draw(size, size=self.num_envs).astype(np.int32)
                for head, size in self.action_spec.heads.items()
            },
            'plays': draw(2, size=self.num_envs) == 1,
            'step_mul': draw(7, 17, size=self.num_envs).astype(np.int32),
            'valid': np.ones([self.num_envs], bool),
        }
        self.labels.append(observation['demonstration'])
        return observation


def test_the_label_is_played_where_the_script_plays():
    env = _Labelled(K)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        agent = agents.make_agent('fully_conv_lstm', env.observation_spec, env.action_spec, 6)
        agent.create_variables(env.observation_spec)
        output = actors.build_actor(agent, env, 7).output
        session.run([tf.global_variables_initializer()])
        session.run(tf.local_variables_initializer())
        unrolls = [session.run(output) for _ in range(3)]
    for number, unroll in enumerate(unrolls):
        labels = tf.nest.map_structure(
            lambda *arrays: np.stack(arrays, axis=1),
            *env.labels[number * 7 : number * 7 + 8],
        )
        seen = unroll.env_outputs.observation['demonstration']
        tf.nest.map_structure(np.testing.assert_array_equal, seen, labels)
        plays, agent_outputs = seen['plays'][:, :-1], unroll.agent_outputs
        assert plays.any() and not plays.all()
        played = dict(agent_outputs.action, step_mul=agent_outputs.step_mul)
        expected = dict(seen['action'], step_mul=seen['step_mul'])
        for name in played:
            np.testing.assert_array_equal(
                played[name][:, 1:][plays], expected[name][:, :-1][plays], err_msg=name
            )
        # The agent chooses up to 6 frames, the script from 7 on.
        assert (agent_outputs.step_mul[:, 1:][~plays] <= 6).all()
        assert (agent_outputs.step_mul[:, 1:][plays] > 6).all()


def test_the_agent_does_not_see_labels():
    """With other labels, which are not played, it computes the same."""
    env = _Labelled(K)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        agent = agents.make_agent('fully_conv_lstm', env.observation_spec, env.action_spec, 6)
        unlabelled = fakes.FakeEnvironment(K).observation_spec
        agent.create_variables(unlabelled)
        observation = tf.nest.map_structure(tf.constant, env.reset())
        action = {name: tf.zeros([K], tf.int32) for name in env.action_spec.heads}
        logits = []
        for seen in (observation, {k: v for k, v in observation.items() if k != 'demonstration'}):
            env_output = structs.EnvOutput((), (), tf.ones([K], tf.bool), seen)
            output, _ = agent.act((action, env_output), agent.initial_state(K))
            logits.append((output.action_logits, output.baseline))
        session.run(tf.global_variables_initializer())
        tf.nest.map_structure(np.testing.assert_array_equal, *session.run(logits))
