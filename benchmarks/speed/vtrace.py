"""Compares the duration of V-trace with that of its recurrence as a `tf.scan` over time.

Both run alternately, many times, and the medians are compared:

    python -m benchmarks.speed.vtrace

The last line of the output is JSON.
"""

import argparse
import json
import statistics
import time
from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import tf_setup, vtrace

UNROLL_LENGTHS = (20, 100, 400)
BATCH_SIZES = (32, 256)
REPETITIONS = 200
TOLERANCE = 1e-5


def vtrace_by_scan(
    log_rhos: tf.Tensor,
    discounts: tf.Tensor,
    rewards: tf.Tensor,
    values: tf.Tensor,
    bootstrap_value: tf.Tensor,
) -> vtrace.VTraceReturns:
    """Computes V-trace with thresholds of 1, with a loop over time.

    Args and returns: as `vtrace.from_importance_weights`.
    """
    clipped_rhos = tf.minimum(1.0, tf.exp(log_rhos))
    values_tp1 = tf.concat([values[1:], bootstrap_value[tf.newaxis]], axis=0)
    deltas = clipped_rhos * (rewards + discounts * values_tp1 - values)
    vs_minus_values = tf.scan(
        lambda following, step: step[0] + step[1] * following,
        (deltas, discounts * clipped_rhos),
        initializer=tf.zeros_like(bootstrap_value),
        parallel_iterations=1,
        back_prop=False,
        reverse=True,
    )
    vs = values + vs_minus_values
    vs_tp1 = tf.concat([vs[1:], bootstrap_value[tf.newaxis]], axis=0)
    pg_advantages = clipped_rhos * (rewards + discounts * vs_tp1 - values)
    return vtrace.VTraceReturns(tf.stop_gradient(vs), tf.stop_gradient(pg_advantages))


def make_inputs(unroll_length: int, batch_size: int) -> Dict[str, np.ndarray]:
    """Returns random float32 inputs [T, B] and [B]; 2% of the steps end an episode."""
    rng = np.random.RandomState(0)
    shape = (unroll_length, batch_size)
    inputs = {
        'log_rhos': rng.normal(scale=0.5, size=shape),
        'discounts': 0.99 * (rng.uniform(size=shape) > 0.02),
        'rewards': rng.normal(size=shape),
        'values': rng.normal(size=shape),
        'bootstrap_value': rng.normal(size=batch_size),
    }
    return {name: value.astype(np.float32) for name, value in inputs.items()}


def median_seconds(runs: List[Callable[[], Any]]) -> List[float]:
    """Calls the functions alternately, `REPETITIONS` times; returns the median seconds of each."""
    seconds: List[List[float]] = [[] for _ in runs]
    for _ in range(REPETITIONS):
        for run, times in zip(runs, seconds):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
    return [statistics.median(times) for times in seconds]


def measure(unroll_length: int, batch_size: int) -> Dict[str, float]:
    """Times both forms and an empty run of the session, with inputs in variables.

    Returns:
      Medians in microseconds, the ratio of both forms, and their largest absolute difference.
    """
    with tf.Graph().as_default(), tf.Session() as session:
        variables = {
            name: tf.Variable(value, use_resource=True)
            for name, value in make_inputs(unroll_length, batch_size).items()
        }
        inputs = {name: variable.read_value() for name, variable in variables.items()}
        ours, scan = vtrace.from_importance_weights(**inputs), vtrace_by_scan(**inputs)
        session.run(tf.global_variables_initializer())

        ours_value, scan_value = session.run([ours, scan])
        difference = max(np.abs(a - b).max() for a, b in zip(ours_value, scan_value))
        # Running operations copies no values out of the graph. A tf.group of them would be
        # optimised away, since they have no side effects.
        runs = [
            session.make_callable([tensor.op for tensor in tensors])
            for tensors in (ours, scan, inputs.values())
        ]
        seconds = median_seconds(runs)
    ours_us, scan_us, empty_us = (1e6 * s for s in seconds)
    return {
        'unroll_length': unroll_length,
        'batch_size': batch_size,
        'ours_us': round(ours_us, 1),
        'scan_us': round(scan_us, 1),
        'empty_run_us': round(empty_us, 1),
        'speedup': round(scan_us / ours_us, 2),
        'max_difference': float(difference),
    }


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Prints a table, whether the two forms agree, and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args(argv)
    tf_setup.enable()
    print(f'TensorFlow {tf.__version__}, medians of {REPETITIONS} runs, in microseconds')
    print('   T    B      ours      scan  empty run  speedup')
    results = []
    for unroll_length in UNROLL_LENGTHS:
        for batch_size in BATCH_SIZES:
            result = measure(unroll_length, batch_size)
            results.append(result)
            print(
                '{unroll_length:4} {batch_size:4} {ours_us:9} {scan_us:9} {empty_run_us:10} '
                '{speedup:7}x'.format(**result)
            )
    difference = max(result['max_difference'] for result in results)
    agree = difference <= TOLERANCE
    print(f'largest difference {difference:.1e}: {"agree" if agree else "DISAGREE"} to {TOLERANCE}')
    print(json.dumps({'results': results, 'agree': agree}))


if __name__ == '__main__':
    main()
