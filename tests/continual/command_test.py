"""The command, from folders to tables, pictures and logs."""

import json

import numpy as np
import pytest
from matplotlib import image

from sc2impala.continual import __main__ as command
from sc2impala.continual import picture, runs
from tests.continual import example_runs
from tests.continual.example_runs import MAPS, write_run


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Three runs, and an expert on each map."""
    monkeypatch.chdir(tmp_path)
    for seed in range(3):
        returns = np.random.default_rng(seed).uniform(10, 90, [13, 3])
        write_run(tmp_path / 'runs' / f'clear-{seed}', returns, cycles=2, per_task=2, seed=seed)
    for name in MAPS:
        example_runs.write_expert(tmp_path / 'experts' / name, name, [1, 80], [1.0, 2.0, 9.0])
    return tmp_path


def run(capsys, *arguments, exit_code=0):
    assert command.main(list(arguments)) == exit_code
    return capsys.readouterr()


def test_tables_pictures_and_logs(folders, capsys):
    arguments = ['runs/clear-*', '--experts', 'experts', '--out=out', '--l2logs=logs']
    out = run(capsys, *arguments).out
    assert out.startswith('| metric | better | mean of 3 runs |\n')
    assert '| isolated forgetting (CORA), first cycle | lower | ' in out
    assert '\n| DefeatRoaches | ' in out and '2 cycles; seeds: 0, 1, 2.' in out
    assert 'Evaluations: 13 of 20 episodes per map, --policy=sampled --temperature=1.' in out
    assert 'logs: 3 runs, 3 experts' in out
    assert sorted(path.name for path in (folders / 'out').iterdir()) == [
        'continual.json',
        'continual.md',
        'curves.png',
        'matrices.png',
    ]
    written = (folders / 'out' / 'continual.md').read_text()
    assert written.startswith(out.partition('\n\nout: ')[0])
    numbers = json.loads((folders / 'out' / 'continual.json').read_text())
    assert numbers['estimates']['relative_performance']['value'] > 0
    for name in ('matrices', 'curves'):
        pixels = image.imread(str(folders / 'out' / f'{name}.png'))
        assert pixels.shape[1] >= 900 and pixels[..., :3].std() > 0.01
    assert sorted(path.name for path in (folders / 'logs' / 'runs').iterdir()) == [
        '0-clear-0',
        '1-clear-1',
        '2-clear-2',
    ]
    assert len(list((folders / 'logs' / 'experts').glob('*/worker-default/0-train'))) == 3


def test_one_run_without_experts_writes_nothing(folders, capsys):
    out = run(capsys, 'runs/clear-1').out
    assert '| mean of 1 run |' in out and '[' not in out and 'experts' not in out
    assert sorted(path.name for path in folders.iterdir()) == ['experts', 'runs']


@pytest.mark.parametrize(
    'arguments, message',
    [
        (['gone'], 'gone is not a folder'),
        (['experts'], 'expected a run with several maps and --task_schedule=sequential'),
        (['runs', '--experts', 'runs'], 'expected a run that has learned a single map'),
        (['runs', '--experts', f'experts/{MAPS[0]}'], '--experts has no run on DefeatRoaches, '),
        (['runs', '--out=file/out'], 'file/out cannot be written to'),
        (['runs', '--l2logs=file'], '--l2logs: file/runs/0-clear-0 cannot be written to'),
        (['runs', '--repetitions=9'], '--repetitions=9, expected a number from 100'),
        (['runs', '--confidence=2'], '--confidence=2.0, expected a number from 0.5 to 0.999'),
        (['runs', '--seed=-1'], '--seed=-1, expected a number from 0'),
    ],
)
def test_errors_are_one_sentence(folders, capsys, arguments, message):
    (folders / 'file').write_text('')
    output = run(capsys, *arguments, exit_code=1)
    assert output.err.startswith('error: ') and message in output.err
    assert output.err.count('\n') == 1


def test_curves_of_several_arms(folders):
    together = example_runs.write_simultaneous(folders / 'together', np.ones([4, 3]))
    arms = {
        'clear': [runs.read_sequential(f'runs/clear-{seed}') for seed in range(3)],
        'simultaneous': [runs.read_evaluated(together)],
    }
    picture.save_curves('curves.png', arms)
    assert image.imread('curves.png').shape[:2] == (570, 900)


@pytest.mark.parametrize(
    'name, expected',
    [
        ('DefeatRoaches', 'DefeatRoaches'),
        ('FindAndDefeatZerglings', 'FindAndDefeat\nZerglings'),
        ('DefeatZerglingsAndBanelings', 'DefeatZerglings\nAndBanelings'),
        ('averyveryverylongname', 'averyveryverylongname'),
    ],
)
def test_long_names_have_two_lines(name, expected):
    assert picture._in_lines(name) == expected
