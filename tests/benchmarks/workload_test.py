import pytest

from benchmarks import workload
from tests.benchmarks import scripts


@pytest.fixture(scope='module')
def settings():
    return workload.make_settings(scripts.TINY)


@pytest.mark.parametrize('flags', list(workload.WORKLOADS.values()))
def test_every_workload_has_valid_flags(flags):
    assert workload.sizes(workload.make_settings(flags)).num_envs > 0


def test_sizes():
    flags = ['--replay_proportion=0.25', '--num_envs=8']
    sizes = workload.sizes(workload.make_settings(scripts.TINY + tuple(flags)))
    assert sizes == (8, 1, 3, 4, 1)
    assert sizes.steps_per_unroll == 8 * 3 and sizes.steps_per_update == 3 * 3


IMITATION = scripts.TINY + (
    '--backend=simulator',
    '--map_name=DefeatRoaches',
    '--from_scratch=False',
    '--agent=atari_net',
    '--demonstrator=LH',
    '--cloning_batch_size=2',
    '--teacher_cost=0',
)


def test_sizes_are_those_of_the_first_phase():
    sizes = workload.sizes(workload.make_settings(IMITATION))
    assert sizes == (2, 1, 3, 2, 0)


@pytest.mark.parametrize('name', workload.PARTS)
def test_parts_of_an_imitation(name):
    with workload.part(name, workload.make_settings(IMITATION)) as (run, amount):
        assert amount == (3 * 2 if name == 'learner' else 2 * 3)
        assert run() > 0 and run() > 0


@pytest.mark.long
def test_flops_of_the_network(settings):
    # Without a recurrent core every step has the same number of operations.
    act = workload.flops(settings, 'act')
    twice = workload.flops(workload.make_settings(scripts.TINY + ('--num_envs=4',)), 'act')
    forward = workload.flops(settings, 'forward')
    assert sorted(act) == ['Conv2D', 'MatMul']
    assert twice == {name: 2 * amount for name, amount in act.items()}
    assert forward == {name: 4 * 4 / 2 * amount for name, amount in act.items()}
    update = workload.flops(settings, 'update')
    assert update['Conv2D'] == forward['Conv2D']
    assert 0 < update['Conv2DBackpropFilter'] <= update['Conv2D']
    assert 0 < update['Conv2DBackpropInput'] < update['Conv2D']
    assert 2 * forward['MatMul'] < update['MatMul'] <= 3 * forward['MatMul']


@pytest.mark.parametrize('name', workload.PARTS)
def test_parts(name):
    with_replay = workload.make_settings(scripts.TINY + ('--replay_proportion=0.25',))
    with workload.part(name, with_replay) as (run, amount):
        assert amount == (3 * 3 if name == 'learner' else 2 * 3)
        assert run() > 0 and run() > 0


def test_environments_of_a_part_continue_their_episodes(monkeypatch):
    settings = workload.make_settings(
        ['--backend=synthetic', '--map_name=Frames', '--screen_size=4', '--num_envs=2']
        + ['--unroll_length=3', '--step_mul=8']
    )
    played, closed = [], []
    environment = workload.make_environment(settings)
    step, close = environment.step, environment.close
    environment.step = lambda *args: played.append(step(*args)) or played[-1]
    environment.close = lambda: closed.append(close())
    monkeypatch.setattr(workload.parts, 'make_environment', lambda settings: environment)
    with workload.part('environment', settings) as (run, _):
        run()
        run()
        assert not closed
    assert closed
    assert played[-1].info.episode_steps.tolist() == [6, 6]
    assert played[-1].info.episode_frames.tolist() == [6 * 8] * 2


def test_matrix_product():
    with workload.matrix_product(size=8) as (run, amount):
        assert run() > 0
    assert amount == 2 * 8 * 8 * 8


def test_rate_alone(monkeypatch, settings):
    class Part:
        def __enter__(self):
            return (lambda: 0.5), 40

        def __exit__(self, *exc_info):
            pass

    monkeypatch.setattr(workload.parts, 'part', lambda *args: Part())
    assert workload.rate_alone('actor', settings, 0) == 80


def test_bound_by_the_network():
    assert workload.network_bound(300.0, 150.0) == pytest.approx(100.0)
