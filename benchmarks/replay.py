"""Measures what the replay memory takes and costs, compressed and not, on sequences of real games.

An agent plays each map, with fresh weights or those of a run, and its sequences are put into a
memory of either kind and sampled again; what comes out must be the same, bit for bit. Both kinds
take turns within each round, and the fastest round counts.

    python benchmarks/replay.py
    python benchmarks/replay.py --maps DefeatRoaches --weights runs/roaches --training
    python benchmarks/replay.py --screen_size=16 --screen_layers=player_relative,selected

Flags of the training may be added; without any the maps are played at 64 x 64 pixels with all
layers. With --training, updates with replay are timed as well, with one memory and the other in
turn. Actor and learner take turns too, so that no cost is hidden behind the other's work, and every
new sequence is kept, which costs most: once a reservoir is full it keeps few.

Bytes of a group of components are those of its own compressed stream; together they share one. The
last line of the output is JSON.
"""

import argparse
import json
import statistics
import time
from typing import Any, Dict, List

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import experiment, learner, replay
from sc2impala.replay.codec import SequenceCodec
from sc2impala.runtime import checkpoints, graph, phases, seeds
from sc2impala.runtime import config as config_lib
from sc2impala.runtime import experience as experience_lib

DEFAULT_FLAGS = (
    '--screen_size=64',
    '--minimap_size=64',
    '--screen_layers=all',
    '--minimap_layers=all',
)
COMPRESSIONS = ('none', 'zstd')
BATCH = 16
"""Sequences that are inserted or sampled at once."""

WARM_UP_UPDATES = 4
_GIB = 2.0**30


def main(argv=None):
    """Measures all maps and prints a table of each, and the JSON.

    Args:
      argv: the arguments of the command line; None stands for those of the process.
    """
    arguments, flags = _parse_arguments(argv)
    result = {}
    for map_name in arguments.maps:
        config = _make_config(map_name, arguments, flags)
        result[map_name] = measure(config, arguments)
        _print_memory(map_name, result[map_name])
        if arguments.training:
            result[map_name]['training'] = measure_training(config, arguments.updates)
            _print_training(result[map_name]['training'])
    print(json.dumps({'flags': flags, 'maps': result}))


def _parse_arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--maps', nargs='+', default=['CollectMineralShards', 'DefeatRoaches'])
    parser.add_argument('--weights', help='folder of a run whose weights to play with')
    parser.add_argument('--games', type=int, default=4, help='games that are played at once')
    parser.add_argument('--unrolls', type=int, default=24, help='sequences played in each game')
    parser.add_argument('--every', type=int, default=3, help='use every so manyth of them')
    parser.add_argument('--rounds', type=int, default=3, help='measurements, the fastest counts')
    parser.add_argument('--training', action='store_true', help='time updates as well')
    parser.add_argument('--updates', type=int, default=8, help='timed with each memory')
    return parser.parse_known_args(argv)


def _make_config(map_name, arguments, flags):
    config = experiment.read_config(
        ['--logdir=no-such-folder', f'--map_name={map_name}', f'--num_envs={arguments.games}']
        + ['--batch_size=8', '--replay_proportion=0.5', '--num_actors=1', '--replay_eviction=fifo']
        + [f'--init_checkpoint={arguments.weights or ""}']
        + list(DEFAULT_FLAGS)
        + list(flags)
    )
    config_lib.check(config)
    return config


def play(config: config_lib.Config, num_unrolls: int, every: int) -> Any:
    """Plays `num_unrolls` sequences in each game; returns every so manyth, a nest of [N, ...]."""
    with tf.Graph().as_default(), tf.Session() as session:
        # The weights that a training with this seed begins with.
        tf.set_random_seed(seeds.streams(config.seed, 'graph', 1, 0)[0])
        specs = config_lib.make_specs(config)
        agent = graph.make_agent(config, *specs)
        source = experience_lib.build_experience(config, agent, specs, start=0)
        sequences = source.queue.dequeue_many(config.num_envs)
        _initialize(config, session)
        kept = []
        for index in range(num_unrolls):
            session.run(source.enqueue_ops[0])
            played = session.run(sequences)
            # Not the first: its agents remember nothing yet.
            if index % every == every - 1:
                kept.append(played)
        for env in source.envs:
            env.close()
        return tf.nest.map_structure(lambda *arrays: np.concatenate(arrays), *kept)


