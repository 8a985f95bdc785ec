"""Measures size and speed of the replay buffer, compressed and not, on sequences of real games.

An agent acts on each map, with initial weights or a run's. Its sequences are inserted into
both replay buffers, with and without compression, and sampled again; what is sampled must be equal
bit for bit. Both buffers are measured in every round, and the fastest round counts.

    python -m benchmarks.speed.replay
    python -m benchmarks.speed.replay --maps DefeatRoaches --weights runs/roaches --training
    python -m benchmarks.speed.replay --screen_size=16 --screen_layers=player_relative,selected

Flags of the training may be added; by default observations have 64 x 64 pixels and all
layers. With --training updates with replay are timed as well, alternately with either buffer. Actor
and learner run alternately too, so that neither hides a cost of the other, and every new sequence
is inserted, which is the most expensive case: a full reservoir rejects most of them.

The bytes of a group of components are those of a compressed stream of its own; in the buffer all
groups share one. The last line of the output is JSON.
"""

import argparse
import json
import os
import statistics
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from benchmarks import timing, workload
from sc2impala import replay, structs
from sc2impala.replay.codec import SequenceCodec, Spec

DEFAULT_FLAGS = (
    '--screen_size=64',
    '--minimap_size=64',
    '--screen_layers=all',
    '--minimap_layers=all',
)
COMPRESSIONS = ('none', 'zstd')
BATCH = 16
"""Number of sequences that are inserted or sampled at once."""

WARM_UP_UPDATES = 4
_GIB = 2.0**30


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Measures all maps, and prints a table of each and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    arguments, flags = _parse_arguments(argv)
    result = {}
    for map_name in arguments.maps:
        settings = _make_settings(map_name, arguments, flags)
        result[map_name] = measure(settings, arguments)
        _print_buffers(map_name, result[map_name])
        if arguments.training:
            result[map_name]['training'] = measure_training(settings, arguments.updates)
            _print_training(result[map_name]['training'])
    print(json.dumps({'flags': flags, 'maps': result}))


def _parse_arguments(argv: Optional[Sequence[str]]) -> Tuple[argparse.Namespace, List[str]]:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--maps', nargs='+', default=['CollectMineralShards', 'DefeatRoaches'])
    parser.add_argument(
        '--weights', type=os.path.expanduser, help='folder of the run whose weights act'
    )
    parser.add_argument('--games', type=int, default=4, help='number of environments')
    parser.add_argument('--unrolls', type=int, default=24, help='unrolls of each environment')
    parser.add_argument('--every', type=int, default=3, help='use every Nth unroll')
    parser.add_argument('--rounds', type=int, default=3, help='measurements, the fastest counts')
    parser.add_argument('--training', action='store_true', help='time updates as well')
    parser.add_argument('--updates', type=int, default=8, help='timed updates with each buffer')
    return parser.parse_known_args(argv)


def _make_settings(
    map_name: str, arguments: argparse.Namespace, flags: Sequence[str]
) -> workload.Settings:
    return workload.make_settings(
        [f'--map_name={map_name}', f'--num_envs={arguments.games}']
        + ['--batch_size=8', '--replay_proportion=0.5', '--num_actors=1', '--replay_eviction=fifo']
        + [f'--init_checkpoint={arguments.weights or ""}']
        + list(DEFAULT_FLAGS)
        + list(flags)
    )


