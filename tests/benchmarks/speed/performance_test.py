import importlib.util
import json
import os
import shutil
import subprocess

import pytest

from benchmarks.instrumented import training_start
from benchmarks.report import tables
from benchmarks.speed import learner, performance
from sc2impala import envs
from tests.benchmarks import scripts


def _learner_result(share):
    kinds = {
        name: {'seconds': 0.25, 'share': share, 'types': {'MatMul': 0.25}}
        for name in [name for name, _ in learner.CATEGORIES] + [learner.OTHER]
    }
    kinds['matrix product']['gflops_per_second'] = 123.4
    return {
        'updates_per_second': 1.5,
        'steps_per_second': 960.0,
        'flops_per_step': {'forward': 103.25e6, 'update': 309.5e6},
        'gflops_per_second': 130.0,
        'matmul_gflops_per_second': 200.0,
        'share_of_matmul': 0.65,
        'trace': {'seconds': 0.7, 'share_between_kernels': 0.042, 'kinds': kinds},
    }


def _point(value, training):
    return {
        'value': value,
        'training': training,
        'allowed_by_network': 4000.0,
        'network': 8000.0,
        'actor': 5000.0,
        'learner': 8000.0,
    }


RESULTS = {
    'end_to_end/resnet': {
        'flags': ['--backend=synthetic', '--map_name=Frames'],
        'agent_steps_per_second': 333.4,
        'frames_per_second': 2667.2,
    },
    'end_to_end/MoveToBeacon': {
        'flags': ['--map_name=MoveToBeacon'],
        'agent_steps_per_second': 5432.1,
        'frames_per_second': 43210.0,
    },
    'peer': {'ours': [330.0, 310.0], 'peer': 160.0, 'ratio': 2.0},
    'against_network/beacon32': {
        'steps_per_second': {'acting': 3000.0, 'learning': 1500.0, 'training': 870.0},
        'allowed_by_network': 1000.0,
        'share': 0.87,
        'shares': [0.861, 0.872, 0.883],
        'target': 0.85,
    },
    'learner/resnet': _learner_result(0.11),
    'learner/beacon32': _learner_result(0.12),
    'actor/resnet': {
        'steps_per_second': {'network': 900.0, 'environment': 30000.0, 'actor': 810.0},
        'share_of_actor': {'network': 0.9, 'environment': 0.027, 'rest': 0.073},
        'flops_per_step': 103e6,
        'gflops_per_second': 92.7,
        'share_of_matmul': 0.4635,
    },
    'replay': {
        'maps': {
            'DefeatRoaches': {
                'bytes_per_sequence': {'none': 4400000, 'zstd': 400000},
                'ratio': 11.0,
                'exact': True,
                'none_inserts_per_second': 900.0,
                'zstd_inserts_per_second': 70.0,
                'none_samples_per_second': 800.0,
                'zstd_samples_per_second': 90.0,
                'training': {'slower_by_memory': 0.031},
            }
        }
    },
    'startup': {
        'flags': ['--map_name=MoveToBeacon'],
        'starts': 5,
        'seconds': dict.fromkeys(training_start.PARTS + ('whole',), 1.25),
    },
    'scaling': {
        'flags': ['--map_name=MoveToBeacon'],
        'defaults': {'num_envs': 32},
        'axes': {'num_envs': {'points': [_point(16, 1000.0), _point(32, 3000.0)], 'knee': 32}},
    },
    'simulator': {
        'games': 64,
        'step_mul': 8,
        'screen': 32,
        'steps_per_second': {'MoveToBeacon/random': 51234, 'MoveToBeacon/mover': 61234},
        'steps_per_second_without_layers': {
            'MoveToBeacon/random': 2345678,
            'MoveToBeacon/mover': 3456789,
        },
        'bytes_per_game': {'MoveToBeacon': 71234},
    },
    'pysc2_backend': {
        'map_name': 'MoveToBeacon',
        'step_mul': 8,
        'ms_per_step': {'64': {'game': 5.25, 'ours': 0.75, 'total': 9.5}},
        'steps_per_second': {'1': 105.2},
    },
    'vtrace': {
        'results': [
            {
                'unroll_length': 20,
                'batch_size': 32,
                'ours_us': 72.4,
                'scan_us': 248.1,
                'empty_run_us': 50.0,
                'speedup': 3.43,
            }
        ]
    },
}
"""Results of the benchmarks, as far as the document shows them."""

