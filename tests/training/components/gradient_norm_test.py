"""When a line reports a spike of the gradient norm."""

import types

import pytest

from sc2impala.training.components.gradient_norm import FACTOR, FIRST, ExplosionHook, ExplosionWatch


def looked(norms):
    watch = ExplosionWatch()
    return watch, [watch.look(norm) for norm in norms]


def test_the_scale_is_a_geometric_mean():
    watch, _ = looked([2.0, 8.0])
    assert watch.scale == pytest.approx(4.0)
    watch, found = looked([3.0] * 1000)
    assert watch.scale == pytest.approx(3.0) and set(found) == {None}


def test_a_norm_far_above_it_is_found():
    for factor, expected in ((0.99, None), (1.01, 2.0)):
        _, found = looked([2.0] * FIRST + [2.0 * factor * FACTOR])
        assert found[:-1] == [None] * FIRST
        assert found[-1] == pytest.approx(expected)


def test_nothing_is_said_of_the_first_updates_and_of_none():
    _, found = looked([1.0] * (FIRST - 1) + [1000.0])
    assert set(found) == {None}
    watch, found = looked([0.0] * 100 + [1.0])
    assert watch.scale == 1.0 and set(found) == {None}


def test_the_scale_follows():
    _, found = looked([1.0] * FIRST + [1000.0] * 200)
    assert found[FIRST] is not None and found[-1] is None


class TestHook:
    @staticmethod
    def phase(norm='norm'):
        return types.SimpleNamespace(title='training', grad_norm=norm)

    @staticmethod
    def see(hook, norm, count=1):
        for _ in range(count):
            hook.after_run(None, types.SimpleNamespace(results=norm))

    def test_says_it_once_a_minute(self, capsys):
        now = [0.0]
        hook = ExplosionHook(lambda: now[0])
        hook.begin_phase(self.phase(), 0)
        assert hook.before_run(None).fetches == 'norm'
        self.see(hook, 3.0, FIRST)
        self.see(hook, 3000.0, 2)
        line = capsys.readouterr().out
        assert line.count('gradient norm spike in training: 3e+03') == line.count('\n') == 1
        assert '1,000 times its running geometric mean of 3; ' in line
        now[0] = 61.0
        self.see(hook, 3000.0)
        assert 'gradient norm spike' in capsys.readouterr().out

    def test_each_phase_has_a_scale_of_its_own(self, capsys):
        hook = ExplosionHook()
        hook.begin_phase(self.phase(), 0)
        self.see(hook, 1.0, FIRST)
        hook.begin_phase(self.phase(), 0)
        self.see(hook, 1e6, FIRST)
        assert not capsys.readouterr().out

    def test_an_algorithm_without_a_norm(self, capsys):
        hook = ExplosionHook()
        hook.begin_phase(self.phase(None), 0)
        assert hook.before_run(None) is None
        self.see(hook, None, 2)
        assert not capsys.readouterr().out
