"""Updates on several devices: those of one device, up to rounding, on virtual CPU devices."""

import re

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import agents
from sc2impala.learner import batch as batch_lib
from sc2impala.learner import diagnostics, optimization
from sc2impala.learner.appo import minibatches
from sc2impala.learner.appo.settings import AppoSettings
from sc2impala.learner.appo.update import Appo
from sc2impala.learner.cloning.settings import CloningSettings
from sc2impala.learner.cloning.update import Cloning
from sc2impala.learner.critic_pretraining.settings import CriticPretrainingSettings
from sc2impala.learner.critic_pretraining.update import CriticPretraining
from sc2impala.learner.impala.settings import ImpalaSettings
from sc2impala.learner.impala.update import Impala
from tests import fakes
from tests.learner import table_agent as table
from tests.learner.labels import random_labels

T, B, MAX_STEP_MUL = 5, 4, 4
REPLAYED = [False, False, True, True]
ADAM = dict(adam_epsilon=0.1, clip_grad_norm=1.0)
ALGORITHMS = {
    'impala': Impala(ImpalaSettings(entropy_cost=0.1, upgo_cost=0.3, warmup_frames=9, **ADAM)),
    'appo': Appo(AppoSettings(appo_epochs=2, appo_minibatches=2, entropy_cost=0.1, **ADAM)),
    'labels': Impala(ImpalaSettings(demonstration_cost=0.5, **ADAM)),
    'cloning': Cloning(CloningSettings(num_cloning_frames=1000, **ADAM)),
    'critic': CriticPretraining(CriticPretrainingSettings(num_critic_pretrain_frames=9, **ADAM)),
    'whole critic': CriticPretraining(
        CriticPretrainingSettings(critic_pretrain_all_variables=True, **ADAM)
    ),
}


def session(num_cpus=4):
    return tf.Session(config=tf.ConfigProto(device_count={'CPU': num_cpus}))


def cpus(count):
    return [f'/cpu:{index}' for index in range(count)]


def random_batch(specs, played, seed=0, with_labels=True):
    """Sequences of [T + 1, B] of the fake game, the last two of them replayed."""
    rng = np.random.RandomState(seed)
    env = table.random_env_outputs(seed, T, B)
    observation = fakes.random_observation(specs[0], [T + 1, B], rng)
    if with_labels:
        labels = random_labels(seed, specs[1].heads, MAX_STEP_MUL, [T + 1, B], plays=0.3)
        observation['demonstration'] = labels
    action = {
        name: rng.randint(size, size=[T + 1, B]).astype(np.int32)
        for name, size in specs[1].heads.items()
    }
    logits = tf.nest.map_structure(
        lambda t: rng.normal(size=t.shape.as_list()).astype(np.float32),
        (played.action_logits, played.step_mul_logits, played.baseline),
    )
    step_mul = rng.randint(1, MAX_STEP_MUL + 1, size=[T + 1, B]).astype(np.int32)
    mu = played._replace(
        action=action,
        action_logits=logits[0],
        step_mul=step_mul,
        step_mul_logits=logits[1],
        baseline=logits[2],
    )
    return env._replace(observation=observation), mu


def make_agent(name='fully_conv', **options):
    """An agent with random weights, the same in each graph, and its specs."""
    specs = fakes.make_specs()
    agent = agents.make_agent(name, *specs, MAX_STEP_MUL, **options)
    agent.create_variables(specs[0])
    return agent, specs


def randomise(agent, session):
    """Random weights, the statistics of PopArt included; those must not be negative."""
    rng = np.random.RandomState(1)
    for weight in agent.weights:
        values = rng.normal(scale=0.2, size=weight.shape.as_list()).astype(np.float32)
        weight.load(np.abs(values) if weight.shape.rank == 0 else values, session)


def make_batch(agent, specs):
    """A random batch for an agent, the last two columns of it replayed."""
    start = tf.nest.map_structure(
        lambda t: tf.constant(np.random.RandomState(3).normal(size=t.shape).astype(np.float32)),
        agent.initial_state(B),
    )
    played = tf.nest.map_structure(
        lambda s: tf.TensorSpec([T + 1, B] + s.shape.as_list(), s.dtype), agent.output_spec()
    )
    env, mu = random_batch(specs, played)
    return table.make_batch(env, mu, REPLAYED, agent_state=start)


