"""Damaged runs resume; the benchmark recognises it by the messages of today."""

import json

import pytest

from benchmarks.faults import damage


@pytest.mark.long
def test_a_few_kinds_of_damage(capsys):
    assert damage.main(['--part=1/92', '--whole=3']) == 0
    summary = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert summary['num_cases'] == summary['right'] >= 5
    assert 1 < summary['by_main'] < summary['num_cases']
    assert summary['resumed'] > 1
