"""Agents. A new one is a file with `make_parts`, and a line in `AGENTS`."""

from typing import Any, Optional

from sc2impala import tf_setup  # noqa: F401
from sc2impala.agents import atari_net, fully_conv, fully_conv_lstm, impala_resnet
from sc2impala.agents.agent import Agent
from sc2impala.agents.policy import JointPolicy

AGENTS = {
    'atari_net': atari_net.make_parts,
    'fully_conv': fully_conv.make_parts,
    'fully_conv_lstm': fully_conv_lstm.make_parts,
    'impala_resnet': impala_resnet.make_parts,
}


def make_agent(
    name: str,
    observation_spec: Any,
    action_spec: Any,
    max_step_mul: int,
    fixed_step_mul: Optional[int] = None,
) -> Agent:
    """Builds the agent called `name`; its variables appear when it is first called.

    Args:
      name: a key of `AGENTS`.
      observation_spec: `envs.specs.ObservationSpec`.
      action_spec: `envs.actions.ActionSpec`.
      max_step_mul: largest step multiplier that the agent may choose.
      fixed_step_mul: takes the choice away when given.

    Raises:
      ValueError: if there is no such agent.
    """
    if name not in AGENTS:
        raise ValueError(
            'unknown agent {!r}, expected one of {}'.format(name, ', '.join(sorted(AGENTS)))
        )
    num_step_muls = max_step_mul if fixed_step_mul is None else 1
    torso, core, heads = AGENTS[name](observation_spec, action_spec, num_step_muls)
    policy = JointPolicy(
        action_spec.heads,
        {
            head: action_spec.head_used[:, column]
            for column, head in enumerate(action_spec.argument_heads)
        },
        learn_step_mul=fixed_step_mul is None,
    )
    return Agent(torso, core, heads, policy, fixed_step_mul)