MACHINE = {
    'processor': 'An Abacus',
    'cores': 2,
    'memory_gib': 23.5,
    'gpus': 0,
    'python': '3.11.7',
    'tensorflow': '2.21.0',
    'numpy': '2.4.6',
}


def _entries(results):
    return {
        name: {
            'command': f'python -m benchmarks.speed.{name}',
            'date': '2026-01-02',
            'machine': dict(MACHINE),
            'result': result,
        }
        for name, result in results.items()
    }


def _write(folder, entries):
    (folder / 'performance.json').write_text(json.dumps(entries))


def _document(folder):
    return (folder / 'performance.md').read_text(encoding='utf-8')


def test_the_document(tmp_path):
    _write(tmp_path, _entries(RESULTS))
    assert performance.main(['--render', f'--folder={tmp_path}']) == 0
    text = _document(tmp_path)
    assert '{{' not in text and 'Not measured' not in text
    for line in (
        '- 2 cores of An Abacus, 23.5 GiB, no GPU, Python 3.11.7, TensorFlow 2.21.0, NumPy 2.4.6',
        '| resnet | `--backend=synthetic --map_name=Frames` | 333 | 2,667 |',
        'The mean of both rates of sc2impala is 2.00 times that of the other.',
        '| beacon32 | 3,000 | 1,500 | 1,000 | 870 | 87.0% | 85% |',
        'beacon32, round by round: 86.1%, 87.2%, 88.3%.',
        '| resnet | 1.50 | 960 | 103.25 | 309.50 | 130.0 | 200.0 | 65.0% |',
        '| matrix product | 12.0% | 123.4 | 11.0% | 123.4 |',
        '| pooling | 12.0% |  | 11.0% |  |',
        'Share of a traced update between kernels: beacon32: 4.2%, resnet: 4.2%.',
        '| resnet | 900 | 30,000 | 810 | 90.0% | 2.7% | 7.3% | 103.00 | 92.7 | 46.4% |',
        '| DefeatRoaches | 4,400,000 | 400,000 | 11.0 | yes | 900 | 70 | 800 | 90 | 3.1% |',
        '| whole | 1.25 |',
        '### environments of an actor, K (`--num_envs`)',
        '![agent steps per second](performance/scaling_num_envs.png)',
        'The knee is at 32; the maximum is 3,000 agent steps/s at 32.',
        '| 16 | 1,000 | 4,000 | 25% | 5,000 | 8,000 | 8,000 |',
        '| MoveToBeacon | 51,234 | 61,234 | 2,345,678 | 3,456,789 | 71,234 |',
        '| 64 x 64 | 5.25 | 0.75 | 9.50 |',
        '| T = 20, B = 32 | 72 | 248 | 50 | 3.4 |',
        '| learner/resnet | `python -m benchmarks.speed.learner/resnet` | 2026-01-02 |',
    ):
        assert line in text.splitlines()
    assert os.listdir(str(tmp_path / 'performance')) == ['scaling_num_envs.png']


def test_every_table_is_as_wide_as_its_heading(tmp_path):
    performance.write_document(_entries(RESULTS), str(tmp_path))
    rows = _document(tmp_path).split('\n')
    widths = [line.count('|') if line.startswith('| ') else 0 for line in rows]
    assert max(widths) > 8
    assert all(a == b for a, b in zip(widths, widths[1:]) if a and b)


def test_results_that_are_missing(tmp_path):
    performance.write_document({}, str(tmp_path))
    text = _document(tmp_path)
    assert '{{' not in text and 'Beside another trainer' not in text
    for name in {job.name.partition('/')[0] for job in performance.jobs()}:
        assert f'python -m benchmarks.speed.performance --only={name}`' in text
    assert 'SC2PATH' in text
    assert not (tmp_path / 'performance').exists()


def test_the_published_document_is_that_of_the_published_results(tmp_path):
    docs = os.path.join(scripts.ROOT, 'docs')
    for name in (performance.RESULTS, performance.LEAGUE):
        shutil.copy(os.path.join(docs, name), str(tmp_path))
    performance.main(['--render', f'--folder={tmp_path}'])
    with open(os.path.join(docs, performance.DOCUMENT), encoding='utf-8') as file:
        assert file.read() == _document(tmp_path)


