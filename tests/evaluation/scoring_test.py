"""Whole episodes: how many each environment plays, which count, and what is reported."""

import json

import numpy as np
import pytest

from sc2impala import structs
from sc2impala.errors import UserError
from sc2impala.evaluation import scoring
from tests import fakes
from tests.runtime.tiny import make_settings


class NoOpPlayer:
    """Plays function 0, 7 frames at a time, and remembers what it saw."""

    def __init__(self, env):
        self.seen = []
        self._action = {head: np.zeros(env.num_envs, np.int32) for head in env.action_spec.heads}

    def __call__(self, env_output):
        self.seen.append(env_output)
        return self._action, np.full(env_output.done.shape, 7, np.int32)


class Picture:
    def __init__(self):
        self.steps = []

    def add(self, *step):
        self.steps.append(step)


@pytest.mark.parametrize('num_episodes, shares', [(3, [1, 1, 1]), (8, [3, 3, 2]), (9, [3, 3, 3])])
def test_every_environment_plays_its_share(num_episodes, shares):
    """Episodes of environment k last 2 + k steps: the short ones would fill the quota first."""
    env = fakes.FakeEnvironment(3, episode_steps=2)
    infos = scoring.play_episodes(env, NoOpPlayer(env), num_episodes)
    lengths = [info.episode_steps for info in infos]
    assert sorted(lengths) == sorted(np.repeat([2, 3, 4], shares))
    assert [info.episode_frames for info in infos] == [7 * length for length in lengths]
    assert all(type(value) in (int, float, bool) for info in infos for value in info)


def test_aborted_episodes_are_played_again():
    env = fakes.FakeEnvironment(2, episode_steps=3, abort_every=2)
    player = NoOpPlayer(env)
    infos = scoring.play_episodes(env, player, 6)
    assert not any(info.aborted for info in infos)
    assert sorted(info.episode_steps for info in infos) == [3, 3, 3, 4, 4, 4]
    # Three episodes of four steps each, and the two aborted ones between them.
    assert len(player.seen) == 5 * 4


def test_the_first_observation_begins_an_episode():
    env = fakes.FakeEnvironment(2)
    player = NoOpPlayer(env)
    scoring.play_episodes(env, player, 2)
    assert player.seen[0].done.all() and not player.seen[1].done.any()
    assert env.tape[0] == 'reset' and env.tape.count('reset') == 1


def test_the_picture_gets_one_episode_of_the_first_environment():
    env, picture = fakes.FakeEnvironment(2, episode_steps=3), Picture()
    scoring.play_episodes(env, NoOpPlayer(env), 6, picture)
    assert len(picture.steps) == 3
    observation, action, step_mul, reward, episode_return = picture.steps[-1]
    assert observation['screen']['unit_hit_points'].shape == (3, 4)
    assert action['function'] == 0 and step_mul == 7
    assert (reward, episode_return) == (1.0, 3.0)


def infos(returns):
    return [structs.EpisodeInfo(float(r), 100, 10, False) for r in returns]


def test_summary():
    settings = make_settings(policy='greedy')
    about = scoring.describe(settings.environment, settings.evaluation, 4)
    result = dict(about, **scoring.summarize(infos([1, 2, 6])))
    assert json.loads(json.dumps(result)) == {
        'map_name': 'MoveToBeacon',
        'backend': 'simulator',
        'policy': 'greedy',
        'temperature': None,
        'num_episodes': 3,
        'mean_return': 3.0,
        'std_return': pytest.approx((14 / 3) ** 0.5),
        'min_return': 1.0,
        'max_return': 6.0,
        'environment_frames': 300,
        'seed': 4,
        'step_mul': None,
        'eval_max_step_mul': None,
    }


@pytest.mark.parametrize(
    'policy, fixed_step_mul, step_mul',
    [
        ('sampled', True, 9),
        ('greedy', True, 9),
        ('sampled', False, None),
        ('greedy', False, None),
        ('random', False, 9),
        ('scripted', False, 9),
    ],
)
def test_description_shows_a_fixed_step_mul(policy, fixed_step_mul, step_mul):
    settings = make_settings(step_mul=9, fixed_step_mul=fixed_step_mul, policy=policy)
    about = scoring.describe(settings.environment, settings.evaluation, 0)
    assert about['step_mul'] == step_mul


@pytest.mark.parametrize(
    'policy, fixed_step_mul, limit, step_mul',
    [
        ('sampled', True, 4, 4),
        ('greedy', True, 12, 9),
        ('sampled', False, 4, None),
        ('scripted', True, 4, 9),
    ],
)
def test_description_shows_how_often_the_agent_acts(policy, fixed_step_mul, limit, step_mul):
    settings = make_settings(
        step_mul=9, fixed_step_mul=fixed_step_mul, policy=policy, eval_max_step_mul=limit
    )
    about = scoring.describe(settings.environment, settings.evaluation, 0)
    assert about['step_mul'] == step_mul
    assert about['eval_max_step_mul'] == (None if policy == 'scripted' else limit)


@pytest.mark.parametrize('policy, expected', [('sampled', 0.5), ('greedy', None), ('random', None)])
def test_description_shows_the_temperature_of_what_is_sampled(policy, expected):
    settings = make_settings(policy=policy, temperature=0.5)
    about = scoring.describe(settings.environment, settings.evaluation, 0)
    assert about['temperature'] == expected


def test_table():
    settings = make_settings()
    about = scoring.describe(settings.environment, settings.evaluation, 0)
    result = dict(about, **scoring.summarize(infos([1, 3, 3, 1])))
    assert scoring.table(result).splitlines() == [
        'map           policy   episodes  mean  +-    std   min  max',
        'MoveToBeacon  sampled  4         2.00  0.50  1.00  1    3',
    ]


def test_a_curve_without_a_finished_episode_is_no_error(tmp_path, capsys):
    """The results of the evaluation are there, and what follows it in a script may use them."""
    episodes = tmp_path / 'episodes.csv'
    episodes.write_text('start,global_step,episode_return,episode_frames,episode_steps\n')
    scoring.save_curve(str(tmp_path), 'MoveToBeacon')
    line = f'--curve draws nothing: {episodes} has no finished episode, expected at least one.\n'
    assert capsys.readouterr().out == line and not (tmp_path / 'curve.png').exists()
    episodes.unlink()
    with pytest.raises(UserError, match='--curve cannot be drawn: .*cannot be read'):
        scoring.save_curve(str(tmp_path), 'MoveToBeacon')
