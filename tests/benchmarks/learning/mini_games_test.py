"""The table of results: its numbers, its runs and its pictures."""

import json
import os

import numpy as np
import pytest
from PIL import Image

from benchmarks.learning import mini_games

TINY = (
    '--screen_size=4',
    '--minimap_size=4',
    '--agent=fully_conv',
    '--num_actors=1',
    '--num_envs=2',
    '--unroll_length=5',
    '--batch_size=2',
    '--fixed_step_mul',
    '--step_mul=240',
    '--total_environment_frames=20000',
)


def test_a_row_has_mean_and_standard_error_over_runs():
    runs = [
        dict(mean_return=mean, std_return=50.0, num_episodes=100, seconds=seconds)
        for mean, seconds in ((90.0, 600), (110.0, 1200), (124.0, 1800))
    ]
    expected = np.std([90, 110, 124], ddof=1) / np.sqrt(3)
    assert mini_games.row('DefeatRoaches', runs) == (
        f'| DefeatRoaches | 108.0 ± {expected:.1f} | 50% | 90.0, 110.0, 124.0 | 20 min |'
    )
    assert '| 90.0 ± 5.0 |' in mini_games.row('DefeatRoaches', runs[:1])


@pytest.mark.parametrize('imitates', [False, True])
def test_the_script_is_a_line_where_it_is_imitated(imitates, monkeypatch):
    drawn = []
    monkeypatch.setattr(
        mini_games.learning_curve, 'save_learning_curve', lambda *given: drawn.append(given)
    )
    mini_games.draw('DefeatRoaches', ['a', 'b'], [0, 5], 'picture.png', imitates)
    ((files, path, title, levels),) = drawn
    assert files == {
        f'seed {seed}': os.path.join(folder, 'episodes.csv')
        for seed, folder in ((0, 'a'), (5, 'b'))
    }
    assert (path, title) == ('picture.png', 'DefeatRoaches')
    assert levels['relational agent'] == 303
    assert levels.get('its script') == (mini_games.SCRIPTS['DefeatRoaches'] if imitates else None)


@pytest.mark.parametrize(
    'map_name, more, folder, expected',
    [
        ('DefeatRoaches', [], 'default', True),
        ('DefeatRoaches', ['--demonstrator=none'], 'none', False),
        ('DefeatRoaches', ['--from_scratch'], 'scratch', False),
        ('MoveToBeacon', [], 'default', False),
        ('MoveToBeacon', ['--demonstrator', 'PySC2'], 'PySC2', True),
        ('MoveToBeacon', ['--demonstrator=PySC2', '--from_scratch'], 'scratch', False),
    ],
)
def test_which_runs_imitate(map_name, more, folder, expected, tmp_path, monkeypatch):
    measured, drawn = [], []
    run = dict(mean_return=1.0, std_return=1.0, num_episodes=2, seconds=60)
    monkeypatch.setattr(mini_games, 'measure', lambda *given: measured.append(given) or run)
    monkeypatch.setattr(mini_games, 'draw', lambda *given: drawn.append(given))
    places = ['--seeds', '0', '--folder', str(tmp_path), '--curves', str(tmp_path)]
    mini_games.main(['--map_name', map_name, *places, *more])
    ((logdir, _, _, flags, _),) = measured
    assert logdir == str(tmp_path / f'{map_name}-{folder}-0')
    assert ('--demonstrator=PySC2' in flags) == ('PySC2' in ' '.join(more))
    assert drawn[0][-1] is expected


@pytest.mark.long
def test_a_run_is_trained_and_evaluated_once_and_drawn(tmp_path, capsys):
    arguments = ['--map_name', 'MoveToBeacon', '--seeds', '3', '--folder', str(tmp_path)]
    arguments += ['--num_episodes', '2', '--curves', str(tmp_path / 'curves'), *TINY]
    mini_games.main(arguments)
    lines = capsys.readouterr().out.splitlines()
    found = json.loads(lines[-1])
    (run,) = found['runs']['MoveToBeacon']
    assert found['flags'] == list(TINY)
    assert run['num_episodes'] == 2 and run['seconds'] > 0
    assert run['environment_frames'] == 2 * 1920 and run['policy'] == 'sampled'
    assert lines[-2].startswith(f'| MoveToBeacon | {run["mean_return"]:.1f} ± ')
    with Image.open(tmp_path / 'curves' / 'MoveToBeacon.png') as image:
        assert image.size == (900, 500)

    output = tmp_path / 'MoveToBeacon-default-3' / 'output.txt'
    written = output.read_text()
    mini_games.main(arguments)
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == found
    assert output.read_text() == written

    # An evaluation by hand, with other flags, is not taken for the measured one.
    path = tmp_path / 'MoveToBeacon-default-3' / 'evaluation.json'
    path.write_text(json.dumps(dict(json.loads(path.read_text()), policy='greedy', mean_return=9)))
    mini_games.main(arguments)
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == found
    arguments[arguments.index('--num_episodes') + 1] = '3'
    mini_games.main(arguments)
    (more,) = json.loads(capsys.readouterr().out.splitlines()[-1])['runs']['MoveToBeacon']
    assert (more['num_episodes'], more['policy']) == (3, 'sampled')


@pytest.mark.long
def test_the_best_model_of_a_training_that_evaluates_itself(tmp_path, capsys):
    arguments = ['--map_name', 'MoveToBeacon', '--seeds', '3', '--folder', str(tmp_path)]
    every = '--evaluate_every_frames=9600'
    mini_games.main([*arguments, '--num_episodes', '2', *TINY, every])
    (run,) = json.loads(capsys.readouterr().out.splitlines()[-1])['runs']['MoveToBeacon']
    folder = tmp_path / 'MoveToBeacon-default-3'
    with open(folder / 'best' / 'evaluation.json') as file:
        assert dict(json.load(file), seconds=run['seconds']) == run
    assert (run['seed'], run['num_episodes']) == (mini_games._SEED, 2)
    # Those within the training had its own seed.
    rows = (folder / 'evaluations.csv').read_text().splitlines()
    assert len(rows) > 2 and all(row.split(',')[2] == '3' for row in rows[1:])