def build(algorithm, num_devices, staged=False, **agent_options):
    """(agent, `Update`, operation that stages a batch or None) in the default graph."""
    agent, specs = make_agent(**agent_options)
    batch, put = batch_lib.split(make_batch(agent, specs), cpus(num_devices)), None
    if staged:
        batch, (put, _) = batch_lib.stage(batch, '/cpu:0')
    schedule = optimization.Schedule(tf.train.get_or_create_global_step(), 1000)
    return agent, algorithm.build_update(agent, batch, agent.weights, schedule), put


def updated(algorithm, num_devices, staged=False, num_updates=2, **agent_options):
    """Updates: what each reports, and the weights and slots after them."""
    with tf.Graph().as_default(), session() as sess:
        agent, update, put = build(algorithm, num_devices, staged, **agent_options)
        summary = diagnostics.merge(update.metrics)
        sess.run(tf.global_variables_initializer())
        randomise(agent, sess)
        reports = []
        if staged:
            sess.run(put)
        for _ in range(num_updates):
            fetches = [summary, update.done, update.infos, update.frames, update.train]
            fetches += [put] if staged else []
            serialized, *report = sess.run(fetches)[:4]
            scalars, histograms = table.scalars(serialized), table.histograms(serialized)
            numbers = {tag: [h.num, h.sum, h.min, h.max] for tag, h in histograms.items()}
            reports.append((scalars, numbers, report))
        return reports, sess.run({v.op.name: v for v in tf.global_variables()})


def assert_close(found, expected):
    tf.nest.map_structure(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5), found, expected
    )


@pytest.mark.long
@pytest.mark.parametrize(
    'name, num_devices',
    [('impala', 4), ('labels', 2), ('cloning', 2), ('critic', 2), ('whole critic', 2)],
)
def test_an_update_is_that_of_one_device(name, num_devices):
    """Losses, metrics, counts, statistics of PopArt, weights and slots after two updates."""
    options = dict(
        value_normalisation='popart', argument_conditioning=name in ('labels', 'cloning')
    )
    if name == 'impala':
        options['name'] = 'fully_conv_lstm'
    expected = updated(ALGORITHMS[name], 1, **options)
    found = updated(ALGORITHMS[name], num_devices, **options)
    assert_close(found, expected)
    changed = [scalars['value/mean'] for scalars, _, _ in expected[0]] if name == 'impala' else []
    assert len(set(changed)) == len(changed)


@pytest.mark.long
def test_minibatches_take_their_share_of_every_device(monkeypatch):
    """The columns 0 and 2, then 1 and 3, in both epochs: with two devices one of each."""

    def orders(batch, *unused):
        rows = [[[0], [0]], [[1], [1]]] if batch.parts else [[[0, 2]], [[1, 3]]]
        return tf.constant(rows + rows)

    monkeypatch.setattr(minibatches, 'orders', orders)
    options = dict(name='fully_conv_lstm', value_normalisation='popart', num_updates=1)
    one, two = [updated(ALGORITHMS['appo'], count, **options) for count in (1, 2)]
    assert_close(two, one)
    assert one[0][0][0]['appo/minibatches'] == 4


@pytest.mark.long
def test_gradients_and_not_only_values_are_those_of_one_device():
    """With an epsilon far above every gradient, the change of a weight is its gradient."""
    plain = ImpalaSettings(
        learning_rate=1e8, adam_beta1=0.0, adam_beta2=0.0, adam_epsilon=1e8, clip_grad_norm=0.0
    )
    with tf.Graph().as_default(), session() as sess:
        agent, _, _ = build(Impala(plain), 1)
        sess.run(tf.global_variables_initializer())
        randomise(agent, sess)
        before = sess.run({v.op.name: v for v in agent.weights})
    moved = []
    for num_devices in (1, 2):
        _, after = updated(Impala(plain), num_devices, num_updates=1)
        moved.append({name: after[name] - before[name] for name in before})
    # Units that are never active have no gradient.
    assert np.mean([np.abs(change).max() > 1e-3 for change in moved[0].values()]) > 0.5
    for name, change in moved[0].items():
        scale = max(1e-2, np.abs(change).max())
        np.testing.assert_allclose(moved[1][name] / scale, change / scale, atol=1e-3)


@pytest.mark.long
@pytest.mark.parametrize('agent', ['relational', 'unet_lstm'])
def test_every_agent_can_be_spread(agent):
    one, two = [updated(ALGORITHMS['impala'], count, name=agent) for count in (1, 2)]
    assert_close(two, one)


@pytest.mark.long
def test_staged_parts_are_those_of_the_batch():
    expected = updated(ALGORITHMS['cloning'], 1)
    assert_close(updated(ALGORITHMS['cloning'], 2, staged=True), expected)


