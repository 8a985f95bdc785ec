"""The command, from folders to answers, tables and a picture."""

import json

import numpy as np
import pytest
from matplotlib import image

from sc2impala.compare import __main__ as command
from sc2impala.compare import tables
from sc2impala.compare.comparison import Settings, compare
from tests.compare.comparison_test import side
from tests.compare.example_runs import write_run


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Writes four runs of A, which are better, and four of B."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for seed in range(4):
        for name, level in (('a', 20), ('b', 10)):
            returns = np.linspace(0, level + seed / 2, 300) + rng.normal(0, 2, 300)
            write_run(tmp_path / 'runs' / f'{name}-{seed}', seed, returns=returns, agent=name)
    return tmp_path


def run(capsys, *arguments, exit_code=0):
    assert command.main(list(arguments)) == exit_code
    return capsys.readouterr()


def test_answers_and_writes_tables_and_a_picture(folders, capsys):
    out = run(capsys, 'runs/a-*', '--against', 'runs/b-*', '--names=new,old', '--output=out').out
    assert out.startswith('new is better than old on MoveToBeacon: ')
    assert '| MoveToBeacon | 4 | 4 | ' in out
    assert 'the last 100 episodes of the training (episodes.csv), 100 episodes per run' in out
    assert 'after 30,000 frames' in out
    assert 'Settings that differ (new | old): agent: a | b.' in out
    assert sorted(path.name for path in (folders / 'out').iterdir()) == [
        'comparison.json',
        'comparison.md',
        'comparison.png',
        'comparison.tex',
    ]
    written = (folders / 'out' / 'comparison.md').read_text()
    assert written.startswith(out.partition('\n\nout: ')[0])
    numbers = json.loads((folders / 'out' / 'comparison.json').read_text())
    assert numbers['is_shown'] and numbers['source'] == 'episodes.csv'
    assert [len(each) for each in numbers['runs']] == [4, 4]
    pixels = image.imread(str(folders / 'out' / 'comparison.png'))
    assert pixels.shape[:2] == (380, 1350) and pixels[..., :3].std() > 0.01


def test_a_folder_of_runs_and_fewer_frames(folders, capsys):
    (folders / 'old').mkdir()
    for seed in range(4):
        (folders / 'runs' / f'b-{seed}').rename(folders / 'old' / f'b-{seed}')
    arguments = ['runs', '--against', 'old', '--frames=15000', '--last=50', '--repetitions=200']
    out = run(capsys, *arguments).out
    assert 'the last 50 episodes' in out and 'after 15,000 frames' in out
    assert not (folders / 'out').exists()


def test_single_runs(folders, capsys):
    out = run(capsys, 'runs/a-0', '--against', 'runs/b-0', '--output=out').out
    assert out.startswith('The run of A scores higher than the run of B on MoveToBeacon: mean')
    assert 'intervals over the episodes of each run' in out
    assert 'do not cover differences between seeds' in out
    # Intervals and sample efficiency, without a performance profile.
    assert image.imread(str(folders / 'out' / 'comparison.png')).shape[:2] == (380, 900)


def test_notes_about_doubtful_runs(folders, capsys):
    write_run(folders / 'runs' / 'a-twin', 0, returns=[1] * 100, agent='c')
    out = run(capsys, 'runs/a-*', '--against', 'runs/b-*').out
    assert 'A has several runs with seed 0 on MoveToBeacon: they may not be independent.' in out
    assert 'were trained for 10,000 to 30,000 frames: --frames=10000 compares them' in out
    assert 'Note: runs of A on the same map differ in agent (a, c).' in out


def test_evaluations_without_episodes_have_no_curve(folders, capsys):
    for name, mean in (('x', 5), ('y', 6)):
        for seed in range(2):
            evaluations = [dict(global_step=100, mean_return=mean + seed)]
            write_run(folders / 'evaluated' / f'{name}{seed}', seed, evaluations=evaluations)
    out = run(capsys, 'evaluated/x*', '--against', 'evaluated/y*', '--output=out').out
    assert 'the latest evaluation (evaluations.csv, --policy=sampled --temperature=1)' in out
    assert image.imread(str(folders / 'out' / 'comparison.png')).shape[:2] == (380, 900)


def test_several_maps_are_drawn(folders, capsys):
    for name, level in (('c', 200), ('d', 150)):
        for seed in range(3):
            returns = np.linspace(0, level, 150) + seed
            write_run(folders / 'more' / f'{name}-{seed}', seed, 'DefeatRoaches', returns)
    out = run(
        capsys, 'runs/a-*', 'more/c-*', '--against', 'runs/b-*', 'more/d-*', '--output=out'
    ).out
    assert out.startswith('A is better than B over 2 maps: interquartile mean of the human-norm')
    assert '| interquartile mean of the human-normalised score | 7 | 7 | ' in out
    assert image.imread(str(folders / 'out' / 'comparison.png')).shape[:2] == (380, 1350)


@pytest.mark.parametrize(
    'arguments, message',
    [
        (['--names=A'], '--names=A, expected two different names'),
        (['--names=A,A'], 'expected two different names'),
        (['--last=0'], '--last=0, expected a number from 1 to'),
        (['--repetitions=9'], '--repetitions=9, expected a number from 100 to'),
        (['--frames=-1'], '--frames=-1, expected a number from 0 to'),
        (['--confidence=2'], '--confidence=2.0, expected a number from 0.5 to 0.999'),
        (['--output=manifest/out'], '--output=manifest/out cannot be written to'),
        (['runs/a-0'], 'runs/a-0 is on both sides of --against, expected different runs'),
        (['gone'], 'gone is not a folder'),
    ],
)
def test_errors_are_one_sentence(folders, capsys, arguments, message):
    (folders / 'manifest').write_text('')
    output = run(capsys, 'runs/a-*', '--against', 'runs/b-*', *arguments, exit_code=1)
    assert output.err.startswith('error: ') and message in output.err
    assert output.err.count('\n') == 1


def test_latex():
    a, b = side(MoveToBeacon=[1.0, 2.0, 3.0]), side(MoveToBeacon=[2.0, 3.0, 4.5])
    text = tables.latex(compare(a, b, Settings(('a_1', 'b&2'), repetitions=100)))
    lines = text.splitlines()
    assert lines[0] == '% Brackets: 95% bootstrap intervals.'
    assert lines[1] == r'\begin{tabular}{lrrrrrr}' and lines[-1] == r'\end{tabular}'
    header = r'map & runs of a\_1 & runs of b\&2 & a\_1 & b\&2 & a\_1 - b\&2 & P(a\_1 $>$ b\&2) \\'
    assert lines[3] == header
    rows = [line for line in lines if line.startswith(('MoveToBeacon', 'interquartile'))]
    assert len(rows) == 2 and all(line.count('&') == 6 and line.endswith(r'\\') for line in rows)
