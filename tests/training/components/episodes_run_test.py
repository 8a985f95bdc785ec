"""What a run tells of its episodes, on a fake game of known lengths and returns."""

import numpy as np
import pytest

from sc2impala.factories import environments
from tests import fakes
from tests.runtime import tiny


@pytest.fixture
def fake_game(monkeypatch):
    """Makes runs play a fake environment; called with how often its episodes abort."""

    def install(abort_every):
        env = fakes.FakeEnvironment(4, 5, abort_every)
        monkeypatch.setattr(environments, 'make_specs', lambda environment: fakes.make_specs())
        monkeypatch.setattr(environments, 'make_environment', lambda *args: env)
        return env

    return install


def expected_episodes(num_unrolls, abort_every):
    """Lengths of the episodes that end in N unrolls of four environments, aborts left out."""
    lengths = []
    for length in 5 + np.arange(4):
        numbers = np.arange(5 * num_unrolls // length)
        numbers = numbers[numbers % abort_every != abort_every - 1]
        lengths += [length] * len(numbers)
    return sorted(lengths)


class TestStatistics:
    FLAGS = ('--step_mul=8', '--deterministic')

    @pytest.mark.long
    def test_every_episode_that_was_not_aborted_is_listed_once(self, fake_game, tmp_path, capsys):
        """Also when finished episodes are replayed again and again."""
        num_unrolls = 30
        env = fake_game(abort_every=2)
        total = num_unrolls * 4 * 5 * 8
        flags = self.FLAGS + tiny.HALF_REPLAYED + (f'--total_environment_frames={total}',)
        assert tiny.main(tmp_path, *flags) == 0
        rows = tiny.episodes(tmp_path)
        assert sorted(row[4] for row in rows) == expected_episodes(num_unrolls, 2)
        assert all(row[3] == 8 * row[4] for row in rows)
        assert env.tape[-1] == 'close'
        # TensorBoard shows the same returns: means of those that ended in one update.
        shown = tiny.summaries(tmp_path)['MoveToBeacon/episode_return']
        by_step = {}
        for _, step, episode_return, _, _ in rows:
            by_step.setdefault(int(step), []).append(episode_return)
        np.testing.assert_allclose(
            [mean for _, mean in shown], list(map(np.mean, by_step.values()))
        )
        assert [step for step, _ in shown] == list(by_step)
        assert 'aborted' in capsys.readouterr().out

    def test_games_are_spread_over_their_episodes(self, tmp_path, capsys):
        tiny.train(tmp_path, 12, '--spread_games', '--deterministic')
        # Episodes of 16 steps: the first ones are aborted after 4, 8 and 12.
        rows = tiny.episodes(tmp_path)
        assert {row[4] for row in rows} == {tiny.EPISODE_STEPS}
        ends = [first + 16 * number for first in (0, 4, 8, 12) for number in (1, 2, 3)]
        ends = sorted(-(-end // 5) for end in ends)
        assert sorted(row[1] / tiny.FRAMES_PER_UPDATE for row in rows) == ends
        assert tiny.summaries(tmp_path)['MoveToBeacon/aborted_episodes'][-1][1] == 3
        assert 'aborted' not in capsys.readouterr().out

    def test_nothing_is_listed_when_all_abort(self, fake_game, tmp_path, capsys):
        fake_game(abort_every=1)
        assert tiny.main(tmp_path, '--total_environment_frames=2000', *self.FLAGS) == 0
        assert tiny.episodes(tmp_path) == []
        tags = tiny.summaries(tmp_path)
        assert sorted(tag for tag in tags if 'MoveToBeacon' in tag) == [
            'MoveToBeacon/aborted_episodes',
            'MoveToBeacon/aborted_frames',
        ]
        # 13 updates of 5 steps in four environments, whose episodes are 5 to 8 steps long.
        assert tags['MoveToBeacon/aborted_episodes'][-1][1] == 13 + 10 + 9 + 8
        assert 'no episode finished yet, 40 aborted' in capsys.readouterr().out
