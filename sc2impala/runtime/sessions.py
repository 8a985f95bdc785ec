"""Sessions of TensorFlow: their devices, options and errors."""

import contextlib
import re
from typing import Iterator, List, Optional, Sequence

import tensorflow.compat.v1 as tf

from sc2impala.envs import VectorEnvironment
from sc2impala.errors import UserError

_REWRITE = 'auto_mixed_precision_onednn_bfloat16'
_PROCESSOR_FLAGS = ('avx512_bf16', 'amx_bf16', 'avx_ne_convert', 'bf16')
_CPUINFO = '/proc/cpuinfo'


def session_config(deterministic: bool, in_bfloat16: bool = False) -> tf.ConfigProto:
    """Returns a configuration with all cores and growing GPU memory; deterministic: one thread.

    Raises:
      UserError: if bfloat16 is on and not available.
    """
    threads = 1 if deterministic else 0
    result = tf.ConfigProto(
        allow_soft_placement=True,
        intra_op_parallelism_threads=threads,
        inter_op_parallelism_threads=threads,
        # Otherwise all later sessions of this process would share its one thread.
        use_per_session_threads=deterministic,
    )
    result.gpu_options.allow_growth = True
    if in_bfloat16:
        _enable_bfloat16(result)
    return result


def _enable_bfloat16(session_config: tf.ConfigProto) -> None:
    """Makes TensorFlow rewrite the graph of a session to bfloat16; variables remain float32.

    Args:
      session_config: `tf.ConfigProto`, changed in place.

    Raises:
      UserError: if this TensorFlow version or this processor does not support it.
    """
    rewrites = session_config.graph_options.rewrite_options
    if not _is_supported_by_tensorflow():
        raise UserError(
            f'--bfloat16=True is not supported by TensorFlow {tf.__version__}, expected TensorFlow '
            '2.20 or newer, or --bfloat16=False.'
        )
    if not _is_supported_by_processor(if_unknown=True):
        raise UserError(
            '--bfloat16=True is not supported by this processor, expected one with one of: '
            f'{", ".join(_PROCESSOR_FLAGS)} (see {_CPUINFO}), or --bfloat16=False.'
        )
    setattr(rewrites, _REWRITE, rewrites.ON)


def bfloat16_is_available() -> bool:
    """Returns True if TensorFlow and the processor are known to support bfloat16."""
    return _is_supported_by_tensorflow() and _is_supported_by_processor(if_unknown=False)


def _is_supported_by_tensorflow() -> bool:
    rewrites = tf.ConfigProto().graph_options.rewrite_options
    return _REWRITE in type(rewrites).DESCRIPTOR.fields_by_name


def _is_supported_by_processor(if_unknown: bool) -> bool:
    """Args: if_unknown: what is returned if the flags of the processor are unknown."""
    try:
        with open(_CPUINFO) as file:
            flags = re.search(r'^(?:flags|Features)\s*:(.*)$', file.read(), re.MULTILINE)
    except OSError:
        return if_unknown
    if flags is None:
        return if_unknown
    return bool(set(_PROCESSOR_FLAGS) & set(flags.group(1).split()))


def gpu_device() -> Optional[str]:
    """The first GPU, or None."""
    devices = learner_devices(1)
    return devices[0] if devices else None


def learner_devices(count: int) -> List[str]:
    """The first `count` GPUs; empty for 1 on a machine without a GPU.

    Raises:
      UserError: if there are fewer.
    """
    found = len(tf.config.experimental.list_physical_devices('GPU'))
    if count > max(1, found):
        raise UserError(
            f'--num_learner_devices={count} needs as many GPUs, but this machine has {found}, '
            f'expected {"1" if found < 2 else f"at most {found}"}.'
        )
    return [f'/gpu:{index}' for index in range(min(count, found))]


@contextlib.contextmanager
def failures_reported(environments: Sequence[VectorEnvironment]) -> Iterator[None]:
    """Re-raises the original error of an environment that TensorFlow has wrapped.

    Raises:
      UserError: if the block raises an error and one of the environments has failed.
    """
    try:
        yield
    except Exception as error:
        for env in environments:
            if env.failure is not None:
                raise UserError(str(env.failure)) from error
        raise
