"""The stages of a training: which there are, in which order; each counts its own frames."""

import pytest
import tensorflow.compat.v1 as tf

from sc2impala import learner
from sc2impala.runtime import config as config_lib
from sc2impala.runtime import experience, graph, phases

CONFIG = config_lib.Config(
    screen_size='4',
    minimap_size='4',
    agent='fully_conv',
    num_actors=1,
    num_envs=4,
    unroll_length=3,
    batch_size=4,
    fixed_step_mul=True,
    step_mul=10,
    total_environment_frames=500,
    num_critic_pretrain_frames=70,
)


def build(config):
    """Builds a training in the default graph; returns its `Experience` and its phases."""
    specs = config_lib.make_specs(config)
    agent = graph.make_agent(config, *specs)
    source = experience.build_experience(config, agent, specs, start=0)
    batch = learner.next_batch(source.queue, *config_lib.batch_split(config))
    return source, phases.build_phases(config, agent, batch)


@pytest.fixture(scope='module')
def built():
    """(graph, `Experience`, phases) of both phases."""
    with tf.Graph().as_default() as whole:
        return (whole,) + build(CONFIG)


@pytest.fixture
def session(built):
    """A session in which no game was played and nothing was trained."""
    with built[0].as_default(), tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        yield session


def test_the_agent_alone():
    with tf.Graph().as_default():
        _, (phase,) = build(CONFIG._replace(num_critic_pretrain_frames=0))
        assert (phase.name, phase.num_frames) == ('training', 500)
        assert 'critic_pretrain_frames' not in [v.op.name for v in tf.global_variables()]


def test_the_critic_comes_first_and_counts_for_itself(built, session):
    _, source, stages = built
    assert [phase.name for phase in stages] == ['critic pre-training', 'training']
    assert [phase.num_frames for phase in stages] == [70, 500]
    frames = [phase.frames for phase in stages]
    for phase, expected in zip(stages, ([120, 0], [120, 120])):
        session.run(source.enqueue_ops[0])
        values = session.run({'done': phase.done, 'infos': phase.infos, 'train': phase.train})
        assert values['train'] == 4 * 3 * 10
        assert values['done'].shape == values['infos'].episode_return.shape == (3, 4)
        assert session.run(frames) == expected


@pytest.mark.parametrize('index, prefix', [(0, 'critic_pretrain/'), (1, 'loss/')])
def test_summaries_are_those_of_the_phase(index, prefix, built, session):
    _, source, stages = built
    session.run(source.enqueue_ops[0])
    summary = tf.Summary.FromString(session.run(stages[index].summary))
    tags = [value.tag for value in summary.value]
    assert any(tag.startswith(prefix) for tag in tags)
    assert any('critic' in tag for tag in tags) == (index == 0)
