"""Measures how fast the learner is alone, on a batch that never changes, and where its time goes.

Floating-point operations are those of convolutions and matrix products, as TensorFlow's profiler
counts them: of the agent unrolled over a batch (forward), and of the whole update. The rate is held
against that of one large product of matrices, which is measured in turn with the updates; the
median of the updates counts, and the best of the products.

Where the time goes is taken from traces of single updates (tf.RunMetadata) in a session that runs
one operation at a time, each with all threads it can use. Its kernels are summed by kind, and the
median of the traces counts. Shares are of the sum of all kernels; what goes by between them is
given as a share of the time from the start of the first to the end of the last.

    python benchmarks/learner.py --workload=resnet

The last line of the output is JSON.
"""

import argparse
import contextlib
import json
import re
import statistics

import tensorflow.compat.v1 as tf
import workload

from sc2impala.runtime import config as config_lib
from sc2impala.runtime import graph

KINDS = (
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
"""Kinds of operations, and what the types of each match; the first match counts."""

OTHER = 'other'
NUM_NAMED = 5
"""Types of operations that are named, of those that take most of a kind's time."""


def main(argv=None):
    """Measures, and prints tables and the JSON.

    Args:
      argv: the arguments of the command line; None stands for those of the process.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument('--seconds', type=float, default=4, help='for each part in each round')
    parser.add_argument('--rounds', type=int, default=5, help='turns of each part')
    parser.add_argument('--traces', type=int, default=5, help='updates that are looked into')
    parser.add_argument(
        '--only_rate', action='store_true', help='measure the rate of updates, nothing else'
    )
    arguments, flags = workload.parse(parser, argv)
    config = workload.make_config(flags)
    result = {'flags': flags, 'batch_size': config.batch_size}
    if arguments.only_rate:
        rate = workload.rate_alone('learner', config, arguments.seconds)
        result['steps_per_second'] = rate
        result['updates_per_second'] = rate / _steps_of_update(config)
    else:
        result.update(measure(config, arguments.seconds, arguments.rounds))
        result['trace'] = trace(config, arguments.traces)
        _add_arithmetic(result['trace']['kinds'], result['flops_by_type'])
    _print_rates(result)
    if 'trace' in result:
        _print_kinds(result['trace'])
    print(json.dumps(result))


def measure(config, seconds, rounds):
    """Measures updates and matrix products in turn; returns a dict for the JSON."""
    with contextlib.ExitStack() as stack:
        update, steps = stack.enter_context(workload.part('learner', config))
        product, product_flops = stack.enter_context(workload.matrix_product())
        runs = {'update': update, 'matrix product': product}
        times = workload.times_in_turn(runs, seconds, rounds)
    update_seconds = statistics.median(times['update'])
    by_type = workload.arithmetic_of(config, 'update')
    flops = {
        'forward': sum(workload.arithmetic_of(config, 'forward').values()),
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


def _steps_of_update(config):
    return config_lib.batch_split(config)[0] * config.unroll_length


def trace(config, num_traces):
    """Looks into updates; returns the seconds of one, and those of its kernels by kind."""
    one_at_a_time = graph.session_config(deterministic=False, in_bfloat16=config.bfloat16)
    one_at_a_time.inter_op_parallelism_threads = 1
    # Otherwise the threads would be those that the first session of the process has made.
    one_at_a_time.use_per_session_threads = True
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    spans, found = [], []
    with tf.Graph().as_default():
        update = workload.update(config)
        with tf.Session(config=one_at_a_time) as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            for _ in range(2 + num_traces):
                metadata = tf.RunMetadata()
                session.run(update, options=options, run_metadata=metadata)
                spans.append(span(metadata.step_stats))
                found.append(seconds_by_type(metadata.step_stats))
    # The first updates find nothing prepared.
    spans, found = spans[2:], found[2:]
    types = {op_type for each in found for op_type in each}
    by_type = {t: statistics.median(each.get(t, 0.0) for each in found) for t in types}
    between = statistics.median(
        1 - sum(each.values()) / seconds for each, seconds in zip(found, spans)
    )
    return {
        'seconds': statistics.median(spans),
        'share_between_kernels': between,
        'kinds': _by_kind(by_type),
    }


def _kernels(step_stats):
    """Yields type, start and end of all operations of a run, in microseconds."""
    for device in step_stats.dev_stats:
        for node in device.node_stats:
            # '[memory] name = Type(inputs)', or nothing of the kind for what is no operation.
            match = re.search(r' = (\w+)\(', node.timeline_label)
            if match:
                start = node.all_start_micros
                ends = start + node.op_end_rel_micros
                yield match.group(1), start + node.op_start_rel_micros, ends


def span(step_stats):
    """Seconds from the start of the first kernel of a `tf.StepStats` to the end of the last."""
    times = [(start, end) for _, start, end in _kernels(step_stats)]
    return (max(end for _, end in times) - min(start for start, _ in times)) / 1e6


def seconds_by_type(step_stats):
    """Sums the durations of all kernels of a `tf.StepStats` by the type of operation."""
    result = {}
    for op_type, start, end in _kernels(step_stats):
        result[op_type] = result.get(op_type, 0.0) + (end - start) / 1e6
    return result


def kind(op_type):
    """The kind of an operation by its type, whichever library its kernel comes from.

    oneDNN's have names as _MklNativeConv2DBackpropFilterWithBias, those that were put together
    from several names as _FusedConv2D.
    """
    name = re.sub(r'^_*(Mkl)?(Native)?_*(Fused)?', '', op_type)
    name = re.sub(r'(?<=[a-z])V\d$', '', name)
    for found, pattern in KINDS:
        if re.search(pattern, name):
            return found
    return OTHER


def _by_kind(by_type):
    """Seconds and share of each kind, and the types that take most of it."""
    total = sum(by_type.values())
    result = {}
    for name in [name for name, _ in KINDS] + [OTHER]:
        of_kind = {t: seconds for t, seconds in by_type.items() if kind(t) == name}
        largest = sorted(of_kind, key=lambda t: (-of_kind[t], t))[:NUM_NAMED]
        result[name] = {
            'seconds': sum(of_kind.values()),
            'share': sum(of_kind.values()) / total if total else 0.0,
            'types': {t: of_kind[t] for t in largest},
        }
    return result


def _add_arithmetic(kinds, flops_by_type):
    """Adds what the kinds with counted arithmetic reach."""
    for name, found in kinds.items():
        flops = sum(amount for t, amount in flops_by_type.items() if kind(t) == name)
        if flops and found['seconds']:
            found['gflops_per_second'] = flops / found['seconds'] / 1e9


def _print_rates(result):
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


def _print_kinds(found):
    print(
        'one operation at a time: {:.4f} s an update, {:.1%} of it between kernels'.format(
            found['seconds'], found['share_between_kernels']
        )
    )
    print(f'{"kind":26}{"ms":>10}{"share":>8}{"GFLOP/s":>10}  mostly')
    for name, of_kind in found['kinds'].items():
        reached = of_kind.get('gflops_per_second')
        print(
            f'{name:26}{1000 * of_kind["seconds"]:10.2f}{of_kind["share"]:8.1%}'
            f'{"" if reached is None else format(reached, ".1f"):>10}  '
            f'{", ".join(list(of_kind["types"])[:3])}'
        )


if __name__ == '__main__':
    main()