def _initialize(config, session):
    """Fresh weights, or those of --weights."""
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    if config.init_checkpoint:
        variables = tf.trainable_variables()
        path = checkpoints.find_initial(config.init_checkpoint)
        values = checkpoints.assignments_from(path, variables)
        for variable in variables:
            variable.load(values[variable.op.name], session)


def measure(config: config_lib.Config, arguments: argparse.Namespace) -> Dict[str, Any]:
    """Measures bytes, rates, and whether both memories give the same."""
    sequences = play(config, arguments.unrolls, arguments.every)
    components = tf.nest.flatten(sequences)
    specs = [(array.shape[1:], array.dtype) for array in components]
    count = len(components[0])
    raw_bytes = replay.memory_bytes(specs, 1)
    rates = {name: {'insert': [], 'sample': []} for name in COMPRESSIONS}
    kept_bytes = {}
    for _ in range(arguments.rounds):
        memories = {}
        for name in COMPRESSIONS:
            memories[name] = replay.Replay(count, specs, 'fifo', np.random.RandomState(0), name)
            # Once to take the memory, which is paid for once; then into what is there. Replacing
            # takes room for one more sequence, which is much of a few and nothing of many.
            _insert(memories[name], components)
            kept_bytes[name] = memories[name].num_bytes / count
            for kind, work in (('insert', _insert), ('sample', _sample)):
                started = time.perf_counter()
                num_done = work(memories[name], components)
                rates[name][kind].append(num_done / (time.perf_counter() - started))
    result = {
        'sequences': count,
        'bytes_per_sequence': {name: round(size) for name, size in kept_bytes.items()},
        'sequences_per_gib': {name: int(_GIB / size) for name, size in kept_bytes.items()},
        'ratio': round(raw_bytes / kept_bytes['zstd'], 2),
        'exact': _same(*memories.values()),
        'groups': _groups(sequences),
    }
    for name in COMPRESSIONS:
        for kind, found in rates[name].items():
            result[f'{name}_{kind}s_per_second'] = round(max(found), 1)
            result[f'{name}_{kind}_raw_mb_per_second'] = round(max(found) * raw_bytes / 1e6)
    return result


def _insert(memory, components):
    for start in range(0, len(components[0]), BATCH):
        memory.insert([array[start : start + BATCH] for array in components])
    return len(components[0])


