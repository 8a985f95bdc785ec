"""Cards of the zoo: read, written and printed."""

import json
import os
import pathlib

import pytest

from sc2impala.checkpoints import zoo_names
from sc2impala.errors import UserError
from sc2impala.zoo import __main__ as command
from sc2impala.zoo import cards

SCORES = [cards.Score(None, 2, 0.3, 201.5, 3.25, 400, 1), cards.Score(8, None, 1.0, 98, 4, 100, 2)]
CARD = cards.Card(
    'Roaches',
    'DefeatRoaches',
    'unet_lstm',
    'impala',
    'imitation',
    'python -m sc2impala.experiment --map_name=DefeatRoaches',
    'abc',
    '0.1.0',
    '2026-11-28',
    1,
    'the only run',
    10_500_000,
    1.25,
    '2 cores',
    1000,
    SCORES,
)


@pytest.fixture
def zoo_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(zoo_names, 'FOLDER', str(tmp_path))
    folder = tmp_path / CARD.name
    folder.mkdir()
    (folder / zoo_names.CARD).write_text(json.dumps(cards.to_json(CARD)))
    return tmp_path


def test_a_card_is_read_as_it_was_written(zoo_folder):
    assert cards.read('Roaches') == CARD


def test_the_table_has_a_line_per_score(zoo_folder, capsys):
    assert command.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    for text in ('zoo:Roaches', '10.5 M', '1.2 h', 'chosen, at most 2', '201.5 +- 3.2', '400'):
        assert text in lines[1]
    assert '8 frames' in lines[2] and '98.0 +- 4.0' in lines[2] and 'zoo:' not in lines[2]


def test_documents_have_the_table_of_all_cards(zoo_folder, tmp_path, capsys):
    path = tmp_path / 'results.md'
    path.write_text('before\n<!-- cards -->\nold\n<!-- end of cards -->\nafter\n', 'utf-8')
    for _ in range(2):
        assert command.main(['--markdown', str(path)]) == 0
        text = path.read_text('utf-8')
        assert text.startswith('before\n<!-- cards -->\n| agent |') and 'old' not in text
        assert text.endswith('```\n<!-- end of cards -->\nafter\n')
    assert '| `zoo:Roaches` | chosen, at most 2 | 201.5 ± 3.2 | 400 | `unet_lstm` |' in text
    assert '|  | 8 frames | 98.0 ± 4.0 | 100 |' in text
    assert CARD.command in text.splitlines()


def test_documents_have_a_line_for_each_run():
    two = CARD._replace(command=cards.AND_THEN.join(['train --seed=1', 'train --seed=2']))
    assert cards.markdown([two]).splitlines()[-3:-1] == ['train --seed=1', 'train --seed=2']


@pytest.mark.parametrize('text', ['', '<!-- cards -->', '<!-- end of cards --><!-- cards -->'])
def test_documents_without_marks_stay(zoo_folder, tmp_path, capsys, text):
    path = tmp_path / 'results.md'
    path.write_text(text)
    assert command.main(['--markdown', str(path)]) != 0
    assert f'--markdown={path} cannot be written: expected one' in capsys.readouterr().err
    assert path.read_text() == text


def test_results_have_the_cards_of_the_package():
    path = pathlib.Path(__file__).parents[2] / 'docs' / 'results.md'
    text = path.read_text('utf-8')
    found = [cards.read(name) for name in zoo_names.names()]
    assert cards.replace_between_marks(text, cards.markdown(found)) == text, (
        'run python -m sc2impala.zoo --markdown docs/results.md'
    )


@pytest.mark.parametrize('name', ['Roaches', 'zoo:Roaches'])
def test_one_card_has_all_its_entries(zoo_folder, capsys, name):
    assert command.main([name]) == 0
    text = capsys.readouterr().out
    assert CARD.command in text and CARD.selection in text


def test_an_unknown_agent_names_those_that_exist(zoo_folder, capsys):
    assert command.main(['Zerg']) != 0
    assert capsys.readouterr().err == (
        'error: zoo:Zerg is not in the zoo, expected one of: zoo:Roaches.\n'
    )


@pytest.mark.parametrize('content', ['', '[]', '{"scores": 1}', '{"scores": []}'])
def test_a_damaged_card_is_named(zoo_folder, content):
    path = zoo_folder / 'Roaches' / zoo_names.CARD
    path.write_text(content)
    with pytest.raises(UserError, match='expected the card of an agent'):
        cards.read('Roaches')


def test_names_leave_the_folder_of_the_zoo_to_no_one(zoo_folder):
    for name in ('..', '../Roaches', os.path.join('Roaches', '..', 'Roaches'), ''):
        with pytest.raises(UserError, match='is not in the zoo'):
            zoo_names.folder('zoo:' + name)
