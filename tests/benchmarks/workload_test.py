import subprocess

import pytest
import tensorflow.compat.v1 as tf

from tests.benchmarks import scripts

workload = scripts.load('workload')


@pytest.fixture(scope='module')
def config():
    return workload.make_config(scripts.TINY)


@pytest.mark.parametrize('flags', list(workload.WORKLOADS.values()))
def test_every_workload_can_be_trained(flags):
    assert workload.make_config(flags).mode == 'train'


def test_arithmetic_of_what_is_needed():
    with tf.Graph().as_default():
        x, weights = tf.ones([3, 4]), tf.ones([4, 5])
        images, kernel = tf.ones([2, 8, 8, 3]), tf.ones([3, 3, 3, 7])
        product = tf.matmul(x, weights)
        picture = tf.nn.conv2d(images, kernel, strides=1, padding='SAME')
        tf.matmul(product, tf.ones([5, 9]))
        assert workload.arithmetic(product.op) == {'MatMul': 2 * 3 * 4 * 5}
        both = workload.arithmetic(tf.group(product, picture))
        of_picture = 2 * (2 * 8 * 8) * (3 * 3 * 3) * 7
        assert both == {'MatMul': 2 * 3 * 4 * 5, 'Conv2D': of_picture}
        gradient = tf.gradients(picture, kernel)[0]
        assert workload.arithmetic(gradient.op) == {'Conv2DBackpropFilter': of_picture}


def test_arithmetic_of_the_network(config):
    # The agent has no memory: one more step is the same work once more.
    act = workload.arithmetic_of(config, 'act')
    twice = workload.arithmetic_of(config._replace(num_envs=4), 'act')
    forward = workload.arithmetic_of(config, 'forward')
    assert sorted(act) == ['Conv2D', 'MatMul']
    assert twice == {name: 2 * amount for name, amount in act.items()}
    assert forward == {name: 4 * 4 / 2 * amount for name, amount in act.items()}
    update = workload.arithmetic_of(config, 'update')
    assert update['Conv2D'] == forward['Conv2D']
    assert 0 < update['Conv2DBackpropFilter'] <= update['Conv2D']
    assert 0 < update['Conv2DBackpropInput'] < update['Conv2D']
    assert 2 * forward['MatMul'] < update['MatMul'] <= 3 * forward['MatMul']


@pytest.mark.parametrize('name', workload.PARTS)
def test_parts(config, name):
    replay = config._replace(replay_proportion=0.25)
    with workload.part(name, replay) as (run, amount):
        assert amount == (3 * 3 if name == 'learner' else 2 * 3)
        assert run() > 0 and run() > 0


def test_games_of_a_part_go_on(monkeypatch):
    config = workload.make_config(
        ['--backend=synthetic', '--map_name=Frames', '--screen_size=4', '--num_envs=2']
        + ['--unroll_length=3']
    )
    played, closed = [], []
    environment = workload.graph.make_environment(
        config, workload.config_lib.make_specs(config), 'training', 2
    )
    step, close = environment.step, environment.close
    environment.step = lambda *args: played.append(step(*args)) or played[-1]
    environment.close = lambda: closed.append(close())
    monkeypatch.setattr(workload.graph, 'make_environment', lambda *args: environment)
    with workload.part('environment', config) as (run, _):
        run()
        run()
        assert not closed
    assert closed
    assert played[-1].info.episode_steps.tolist() == [6, 6]
    assert played[-1].info.episode_frames.tolist() == [6 * config.step_mul] * 2


def test_a_product_of_matrices():
    with workload.matrix_product(size=8) as (run, amount):
        assert run() > 0
    assert amount == 2 * 8 * 8 * 8


def test_everybody_has_a_turn():
    tape = []

    def run(name, seconds):
        return lambda: tape.append(name) or seconds

    found = workload.times_in_turn({'a': run('a', 2.0), 'b': run('b', 3.0)}, seconds=0, rounds=2)
    assert tape == list('ab' + 'aabb' + 'aabb')
    assert found == {'a': [2.0] * 4, 'b': [3.0] * 4}


def test_rate_alone(monkeypatch, config):
    class Part:
        def __enter__(self):
            return (lambda: 0.5), 40

        def __exit__(self, *exc_info):
            pass

    monkeypatch.setattr(workload, 'part', lambda *args: Part())
    assert workload.rate_alone('actor', config, 0) == 80


def test_what_the_network_allows():
    assert workload.allowed_by_network(300.0, 150.0) == pytest.approx(100.0)


def test_in_a_process_of_its_own(monkeypatch, capfd):
    monkeypatch.setenv('PYTHONPATH', scripts.ROOT)
    arguments = ['--maps', 'MoveToBeacon', '--games=2', '--rounds=1', '--seconds=0.01']
    result = workload.in_process_of_its_own('simulator.py', arguments, show=True)
    assert result['games'] == 2
    out = capfd.readouterr().out
    assert 'environment steps/s' in out and '{' not in out
    workload.in_process_of_its_own('simulator.py', arguments)
    assert capfd.readouterr().out == ''
    with pytest.raises(subprocess.CalledProcessError):
        workload.in_process_of_its_own('simulator.py', ['--no-such-flag'])