def _sample(memory, components):
    num_batches = max(1, len(components[0]) // BATCH)
    num_drawn = min(BATCH, memory.size)
    for _ in range(num_batches):
        memory.sample(num_drawn)
    return num_batches * num_drawn


def _same(first, second):
    """Whether two memories of one seed, and of one history, give the same sequences."""
    pairs = zip(first.sample(first.size), second.sample(second.size))
    return all(a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in pairs)


def _groups(sequences):
    """Bytes per sequence of the parts of it, raw and compressed."""
    env_outputs, agent_outputs = sequences.env_outputs, sequences.agent_outputs
    maps = ('screen', 'minimap')
    observation = env_outputs.observation
    parts = {
        'layers': [observation[name] for name in maps if name in observation],
        'logits': [agent_outputs.action_logits, agent_outputs.step_mul_logits],
        'state': sequences.agent_state,
        'rest': [
            env_outputs._replace(
                observation={k: v for k, v in observation.items() if k not in maps}
            ),
            agent_outputs._replace(action_logits=(), step_mul_logits=()),
        ],
    }
    return {name: _group(tf.nest.flatten(part)) for name, part in parts.items()}


def _group(arrays: List[np.ndarray]):
    if not arrays:
        return {'raw': 0, 'zstd': 0}
    codec = SequenceCodec([(array.shape[1:], array.dtype) for array in arrays])
    count = len(arrays[0])
    kept = sum(len(codec.encode([array[i] for array in arrays])) for i in range(count))
    return {'raw': sum(array.nbytes for array in arrays) // count, 'zstd': round(kept / count)}


class _TimedMemory:
    """Stands for one of several memories, and adds up the time that its calls take."""

    def __init__(self, memories):
        self._memories = memories
        self.chosen = COMPRESSIONS[0]
        self.seconds = 0.0

    @property
    def size(self):
        return self._memories[self.chosen].size

    def insert(self, components):
        return self._timed(self._memories[self.chosen].insert, components)

    def sample(self, count):
        return self._timed(self._memories[self.chosen].sample, count)

    def _timed(self, function, argument):
        started = time.perf_counter()
        result = function(argument)
        self.seconds += time.perf_counter() - started
        return result


def measure_training(config: config_lib.Config, num_updates: int) -> Dict[str, Any]:
    """Times updates of one agent, with the two memories in turn.

    Returns:
      For each memory the medians of the seconds that an update takes, the playing of its new
      sequences included, and of those spent in the memory; and by what part compression makes an
      update longer: as measured, and computed from the time in the memory, which varies less.
    """
    with tf.Graph().as_default():
        specs = config_lib.make_specs(config)
        agent = graph.make_agent(config, *specs)
        source = experience_lib.build_experience(config, agent, specs, start=0)
        memory = _TimedMemory(
            {
                name: experience_lib.make_replay(
                    config._replace(replay_compression=name), source.queue
                )
                for name in COMPRESSIONS
            }
        )
        num_new, num_replay = config_lib.batch_split(config)
        batch = learner.next_batch(source.queue, num_new, num_replay, memory)
        train = phases.build_phases(config._replace(init_checkpoint=''), agent, batch)[-1].train
        queue_size = source.queue.size()
        with tf.Session(config=graph.session_config(deterministic=False)) as session:
            _initialize(config, session)

            def update(name):
                """Returns the seconds it took, and those in the memory."""
                memory.chosen, memory.seconds = name, 0.0
                started = time.perf_counter()
                # The first batch of a memory is of new sequences only.
                num_needed = num_new if memory.size >= num_replay else num_new + num_replay
                while session.run(queue_size) < num_needed:
                    session.run(source.enqueue_ops[0])
                session.run(train)
                return time.perf_counter() - started, memory.seconds

            for index in range(WARM_UP_UPDATES):
                update(COMPRESSIONS[index % 2])
            found = {name: [] for name in COMPRESSIONS}
            for _ in range(num_updates):
                for name in COMPRESSIONS:
                    found[name].append(update(name))
        for env in source.envs:
            env.close()
    medians = {
        name: [statistics.median(column) for column in zip(*values)]
        for name, values in found.items()
    }
    raw, compressed = (medians[name] for name in COMPRESSIONS)
    return {
        'new_sequences': num_new,
        'replayed_sequences': num_replay,
        'update_seconds': {name: round(values[0], 4) for name, values in medians.items()},
        'memory_seconds': {name: round(values[1], 4) for name, values in medians.items()},
        'slower_as_measured': round(compressed[0] / raw[0] - 1, 4),
        'slower_by_memory': round((compressed[1] - raw[1]) / raw[0], 4),
    }


def _print_memory(map_name, result):
    print(f'{map_name}, {result["sequences"]} sequences, bytes of one by group')
    print('            raw      zstd   ratio')
    for name, sizes in result['groups'].items():
        ratio = sizes['raw'] / max(sizes['zstd'], 1)
        print(f'{name:6} {sizes["raw"]:9,} {sizes["zstd"]:9,} {ratio:7.1f}')
    raw, kept = (result['bytes_per_sequence'][name] for name in COMPRESSIONS)
    print(f'memory {raw:9,} {kept:9,} {result["ratio"]:7.1f}')
    print('       sequences/GiB   inserts/s (raw MB/s)   samples/s (raw MB/s)')
    for name in COMPRESSIONS:
        rates = [
            '{:11,.0f} {:>9}'.format(
                result[f'{name}_{kind}s_per_second'],
                '({:,})'.format(result[f'{name}_{kind}_raw_mb_per_second']),
            )
            for kind in ('insert', 'sample')
        ]
        print(f'{name:6} {result["sequences_per_gib"][name]:13,}  {rates[0]}  {rates[1]}')
    print('all bits are the same' if result['exact'] else 'THE BITS DIFFER', flush=True)


def _print_training(result):
    for name in COMPRESSIONS:
        print(
            f'{name:6} {result["update_seconds"][name]:8.3f} s per update, '
            f'{result["memory_seconds"][name]:.4f} s in the memory'
        )
    print(
        f'compressed, an update takes {result["slower_as_measured"]:+.1%} of time; by the time in '
        f'the memory {result["slower_by_memory"]:+.1%}',
        flush=True,
    )


if __name__ == '__main__':
    main()
