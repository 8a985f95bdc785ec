"""Agents. A new one is a file with `make_parts`, and a line in `AGENTS`.

An agent outside of the package needs no line: its name is 'module:make_parts'.

Importing this package does not load TensorFlow; making an agent does.
"""

import functools
import importlib
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence

from sc2impala import extensions, tf_setup

if TYPE_CHECKING:
    from sc2impala.agents.agent import Agent

AGENTS = {
    'atari_net': 'sc2impala.agents.atari_net',
    'fully_conv': 'sc2impala.agents.fully_conv',
    'fully_conv_lstm': 'sc2impala.agents.fully_conv_lstm',
    'impala_resnet': 'sc2impala.agents.impala_resnet',
    'relational': 'sc2impala.agents.relational',
    'relational_control': 'sc2impala.agents.relational_control',
    'unet_lstm': 'sc2impala.agents.unet_lstm',
}
"""Modules by the name of the agent. Each has `make_parts(observation_spec, action_spec,
num_step_muls)`, which returns torso, core and heads."""

VALUE_NORMALISATIONS = ('none', 'popart')
"""Whether the baseline learns returns as they are, or normalised; see `value_statistics`."""


def load_make_parts(name: str) -> Callable[[Any, Any, int], tuple]:
    """Returns the function `make_parts` of an agent; imports TensorFlow.

    Args:
      name: a key of `AGENTS`, or 'module:attribute' for a function outside of the package.

    Raises:
      ValueError: if there is no such agent.
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
    observation_spec: Any,
    action_spec: Any,
    max_step_mul: int,
    fixed_step_mul: Optional[int] = None,
    argument_conditioning: bool = False,
    value_normalisation: str = 'none',
    bootstrap_heads: int = 0,
    unit_prior: float = 0.0,
    point_logit_scale: float = 1.0,
    order_prior: Optional[float] = None,
    ratio_bins: int = 0,
) -> 'Agent':
    """Builds the agent called `name`; most of its variables are created when it is first called.

    Args:
      name: see `load_make_parts`.
      observation_spec: `envs.specs.ObservationSpec`.
      action_spec: `envs.actions.ActionSpec`.
      max_step_mul: largest step multiplier that the agent may choose.
      fixed_step_mul: the step multiplier of every step; None lets the agent choose.
      argument_conditioning: whether the arguments depend on the chosen function, and on the
        arguments chosen before them.
      value_normalisation: one of `VALUE_NORMALISATIONS`.
      bootstrap_heads: versions of the heads, see `bootstrap`; with less than 2 there are none, and
        with more neither of the two options before.
      unit_prior: initial logit of pixels that show units, see `unit_prior`; 0 for none. It takes
        argument conditioning.
      point_logit_scale: what the logits of point heads are multiplied by.
      order_prior: `unit_prior` of functions other than selections; None for the same.
      ratio_bins: parts of layers that show a share of a whole, see `preprocessing`; 0 leaves the
        layers as the spec has them.

    Raises:
      ValueError: if there is no such agent, or its heads do not have an option.
    """
    make_parts = load_make_parts(name)
    from sc2impala.agents import preprocessing
    from sc2impala.agents.agent import Agent, make_policy, recorded

    if ratio_bins:
        observation_spec = preprocessing.with_ratio_bins(observation_spec, ratio_bins)
    num_step_muls = max_step_mul if fixed_step_mul is None else 1
    weights: List[Any] = []
    with recorded(weights):
        torso, core, heads = make_parts(observation_spec, action_spec, num_step_muls)
    if point_logit_scale != 1:
        _check_heads(f'point_logit_scale={point_logit_scale:g}', name, heads)
        heads.point_logit_scale = point_logit_scale
    if bootstrap_heads > 1:
        from sc2impala.agents.bootstrap import BootstrappedHeads

        heads = BootstrappedHeads(heads, bootstrap_heads)
    statistics = None
    if argument_conditioning:
        from sc2impala.agents.conditioning import ConditionedHeads

        _check_heads('argument_conditioning=true', name, heads)
        heads = ConditionedHeads(heads, action_spec)
    if value_normalisation == 'popart':
        from sc2impala.agents.value_statistics import ValueStatistics

        _check_heads('value_normalisation=popart', name, heads)
        statistics = ValueStatistics(heads.baseline_layer)
    arguments = (name, observation_spec, action_spec, max_step_mul, fixed_step_mul)
    options = (argument_conditioning, value_normalisation, bootstrap_heads)
    of_points = (unit_prior, point_logit_scale, order_prior)
    return Agent(
        torso,
        core,
        heads,
        make_policy(action_spec, learn_step_mul=fixed_step_mul is None),
        num_step_muls,
        fixed_step_mul,
        weights,
        statistics,
        functools.partial(_make_copy, (*arguments, *options, *of_points)),
        _make_prior(observation_spec, action_spec, unit_prior, order_prior, argument_conditioning),
    )


def _make_copy(arguments: Sequence[Any], scope: str) -> 'Agent':
    """Another agent of the same arguments, with its variables in a name scope."""
    import tensorflow.compat.v1 as tf

    with tf.name_scope(scope):
        copy = make_agent(*arguments)
        copy.create_variables(arguments[1])
    return copy


def _make_prior(
    observation_spec: Any,
    action_spec: Any,
    strength: float,
    of_orders: Optional[float],
    argument_conditioning: bool,
) -> Any:
    """A `UnitPrior`, or None if its strengths are 0."""
    if not strength and not of_orders:
        return None
    from sc2impala.agents import unit_prior

    if not argument_conditioning:
        option = unit_prior.option(strength, of_orders)
        raise ValueError(f'{option} needs --argument_conditioning')
    return unit_prior.UnitPrior(observation_spec, action_spec, strength, of_orders)


def _check_heads(option: str, name: str, heads: Any) -> None:
    """Raises: ValueError: if the heads are none of this package."""
    if not hasattr(heads, 'baseline_layer'):
        raise ValueError(
            f'{option} needs an agent with `agents.heads.Heads`, but {name} has '
            f'{type(heads).__name__}'
        )
