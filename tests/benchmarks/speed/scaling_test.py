import os

import pytest

from benchmarks.speed import scaling
from tests.benchmarks import scripts


@pytest.mark.parametrize(
    'default, factors, values',
    [
        (32, (0.25, 0.5, 1, 2, 4), [8, 16, 32, 64, 128]),
        (2, (0.25, 0.5, 1, 2, 4), [1, 2, 4, 8]),
        (20, (2,), [20, 40]),
        (3, (0.5, 1.5), [2, 3, 4]),
        (1, (0.01,), [1]),
    ],
)
def test_values_of_an_axis(default, factors, values):
    assert scaling.axis_values(default, factors) == values


def _rows(rates):
    return [{'value': value, 'training': rate} for value, rate in rates]


def test_the_knee():
    assert scaling.knee(_rows([(8, 50.0), (16, 94.0), (32, 96.0), (64, 100.0), (128, 80.0)])) == 32
    assert scaling.knee(_rows([(8, 100.0), (16, 60.0)])) == 8
    assert scaling.knee(_rows([(8, 1.0), (16, 60.0)])) == 16


def test_every_point_is_measured_in_every_round(monkeypatch, capsys, tmp_path):
    tape, alone = [], []

    def measure(flags, seconds, warm_up):
        sizes = scaling.workload.sizes(scaling.workload.make_settings(flags))
        tape.append(tuple(getattr(sizes, axis) for axis in scaling.AXES))
        assert (seconds, warm_up) == (3.0, 1.0)
        # The rounds differ; the medians are 10 * K * B.
        rate = 10.0 * sizes.num_envs * sizes.batch_size * (len(tape) + 5) / 10
        return {'agent_steps_per_second': rate}

    def rate_alone(name, settings, seconds):
        sizes = scaling.workload.sizes(settings)
        alone.append((name, sizes.num_envs, sizes.unroll_length, sizes.batch_size))
        return {'network': 300.0, 'actor': 200.0, 'learner': 150.0}[name]

    monkeypatch.setattr(scaling.end_to_end, 'measure', measure)
    monkeypatch.setattr(scaling.workload, 'rate_alone', rate_alone)
    scaling.main(
        ['--axes', 'num_envs', 'batch_size', '--factors', '1', '2', '--rounds=2']
        + ['--seconds=3', '--warm_up=1', f'--plots={tmp_path}']
        + list(scripts.TINY)
    )
    result = scripts.last_json(capsys)
    # K, actors, T and B; the point of the defaults is on both axes.
    points = [(2, 1, 3, 4), (2, 1, 3, 8), (4, 1, 3, 4)]
    assert tape == points * 2
    assert len(alone) == len(set(alone)) == 6
    assert result['defaults'] == {'num_envs': 2, 'batch_size': 4}
    of_envs = result['axes']['num_envs']
    assert [row['value'] for row in of_envs['points']] == [2, 4]
    first = (10 * 2 * 4) * (6 + 9) / 2 / 10
    assert of_envs['points'][0]['training'] == pytest.approx(first)
    assert of_envs['knee'] == 4
    for row in of_envs['points'] + result['axes']['batch_size']['points']:
        assert row['allowed_by_network'] == pytest.approx(100.0)
        assert (row['network'], row['actor'], row['learner']) == (300.0, 200.0, 150.0)
    assert sorted(os.listdir(str(tmp_path))) == ['scaling_batch_size.png', 'scaling_num_envs.png']
    for path in tmp_path.iterdir():
        assert path.read_bytes().startswith(b'\x89PNG')
