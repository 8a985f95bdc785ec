"""Measures what the learner of a cluster takes in from its clients, and gives out to them.

* intake: clients, each a process, send recorded sequences as fast as they can; the learner takes
  them in and makes batches, which are not trained on. Sequences and MB per second.
* weights: the clients read all variables of the agent as fast as they can. Reads and MB per second.

The sequences are generated once by the agent with its initial weights. Clients and learner share
the machine.

    python -m benchmarks.speed.cluster --workload=beacon32
    python -m benchmarks.speed.cluster --screen_layers=all --screen_size=64 --minimap_size=64

The last line of the output is JSON.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, Dict, Iterator, List, Optional, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from benchmarks import workload
from sc2impala.cluster import intake, messages, run_info
from sc2impala.cluster.accounts import Accounts

CAPACITY = 2
_RUN = 'benchmark'
_WARM_UP_SECS = 1.0


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Measures, and prints a table and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument('--clients', default='1,2,4,8,16', help='how many, separated by commas')
    parser.add_argument('--seconds', type=float, default=5, help='of each measurement')
    parser.add_argument('--compressions', default='none,zstd', help='of the sequences')
    parser.add_argument('--as_client', default='', help=argparse.SUPPRESS)
    arguments, flags = workload.parse(parser, argv)
    if arguments.as_client:
        _be_client(json.loads(arguments.as_client))
        return
    settings = workload.make_settings(flags)
    counts = [int(count) for count in arguments.clients.split(',')]
    kinds = arguments.compressions.split(',')
    result = measure(settings, counts, kinds, arguments.seconds)
    result['flags'] = flags
    _print_table(result)
    print(json.dumps(result))


def measure(
    settings: workload.Settings, counts: Sequence[int], kinds: Sequence[str], seconds: float
) -> Dict[str, Any]:
    """Measures intake and weights for each number of clients.

    Args:
      settings: of the training.
      counts: numbers of clients.
      kinds: compressions.
      seconds: of each measurement.

    Returns:
      The entries of the JSON.
    """
    played = workload.played_sequences(settings, num_unrolls=2, every=2)
    flat = tf.nest.flatten(played)
    spec = tf.nest.map_structure(lambda a: tf.TensorSpec(a.shape[1:], a.dtype), played)
    specs = [(array.shape[1:], array.dtype) for array in flat]
    count = min(len(flat[0]), messages.sequences_per_message(specs))
    first = tf.nest.map_structure(lambda array: array[:count], played)
    frames = intake.count_frames(first.env_outputs, first.agent_outputs.step_mul)
    rows = []
    with tempfile.TemporaryDirectory() as folder, _learner(settings, spec) as learner:
        for kind in kinds:
            path = os.path.join(folder, kind)
            with open(path, 'wb') as file:
                file.write(messages.pack([array[:count] for array in flat], kind))
            task = dict(what='send', path=path, kind=kind, count=count, frames=frames)
            rows += [learner.measure(dict(task), clients, seconds) for clients in counts]
        task = dict(what='read', variables=learner.variables)
        rows += [learner.measure(dict(task), clients, seconds) for clients in counts]
    return {
        'sequence_bytes': messages.num_bytes(specs),
        'sequences_per_message': count,
        'weight_bytes': learner.weight_bytes,
        'rows': rows,
    }


class _Learner:
    """Takes in messages and makes batches in threads, as a training does."""

    def __init__(self, settings: workload.Settings, spec: Any, stack: contextlib.ExitStack):
        self._accounts = Accounts(_RUN)
        server = tf.train.Server({'learner': ['localhost:0']}, job_name='learner', task_index=0)
        self._server = server
        self.address = 'localhost:' + server.target.rpartition(':')[2]
        variables, self.weight_bytes = workload.build_weights(settings)
        self.variables = run_info.describe_variables(variables)
        updates = tf.Variable(0, dtype=tf.int64, use_resource=True, name='num_updates')
        batch_size = workload.sizes(settings).batch_size
        queue = intake.AccountedQueue(spec, batch_size, self._accounts)
        ops = intake.build_intake(queue, CAPACITY, self._accounts, updates)
        batch = tf.nest.flatten(queue.dequeue_many(batch_size))[-1]
        self._session = stack.enter_context(tf.Session(server.target))
        self._session.run(tf.global_variables_initializer())
        for operation in (ops.enqueue, batch.op):
            threading.Thread(target=self._repeat, args=(operation,), daemon=True).start()
        stack.callback(lambda: self._session.run(ops.cancel))

    def measure(self, task: Dict[str, Any], clients: int, seconds: float) -> Dict[str, Any]:
        """Lets so many clients do something for a time; what the learner has seen of it."""
        task.update(address=self.address, seconds=seconds + 2 * _WARM_UP_SECS)
        processes = [_start_client(dict(task, actor=str(index))) for index in range(clients)]
        for process in processes:
            assert process.stdout is not None and process.stdin is not None
            process.stdout.readline()
        for process in processes:
            assert process.stdin is not None
            process.stdin.write('go\n')
            process.stdin.flush()
        time.sleep(_WARM_UP_SECS)
        before, bytes_before = self._accounts.sequences(), self._accounts.totals()['bytes_in']
        started = time.monotonic()
        time.sleep(seconds)
        took = time.monotonic() - started
        sequences = self._accounts.sequences()['received'] - before['received']
        num_bytes = self._accounts.totals()['bytes_in'] - bytes_before
        rates = [float(process.communicate()[0].split()[-1]) for process in processes]
        row: Dict[str, Any] = {'what': task['what'], 'clients': clients}
        if task['what'] == 'send':
            row.update(compression=task['kind'], sequences_per_second=sequences / took)
            row['mb_per_second'] = num_bytes / took / 1e6
        else:
            row['reads_per_second'] = sum(rates)
            row['mb_per_second'] = sum(rates) * self.weight_bytes / 1e6
        return row

    def _repeat(self, operation: tf.Operation) -> None:
        with contextlib.suppress(tf.errors.OpError, RuntimeError):
            while True:
                self._session.run(operation)


@contextlib.contextmanager
def _learner(settings: workload.Settings, spec: Any) -> Iterator[_Learner]:
    with tf.Graph().as_default(), contextlib.ExitStack() as stack:
        yield _Learner(settings, spec, stack)


def _start_client(task: Dict[str, Any]) -> subprocess.Popen:
    command = [sys.executable, '-m', 'benchmarks.speed.cluster', '--as_client', json.dumps(task)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, universal_newlines=True
    )


def _be_client(task: Dict[str, Any]) -> None:
    """Says that it is ready, waits for the start, and prints how often it did its task a second."""
    with tf.Graph().as_default(), contextlib.ExitStack() as stack:
        build = {'send': _build_send, 'read': _build_read}[task['what']]
        run = build(task, stack.enter_context(tf.Session('grpc://' + task['address'])))
        print('ready', flush=True)
        sys.stdin.readline()
        count, started = 0, time.monotonic()
        while time.monotonic() - started < task['seconds']:
            run()
            count += 1
        print(count / (time.monotonic() - started), flush=True)


def _build_send(task: Dict[str, Any], session: tf.Session) -> Any:
    with open(task['path'], 'rb') as file:
        content = file.read()
    with tf.device(run_info.DEVICE + '/device:CPU:0'):
        values = [tf.placeholder(tf.string, []) for _ in range(2)]
        enqueue = intake.message_queue(CAPACITY).enqueue(values)
    numbers = iter(range(10**9))
    # Each measurement has actors of its own.
    actor = f'{task["actor"]} {os.getpid()}'

    def send() -> None:
        number = next(numbers)
        header = messages.Header(
            run=_RUN,
            actor=actor,
            task=-1,
            host='',
            number=number,
            sequences=task['count'],
            frames=task['frames'],
            policy_updates=0,
            played=(number + 1) * task['frames'],
            aborted=0,
            last_return=0.0,
            weights_secs=0.0,
            waited_secs=0.0,
            received_bytes=0,
            compression=task['kind'],
        )
        session.run(enqueue, dict(zip(values, (header.to_bytes(), content))))

    return send


def _build_read(task: Dict[str, Any], session: tf.Session) -> Any:
    tensors = [
        run_info.remote_variable(name, tf.as_dtype(dtype), shape, device)
        for name, (dtype, shape, device) in task['variables'].items()
    ]
    return lambda: session.run(tensors)


def _print_table(result: Dict[str, Any]) -> None:
    print(
        'flags: {}\n{:,} bytes a sequence, {} sequences a message, {:,} bytes of weights'.format(
            ' '.join(result['flags']),
            result['sequence_bytes'],
            result['sequences_per_message'],
            result['weight_bytes'],
        )
    )
    rows: List[Dict[str, Any]] = result['rows']
    for row in rows:
        name = 'weights' if row['what'] == 'read' else 'intake, ' + row['compression']
        rate = row.get('sequences_per_second', row.get('reads_per_second', np.nan))
        unit = 'reads/s' if row['what'] == 'read' else 'sequences/s'
        print(
            f'{name:14}{row["clients"]:4} clients{rate:12,.1f} {unit:12}'
            f'{row["mb_per_second"]:10,.1f} MB/s'
        )


if __name__ == '__main__':
    main()
