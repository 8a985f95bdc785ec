import numpy as np

from tests.sim import players

NAME = 'CollectMineralShards'


def units(game):
    """Marines [K, 2, 2], shards [K, 20, 2], whether the shards exist [K, 20]."""
    position = np.stack([game.games.x, game.games.y], axis=-1)
    return position[:, :2], position[:, 2:], game.games.alive[:, 2:] != 0


def nearest_marine(marines, shards):
    offsets = shards[:, :, None] - marines[:, None]
    return np.hypot(offsets[..., 0], offsets[..., 1]).min(2)


def test_spawn_rule_over_ten_thousand_episodes():
    game = players.make(NAME, range(2500))
    for _ in range(4):
        game.reset()
        marines, shards, there = units(game)
        assert there.all()
        assert (nearest_marine(marines, shards) >= 2 - 1e-9).all()
        np.testing.assert_allclose(shards.min((0, 1)), (23, 21), atol=0.05)
        np.testing.assert_allclose(shards.max((0, 1)), (43, 35), atol=0.05)
        np.testing.assert_allclose(marines.min((0, 1)), (22, 20), atol=0.05)
        np.testing.assert_allclose(marines.max((0, 1)), (44, 36), atol=0.05)


def test_a_point_for_every_shard_that_is_reached_and_for_nothing_else():
    at_once = {'shard_reach': 1.42, 'shard_period': 1, 'shard_delay': 0}
    game = players.make(NAME, range(20), rules=at_once)
    player = players.Script(NAME, 'PySC2')
    game.reset()
    waves = 0
    for loop in range(1920):
        if loop % 8 == 0:
            game.act(*player(game))
        _, shards, there = units(game)
        score = game.score
        game.advance(np.ones([20], int))
        marines, new_shards, still_there = units(game)
        reached = there & (nearest_marine(marines, shards) <= 1.42)
        np.testing.assert_array_equal(game.score - score, reached.sum(1))

        cleared = (there == reached).all(1)
        waves += cleared.sum()
        np.testing.assert_array_equal(still_there[~cleared], (there & ~reached)[~cleared])
        np.testing.assert_array_equal(new_shards[~cleared], shards[~cleared])
        assert still_there[cleared].all()
        assert (nearest_marine(marines, new_shards)[cleared] >= 2 - 1e-9).all()
    assert waves >= 60


def test_a_shard_looks_every_eighth_frame_and_disappears_two_frames_later():
    game = players.make(NAME, range(20))
    player = players.Script(NAME, 'PySC2')
    game.reset()
    near, there, waves = [], [], []
    for loop in range(1920):
        if loop % 8 == 0:
            game.act(*player(game))
        _, shards, there_before = units(game)
        score = game.score
        game.advance(np.ones([20], int))
        marines, new_shards, there_after = units(game)
        near.append(nearest_marine(marines, shards) <= 1.875)
        is_new = (shards != new_shards).any((1, 2))
        there_after = there_after & ~is_new[:, None]
        there.append(there_before & ~there_after)
        waves.append(is_new)
        np.testing.assert_array_equal(game.score - score, there[-1].sum(1))
    near, gone, waves = np.array(near), np.array(there), np.array(waves)

    phases, inside = [], []
    for game_index in range(20):
        start = 0
        for end in np.flatnonzero(waves[:, game_index]):
            for shard in range(20):
                taken = np.flatnonzero(gone[start : end + 1, game_index, shard])[0]
                history = near[start : start + taken + 1, game_index, shard]
                # It looked two frames before: then a marine was near, and not eight before that.
                assert history[-3] and not (taken >= 10 and history[-11])
                phases.append((taken - 2) % 8)
                inside.append(history[::-1].cumprod().sum())
            start = end + 1
    counts = np.bincount(phases, minlength=8)
    assert len(phases) > 1000 and counts.min() > 0.8 * counts.mean()
    # Loops that a marine was near when the shard disappeared: 3 to 10 alike, as in replays.
    counts = np.bincount(inside, minlength=12)
    assert counts[3:11].sum() > 0.8 * len(inside)
    assert counts[3:11].min() > 0.6 * counts[3:11].mean()


def test_minerals_are_a_hundred_per_shard():
    game = players.make(NAME, range(5))
    players.play(game, players.Script(NAME, 'PySC2'))
    seen = game.observe()
    assert (game.score > 50).all()
    np.testing.assert_array_equal(seen['player'][:, 1], 100 * game.score)
    np.testing.assert_array_equal(seen['score_cumulative'][:, 0], game.score)
    # As in recordings: the value of the marines of all episodes, and no minerals.
    assert (seen['score_cumulative'][:, 3] == 100).all()
    assert not seen['score_cumulative'][:, 7].any()
    game.reset()
    assert (game.observe()['score_cumulative'][:, 3] == 200).all()


def test_scripted_play_scores_as_in_the_real_game():
    game = players.make(NAME, range(40))
    scores = players.play(game, players.Script(NAME, 'PySC2'))
    assert 110 < scores.mean() < 119
    assert scores.max() < 140


def test_random_play_scores_as_in_the_real_game():
    game = players.make(NAME, range(100))
    scores = players.play(game, players.RandomPlayer(0))
    assert 14.5 < scores.mean() < 20
