import functools

import pytest

from benchmarks.speed import actor
from tests.benchmarks import scripts


def test_it_measures_the_parts(capsys, monkeypatch):
    product = functools.partial(actor.workload.matrix_product, size=64)
    monkeypatch.setattr(actor.workload, 'matrix_product', product)
    actor.main(['--seconds=0.01', '--rounds=1'] + list(scripts.TINY))
    result = scripts.last_json(capsys)
    assert result['flags'] == list(scripts.TINY) and result['num_envs'] == 2
    rates, shares = result['steps_per_second'], result['share_of_actor']
    assert sorted(rates) == sorted(actor.PARTS) and min(rates.values()) > 0
    assert shares['network'] == pytest.approx(rates['actor'] / rates['network'])
    assert shares['environment'] == pytest.approx(rates['actor'] / rates['environment'])
    assert sum(shares.values()) == pytest.approx(1)
    settings = actor.workload.make_settings(scripts.TINY)
    act = sum(actor.workload.flops(settings, 'act').values())
    assert result['flops_per_step'] == act / 2
    gflops = result['flops_per_step'] * rates['network'] / 1e9
    assert result['gflops_per_second'] == pytest.approx(gflops)
    assert result['share_of_matmul'] == pytest.approx(gflops / result['matmul_gflops_per_second'])


def test_the_network_alone(capsys):
    actor.main(['--only_network', '--seconds=0.01'] + list(scripts.TINY))
    result = scripts.last_json(capsys)
    assert list(result['steps_per_second']) == ['network']
    assert result['steps_per_second']['network'] > 0
    assert 'flops_per_step' not in result
