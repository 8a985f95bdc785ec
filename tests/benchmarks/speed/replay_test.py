import json

import pytest

from benchmarks.speed import replay as benchmark

FLAGS = (
    '--maps',
    'MoveToBeacon',
    '--games=2',
    '--unrolls=3',
    '--every=2',
    '--rounds=1',
    '--updates=2',
    '--screen_size=8',
    '--minimap_size=4',
    '--minimap_layers=camera',
    '--unroll_length=4',
    '--batch_size=4',
)


def run(capsys, *flags):
    benchmark.main(list(FLAGS + flags))
    output = capsys.readouterr().out
    return json.loads(output.splitlines()[-1])['maps']['MoveToBeacon'], output


def test_bytes_and_rates(capsys):
    result, output = run(capsys)
    assert result['exact'] and 'samples are equal bit for bit' in output
    # Of three sequences in each of two games the second one is used.
    assert result['sequences'] == 2
    groups = result['groups']
    assert sum(group['raw'] for group in groups.values()) == result['bytes_per_sequence']['none']
    # Two images: all layers of the screen, 8 x 8 pixels, and one of the minimap, 4 x 4.
    assert groups['layers']['raw'] >= 5 * (27 * 64 + 16)
    assert groups['state']['raw'] == 2 * 8 * 8 * 16 * 4
    for name, size in result['bytes_per_sequence'].items():
        assert result['sequences_per_gib'][name] == int(2**30 / size)
        assert result[f'{name}_inserts_per_second'] > 0
        assert result[f'{name}_samples_per_second'] > 0
    assert result['ratio'] > 1
    assert 'training' not in result


@pytest.mark.long
def test_training_with_both_buffers(capsys):
    training = run(capsys, '--training', '--agent=fully_conv')[0]['training']
    assert (training['new_sequences'], training['replayed_sequences']) == (2, 2)
    for name in ('none', 'zstd'):
        assert 0 < training['memory_seconds'][name] < training['update_seconds'][name]
    expected = training['update_seconds']['zstd'] / training['update_seconds']['none'] - 1
    assert training['slower_as_measured'] == pytest.approx(expected, abs=0.02)


def test_a_difference_is_reported(capsys, monkeypatch):
    def decode(self, compressed, arrays, decode=benchmark.SequenceCodec.decode):
        decode(self, compressed, arrays)
        arrays[0].reshape(-1)[:1] += 1

    monkeypatch.setattr(benchmark.SequenceCodec, 'decode', decode)
    result, output = run(capsys)
    assert not result['exact'] and 'SAMPLES DIFFER' in output


def test_weights_of_a_run(capsys, finished_run):
    flags = '--weights', str(finished_run), '--screen_size=4', '--agent=fully_conv'
    flags += '--screen_layers=', '--minimap_layers=', '--fixed_step_mul'
    result, _ = run(capsys, *flags)
    assert result['exact'] and result['groups']['state'] == {'raw': 0, 'zstd': 0}
