import pytest

from sc2impala.watch import __main__ as command


@pytest.mark.parametrize(
    'flags, message',
    [
        (['a', 'b', 'c'], '3 players are given, expected one, or two to compare.'),
        (['a', '--episodes=0'], '--episodes=0 is out of range, expected 1..100.'),
        (['a', '--port=70000'], '--port=70000 is out of range, expected 0..65535.'),
        (['a', '--save=nowhere/a.html'], '--save=nowhere/a.html: '),
        (['a', '--save=.'], '--save=. is a folder, expected a file.'),
        (['script:LH'], 'script:LH has no map, expected --map_name='),
        (['nowhere'], 'nowhere is no run'),
        (['nowhere', '--policy=best'], "policy='best' is unknown, expected sampled or greedy."),
    ],
)
def test_bad_input_is_named(flags, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command.main(flags) == 1
    output = capsys.readouterr()
    assert output.err.startswith('error: ') and message in output.err
    assert output.err.count('\n') == 1


def test_saves_a_page(capsys, tmp_path):
    path = tmp_path / 'page.html'
    path.write_text('before')
    flags = ['--map_name=MoveToBeacon', '--episodes=1', '--step_mul=60', f'--save={path}']
    assert command.main(['script:PySC2', 'script:scripted', *flags]) == 0
    assert path.read_text().startswith('<!DOCTYPE html>')
    assert 'script:PySC2: returns ' in capsys.readouterr().out
    assert [each.name for each in tmp_path.iterdir()] == ['page.html']
