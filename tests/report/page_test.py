import os
import re
import shutil
import urllib.parse

import pytest

from sc2impala.report import page
from sc2impala.report import run as run_lib
from tests.report import folders
from tests.report.pages import Page
from tests.runtime import tiny

TITLES = (
    'Returns',
    'Evaluations',
    'Settings',
    'Command',
    'Speed',
    'Learning',
    'Launches and remarks',
    'Files',
)


def page_of(*logdirs, output='report.html', episodes=''):
    names = [str(logdir) for logdir in logdirs]
    runs = [run_lib.read(name, label) for name, label in zip(names, run_lib.labels(names))]
    return Page(page.to_html(runs, output, 0.0, episodes))


def test_a_page_of_one_run(resumed_run):
    found = page_of(resumed_run, output=str(resumed_run / 'report.html'))
    for title in TITLES:
        assert f' {title} ' in found.text
    for text in ('MoveToBeacon', 'finished', 'fully_conv', 'seed 0', '2 launches', 'of human'):
        assert text in found.text, text
    assert '--screen_size=4' in found.text and '--total_environment_frames=19200' in found.text
    labels = [series['label'] for chart in found.charts for series in chart['series']]
    assert {'resumed run', 'sampled', 'function', 'the learner, for sequences'} <= set(labels)
    marks = [mark['label'] for chart in found.charts for mark in chart['marks']]
    assert 'resumed' in marks


def test_scores_of_others_are_in_the_page(resumed_run):
    found = page_of(resumed_run).text
    for text in ('script PySC2 26.1', 'FullyConv LSTM 26', 'relational agent 27', 'human 28'):
        assert text in found, text


def test_the_page_loads_nothing_and_its_links_have_targets(resumed_run, tmp_path):
    for folder in (resumed_run, tmp_path):
        found = page_of(resumed_run, output=str(folder / 'report.html'))
        assert not found.loaded
        for link in found.links:
            if link.startswith('#'):
                assert link[1:] in found.ids, link
            else:
                assert os.path.exists(os.path.join(str(folder), urllib.parse.unquote(link))), link
        assert sum(not link.startswith('#') for link in found.links) >= 6
    content = page.to_html([run_lib.read(str(resumed_run), 'a')], 'report.html', 0.0)
    assert content == content.encode('ascii', 'replace').decode()
    assert not re.search(r'https?:|@import|url\(', content)


def test_a_page_of_several_runs(resumed_run, finished_run):
    found = page_of(resumed_run, finished_run)
    assert '2 runs on MoveToBeacon' in found.text
    returns = found.charts[0]['series']
    assert [series['label'] for series in returns] == ['resumed run', 'logs']
    assert [series['color'] for series in returns] == [0, 1]
    assert {'run0', 'run1', 'run0-settings', 'run1-settings'} <= found.ids
    assert found.text.count('Launches and remarks') == 2


def test_runs_of_different_maps_have_no_scores_of_others(run, finished_run):
    os.remove(os.path.join(run, 'manifest.copy.json'))
    path = os.path.join(run, 'manifest.json')
    with open(path) as file:
        text = re.sub(r'\n *"checksum": \d+,', '', file.read())
    with open(path, 'w') as file:
        file.write(text.replace('"MoveToBeacon"', '"DefeatRoaches"'))
    found = page_of(run, finished_run)
    assert '2 runs Returns' in found.text and 'FullyConv LSTM' not in found.text


def test_a_player_of_episodes_has_a_place(finished_run):
    assert ' Episodes ' not in page_of(finished_run).text
    found = page_of(finished_run, episodes='<p>the player</p>')
    assert found.text.index('Evaluations') < found.text.index('the player')
    assert 'episodes' in found.ids


@pytest.mark.long
def test_a_run_that_was_interrupted_resumed_and_evaluated(tmp_path):
    stop = 2 * tiny.FRAMES_PER_UPDATE
    flags = (f'--evaluate_every_frames={stop}', '--num_episodes=2', '--num_eval_envs=2')
    tiny.train(tmp_path, 2, *flags)
    tiny.train(tmp_path, 5, *flags)
    assert tiny.evaluate(tmp_path, '--num_episodes=4') == 0
    found = page_of(tmp_path)
    for text in ('finished', '2 launches', f'--total_environment_frames={5 * stop // 2}'):
        assert text in found.text, text
    labels = [series['label'] for drawn in found.charts for series in drawn['series']]
    marks = [mark for drawn in found.charts for mark in drawn['marks']]
    assert {'sampled', 'function', 'the learner, for sequences'} <= set(labels)
    assert {'label': 'resumed', 'x': stop} in marks


FILES = ('manifest.json', 'train.log', 'episodes.csv', 'evaluations.csv', 'evaluation.json')


@pytest.fixture
def copied_run(resumed_run, tmp_path):
    return shutil.copytree(str(resumed_run), str(tmp_path / 'run'))


def event_files(folder):
    return [name for name in os.listdir(folder) if 'tfevents' in name]


@pytest.mark.parametrize('name', (*FILES, 'events', 'checkpoints'))
def test_without_a_file(copied_run, name):
    names = event_files(copied_run) if name == 'events' else [name]
    if name == 'manifest.json':
        names.append('manifest.copy.json')
    for each in names:
        path = os.path.join(copied_run, each)
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    found = page_of(copied_run).text
    expected = {
        'evaluations.csv': 'evaluation.json',
        'evaluation.json': 'evaluations.csv',
        'events': 'There is no event file of TensorBoard.',
        'checkpoints': 'There is no checkpoint.',
    }
    assert expected.get(name, f'There is no {name}.') in found


@pytest.mark.long
@pytest.mark.parametrize('name', (*FILES, 'events'))
@pytest.mark.parametrize('kind', ['empty', 'cut', 'zeros', 'noise', 'folder'])
def test_with_a_damaged_file(copied_run, name, kind):
    names = event_files(copied_run) if name == 'events' else [name]
    if name == 'manifest.json':
        names.append('manifest.copy.json')
    for each in names:
        damage(os.path.join(copied_run, each), kind)
    found = page_of(copied_run).text
    for title in TITLES:
        assert f' {title} ' in found


def damage(path, kind):
    with open(path, 'rb') as file:
        content = file.read()
    if kind == 'folder':
        os.remove(path)
        os.mkdir(path)
        return
    half = len(content) // 2
    changed = {
        'empty': b'',
        'cut': content[: half + 3],
        'zeros': content[:half] + bytes(half),
        'noise': content[:half] + bytes(range(256)) * 4 + content[half:],
    }
    with open(path, 'wb') as file:
        file.write(changed[kind])


@pytest.mark.parametrize('name', ['train.log', '.lock', 'episodes.csv'])
def test_a_run_that_ended_in_its_first_minute(tmp_path, name):
    folders.write(tmp_path, name)
    found = page_of(tmp_path).text
    for text in (
        'stopped',
        'No process is training in the folder, and no frame was trained.',
        'There is no manifest.json.',
        'There is no evaluation of this run.',
        'There are no summaries of speed and waits.',
        'There are no summaries of the learner.',
        'There is no event file of TensorBoard.',
        'The manifest has no launch.',
        'The command of the run is unknown.',
        'There is no checkpoint.',
    ):
        assert text in found, text


def test_an_error_that_ended_the_run_is_named(copied_run):
    with open(os.path.join(copied_run, 'train.log'), 'a') as file:
        file.write('2999-01-01 00:00:00.000+00:00 error: <the disk> failed.\n')
    shutil.rmtree(os.path.join(copied_run, 'checkpoints'))
    assert 'The last launch ended with an error: <the disk> failed.' in page_of(copied_run).text