def operations(num_devices, staged=False):
    """Name, type and device of every operation of an update."""
    with tf.Graph().as_default() as graph:
        build(ALGORITHMS['impala'], num_devices, staged)
        return [(op.name, op.type, op.device) for op in graph.get_operations()]


def test_one_device_changes_nothing(monkeypatch):
    """With one device the graph is that of a learner which knows nothing of devices."""
    found = operations(1)
    monkeypatch.setattr(batch_lib, 'split', lambda batch, devices: batch)
    monkeypatch.setattr(
        'sc2impala.learner.towers.gradients', lambda loss, variables: tf.gradients(loss, variables)
    )
    assert found == operations(1)
    assert not any('tower' in name for name, _, _ in found)
    assert {device for _, _, device in found} == {'', '/device:CPU:*'}


def test_both_directions_run_on_the_device_of_a_part():
    """Every convolution of a tower, and both of its gradients, are on the tower's device."""
    with tf.Graph().as_default(), session() as sess:
        agent, update, _ = build(ALGORITHMS['impala'], 2)
        sess.run(tf.global_variables_initializer())
        randomise(agent, sess)
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
        metadata = tf.RunMetadata()
        sess.run(update.train, options=options, run_metadata=metadata)
    counts = {}
    for partition in metadata.partition_graphs:
        for node in partition.node:
            kind = re.match(r'_?(?:Fused|MklNative)*(Conv2D(?:Backprop\w+)?)$', node.op)
            if kind:
                key = kind.group(1), node.device[-1]
                counts[key] = counts.get(key, 0) + 1
    kinds = sorted({kind for kind, _ in counts})
    assert kinds[0] == 'Conv2D' and len(kinds) >= 2
    for kind in kinds:
        assert counts[kind, '0'] == counts[kind, '1'] > 0


def test_staging_areas_are_on_the_devices_of_the_parts():
    """The device strings that a machine with GPUs gets; observations go where they are used."""
    with tf.Graph().as_default() as graph:
        agent, specs = make_agent()
        played = tf.nest.map_structure(
            lambda s: tf.TensorSpec([T + 1, B] + s.shape.as_list(), s.dtype), agent.output_spec()
        )
        batch = table.make_batch(*random_batch(specs, played, with_labels=False))
        with tf.device('/cpu'):
            batch = batch_lib.split(batch, ['/gpu:0', '/gpu:1'])
        staged, _ = batch_lib.stage(batch, '/gpu:0')
        stages = [op for op in graph.get_operations() if op.type in ('Stage', 'Unstage')]
        devices = [op.device for op in stages]
        # Of the whole and of each part: what puts it there, takes it out, and puts it back.
        assert devices == ['/device:GPU:0'] * 6 + ['/device:GPU:1'] * 3
        assert all(
            op.device == '/device:CPU:*' for op in graph.get_operations() if 'Split' in op.type
        )
        whole, *of_parts = [op for op in stages if op.type == 'Stage'][::2]
        screen = batch.env_outputs.observation['screen']['player_relative']
        assert not any(t.shape[2:] == screen.shape[2:] != [] for t in whole.inputs)
        for part, stage in zip(staged.parts, of_parts):
            layer = part.env_outputs.observation['screen']['player_relative']
            assert layer.shape.as_list() == [T + 1, B // 2] + screen.shape.as_list()[2:]
            assert layer.shape in [t.shape for t in stage.inputs]


def test_soft_placement_runs_an_update_for_devices_that_are_missing():
    """What is placed on GPUs falls back to the CPU, staging areas included."""
    with tf.Graph().as_default():
        agent, specs = make_agent()
        played = tf.nest.map_structure(
            lambda s: tf.TensorSpec([T + 1, B] + s.shape.as_list(), s.dtype), agent.output_spec()
        )
        env, mu = random_batch(specs, played)
        batch = table.make_batch(env, mu, REPLAYED, agent_state=agent.initial_state(B))
        batch, (put, _) = batch_lib.stage(batch_lib.split(batch, ['/gpu:0', '/gpu:1']), '/gpu:0')
        schedule = optimization.Schedule(tf.train.get_or_create_global_step(), 1000)
        with tf.device('/gpu:0'):
            update = Impala(ImpalaSettings()).build_update(agent, batch, agent.weights, schedule)
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(put)
            frames, _, _ = sess.run([update.frames, update.train, put])
    assert frames == mu.step_mul[1:, :2].sum()
