"""Episodes that start in visited states: where, how many, and which are counted."""

import numpy as np
import pytest

from sc2impala import envs
from sc2impala.envs import start_states
from sc2impala.envs.start_states import StartShare, StartStates
from sc2impala.errors import UserError
from sc2impala.settings import validation
from tests.runtime import tiny
from tests.sim.maps import short_episodes

K = 8
FRAMES = 320
UPDATE = tiny.FRAMES_PER_UPDATE


@pytest.fixture(autouse=True)
def short(monkeypatch):
    short_episodes(monkeypatch, 'DefeatRoaches', FRAMES)


def make(share, num_envs=K, first_seed=0):
    specs = envs.make_specs('DefeatRoaches', functions=('no_op', 'Attack_screen'))
    seeds = range(first_seed, first_seed + num_envs)
    return envs.make_environment('simulator', 'DefeatRoaches', seeds, *specs, 8, start_share=share)


class Play:
    """Random orders, of which every environment gets the same."""

    def __init__(self, seed=0):
        self._rng = np.random.RandomState(seed)

    def step(self, *of_envs):
        heads = of_envs[0].action_spec.heads
        action = {h: self._rng.randint(n, size=K).astype(np.int32) for h, n in heads.items()}
        step_mul = np.full([K], 8, np.int32)
        return [env.step(action, step_mul) for env in of_envs]


def play(env, num_steps):
    """The returns and frames of the episodes that ended."""
    player, found = Play(), []
    env.reset()
    for _ in range(num_steps):
        (output,) = player.step(env)
        found += zip(
            output.info.episode_return[output.done], output.info.episode_frames[output.done]
        )
    return np.array(found)


def test_without_a_share_nothing_changes():
    np.testing.assert_array_equal(play(make(None), 120), play(make(StartShare(0, 1)), 120))


def test_visited_states_are_those_of_the_best_episodes(monkeypatch):
    monkeypatch.setattr(start_states, '_FEWEST', 4)
    env = make(StartShare(1.0, 10**9))
    archived = []
    record = StartStates.after_step

    def after_step(self, game, frames, ended):
        before, known = self._num_archived, self._returns[: min(self._num_returns, 100)].copy()
        scores = game.score[ended]
        record(self, game, frames, ended)
        archived.extend([(scores, known)] * (self._num_archived - before))

    monkeypatch.setattr(StartStates, 'after_step', after_step)
    found = play(env, 400)
    partial = found[np.isnan(found[:, 0])]
    assert len(partial) > K and len(found) > len(partial)
    # They end when the map ends, however late they started.
    assert partial[:, 1].min() > 0 and partial[:, 1].max() < FRAMES
    assert archived
    for scores, known in archived:
        assert len(known) >= 4 and scores.max() >= np.quantile(known, 0.8) > known.min()


def test_the_frames_of_an_episode_are_those_that_were_played(monkeypatch):
    monkeypatch.setattr(start_states, '_FEWEST', 1)
    env, player = make(StartShare(1.0, 10**9)), Play()
    env.reset()
    before, total = np.zeros([K], np.int32), 0
    for _ in range(200):
        (output,) = player.step(env)
        steps = output.info.episode_frames - before
        assert steps.min() >= 1 and steps.max() <= 8
        total += steps.sum()
        before = np.where(output.done, 0, output.info.episode_frames)
    assert total == env.frames_played


def test_a_visited_state_has_the_units_of_its_origin_and_random_numbers_of_its_own():
    env = make(None)
    game, player = env.game, Play()
    env.reset()
    for _ in range(12):
        player.step(env)
    record = game.record(2)
    others = [game.record(k) for k in range(K)]
    own = {name: game.games[name].copy() for name in ('seed', 'key', 'counter', 'episode')}
    for k in (0, 5):
        game.continue_from(k, record)
    for name in record.dtype.names:
        expected = own.get(name)
        for k in range(K):
            wanted = record[name] if k in (0, 5) else others[k][name]
            wanted = wanted if expected is None or k not in (0, 5) else expected[k]
            np.testing.assert_array_equal(game.games[name][k], wanted, err_msg=name)
    for _ in range(25):
        player.step(env)
    assert len(set(game.games.key)) == K


def test_the_share_falls_to_0_with_the_frames_of_the_games(monkeypatch):
    monkeypatch.setattr(start_states, '_FEWEST', 1)
    found = play(make(StartShare(1.0, 4 * K * FRAMES)), 40 * 9)
    is_partial = np.isnan(found[:, 0])
    assert is_partial.any() and not is_partial[-2 * K :].any()


def test_another_environment_continues_exactly(monkeypatch):
    monkeypatch.setattr(start_states, '_FEWEST', 4)
    share = StartShare(0.8, 10**6)
    first, second = make(share), make(share, first_seed=100)
    play(first, 90)
    second.reset()
    second.set_state(first.get_state())
    player = Play(7)
    for _ in range(90):
        outputs = player.step(first, second)
        for a, b in zip(*[[o.reward, o.done, *o.info] for o in outputs]):
            np.testing.assert_array_equal(a, b)
    states = first.get_state(), second.get_state()
    assert states[0]['start_states/numbers/num_archived'] > 0
    np.testing.assert_equal(*states)


def test_states_of_other_games_are_refused():
    env, other = make(StartShare(0.5, 10)), make(None)
    env.reset()
    other.reset()
    with pytest.raises(ValueError):
        env.set_state(other.get_state())


@pytest.mark.parametrize('share', [StartShare(-0.1, 9), StartShare(1.1, 9), StartShare(0.1, 0)])
def test_shares_out_of_range(share):
    with pytest.raises(ValueError, match='expected'):
        make(share)


@pytest.mark.parametrize(
    'flags, message',
    [
        (['--backend=pysc2'], 'with --backend=pysc2, expected simulator'),
        (['--demonstrator=PySC2'], 'with --demonstrator=PySC2, expected none'),
        (['--map_name=MoveToBeacon,DefeatRoaches'], 'expected MoveToBeacon'),
    ],
)
def test_runs_that_cannot_have_visited_states(tmp_path, flags, message):
    with pytest.raises(UserError) as error:
        validation.check(tiny.read_settings(tmp_path, '--start_state_share=0.5', *flags))
    assert message in str(error.value)


@pytest.mark.long
def test_a_run_counts_whole_episodes_only_and_resumes_exactly(tmp_path, monkeypatch):
    monkeypatch.setattr(start_states, '_FEWEST', 1)
    flags = ('--map_name=DefeatRoaches', '--start_state_share=0.9', '--deterministic')
    whole, resumed = tmp_path / 'whole', tmp_path / 'resumed'
    tiny.train(whole, 8, *flags)
    returns = [row[2] for row in tiny.episodes(whole)]
    assert returns and np.isfinite(returns).all()
    without = tmp_path / 'without'
    tiny.train(without, 8, *flags, '--start_state_share=0')
    assert len(returns) < len(tiny.episodes(without))
    tiny.main(
        resumed,
        *flags,
        f'--total_environment_frames={8 * UPDATE}',
        f'--stop_at_frames={5 * UPDATE}',
    )
    tiny.train(resumed, 8, *flags)
    assert [row[1:] for row in tiny.episodes(resumed)] == [row[1:] for row in tiny.episodes(whole)]
    last = tiny.newest_frames(whole)
    assert tiny.same_arrays(tiny.variables(whole, last), tiny.variables(resumed, last))
