"""The file with the state of a population."""

import json
import os

import pytest

from sc2impala.errors import UserError
from sc2impala.population import state as state_lib
from sc2impala.population.state import Member, State


def make_state(**values):
    settings, given = {'members': 2, 'seed': 1}, {'map_name': 'MoveToBeacon'}
    members = [
        Member({'learning_rate': 0.1}, 1, state_lib.EVALUATE, 2, 300, None),
        Member({'learning_rate': 1e-05}, None, state_lib.DONE, 0, 200, 1.5),
    ]
    return State(**dict(dict(settings=settings, given=given, members=members), **values))


def test_is_read_as_it_was_written(tmp_path):
    state = make_state(generation=3, history=[{'generation': 0, 'score': None}])
    state.save(str(tmp_path))
    assert state_lib.read(str(tmp_path)) == state
    assert os.listdir(str(tmp_path)) == [state_lib.NAME]


def test_there_is_none(tmp_path):
    assert state_lib.read(str(tmp_path)) is None
    assert state_lib.read(str(tmp_path / 'nowhere')) is None


def test_a_kill_leaves_the_one_before(tmp_path, monkeypatch):
    state = make_state()
    state.save(str(tmp_path))

    def kill(*unused):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, 'replace', kill)
    state.generation = 7
    with pytest.raises(KeyboardInterrupt):
        state.save(str(tmp_path))
    assert state_lib.read(str(tmp_path)).generation == 0


def test_what_is_none_is_refused(tmp_path):
    for change in [
        lambda content: '',
        lambda content: '[]',
        lambda content: json.dumps(content)[:-1],
        lambda content: json.dumps(dict(content, format=2)),
        lambda content: json.dumps(dict(content, more=2)),
        lambda content: json.dumps(dict(content, members=[])),
        lambda content: json.dumps(dict(content, members=[{'settings': {}, 'status': 'sleep'}])),
        lambda content: json.dumps(dict(content, members=[{'status': 'train'}])),
    ]:
        make_state().save(str(tmp_path))
        path = tmp_path / state_lib.NAME
        path.write_text(change(json.loads(path.read_text())))
        with pytest.raises(UserError, match=r'population.json cannot be read \(.*\), expected the'):
            state_lib.read(str(tmp_path))


def test_another_population_is_refused():
    before = make_state()
    state_lib.check_same('runs', before, make_state(generation=5, members=[]))
    other = make_state(
        settings={'members': 3, 'seed': 1}, given={'map_name': 'MoveToBeacon', 'batch_size': 8}
    )
    with pytest.raises(UserError) as error:
        state_lib.check_same('runs', before, other)
    assert '--members=2 (now 3), --batch_size= (now 8)' in str(error.value)
    with pytest.raises(UserError) as error:
        state_lib.check_same('runs', before, other, ['batch_size', 'members'])
    assert '--members=2 (now 3); use' in str(error.value)


def test_what_is_over():
    statuses = (state_lib.TRAIN, state_lib.EVALUATE, state_lib.DONE, state_lib.FAILED)
    assert [Member({}, status=s).is_over for s in statuses] == [False, False, True, True]