def test_results_of_several_machines(tmp_path):
    entries = _entries({name: RESULTS[name] for name in ('vtrace', 'simulator')})
    entries['vtrace']['machine'].update(cores=64, gpus=1)
    performance.write_document(entries, str(tmp_path))
    text = _document(tmp_path)
    assert 'NumPy 2.4.6 (simulator)' in text and 'NumPy 2.4.6 (vtrace)' in text
    assert '64 cores of An Abacus, 23.5 GiB, a GPU' in text


def test_the_league_has_a_table_and_a_picture(tmp_path):
    rates = {'steps_per_second': 50.0, 'steps_per_cpu_second': 25.0}
    of_round = dict(rates, peak_memory=2**30, parameters=7)
    entry = {'title': 'sc2impala', 'note': '', 'rounds': [of_round], 'runs': []}
    common = {'entries': {'sc2impala': entry}, 'date': '2026-01-02', 'machine': MACHINE}
    speed = dict(
        common,
        cores=[0, 1],
        command='python -m benchmarks.league',
        num_rounds=1,
        seconds=60,
        flops_per_step=1.0,
        matrix_product_flops=100.0,
    )
    entry = dict(entry, runs=[{'seconds': 70.0, 'steps': 9, 'best': 25.0}])
    returns = dict(
        common,
        entries={'sc2impala': entry},
        command='python -m benchmarks.league --return',
        target=25,
        limit=1200,
    )
    league = {'speed': speed, 'return': returns}
    (tmp_path / performance.LEAGUE).write_text(json.dumps(league))
    performance.write_document({}, str(tmp_path))
    text = (tmp_path / performance.DOCUMENT).read_text()
    assert '| sc2impala | 50 | 50 to 50 | 25 | 50.0% | 1.00 | 7 |  |' in text
    rounds = 'Rounds: 1; seconds of each trainer in a round: 60. Measured on 2026-01-02, 2 cores of'
    assert rounds in text
    assert '### Seconds until a mean return of 25 on MoveToBeacon' in text
    assert '| sc2impala | 70 | 9 | 25.0 |' in text
    assert '| league/return | `python -m benchmarks.league --return` | 2026-01-02 |' in text
    assert (tmp_path / performance.PLOTS / 'league.png').exists()


def test_an_unknown_placeholder():
    with pytest.raises(KeyError):
        tables.render('{{machines}}\n{{vtrac}}\n', _entries(dict(RESULTS, vtrac={})), '', '')


@pytest.mark.long
def test_repeating_one_benchmark(tmp_path, monkeypatch, capsys):
    entries = _entries(RESULTS)
    _write(tmp_path, entries)
    monkeypatch.setenv('PYTHONPATH', scripts.ROOT)
    code = performance.main(['--only=simulator', '--quick', f'--folder={tmp_path}'])
    assert code == 0
    assert scripts.last_json(capsys) == {'simulator': True}
    found = json.loads((tmp_path / 'performance.json').read_text())
    again = found.pop('simulator')
    assert found == {name: entry for name, entry in entries.items() if name != 'simulator'}
    assert again['command'].startswith('python -m benchmarks.speed.simulator --games=2')
    assert again['machine'] == performance.machine() and again['result']['games'] == 2
    assert '2 games, 8 frames per step, 16 x 16 pixels.' in _document(tmp_path)


def test_a_failure_keeps_previous_results(tmp_path, monkeypatch, capsys):
    entries = _entries(RESULTS)
    _write(tmp_path, entries)
    tape = []

    def run_benchmark(module, arguments, show):
        tape.append(module)
        if module == 'benchmarks.speed.learner':
            raise subprocess.CalledProcessError(1, module)
        return RESULTS['vtrace']

    monkeypatch.setattr(performance.subprocesses, 'run_benchmark', run_benchmark)
    flags = ['--only', 'learner/resnet', 'vtrace', f'--folder={tmp_path}']
    assert performance.main(flags) == 1
    assert tape == ['benchmarks.speed.learner', 'benchmarks.speed.vtrace']
    assert scripts.last_json(capsys) == {'learner/resnet': False, 'vtrace': True}
    found = json.loads((tmp_path / 'performance.json').read_text())
    assert found['learner/resnet'] == entries['learner/resnet']
    assert found['vtrace']['machine'] == performance.machine()


