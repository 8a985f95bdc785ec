"""Agents. A new one is a file with `make_parts`, and a line in `AGENTS`.

Importing this package does not load TensorFlow; making an agent does.
"""

import importlib
from typing import TYPE_CHECKING, Any, List, Optional

if TYPE_CHECKING:
    from sc2impala.agents.agent import Agent

AGENTS = {
    'atari_net': 'sc2impala.agents.atari_net',
    'fully_conv': 'sc2impala.agents.fully_conv',
    'fully_conv_lstm': 'sc2impala.agents.fully_conv_lstm',
    'impala_resnet': 'sc2impala.agents.impala_resnet',
}
"""Modules by the name of the agent. Each has `make_parts(observation_spec, action_spec,
num_step_muls)`, which returns torso, core and heads."""


def make_agent(
    name: str,
    observation_spec: Any,
    action_spec: Any,
    max_step_mul: int,
    fixed_step_mul: Optional[int] = None,
    argument_conditioning: bool = False,
) -> 'Agent':
    """Builds the agent called `name`; most of its variables are created when it is first called.

    Args:
      name: a key of `AGENTS`.
      observation_spec: `envs.specs.ObservationSpec`.
      action_spec: `envs.actions.ActionSpec`.
      max_step_mul: largest step multiplier that the agent may choose.
      fixed_step_mul: the step multiplier of every step; None lets the agent choose.
      argument_conditioning: whether the arguments depend on the chosen function.

    Raises:
      ValueError: if there is no such agent, or its heads cannot be conditioned.
    """
    if name not in AGENTS:
        raise ValueError(
            'unknown agent {!r}, expected one of {}'.format(name, ', '.join(sorted(AGENTS)))
        )
    from sc2impala.agents.agent import Agent, make_policy, recorded

    num_step_muls = max_step_mul if fixed_step_mul is None else 1
    make_parts = importlib.import_module(AGENTS[name]).make_parts
    weights: List[Any] = []
    with recorded(weights):
        torso, core, heads = make_parts(observation_spec, action_spec, num_step_muls)
        if argument_conditioning:
            heads = _conditioned(name, heads, action_spec.num_functions)
    policy = make_policy(action_spec, learn_step_mul=fixed_step_mul is None)
    return Agent(torso, core, heads, policy, num_step_muls, fixed_step_mul, weights)


def _conditioned(name: str, heads: Any, num_functions: int) -> Any:
    from sc2impala.agents.conditioning import ConditionedHeads
    from sc2impala.agents.heads import Heads

    if not isinstance(heads, Heads):
        raise ValueError(
            f'argument_conditioning=true needs an agent with `agents.heads.Heads`, but {name} has '
            f'{type(heads).__name__}'
        )
    return ConditionedHeads(heads, num_functions)
