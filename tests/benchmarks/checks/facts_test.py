import numpy as np
import pytest

from benchmarks.checks import facts
from benchmarks.checks.facts import data, fights
from sc2impala.sim import unit_types

EPISODES = data.FACTS['recorded_episodes']


def test_the_recorded_episodes_are_complete():
    assert len(EPISODES) == 32
    for episode in EPISODES:
        assert len(episode['marines']) == 9 and len(episode['roaches']) == 4
        loops = [order[0] for order in episode['orders']]
        assert loops == sorted(loops) and loops[0] >= 0 and loops[-1] < episode['loops']
        deaths = episode['marine_deaths']
        assert len({marine for _, marine in deaths}) == len(deaths) <= 9
        assert max(loop for loop, _ in deaths) <= episode['loops']
        assert len(episode['roach_deaths']) <= 4
    assert data.FACTS['shards'] == 8753
    assert sum(data.FACTS['loops_in_reach'].values()) == 7704


def test_the_recorded_units_start_in_their_cells():
    episode = EPISODES[0]
    x, y = fights._draw_starts(episode['marines'], np.random.RandomState(0), 50)
    np.testing.assert_array_equal(np.floor(x), np.broadcast_to([41] * 9, [50, 9]))
    np.testing.assert_array_equal(np.floor(y)[0], [cell[1] for cell in episode['marines']])
    np.testing.assert_allclose(np.diff(y), np.broadcast_to(np.diff(y[0]), [50, 8]))
    assert np.ptp(x[:, 0]) > 0.5 and np.ptp(y[:, 0]) > 0.5


def test_deaths_of_the_first_wave_are_recorded():
    skirmish = fights.Skirmish([0, 1])
    g = skirmish.games.games
    assert [len(skirmish.marines), len(skirmish.roaches)] == [9, 4]

    def kill(game, slots):
        """Removes units in the next frame, in which a missile hurts another one."""
        g.health[game, slots] = 0
        g.missile_at[:, skirmish.marines[0]] = skirmish.loop + 1
        g.missile_target[:, skirmish.marines[0]] = skirmish.marines[8]
        skirmish.run(1)

    skirmish.run(3)
    kill(0, skirmish.marines[2])
    kill(1, skirmish.roaches[1:])
    deaths = skirmish.replayed
    assert deaths.marine_deaths[0, 2] == 4 and deaths.roach_deaths[1, 1:].tolist() == [5] * 3
    kill(1, skirmish.roaches[0])
    assert deaths.roach_deaths[1, 0] == 6
    # The second wave is not recorded.
    assert (g.alive[1, skirmish.roaches] != 0).all()
    kill(1, skirmish.marines[3])
    kill(1, skirmish.roaches[2])
    assert (deaths.marine_deaths != fights.FAR).sum() == 1
    assert deaths.roach_deaths[1].tolist() == [6, 5, 5, 5]
    assert (deaths.roach_deaths[0] == fights.FAR).all()


def test_orders_of_a_recorded_episode_are_obeyed():
    skirmish = fights.Skirmish([0])
    g = skirmish.games.games
    skirmish.order(skirmish.marines[[0, 3]], 'move', (30.0, 30.0))
    skirmish.run(2)
    moving = skirmish.marines[g.order_kind[0, skirmish.marines, 0] != 0]
    np.testing.assert_array_equal(moving, skirmish.marines[[0, 3]])
    skirmish.order(skirmish.marines[[1]], 'attack', (0, 0), skirmish.roaches[2])
    assert g.order_target[0, skirmish.marines[1], 0] == skirmish.roaches[2]
    assert g.owner[0, skirmish.roaches[2]] == unit_types.ENEMY


def test_intervals_between_kills_count_whole_attacks_only():
    assert fights._per_attack([100, 133, 198, 300, 301]) == [33, 32.5]
    assert 50 <= len(fights.real_attack_intervals(1)) <= 60
    for parity in (0, 1):
        assert 32 < fights.real_attack_intervals(parity).mean() < 33.2


def test_a_replayed_episode_is_deterministic():
    first = fights.replay(30, 2)
    fights._replay_cached.cache_clear()
    second = fights.replay(30, 2)
    np.testing.assert_array_equal(first.marine_deaths, second.marine_deaths)
    assert first.kills == second.kills and first.kills


@pytest.mark.slow
@pytest.mark.parametrize('fact', sorted(facts.MEASURES))
def test_the_simulator_agrees_with_the_game(fact):
    bands = {name: band for _, name, _, band in facts.ROWS}
    mean = facts.MEASURES[fact](64).mean()
    if bands[fact] is not None:
        assert bands[fact][0] <= mean <= bands[fact][1]
