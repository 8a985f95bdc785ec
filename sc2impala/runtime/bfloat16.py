"""Convolutions and matrix products in bfloat16, where the processor has it."""

import re
from typing import Any

import tensorflow.compat.v1 as tf

from sc2impala.runtime.errors import UserError

_REWRITE = 'auto_mixed_precision_onednn_bfloat16'
_PROCESSOR_FLAGS = ('avx512_bf16', 'amx_bf16', 'avx_ne_convert', 'bf16')
_CPUINFO = '/proc/cpuinfo'


def enable(session_config: Any) -> None:
    """Lets TensorFlow rewrite the graph of a session, a `ConfigProto`; variables stay float32.

    Raises:
      UserError: if this TensorFlow or this processor cannot.
    """
    rewrites = session_config.graph_options.rewrite_options
    if _REWRITE not in type(rewrites).DESCRIPTOR.fields_by_name:
        raise UserError(
            f'--bfloat16=True is more than TensorFlow {tf.__version__} can do, expected TensorFlow '
            '2.20 or newer, or --bfloat16=False.'
        )
    if not _processor_has_it():
        raise UserError(
            '--bfloat16=True is more than this processor can do, expected one with one of: '
            f'{", ".join(_PROCESSOR_FLAGS)} (see {_CPUINFO}), or --bfloat16=False.'
        )
    setattr(rewrites, _REWRITE, rewrites.ON)


def _processor_has_it():
    """True also where the system does not tell: TensorFlow then decides."""
    try:
        with open(_CPUINFO) as file:
            flags = re.search(r'^(?:flags|Features)\s*:(.*)$', file.read(), re.MULTILINE)
    except OSError:
        return True
    return flags is None or bool(set(_PROCESSOR_FLAGS) & set(flags.group(1).split()))
