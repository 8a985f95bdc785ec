"""The definition of a search on a map: candidates, policy of the roll-outs, and values."""

from typing import Any, Callable, NamedTuple, Optional, Tuple

from sc2impala.sim.compiler import compiled
from sc2impala.sim.rollouts import Policy


@compiled
def one_stage(g: Any, rules: Any) -> int:
    """The `stage` of a map whose roll-outs never end early."""
    return 0


@compiled
def _wait(g: Any, rules: Any, available: Any, memory: Any, random: Any, call: Any) -> None:
    """Calls nothing."""


KEEP_ORDERS = Policy('keep_orders', _wait)
"""A policy without any rules: units carry on with their orders."""


class Problem(NamedTuple):
    """A map as a search sees it; all functions are compiled functions of one game.

    name: unique; names the functions of the problem in the cache of compiled functions.
    policy: plays the roll-outs after the calls of a plan; its own call is the first candidate. It
      remembers nothing.
    propose: function of (g, rules, available, plans) that adds candidates, see `plans`. available:
      uint8 [573], whether each function can be called.
    value: function of (g, rules) that returns the value, in points, of the state in which a
      roll-out ends before its episode does: an estimate of the points that follow.
    functions: names of the PySC2 functions that candidates and policy call.
    policy_in_pairs: decides in an action space of selections with orders, see `pairs`; None for
      `policy`. It may score less and be easier to imitate.
    select_point_act: PySC2's argument of all selections of the policy by a point: 0 selects a unit,
      2 all units of its type.
    stage: function of (g, rules) that returns an int; a roll-out ends when it has increased from
      one step to the next, such as with the next wave of enemies, whose random positions would only
      add noise.
    hide: function of (g, rules, random) that replaces what the player does not see by a sample, at
      the start of each roll-out; None if all that matters is seen. random: see `rollouts.RANDOM`;
      equal for all candidates.
    horizon: environment frames of a roll-out at most.
    draws: roll-outs of a candidate, each with other random numbers, which are those of all other
      candidates, too.
    halvings: how often the worse half of the candidates is left out, and the draws of the others
      are doubled (sequential halving, Karnin et al. 2013).
    frames_of_draws: frames after which roll-outs draw other random numbers. With 1, successive
      decisions are independent; over a longer period they rest on the same guess of what is hidden.
    frame_cost: points that a frame costs: an estimate of the points that a player makes in it.
    margin: points by which a candidate has to be better than the call of the policy.
    has_candidates: False if the call of the policy is the only candidate, which needs no roll-out.
    """

    name: str
    policy: Policy
    propose: Callable[..., None]
    value: Callable[..., float]
    functions: Tuple[str, ...]
    policy_in_pairs: Optional[Policy] = None
    select_point_act: int = 0
    stage: Callable[..., int] = one_stage
    hide: Optional[Callable[..., None]] = None
    horizon: int = 200
    draws: int = 1
    halvings: int = 0
    frames_of_draws: int = 1
    frame_cost: float = 0.0
    margin: float = 1e-6
    has_candidates: bool = True