def test_choice_of_benchmarks(monkeypatch):
    def names(*only):
        return [job.name for job in performance._chosen(only)]

    assert names() == [job.name for job in performance.jobs()]
    assert len(set(names())) == len(names())
    assert names('actor') == ['actor/resnet', 'actor/beacon32', 'actor/beacon16']
    assert names('vtrace', 'actor/resnet') == ['actor/resnet', 'vtrace']
    assert {f'end_to_end/{map_name}' for map_name in envs.MAP_NAMES} < set(names('end_to_end'))
    for job in performance.jobs():
        assert importlib.util.find_spec(job.module)


def test_pysc2_is_left_out_without_the_game(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv('SC2PATH', raising=False)
    assert performance.main(['--only=pysc2_backend', f'--folder={tmp_path}']) == 0
    out = capsys.readouterr().out
    assert 'SC2PATH is not set' in out and out.splitlines()[-1] == '{}'


def test_the_peer_runs_between_two_runs(tmp_path, monkeypatch, capsys):
    tape = tmp_path / 'tape'

    def run_benchmark(module, arguments, show):
        assert module == 'benchmarks.speed.end_to_end' and arguments[0] == '--workload=resnet'
        with open(str(tape), 'a') as file:
            file.write('ours ')
        return {'agent_steps_per_second': 100.0 + 100 * tape.read_text().count('ours')}

    monkeypatch.setattr(performance.subprocesses, 'run_benchmark', run_benchmark)
    command = f"printf 'peer ' >>{tape}; echo Fps is '(10 sec: 125.0, 60 sec: 9.0'; exit 3"
    flags = ['--only=peer', f'--folder={tmp_path}', f'--peer={command}']
    assert performance.main(flags) == 0
    assert tape.read_text() == 'ours peer ours '
    found = json.loads((tmp_path / 'performance.json').read_text())['peer']
    assert found['result'] == {'ours': [200.0, 300.0], 'peer': 125.0, 'ratio': 2.0}
    assert 'is 2.00 times that of the other' in _document(tmp_path)
    capsys.readouterr()

    flags[-1] = '--peer=echo nothing'
    assert performance.main(flags) == 1
    assert json.loads((tmp_path / 'performance.json').read_text())['peer'] == found


def test_the_speed_of_a_peer():
    for output, rate in [
        ('Fps is (10 sec: 120.5, 60 sec: 1.0)\n\nx Fps is (10 sec: 130.25, 60 sec: 2.0)', 130.25),
        ('Fps is (10 sec: 120.5, 60 sec: 1.0)\nFps is (10 sec: nan, 60 sec: 2.0)', 120.5),
        ('agent_steps_per_s 80\nFps is (10 sec: 120.5, 60 sec: 1.0)\nagent_steps_per_s 90', 120.5),
        ('agent_steps_per_s 101.5\nagent_steps_per_s: 99.25\n', 99.25),
        ('{"agent_steps_per_s": 140.2, "x": 3}', 140.2),
        ('them agent_steps_per_s  total 8400 wall 60.0 rate 140.0', 140.0),
        ('agent_steps_per_second 7.5', 7.5),
        ('agent_steps_per_s 0', None),
        ('nothing', None),
    ]:
        assert performance.peer_rate(output) == rate, output


@pytest.mark.parametrize('flag', ['--only=learner/x', '--quick', '--only=peer'])
def test_bad_flags(flag, capsys):
    with pytest.raises(SystemExit):
        performance.main([flag])
    assert f'{flag} ' in capsys.readouterr().err


@pytest.mark.slow
def test_everything(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv('PYTHONPATH', scripts.ROOT)
    monkeypatch.delenv('SC2PATH', raising=False)
    peer = '--peer=echo agent_steps_per_s 10'
    assert performance.main(['--quick', f'--folder={tmp_path}', peer]) == 0
    text = _document(tmp_path)
    assert 'Not measured yet' not in text and text.count('Measured separately') == 1
    measured = scripts.last_json(capsys)
    names = {job.name for job in performance.jobs()} - {'pysc2_backend'}
    assert set(measured) == names | {'peer'} and all(measured.values())
