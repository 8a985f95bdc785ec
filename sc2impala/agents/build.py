"""Builds an agent from its parts and options."""

import functools
from typing import Any, List, Optional, Sequence

import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala import agents
from sc2impala.agents import preprocessing, unit_prior
from sc2impala.agents.agent import Agent, make_policy, recorded
from sc2impala.agents.bootstrap import BootstrappedHeads
from sc2impala.agents.conditioning import ConditionedHeads
from sc2impala.agents.heads import Heads
from sc2impala.agents.separate_critic import SCOPE, SeparateCritic
from sc2impala.agents.value_statistics import ValueStatistics
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.specs import ObservationSpec


def make_agent(
    name: str,
    observation_spec: ObservationSpec,
    action_spec: ActionSpec,
    max_step_mul: int,
    fixed_step_mul: Optional[int] = None,
    argument_conditioning: bool = False,
    value_normalisation: str = 'none',
    bootstrap_heads: int = 0,
    unit_prior: float = 0.0,
    point_logit_scale: float = 1.0,
    order_prior: Optional[float] = None,
    ratio_bins: int = 0,
    task_input: bool = False,
    separate_critic: bool = False,
    unit_mask: str = 'none',
    related_points: bool = False,
) -> Agent:
    """Builds the agent called `name`; most of its variables are created when it is first called.

    Args:
      name: see `agents.load_make_parts`.
      observation_spec: observation spec of the agent.
      action_spec: action spec of the agent.
      max_step_mul: largest step multiplier that the agent may choose.
      fixed_step_mul: the step multiplier of every step; None lets the agent choose.
      argument_conditioning: True if the arguments depend on the chosen function, and on the
        arguments chosen before them.
      value_normalisation: one of `agents.VALUE_NORMALISATIONS`.
      bootstrap_heads: number of versions of the heads, see `bootstrap`; below 2 disables them. They
        exclude the previous two options.
      unit_prior: initial logit of pixels that show units, see `unit_prior`; 0 for none. It requires
        argument conditioning.
      point_logit_scale: factor on the logits of point heads.
      order_prior: `unit_prior` for functions other than selections; None for `unit_prior`.
      ratio_bins: number of bins for layers that show a fraction, see `preprocessing`; 0 leaves the
        layers unchanged.
      task_input: True if the agent observes on which of several maps it acts.
      separate_critic: True if the baseline has a torso and a core of its own, see
        `separate_critic`. It excludes bootstrapped heads, which have values of actions.
      unit_mask: one of `agents.UNIT_MASKS`, see `unit_prior`. It requires argument conditioning.
      related_points: True if points depend on what is at the points chosen before them, see
        `conditioning`. It requires argument conditioning.

    Raises:
      ValueError: if the agent is unknown, or its heads do not have an option.
    """
    make_parts = agents.load_make_parts(name)
    if ratio_bins:
        observation_spec = preprocessing.with_ratio_bins(observation_spec, ratio_bins)
    num_step_muls = max_step_mul if fixed_step_mul is None else 1
    weights: List[Any] = []
    with recorded(weights):
        torso, core, heads = make_parts(observation_spec, action_spec, num_step_muls)
    if point_logit_scale != 1:
        _check_heads(f'point_logit_scale={point_logit_scale:g}', name, heads)
        heads.point_logit_scale = point_logit_scale
    of_baseline, critic = heads, None
    if separate_critic:
        if bootstrap_heads > 1:
            raise ValueError('separate_critic=true needs a baseline, bootstrapped heads have none')
        with tf.name_scope(SCOPE), recorded(weights):
            its_torso, its_core, of_baseline = make_parts(
                observation_spec, action_spec, num_step_muls
            )
            critic = SeparateCritic(its_torso, its_core, of_baseline)
        if isinstance(heads, Heads):
            heads.predict_no_baseline()
    if bootstrap_heads > 1:
        heads = BootstrappedHeads(heads, bootstrap_heads)
    statistics, num_tasks = None, observation_spec.num_tasks
    if value_normalisation == 'popart':
        _check_heads('value_normalisation=popart', name, of_baseline)
        if num_tasks:
            of_baseline.predict_each_task(num_tasks)
    if argument_conditioning:
        _check_heads('argument_conditioning=true', name, heads)
        heads = ConditionedHeads(heads, action_spec, related_points)
    elif related_points:
        raise ValueError('related_points=true needs --argument_conditioning')
    if value_normalisation == 'popart':
        statistics = ValueStatistics(of_baseline.baseline_layer, num_tasks)
    arguments = (name, observation_spec, action_spec, max_step_mul, fixed_step_mul)
    options = (argument_conditioning, value_normalisation, bootstrap_heads)
    more = (unit_prior, point_logit_scale, order_prior, ratio_bins, task_input, separate_critic)
    return Agent(
        torso,
        core,
        heads,
        make_policy(action_spec, learn_step_mul=fixed_step_mul is None),
        num_step_muls,
        fixed_step_mul,
        weights,
        statistics,
        functools.partial(_make_copy, (*arguments, *options, *more, unit_mask, related_points)),
        _make_prior(
            observation_spec, action_spec, unit_prior, order_prior, unit_mask, argument_conditioning
        ),
        num_tasks,
        task_input,
        critic,
    )


def _make_copy(arguments: Sequence[Any], scope: str) -> Agent:
    """Builds another agent from the same arguments, with its variables in a name scope."""
    with tf.name_scope(scope):
        copy = make_agent(*arguments)
        copy.create_variables(arguments[1])
    return copy


def _make_prior(
    observation_spec: ObservationSpec,
    action_spec: ActionSpec,
    strength: float,
    of_orders: Optional[float],
    mask: str,
    argument_conditioning: bool,
) -> Optional[unit_prior.UnitPrior]:
    """A `UnitPrior`, or None if its strengths are 0 and there is no mask."""
    if not strength and not of_orders and mask == 'none':
        return None
    if not argument_conditioning:
        option = unit_prior.option(strength, of_orders, mask)
        raise ValueError(f'{option} needs --argument_conditioning')
    return unit_prior.UnitPrior(observation_spec, action_spec, strength, of_orders, mask)


def _check_heads(option: str, name: str, heads: snt.Module) -> None:
    """Raises: ValueError: if the heads are not `agents.heads.Heads`."""
    if not isinstance(heads, Heads):
        raise ValueError(
            f'{option} needs an agent with `agents.heads.Heads`, but {name} has '
            f'{type(heads).__name__}'
        )
