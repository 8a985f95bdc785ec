"""Enables convolutions and matrix products in bfloat16 on processors that support it."""

import re
from typing import Any

import tensorflow.compat.v1 as tf

from sc2impala.errors import UserError

_REWRITE = 'auto_mixed_precision_onednn_bfloat16'
_PROCESSOR_FLAGS = ('avx512_bf16', 'amx_bf16', 'avx_ne_convert', 'bf16')
_CPUINFO = '/proc/cpuinfo'


def enable(session_config: Any) -> None:
    """Makes TensorFlow rewrite the graph of a session to bfloat16; variables remain float32.

    Args:
      session_config: `tf.ConfigProto`, which is changed in place.

    Raises:
      UserError: if this TensorFlow version or this processor does not support it.
    """
    rewrites = session_config.graph_options.rewrite_options
    if _REWRITE not in type(rewrites).DESCRIPTOR.fields_by_name:
        raise UserError(
            f'--bfloat16=True is not supported by TensorFlow {tf.__version__}, expected TensorFlow '
            '2.20 or newer, or --bfloat16=False.'
        )
    if not _is_supported_by_processor():
        raise UserError(
            '--bfloat16=True is not supported by this processor, expected one with one of: '
            f'{", ".join(_PROCESSOR_FLAGS)} (see {_CPUINFO}), or --bfloat16=False.'
        )
    setattr(rewrites, _REWRITE, rewrites.ON)


def _is_supported_by_processor() -> bool:
    """Also returns True if the processor's flags are unknown: TensorFlow then decides."""
    try:
        with open(_CPUINFO) as file:
            flags = re.search(r'^(?:flags|Features)\s*:(.*)$', file.read(), re.MULTILINE)
    except OSError:
        return True
    return flags is None or bool(set(_PROCESSOR_FLAGS) & set(flags.group(1).split()))
