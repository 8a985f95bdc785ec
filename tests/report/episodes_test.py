"""Episodes to watch in a report."""

import os

import pytest

from sc2impala.report import __main__ as command
from sc2impala.report import episodes
from tests.report import pages


def test_without_episodes_there_is_no_section(finished_run, tmp_path):
    assert episodes.section([str(finished_run)], 0) == ''
    assert episodes.section([str(finished_run)] * 3, 2) == ''


def test_a_run_without_a_checkpoint_says_so(tmp_path):
    assert f'There is no checkpoint in {tmp_path}' in episodes.section([str(tmp_path)], 2)


@pytest.mark.parametrize('number', [-1, 21])
def test_wrong_numbers_are_named(finished_run, capsys, number):
    assert command.main([str(finished_run), f'--episodes={number}']) == 1
    assert capsys.readouterr().err == (
        f'error: --episodes={number} is out of range, expected 0..20.\n'
    )


def test_a_checkpoint_that_cannot_be_used_is_a_sentence(finished_run, tmp_path):
    folder = tmp_path / 'run'
    (folder / 'checkpoints' / '5').mkdir(parents=True)
    found = episodes.section([str(folder)], 1)
    assert found.startswith('<p class="missing">No episode can be shown: ')


@pytest.mark.long
def test_the_report_has_episodes_of_the_newest_checkpoint(finished_run, tmp_path):
    output = tmp_path / 'report.html'
    assert command.main([str(finished_run), f'--output={output}', '--episodes=1']) == 0
    text = output.read_text()
    assert 'class="sc2impala-watch"' in text and 'href="#episodes"' in text
    assert 'Episodes' in pages.read(str(output)).text
    assert os.path.getsize(str(output)) < 2e6
