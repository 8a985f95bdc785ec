"""The scores of runs: sources, the latest one, policies, and damaged files."""

import numpy as np
import pytest

from sc2impala.compare import runs, scores
from sc2impala.errors import UserError
from sc2impala.evaluation.log import EvaluatedPolicy
from tests.compare.example_runs import row, write_run


def evaluated(frames, mean, **values):
    return dict(global_step=frames, mean_return=mean, **values)


def read(*folders, **arguments):
    return scores.read_scores(runs.find_runs(folders), **arguments)


def test_the_latest_evaluation_comes_first(tmp_path):
    folder = write_run(
        tmp_path / 'a',
        returns=[1, 2],
        evaluations=[evaluated(100, 3), evaluated(300, 5), evaluated(200, 4)],
        evaluation={},
    )
    found = read(folder)
    assert found.source == 'evaluations.csv' and found.policy == EvaluatedPolicy('sampled', 1.0, 0)
    assert found.scores == [scores.Score(300, 20, 5.0, 2.0, None, found.policy)]
    assert read(folder, frames=299).scores[0].mean == 4
    assert read(folder, frames=200).scores[0].mean == 4


def test_evaluation_files_come_second(tmp_path):
    folder = write_run(tmp_path / 'a', returns=[1, 2], evaluation={})
    found = read(folder)
    assert found.source == 'evaluation.json' and found.scores[0].frames == 500
    assert found.scores[0].returns.tolist() == [4, 5, 6]
    # Those of checkpoints are found by their frames, and the best model is none of them.
    content = (tmp_path / 'a' / 'evaluation.json').read_text()
    for name, frames, mean in (('200', 200, 2.0), ('best-900', 900, 9.0)):
        text = content.replace('500', str(frames)).replace(
            '"mean_return": 5.0', f'"mean_return": {mean}'
        )
        (tmp_path / 'a' / f'evaluation-{name}.json').write_text(text)
    assert read(folder).scores[0].mean == 5
    assert read(folder, frames=499).scores[0].mean == 2


def test_episodes_of_the_training_come_last(tmp_path):
    folder = write_run(tmp_path / 'a', returns=[1, 2, 3, 4, 8])
    found = read(folder, last=3)
    assert found.source == 'episodes.csv' and found.policy is None
    (score,) = found.scores
    assert (score.frames, score.num_episodes, score.mean) == (500, 3, 5)
    assert score.std == pytest.approx(np.std([3, 4, 8]))
    (before,) = read(folder, last=3, frames=499).scores
    assert (before.frames, before.mean) == (400, 3)
    assert read(folder).scores[0].num_episodes == 5


def test_all_runs_have_the_same_source(tmp_path):
    both = write_run(tmp_path / 'a', returns=[1], evaluations=[evaluated(100, 3)])
    one = write_run(tmp_path / 'b', returns=[2])
    found = read(both, one)
    assert found.source == 'episodes.csv' and [score.mean for score in found.scores] == [1, 2]
    assert read(both, one, source='episodes.csv').source == 'episodes.csv'
    with pytest.raises(UserError, match='no comparable scores: .*b has none in evaluations.csv;'):
        read(both, one, source='evaluations.csv')


def test_scores_of_different_policies_are_not_compared(tmp_path):
    greedy = dict(policy='greedy', temperature='')
    a = write_run(tmp_path / 'a', evaluations=[evaluated(1, 3), evaluated(2, 4, **greedy)])
    b = write_run(tmp_path / 'b', evaluations=[evaluated(1, 5), evaluated(9, 6, temperature=0.5)])
    found = read(a, b)
    assert found.policy == EvaluatedPolicy('sampled', 1.0, 0)
    assert [score.mean for score in found.scores] == [3, 5]
    c = write_run(tmp_path / 'c', evaluations=[evaluated(9, 6, eval_max_step_mul=2)])
    with pytest.raises(UserError, match='in evaluations.csv are of different policies'):
        read(a, c)


def test_nothing_before_a_number_of_frames(tmp_path):
    folder = write_run(tmp_path / 'a', returns=[1], evaluations=[evaluated(50, 3)])
    with pytest.raises(UserError, match='no comparable scores at or before --frames=20: '):
        read(folder, frames=20)


