"""Counts floating-point operations in a TensorFlow graph."""

from typing import Any, Dict, Set

import tensorflow.compat.v1 as tf


def count_flops(operation: tf.Operation) -> Dict[str, float]:
    """Counts the floating-point operations of convolutions and matrix products.

    Only what `operation` depends on is counted, not the rest of its graph. Bodies of loops are not
    counted.

    Returns:
      {operation type: floating-point operations}.
    """
    options = tf.profiler.ProfileOptionBuilder(
        tf.profiler.ProfileOptionBuilder.float_operation()
    ).with_empty_output()
    needed = {each.name: each.type for each in _dependencies(operation)}
    nodes = [tf.profiler.profile(operation.graph, cmd='scope', options=options.build())]
    found: Dict[str, float] = {}
    while nodes:
        node = nodes.pop()
        nodes.extend(node.children)
        op_type = needed.get(node.name, '')
        if op_type.startswith(('Conv2D', 'MatMul', 'BatchMatMul')):
            found[op_type] = found.get(op_type, 0) + node.float_ops
    return found


def _dependencies(operation: tf.Operation) -> Set[Any]:
    """All operations that have to run for `operation`, itself included."""
    seen: Set[Any] = set()
    ahead = [operation]
    while ahead:
        each = ahead.pop()
        if each not in seen:
            seen.add(each)
            ahead.extend(tensor.op for tensor in each.inputs)
            ahead.extend(each.control_inputs)
    return seen