def measure(settings: workload.Settings, arguments: argparse.Namespace) -> Dict[str, Any]:
    """Measures size and speed of both buffers, and compares what is sampled from them.

    Args:
      settings: of the training.
      arguments: `unrolls`, `every` and `rounds`.

    Returns:
      The entries of the JSON of a map: bytes and sequences per second.
    """
    sequences = workload.played_sequences(settings, arguments.unrolls, arguments.every)
    components = tf.nest.flatten(sequences)
    specs = [(array.shape[1:], array.dtype) for array in components]
    count = len(components[0])
    raw_bytes = replay.uncompressed_bytes(specs, 1)
    rates: Dict[str, Dict[str, List[float]]] = {
        name: {'insert': [], 'sample': []} for name in COMPRESSIONS
    }
    bytes_per_sequence = {}
    for _ in range(arguments.rounds):
        buffers = {}
        for name in COMPRESSIONS:
            buffers[name] = _make_table(count, specs, name)
            # The first pass allocates memory and is not timed; the timed one replaces sequences.
            # The size is read between them: replacing needs room for one more sequence, which is
            # negligible only in larger buffers.
            _insert(buffers[name], components)
            bytes_per_sequence[name] = buffers[name].num_bytes / count
            for operation, work in (('insert', _insert), ('sample', _sample)):
                started = time.perf_counter()
                num_done = work(buffers[name], components)
                rates[name][operation].append(num_done / (time.perf_counter() - started))
    result = {
        'sequences': count,
        'bytes_per_sequence': {name: round(size) for name, size in bytes_per_sequence.items()},
        'sequences_per_gib': {name: int(_GIB / size) for name, size in bytes_per_sequence.items()},
        'ratio': round(raw_bytes / bytes_per_sequence['zstd'], 2),
        'exact': _same_samples(*buffers.values()),
        'groups': _groups(sequences),
    }
    for name in COMPRESSIONS:
        for operation, found in rates[name].items():
            result[f'{name}_{operation}s_per_second'] = round(max(found), 1)
            result[f'{name}_{operation}_raw_mb_per_second'] = round(max(found) * raw_bytes / 1e6)
    return result


def _make_table(capacity: int, specs: Sequence[Spec], compression: str) -> replay.ReplayTable:
    """Returns a table that samples uniformly and overwrites the oldest sequence."""
    return replay.ReplayTable(
        capacity,
        specs,
        replay.Uniform(),
        replay.Fifo(),
        np.random.RandomState(0),
        compression,
    )


def _insert(buffer: replay.ReplayTable, components: Sequence[np.ndarray]) -> int:
    """Inserts all sequences; returns their number."""
    for start in range(0, len(components[0]), BATCH):
        buffer.insert([array[start : start + BATCH] for array in components])
    return len(components[0])


