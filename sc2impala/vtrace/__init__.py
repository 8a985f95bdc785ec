"""V-trace, UPGO and discounted returns: pure functions of time-major tensors."""

from sc2impala.vtrace.recurrence import reverse_linear_recurrence
from sc2impala.vtrace.returns import discounted_returns
from sc2impala.vtrace.upgo import upgo_advantages
from sc2impala.vtrace.vtrace import (
    VTraceFromLogitsReturns,
    VTraceReturns,
    from_importance_weights,
    from_logits,
    log_probs_from_logits_and_actions,
)

__all__ = [
    'VTraceFromLogitsReturns',
    'VTraceReturns',
    'discounted_returns',
    'from_importance_weights',
    'from_logits',
    'log_probs_from_logits_and_actions',
    'reverse_linear_recurrence',
    'upgo_advantages',
]