def test_lines_that_a_kill_has_cut_off_are_skipped(tmp_path):
    folder = write_run(tmp_path / 'a', evaluations=[evaluated(100, 3)])
    path = tmp_path / 'a' / 'evaluations.csv'
    with open(path, 'a') as file:
        file.write(row(global_step=200, mean_return=77)[:-3])
    assert read(folder).scores[0].mean == 3
    # A table of an older version.
    path.write_text(
        'global_step,policy,seed,num_episodes,mean_return,std_return\n100,sampled,0,4,2.5,1\n'
    )
    assert read(folder).policy == EvaluatedPolicy('sampled', 1.0, 0)


@pytest.mark.parametrize(
    'name, content',
    [
        ('evaluations.csv', 'a,b\n1,2\n'),
        ('evaluations.csv', row(global_step=1, mean_return='nan')),
        ('evaluation.json', '{'),
        ('evaluation.json', '{"checkpoint_frames": 5}'),
        ('episodes.csv', 'start,global_step,episode_return\n0,x,1\n'),
        ('episodes.csv', 'start,global_step,episode_return\n0,1,inf\n'),
    ],
)
def test_damaged_files_are_named(tmp_path, name, content):
    folder = write_run(tmp_path / 'a', evaluations=[evaluated(1, 1)], evaluation={})
    if content.startswith('1,'):
        header = (tmp_path / 'a' / 'evaluations.csv').read_text().splitlines()[0]
        content = f'{header}\n{content}\n'
    (tmp_path / 'a' / name).write_text(content)
    with pytest.raises(UserError, match=f'{name} (cannot be read|has a line without)'):
        read(folder, source=name)


def test_an_evaluation_lists_as_many_returns_as_it_says(tmp_path):
    folder = write_run(tmp_path / 'a', evaluation={'num_episodes': 4})
    with pytest.raises(UserError, match='has not 4 finite returns'):
        read(folder)


def test_means_of_other_episodes():
    rng = np.random.default_rng(0)
    returns = np.array([1.0, 2.0, 9.0])
    known = scores.Score(0, 3, 4.0, returns.std(), returns).resampled_means(20000, rng)
    normal = scores.Score(0, 3, 4.0, returns.std()).resampled_means(20000, rng)
    for means, factor in ((known, 1 / 3), (normal, 1 / 2)):
        np.testing.assert_allclose(means.mean(), 4, atol=0.05)
        np.testing.assert_allclose(means.var(), returns.var() * factor, rtol=0.05)
    assert scores.Score(0, 1, 4.0, 0.0).resampled_means(2, rng).tolist() == [4, 4]


class TestSeveralMaps:
    """A run on two maps is compared on each of them."""

    MAPS = ('MoveToBeacon', 'DefeatRoaches')

    def make(self, tmp_path, **contents):
        folder = write_run(tmp_path / 'a', map_name=','.join(self.MAPS), **contents)
        found = runs.find_runs([folder])
        assert [run.map_name for run in found] == list(self.MAPS)
        return found

    def means(self, found):
        return [scores.read_scores([run]).scores[0].mean for run in found]

    def test_evaluations(self, tmp_path):
        table = [evaluated(100, mean, map_name=name) for mean, name in zip((3, 40), self.MAPS)] + [
            evaluated(200, mean, map_name=name) for mean, name in zip((5, 70), self.MAPS)
        ]
        assert self.means(self.make(tmp_path, evaluations=table)) == [5, 70]

    def test_evaluation_files(self, tmp_path):
        found = self.make(tmp_path, evaluation={})
        path = tmp_path / 'a' / 'evaluation.json'
        content = path.read_text()
        path.unlink()
        for mean, name in zip((5, 70), self.MAPS):
            text = content.replace('"mean_return": 5.0', f'"mean_return": {mean}.0')
            (tmp_path / 'a' / f'evaluation-{name}.json').write_text(text)
        assert self.means(found) == [5, 70]

    def test_episodes(self, tmp_path):
        found = self.make(tmp_path)
        lines = ['start,global_step,episode_return,episode_frames,episode_steps,map_name']
        lines += [f'0,{100 * i},{i},10,1,{self.MAPS[i % 2]}' for i in range(6)]
        (tmp_path / 'a' / 'episodes.csv').write_text('\r\n'.join(lines) + '\r\n')
        assert self.means(found) == [2, 3]
