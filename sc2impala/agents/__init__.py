"""Agents. A new one is a file with `make_parts`, and a line in `AGENTS`.

An agent outside of the package needs no line: its name is 'module:make_parts'.

Importing this package does not load TensorFlow; making an agent does.
"""

import importlib
from typing import TYPE_CHECKING, Any, Callable, Optional

from sc2impala import extensions, tf_setup

if TYPE_CHECKING:
    from sc2impala.agents.agent import Agent
    from sc2impala.envs.actions import ActionSpec
    from sc2impala.envs.specs import ObservationSpec

AGENTS = {
    'atari_net': 'sc2impala.agents.atari_net',
    'fully_conv': 'sc2impala.agents.fully_conv',
    'fully_conv_lstm': 'sc2impala.agents.fully_conv_lstm',
    'impala_resnet': 'sc2impala.agents.impala_resnet',
    'relational': 'sc2impala.agents.relational',
    'relational_control': 'sc2impala.agents.relational_control',
    'patch_lstm': 'sc2impala.agents.patch_lstm',
    'unet_lstm': 'sc2impala.agents.unet_lstm',
    'units_lstm': 'sc2impala.agents.units_lstm',
}
"""Modules by name of the agent. Each has `make_parts(observation_spec, action_spec,
num_step_muls)`, which returns torso, core and heads."""

VALUE_NORMALISATIONS = ('none', 'popart')
"""Normalisations of the returns that the baseline learns; see `value_statistics`."""

UNIT_MASKS = ('none', 'selections', 'all')
"""Points that pixels without a target are masked for; see `unit_prior`."""


def load_make_parts(name: str) -> Callable[['ObservationSpec', 'ActionSpec', int], tuple]:
    """Returns the function `make_parts` of an agent; imports TensorFlow.

    Args:
      name: a key of `AGENTS`, or 'module:attribute' for a function outside of the package.

    Raises:
      ValueError: if the agent is unknown.
      UserError: if the function outside of the package cannot be imported.
    """
    if extensions.is_spec(name):
        tf_setup.enable()
        return extensions.load(
            'agent',
            name,
            'a function make_parts(observation_spec, action_spec, num_step_muls)',
            callable,
        )
    if name not in AGENTS:
        raise ValueError(
            'unknown agent {!r}, expected one of {}'.format(name, ', '.join(sorted(AGENTS)))
        )
    return importlib.import_module(AGENTS[name]).make_parts


def make_agent(
    name: str,
    observation_spec: 'ObservationSpec',
    action_spec: 'ActionSpec',
    max_step_mul: int,
    fixed_step_mul: Optional[int] = None,
    **options: Any,
) -> 'Agent':
    """Builds the agent called `name`; imports TensorFlow.

    Args:
      name: see `load_make_parts`.
      observation_spec: observation spec of the agent.
      action_spec: action spec of the agent.
      max_step_mul: largest step multiplier that the agent may choose.
      fixed_step_mul: the step multiplier of every step; None lets the agent choose.
      **options: the other arguments of `build.make_agent`.

    Raises:
      ValueError: if the agent is unknown, or its heads do not have an option.
    """
    from sc2impala.agents import build

    return build.make_agent(
        name, observation_spec, action_spec, max_step_mul, fixed_step_mul, **options
    )
