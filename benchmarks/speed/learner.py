"""Measures the speed of the learner alone on a constant batch, and where its time is spent.

Floating-point operations are those of convolutions and matrix products, as counted by TensorFlow's
profiler, for the agent unrolled over a batch (forward) and for the whole update. The rate is
compared with that of one large matrix product, measured alternately with the updates. The median
duration of the updates counts, and the best of the matrix products.

The time by category of operation comes from traces of single updates (tf.RunMetadata) in a session
that runs one operation at a time, each on all cores. The durations of the kernels are summed by
category, and the median of the traces counts. Shares are of the sum of all kernels. The time
between kernels is a share of the time from the start of the first kernel to the end of the last.

    python -m benchmarks.speed.learner --workload=resnet

The last line of the output is JSON.
"""

import argparse
import contextlib
import json
import re
import statistics
from typing import Any, Dict, Iterator, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

from benchmarks import timing, workload

CATEGORIES = (
    ('convolution, to filters', r'Conv\dDBackpropFilter'),
    ('convolution, to inputs', r'Conv\dDBackpropInput'),
    ('convolution, forward', r'Conv\dD'),
    ('matrix product', r'MatMul|Einsum'),
    ('pooling', r'(Max|Avg)Pool'),
    ('optimizer', r'^(Resource)?(Sparse)?Apply'),
    (
        'copy',
        r'^(Concat|ParallelConcat|Split|Pack|Unpack|Transpose|(Resource)?(Strided)?Slice|Gather|'
        r'(Resource)?Gather|Scatter|Reverse|Tile|Fill|Pad|MirrorPad|BroadcastTo|OneHot|ZerosLike|'
        r'OnesLike|Cast|ToTf|DeepCopy|Snapshot|Dynamic|SpaceTo|DepthTo|Resize|InvertPermutation)',
    ),
    (
        'reduction',
        r'^(Sum|Mean|Prod|Max|Min|Any|All|ArgMax|ArgMin|BiasAddGrad|L2Loss|Cumsum|(Log)?Softmax|'
        r'(Sparse)?SoftmaxCrossEntropy\w*)$',
    ),
    (
        'elementwise',
        r'^(Add|Sub|Mul|Div|RealDiv|FloorDiv|FloorMod|Mod|Neg|Abs|Sign|Square|SquaredDifference|'
        r'Sqrt|Rsqrt|Reciprocal|Inv|Pow|Exp|Expm1|Log|Log1p|Tanh|Sigmoid|Relu|Relu6|Elu|Selu|'
        r'Softplus|Maximum|Minimum|Greater|GreaterEqual|Less|LessEqual|Equal|NotEqual|LogicalAnd|'
        r'LogicalOr|LogicalNot|Select|BiasAdd|Floor|Round|ClipByValue|IsFinite|IsNan|CheckNumerics|'
        r'Xlogy|Xdivy|UnaryOpsComposition|MulNoNan|DivNoNan|AddN)(Grad)?$',
    ),
)
"""Categories of operations, and regular expressions of their types; the first match counts."""

OTHER = 'other'
NUM_LISTED_TYPES = 5
"""The number of operation types listed in a category, those with most of its time."""


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Measures, and prints tables and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument('--seconds', type=float, default=4, help='of each part in each round')
    parser.add_argument('--rounds', type=int, default=5, help='of all parts, alternately')
    parser.add_argument('--traces', type=int, default=5, help='number of traced updates')
    parser.add_argument('--only_rate', action='store_true', help='measure only the rate of updates')
    arguments, flags = workload.parse(parser, argv)
    settings = workload.make_settings(flags)
    sizes = workload.sizes(settings)
    result: Dict[str, Any] = {'flags': flags, 'batch_size': sizes.batch_size}
    if arguments.only_rate:
        rate = workload.rate_alone('learner', settings, arguments.seconds)
        result['steps_per_second'] = rate
        result['updates_per_second'] = rate / sizes.steps_per_update
    else:
        result.update(measure(settings, arguments.seconds, arguments.rounds))
        result['trace'] = trace(settings, arguments.traces)
        _add_flops(result['trace']['kinds'], result['flops_by_type'])
    _print_rates(result)
    if 'trace' in result:
        _print_categories(result['trace'])
    print(json.dumps(result))


def measure(settings: workload.Settings, seconds: float, rounds: int) -> Dict[str, Any]:
    """Measures updates and matrix products alternately.

    Args:
      settings: of the training.
      seconds: for each of the two in each round.
      rounds: the number of rounds.

    Returns:
      The entries of the JSON: updates, agent steps and floating-point operations per second.
    """
    with contextlib.ExitStack() as stack:
        update, steps = stack.enter_context(workload.part('learner', settings))
        product, product_flops = stack.enter_context(workload.matrix_product())
        runs = {'update': update, 'matrix product': product}
        times = timing.interleaved_seconds(runs, seconds, rounds)
    update_seconds = statistics.median(times['update'])
    by_type = workload.flops(settings, 'update')
    flops = {
        'forward': sum(workload.flops(settings, 'forward').values()),
        'update': sum(by_type.values()),
    }
    matmul = product_flops / min(times['matrix product'])
    return {
        'updates_per_second': 1 / update_seconds,
        'steps_per_second': steps / update_seconds,
        'flops_per_update': flops,
        'flops_per_step': {name: amount / steps for name, amount in flops.items()},
        'flops_by_type': by_type,
        'gflops_per_second': flops['update'] / update_seconds / 1e9,
        'matmul_gflops_per_second': matmul / 1e9,
        'share_of_matmul': flops['update'] / update_seconds / matmul,
    }