def _sample(buffer: replay.ReplayTable, components: Sequence[np.ndarray]) -> int:
    """Samples about as many sequences as there are; returns their number."""
    num_batches = max(1, len(components[0]) // BATCH)
    num_drawn = min(BATCH, buffer.size)
    for _ in range(num_batches):
        buffer.sample(num_drawn)
    return num_batches * num_drawn


def _same_samples(first: replay.ReplayTable, second: replay.ReplayTable) -> bool:
    """Whether two buffers with the same seed and history return equal samples."""
    samples = [buffer.sample(buffer.size) for buffer in (first, second)]
    pairs = zip(*([*sample.components, sample.keys] for sample in samples))
    return all(a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in pairs)


def _groups(sequences: structs.ActorOutput) -> Dict[str, Dict[str, int]]:
    """Returns the bytes of a sequence by group of components, raw and compressed."""
    env_outputs, agent_outputs = sequences.env_outputs, sequences.agent_outputs
    images = ('screen', 'minimap')
    observation = env_outputs.observation
    parts = {
        'layers': [observation[name] for name in images if name in observation],
        'logits': [agent_outputs.action_logits, agent_outputs.step_mul_logits],
        'state': sequences.agent_state,
        'rest': [
            env_outputs._replace(
                observation={k: v for k, v in observation.items() if k not in images}
            ),
            agent_outputs._replace(action_logits=(), step_mul_logits=()),
            sequences.sequence_info,
        ],
    }
    return {name: _group(tf.nest.flatten(part)) for name, part in parts.items()}


def _group(arrays: List[np.ndarray]) -> Dict[str, int]:
    if not arrays:
        return {'raw': 0, 'zstd': 0}
    codec = SequenceCodec([(array.shape[1:], array.dtype) for array in arrays])
    count = len(arrays[0])
    compressed = sum(len(codec.encode([array[i] for array in arrays])) for i in range(count))
    return {
        'raw': sum(array.nbytes for array in arrays) // count,
        'zstd': round(compressed / count),
    }


class _TimedBuffer:
    """Delegates to one of several replay buffers, and sums up the duration of its calls.

    selected: compression of the buffer in use. seconds: total duration of its calls.
    """

    def __init__(self, buffers: Mapping[str, replay.ReplayTable]):
        self._buffers = buffers
        self.selected = COMPRESSIONS[0]
        self.seconds = 0.0

    @property
    def size(self) -> int:
        return self._buffers[self.selected].size

    @property
    def num_bytes(self) -> int:
        return self._buffers[self.selected].num_bytes

    @property
    def has_priorities(self) -> bool:
        return False

    def insert(self, components: Sequence[np.ndarray]) -> np.ndarray:
        return self._timed(self._buffers[self.selected].insert, components)

    def sample(self, count: int) -> replay.Sample:
        return self._timed(self._buffers[self.selected].sample, count)

    def _timed(self, function: Callable[[Any], Any], argument: Any) -> Any:
        started = time.perf_counter()
        result = function(argument)
        self.seconds += time.perf_counter() - started
        return result


def measure_training(settings: workload.Settings, num_updates: int) -> Dict[str, Any]:
    """Times updates of one agent, alternately with either replay buffer.

    Args:
      settings: of the training.
      num_updates: the number of updates with each buffer.

    Returns:
      For each buffer the median seconds of an update, including the time to generate its new
      sequences, and those spent in the buffer; and the share by which compression makes an update
      longer: as measured, and computed from the time in the buffer, which varies less.
    """
    found: Dict[str, List[Tuple[float, float]]] = {name: [] for name in COMPRESSIONS}
    with workload.synchronous_training(settings, COMPRESSIONS, _TimedBuffer) as (
        buffer,
        run_update,
    ):

        def update(name: str) -> Tuple[float, float]:
            """Returns the seconds of an update, and those in the buffer."""
            buffer.selected, buffer.seconds = name, 0.0
            seconds = timing.seconds_of(run_update)
            return seconds, buffer.seconds

        for index in range(WARM_UP_UPDATES):
            update(COMPRESSIONS[index % 2])
        for _ in range(num_updates):
            for name in COMPRESSIONS:
                found[name].append(update(name))
    medians = {
        name: [statistics.median(column) for column in zip(*values)]
        for name, values in found.items()
    }
    raw, compressed = (medians[name] for name in COMPRESSIONS)
    sizes = workload.sizes(settings)
    return {
        'new_sequences': sizes.batch_size - sizes.num_replay,
        'replayed_sequences': sizes.num_replay,
        'update_seconds': {name: round(values[0], 4) for name, values in medians.items()},
        'memory_seconds': {name: round(values[1], 4) for name, values in medians.items()},
        'slower_as_measured': round(compressed[0] / raw[0] - 1, 4),
        'slower_by_memory': round((compressed[1] - raw[1]) / raw[0], 4),
    }


def _print_buffers(map_name: str, result: Dict[str, Any]) -> None:
    print(f'{map_name}, {result["sequences"]} sequences, bytes per sequence by group')
    print('            raw      zstd   ratio')
    for name, sizes in result['groups'].items():
        ratio = sizes['raw'] / max(sizes['zstd'], 1)
        print(f'{name:6} {sizes["raw"]:9,} {sizes["zstd"]:9,} {ratio:7.1f}')
    raw, compressed = (result['bytes_per_sequence'][name] for name in COMPRESSIONS)
    print(f'buffer {raw:9,} {compressed:9,} {result["ratio"]:7.1f}')
    print('       sequences/GiB   inserts/s (raw MB/s)   samples/s (raw MB/s)')
    for name in COMPRESSIONS:
        rates = [
            '{:11,.0f} {:>9}'.format(
                result[f'{name}_{operation}s_per_second'],
                '({:,})'.format(result[f'{name}_{operation}_raw_mb_per_second']),
            )
            for operation in ('insert', 'sample')
        ]
        print(f'{name:6} {result["sequences_per_gib"][name]:13,}  {rates[0]}  {rates[1]}')
    print('samples are equal bit for bit' if result['exact'] else 'SAMPLES DIFFER', flush=True)


def _print_training(result: Dict[str, Any]) -> None:
    for name in COMPRESSIONS:
        print(
            f'{name:6} {result["update_seconds"][name]:8.3f} s per update, '
            f'{result["memory_seconds"][name]:.4f} s in the buffer'
        )
    print(
        f'compression changes the duration of an update by {result["slower_as_measured"]:+.1%}; '
        f'computed from the time in the buffer {result["slower_by_memory"]:+.1%}',
        flush=True,
    )


if __name__ == '__main__':
    main()
