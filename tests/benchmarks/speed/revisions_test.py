import os

import pytest

from benchmarks.speed import revisions


def test_both_are_measured_in_turn_after_a_round_that_is_not_counted():
    calls = []

    def measure(name, sources):
        calls.append((name, sources))
        return {'old': 100.0, 'new': 150.0}[sources] * len(name)

    rates = revisions.compare(measure, ['a', 'bb'], ['old', 'new'], rounds=2)
    assert rates == {'a': [(100.0, 150.0)] * 2, 'bb': [(200.0, 300.0)] * 2}
    assert len(calls) == 12
    assert calls[4:8] == [
        ('a', 'old'),
        ('a', 'new'),
        ('bb', 'old'),
        ('bb', 'new'),
    ]
    assert [sources for _, sources in calls[8:10]] == ['new', 'old']


def test_ratios_are_of_each_round():
    rates = {'MoveToBeacon': [(100.0, 200.0), (50.0, 125.0), (40.0, 60.0)]}
    assert revisions.ratios(rates) == {'MoveToBeacon': 2.0}
    row = revisions.table(rates).splitlines()[-1]
    assert row == '| MoveToBeacon | 50 | 125 | 2.00 | 1.50 to 2.50 |'


def test_an_unknown_revision_is_named(tmp_path):
    with pytest.raises(SystemExit, match='no-such-commit cannot be checked out: '):
        revisions.check_out('no-such-commit', str(tmp_path))


def test_no_rounds_are_refused(capsys):
    with pytest.raises(SystemExit):
        revisions.main(['HEAD', '--rounds=0'])
    assert '--rounds=0, expected at least 1.' in capsys.readouterr().err


@pytest.mark.slow
def test_a_revision_is_checked_out(tmp_path):
    found = revisions.check_out('HEAD', str(tmp_path))
    assert os.path.exists(os.path.join(found, 'sc2impala', 'experiment.py'))
    assert revisions.check_out('HEAD', str(tmp_path)) != found
