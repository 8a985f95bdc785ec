"""Games equal their recording, which was made by another implementation of the same rules."""

import json

import pytest

from sc2impala import sim
from tests.sim import recorded_games


@pytest.fixture(scope='module')
def recorded():
    return json.loads(recorded_games.PATH.read_text())


def test_every_game_is_recorded(recorded):
    assert set(recorded) == {'/'.join(map(str, which)) for which in recorded_games.GAMES}


@pytest.mark.long
@pytest.mark.parametrize('map_name,player,seed', recorded_games.GAMES)
def test_a_game_equals_its_recording(recorded, map_name, player, seed):
    expected = recorded[f'{map_name}/{player}/{seed}'].split()
    played = recorded_games.play(sim.make, recorded_games.digest_of, map_name, player, seed)
    assert len(played) == recorded_games.STEPS
    for step, (digest, digest_of_recording) in enumerate(zip(played, expected)):
        assert digest == digest_of_recording, f'the first difference is in step {step}'
    assert len(set(played)) > recorded_games.STEPS // 2
