import functools

import pytest
import tensorflow.compat.v1 as tf

from benchmarks.speed import learner
from tests.benchmarks import scripts


def test_categories_of_operations():
    for op_type, category in [
        ('Conv2D', 'convolution, forward'),
        ('_FusedConv2D', 'convolution, forward'),
        ('_MklNativeFusedConv2D', 'convolution, forward'),
        ('_MklNativePadWithFusedConv2D', 'convolution, forward'),
        ('Conv2DBackpropInput', 'convolution, to inputs'),
        ('_MklNativeConv2DBackpropInput', 'convolution, to inputs'),
        ('_MklConv2DBackpropInput', 'convolution, to inputs'),
        ('Conv2DBackpropFilter', 'convolution, to filters'),
        ('_MklNativeConv2DBackpropFilterWithBias', 'convolution, to filters'),
        ('MatMul', 'matrix product'),
        ('_FusedMatMul', 'matrix product'),
        ('_MklNativeFusedMatMul', 'matrix product'),
        ('_MklNativeBatchMatMulV2', 'matrix product'),
        ('MaxPool', 'pooling'),
        ('_MklNativeMaxPoolGrad', 'pooling'),
        ('ResourceApplyAdam', 'optimizer'),
        ('ConcatV2', 'copy'),
        ('_MklNativeConcatV2', 'copy'),
        ('SplitV', 'copy'),
        ('Pack', 'copy'),
        ('Unpack', 'copy'),
        ('Transpose', 'copy'),
        ('_MklNativeTranspose', 'copy'),
        ('Slice', 'copy'),
        ('StridedSliceGrad', 'copy'),
        ('GatherV2', 'copy'),
        ('Sum', 'reduction'),
        ('BiasAddGrad', 'reduction'),
        ('SparseSoftmaxCrossEntropyWithLogits', 'reduction'),
        ('Relu', 'elementwise'),
        ('_MklNativeReluGrad', 'elementwise'),
        ('AddV2', 'elementwise'),
        ('AddN', 'elementwise'),
        ('Mul', 'elementwise'),
        ('_MklMul', 'elementwise'),
        ('BiasAdd', 'elementwise'),
        ('SelectV2', 'elementwise'),
        ('_UnaryOpsComposition', 'elementwise'),
        ('Maximum', 'elementwise'),
        ('ReadVariableOp', 'other'),
        ('Const', 'other'),
        ('PyFunc', 'other'),
    ]:
        assert learner.category(op_type) == category, op_type


def _step_stats():
    """Two operations of a type, one of another type after a gap, and one without a type."""
    result = tf.RunMetadata().step_stats
    device = result.dev_stats.add(device='/cpu:0')
    for label, start, first, last in (
        ('[cpu 1MB] a/b = MatMul(x, y)', 1000000, 5, 105),
        ('c_1 = MatMul(x)', 1000105, 0, 50),
        ('d = Relu(c_1)', 1000195, 10, 210),
        ('copy', 2000000, 0, 9),
    ):
        device.node_stats.add(
            timeline_label=label,
            all_start_micros=start,
            op_start_rel_micros=first,
            op_end_rel_micros=last,
        )
    return result


def test_durations_in_a_trace():
    found = learner.seconds_by_type(_step_stats())
    assert found == pytest.approx({'MatMul': 150e-6, 'Relu': 200e-6})
    assert learner.span(_step_stats()) == pytest.approx(400e-6)


def test_a_real_trace():
    with tf.Graph().as_default(), tf.Session() as session:
        product = tf.matmul(tf.random.uniform([9, 8]), tf.random.uniform([8, 7]), name='product')
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        session.run(product, options=options, run_metadata=metadata)
    types = learner.seconds_by_type(metadata.step_stats)
    assert 'matrix product' in {learner.category(op_type) for op_type in types}


@pytest.mark.long
def test_rates_and_categories(capsys, monkeypatch):
    product = functools.partial(learner.workload.matrix_product, size=64)
    monkeypatch.setattr(learner.workload, 'matrix_product', product)
    learner.main(['--seconds=0.01', '--rounds=1', '--traces=2'] + list(scripts.TINY))
    result = scripts.last_json(capsys)
    assert result['flags'] == list(scripts.TINY) and result['batch_size'] == 4
    assert result['steps_per_second'] == pytest.approx(4 * 3 * result['updates_per_second'])
    flops = result['flops_per_update']
    assert result['flops_per_step'] == {name: amount / 12 for name, amount in flops.items()}
    assert 0 < flops['forward'] < flops['update'] == sum(result['flops_by_type'].values())
    gflops = flops['update'] * result['updates_per_second'] / 1e9
    assert result['gflops_per_second'] == pytest.approx(gflops)
    assert result['share_of_matmul'] == pytest.approx(gflops / result['matmul_gflops_per_second'])

    trace = result['trace']
    kinds = trace['kinds']
    assert list(kinds) == [name for name, _ in learner.CATEGORIES] + ['other']
    assert sum(each['share'] for each in kinds.values()) == pytest.approx(1)
    assert trace['share_between_kernels'] < 1
    for name in ('convolution, forward', 'convolution, to filters', 'matrix product'):
        assert kinds[name]['seconds'] > 0 and kinds[name]['gflops_per_second'] > 0
    assert kinds['optimizer']['seconds'] > 0 and 'gflops_per_second' not in kinds['optimizer']
    assert 'ResourceApplyAdam' in kinds['optimizer']['types']
    assert kinds['elementwise']['seconds'] > 0


def test_the_rate_alone(capsys):
    learner.main(['--only_rate', '--seconds=0.01'] + list(scripts.TINY))
    result = scripts.last_json(capsys)
    assert result['steps_per_second'] == pytest.approx(12 * result['updates_per_second'])
    assert 'trace' not in result and 'flops_per_step' not in result