def trace(settings: workload.Settings, num_traces: int) -> Dict[str, Any]:
    """Traces updates.

    Args:
      settings: of the training.
      num_traces: the number of updates to trace, after two that warm up.

    Returns:
      The seconds of an update, the share of them between kernels, and the seconds and shares of
      its kernels by category, medians of the traces.
    """
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    spans, found = [], []
    with tf.Graph().as_default():
        update = workload.build_update(settings)
        with workload.session(settings, one_operation_at_a_time=True) as session:
            for _ in range(2 + num_traces):
                metadata = tf.RunMetadata()
                session.run(update, options=options, run_metadata=metadata)
                spans.append(span(metadata.step_stats))
                found.append(seconds_by_type(metadata.step_stats))
    spans, found = spans[2:], found[2:]
    types = {op_type for each in found for op_type in each}
    by_type = {t: statistics.median(each.get(t, 0.0) for each in found) for t in types}
    between = statistics.median(
        1 - sum(each.values()) / seconds for each, seconds in zip(found, spans)
    )
    return {
        'seconds': statistics.median(spans),
        'share_between_kernels': between,
        'kinds': _by_category(by_type),
    }


def _kernels(step_stats: Any) -> Iterator[Tuple[str, int, int]]:
    """Yields operation type, start and end in microseconds of all kernels of a `tf.StepStats`."""
    for device in step_stats.dev_stats:
        for node in device.node_stats:
            # '[memory] name = Type(inputs)' for operations; copies between devices have no type.
            match = re.search(r' = (\w+)\(', node.timeline_label)
            if match:
                start = node.all_start_micros
                end = start + node.op_end_rel_micros
                yield match.group(1), start + node.op_start_rel_micros, end


def span(step_stats: Any) -> float:
    """Returns the seconds from the first kernel's start to the last one's end (`tf.StepStats`)."""
    times = [(start, end) for _, start, end in _kernels(step_stats)]
    return (max(end for _, end in times) - min(start for start, _ in times)) / 1e6


def seconds_by_type(step_stats: Any) -> Dict[str, float]:
    """Sums the durations in seconds of all kernels of a `tf.StepStats` by operation type."""
    result: Dict[str, float] = {}
    for op_type, start, end in _kernels(step_stats):
        result[op_type] = result.get(op_type, 0.0) + (end - start) / 1e6
    return result


def category(op_type: str) -> str:
    """Returns the category of an operation type: a name in `CATEGORIES`, or `OTHER`.

    The name of the library that has the kernel does not matter: oneDNN's are named as
    _MklNativeConv2DBackpropFilterWithBias, fused ones as _FusedConv2D.
    """
    name = re.sub(r'^_*(Mkl)?(Native)?_*(Fused)?', '', op_type)
    name = re.sub(r'(?<=[a-z])V\d$', '', name)
    for found, pattern in CATEGORIES:
        if re.search(pattern, name):
            return found
    return OTHER


def _by_category(by_type: Dict[str, float]) -> Dict[str, Dict[str, Any]]:
    """Returns seconds and share of each category, and the types with most of its time."""
    total = sum(by_type.values())
    result = {}
    for name in [name for name, _ in CATEGORIES] + [OTHER]:
        members = {t: seconds for t, seconds in by_type.items() if category(t) == name}
        largest = sorted(members, key=lambda t: (-members[t], t))[:NUM_LISTED_TYPES]
        result[name] = {
            'seconds': sum(members.values()),
            'share': sum(members.values()) / total if total else 0.0,
            'types': {t: members[t] for t in largest},
        }
    return result


def _add_flops(categories: Dict[str, Dict[str, Any]], flops_by_type: Dict[str, float]) -> None:
    """Adds GFLOP/s to the categories the arithmetic of which is counted."""
    for name, found in categories.items():
        flops = sum(amount for t, amount in flops_by_type.items() if category(t) == name)
        if flops and found['seconds']:
            found['gflops_per_second'] = flops / found['seconds'] / 1e9


def _print_rates(result: Dict[str, Any]) -> None:
    print('flags: {}'.format(' '.join(result['flags'])))
    print(
        '{:,.2f} updates/s, {:,.0f} agent steps/s'.format(
            result['updates_per_second'], result['steps_per_second']
        )
    )
    if 'flops_per_step' in result:
        per_step = result['flops_per_step']
        print(
            'a step: {:,.2f} MFLOP forward, {:,.2f} in the whole update'.format(
                per_step['forward'] / 1e6, per_step['update'] / 1e6
            )
        )
        print(
            '{:,.1f} GFLOP/s, {:.1%} of the {:,.1f} of a matrix product'.format(
                result['gflops_per_second'],
                result['share_of_matmul'],
                result['matmul_gflops_per_second'],
            )
        )


def _print_categories(found: Dict[str, Any]) -> None:
    print(
        'one operation at a time: {:.4f} s an update, {:.1%} of it between kernels'.format(
            found['seconds'], found['share_between_kernels']
        )
    )
    print(f'{"category":26}{"ms":>10}{"share":>8}{"GFLOP/s":>10}  mostly')
    for name, values in found['kinds'].items():
        reached = values.get('gflops_per_second')
        print(
            f'{name:26}{1000 * values["seconds"]:10.2f}{values["share"]:8.1%}'
            f'{"" if reached is None else format(reached, ".1f"):>10}  '
            f'{", ".join(list(values["types"])[:3])}'
        )


if __name__ == '__main__':
    main()
