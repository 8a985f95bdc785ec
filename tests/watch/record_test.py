import numpy as np
import pytest

from sc2impala.runtime import seeds
from sc2impala.watch import players, record, trace

OPTIONS = players.Options(map_name='MoveToBeacon', step_mul=40)


@pytest.fixture(scope='module')
def recorded():
    """Two episodes of a script."""
    (player,) = players.resolve_players(['script:PySC2'], OPTIONS)
    return record.record(player, 2, 0)


def test_an_episode_is_complete(recorded):
    assert recorded.player.kind == trace.SCRIPT and recorded.world.map_name == 'MoveToBeacon'
    for number, episode in enumerate(recorded.episodes):
        assert episode.number == number
        assert episode.frames.tolist() == list(range(0, 1921, 40))
        assert len(episode.rewards) == 48 and episode.rewards.sum() > 5
        assert episode.values is None and episode.advantages is None
        assert episode.units.type.shape == (48, 2)
        assert (episode.camera == np.array([33, 25]) * trace.POSITION_SCALE).all()
        assert {layer.name for layer in episode.layers} >= {'player_relative'}


def test_games_are_those_of_an_evaluation(recorded):
    (player,) = players.resolve_players(['script:PySC2'], OPTIONS)
    env = player.make_environment(seeds.streams(0, 'evaluation', 2))
    env.reset()
    for k, episode in enumerate(recorded.episodes):
        alive = env.game.games.alive[k] != 0
        expected = np.round(env.game.games.x[k, alive] * trace.POSITION_SCALE)
        np.testing.assert_array_equal(episode.units.x[0], expected)


def test_players_get_the_same_games(recorded):
    (player,) = players.resolve_players(['script:PySC2'], OPTIONS._replace(step_mul=60))
    other = record.record(player, 1, 0, with_layers=False)
    assert not other.episodes[0].layers
    np.testing.assert_array_equal(other.episodes[0].units.x[0], recorded.episodes[0].units.x[0])


def test_the_choices_are_those_of_the_script(recorded):
    """The first one selects the marine, and the second one sends it to the beacon."""
    episode = recorded.episodes[0]
    names = [recorded.player.functions[i] for i in episode.choices.chosen['function'][:2]]
    assert names == ['select_army', 'Move_screen']
    assert episode.units.flags[0, 0] & trace.SELECTED == 0
    assert episode.units.flags[1, 0] & trace.SELECTED
    assert set(recorded.player.head_used[recorded.player.functions.index('Move_screen')]) == {
        'screen',
        'queued',
    }
