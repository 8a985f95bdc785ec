import json

import pytest
from s2clientprotocol import sc2api_pb2

from benchmarks.checks import fuzz_api as fuzz


@pytest.mark.long
def test_the_game_survives(capsys):
    assert fuzz.main(['--requests=1500', '--seed=11']) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert result['wrong'] == 0
    assert min(result[key] for key in ('damaged, refused', 'out of order, answered')) > 50
    assert result['over a socket, ended'] >= 150


def test_a_wrong_status_is_noticed(monkeypatch, capsys):
    def answer(session, message):
        session.status = sc2api_pb2.in_game
        response = sc2api_pb2.Response(status=session.status, error=['no'])
        return response.SerializeToString()

    monkeypatch.setattr(fuzz.Session, 'answer', answer)
    assert fuzz.main(['--requests=100']) == 1
    assert 'changed the game' in capsys.readouterr().out


def test_a_handler_that_fails_is_noticed(monkeypatch):
    def fail(client):
        raise KeyError('something')

    monkeypatch.setattr(fuzz, 'serve', fail)
    with pytest.raises(fuzz.WrongAnswer, match='something'):
        fuzz._talk(fuzz.HANDSHAKE)


def test_hanging_is_noticed(monkeypatch):
    monkeypatch.setattr(fuzz, 'LIMIT_SECONDS', 1)
    with pytest.raises(fuzz.WrongAnswer, match='no answer'), fuzz._Deadline(b'x'):
        while True:
            pass
