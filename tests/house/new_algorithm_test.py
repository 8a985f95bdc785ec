"""A new algorithm is one file and one line: flags, help, manifest, resume and summaries follow."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import agents, experiment, learner
from sc2impala.learner import optimization
from sc2impala.learner.registry import OneFile
from tests import fakes
from tests.house.behaviour_cloning import BehaviourCloning, BehaviourCloningSettings
from tests.learner import table_agent
from tests.runtime import tiny

UPDATE = tiny.FRAMES_PER_UPDATE
FLAGS = ('--algorithm=behaviour_cloning', '--cloning_cost=0.5')


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """The one line."""
    monkeypatch.setitem(
        learner.ALGORITHMS,
        'behaviour_cloning',
        OneFile('tests.house.behaviour_cloning', 'BehaviourCloning'),
    )


@pytest.mark.long
def test_trains_resumes_and_is_evaluated(tmp_path, capsys):
    tiny.train(tmp_path, 2, *FLAGS)
    output = capsys.readouterr().out
    assert 'behaviour cloning: 4,800 of 4,800 frames' in output
    assert '--cloning_cost=0.5' in output

    tags = tiny.summaries(tmp_path)
    assert {'loss/cloning', 'grad_norm', 'action/function', 'policy_lag/updates'} <= set(tags)
    assert 'loss/baseline' not in tags
    assert [step for step, _ in tags['loss/cloning']] == [UPDATE, 2 * UPDATE]
    config = tiny.read_json(tmp_path, 'manifest.json')['config']
    assert config['algorithm'] == 'behaviour_cloning'
    assert (config['cloning_cost'], config['imitation_learning_rate']) == (0.5, 1e-3)

    # The same command goes on with more frames, and needs none of the settings again.
    assert tiny.main(tmp_path, f'--total_environment_frames={4 * UPDATE}') == 0
    assert tiny.checkpoint_frames(tmp_path) == [0, 2 * UPDATE, 4 * UPDATE]
    assert len(tiny.summaries(tmp_path)['loss/cloning']) == 4

    first, last = (tiny.variables(tmp_path, frames) for frames in (0, 4 * UPDATE))
    weights = [name for name in first if tiny.is_weight(name)]
    changed = {name for name in weights if not np.array_equal(first[name], last[name])}
    # The policy learns, and the layers of the baseline do not.
    assert changed and changed < set(weights)
    assert not [name for name in changed if 'baseline' in name]

    assert tiny.evaluate(tmp_path, '--num_episodes=2') == 0
    assert tiny.read_json(tmp_path, 'evaluation.json')['num_episodes'] == 2
    capsys.readouterr()

    assert tiny.main(tmp_path, '--cloning_cost=0.7') == 1
    assert '--cloning_cost=0.5 (now 0.7)' in tiny.error_line(capsys)


@pytest.mark.long
def test_replay_and_pre_training_work_with_it(tmp_path):
    flags = (f'--num_critic_pretrain_frames={UPDATE}', '--deterministic')
    tiny.train(tmp_path, 3, *FLAGS, *tiny.HALF_REPLAYED, *flags)
    tags = tiny.summaries(tmp_path)
    assert {'critic_pretrain/baseline_loss', 'loss/cloning', 'replay/sequences'} <= set(tags)


def test_help_lists_its_flags(capsys):
    with pytest.raises(SystemExit):
        experiment.main(['--help'])
    text = capsys.readouterr().out
    assert '\nbehaviour cloning:\n  --cloning_cost=X\n' in text
    assert 'weight of the cross-entropy (default: 1.0)' in text
    # What it shares with the others is listed once.
    assert text.count('--adam_beta1=') == text.count('--cloning_cost=') == 1


@pytest.mark.parametrize(
    'flag, expected',
    [
        ('--cloning_cost=-1', 'expected 0.0 to 1000000.0'),
        ('--cloning_cost=much', 'expected a number'),
        ('--cloning_costs=1', 'such as --cloning_cost'),
    ],
)
def test_its_flags_are_checked(flag, expected, tmp_path, capsys):
    assert tiny.main(tmp_path, '--algorithm=behaviour_cloning', flag) == 1
    assert expected in tiny.error_line(capsys)


def test_without_the_line_there_is_none(tmp_path, monkeypatch, capsys):
    monkeypatch.delitem(learner.ALGORITHMS, 'behaviour_cloning')
    assert tiny.main(tmp_path, '--algorithm=behaviour_cloning') == 1
    assert 'expected one of: impala' in tiny.error_line(capsys)
    assert tiny.main(tmp_path, '--cloning_cost=0.5') == 1
    assert '--cloning_cost=0.5 is not a flag' in tiny.error_line(capsys)


def test_its_loss_falls_on_a_fixed_batch():
    num_steps, batch_size = 5, 4
    observation_spec, action_spec = fakes.make_specs()
    rng = np.random.RandomState(0)
    shape = [num_steps + 1, batch_size]
    env = table_agent.random_env_outputs(0, num_steps, batch_size)
    env = env._replace(observation=fakes.random_observation(observation_spec, shape, rng))
    env.observation['available_actions'][:] = True
    algorithm = BehaviourCloning(BehaviourCloningSettings(imitation_learning_rate=0.01))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        agent = agents.make_agent('fully_conv', observation_spec, action_spec, 4)
        agent.create_variables(observation_spec)
        played = tf.nest.map_structure(
            lambda spec: np.zeros(shape + spec.shape.as_list(), spec.dtype.as_numpy_dtype),
            agent.output_spec(),
        )
        played.step_mul[:] = 2
        batch = table_agent.make_batch(env, played)
        frames = tf.train.get_or_create_global_step()
        update = algorithm.build_update(
            agent, batch, agent.weights, optimization.Schedule(frames, 1000)
        )
        session.run(tf.global_variables_initializer())
        losses = [session.run([update.metrics['loss/cloning'], update.train])[0] for _ in range(40)]
    assert losses[-1] < 0.3 * losses[0]
