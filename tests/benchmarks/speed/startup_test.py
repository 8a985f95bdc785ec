import pytest

from benchmarks.instrumented import training_start
from benchmarks.speed import startup
from tests.benchmarks import scripts


def test_time_is_attributed_to_the_innermost_part():
    times = iter([10.0, 11.0, 13.0, 17.0, 25.0, 41.0])
    clock = training_start.Clock(9.5, now=lambda: next(times))

    class Owner:
        def outer(self):
            return self.inner()

        def inner(self):
            return 'done'

    clock.replace(Owner, 'outer', 'graph')
    clock.replace(Owner, 'inner', 'specs and environments')
    clock.switch('settings')
    assert Owner().outer() == 'done'
    clock.lap()
    expected = dict.fromkeys(training_start.PARTS, 0.0)
    expected.update({'interpreter': 0.5, 'settings': 1.0 + 16.0})
    expected.update({'graph': 2.0 + 8.0, 'specs and environments': 4.0})
    assert clock.seconds == expected


def test_a_failing_function_ends_its_part():
    times = iter([1.0, 3.0, 6.0])
    clock = training_start.Clock(0.0, now=lambda: next(times))

    def fail():
        raise KeyError('x')

    with pytest.raises(KeyError):
        clock.timed(fail, 'graph')()
    clock.lap()
    assert clock.seconds['interpreter'] == 4.0 and clock.seconds['graph'] == 2.0


def test_medians_of_several_starts():
    starts = [dict.fromkeys(training_start.PARTS, 1.0) for _ in range(3)]
    starts[0]['graph'] = 5.0
    starts[1]['imports'] = 9.0
    result = startup.summary(starts)
    assert result['starts'] == 3
    assert set(result['seconds'].values()) == {1.0, 8 + 4.0}
    assert result['seconds']['whole'] == 12.0


@pytest.mark.slow
def test_a_start(monkeypatch, capsys):
    monkeypatch.setenv('PYTHONPATH', scripts.ROOT)
    startup.main(['--starts=1'] + list(scripts.TINY))
    result = scripts.last_json(capsys)
    seconds = result['seconds']
    assert list(seconds) == list(training_start.PARTS) + ['whole']
    assert min(seconds.values()) > 0
    assert seconds.pop('whole') == pytest.approx(sum(seconds.values()))
    assert result['flags'] == list(scripts.TINY) and result['starts'] == 1


def test_a_start_that_fails(monkeypatch):
    monkeypatch.setattr(startup.sys, 'executable', '/bin/false')
    with pytest.raises(SystemExit):
        startup.start(scripts.TINY)
