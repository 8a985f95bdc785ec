"""The agent: torso, core and heads put together, as a Sonnet recurrent core.

K is the number of environments, T the unroll length plus one, B the batch of the learner.
"""

from typing import (
    Any,
    Callable,
    ContextManager,
    Dict,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Union,
)

import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.agents import bootstrap
from sc2impala.agents import policy as policy_lib
from sc2impala.agents.action_values import ActionValues
from sc2impala.agents.heads import HeadOutputs
from sc2impala.agents.recurrent import Features
from sc2impala.agents.separate_critic import SeparateCritic
from sc2impala.agents.unit_prior import UnitPrior
from sc2impala.agents.value_statistics import ValueStatistics
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.specs import ObservationSpec
from sc2impala.structs import Nest


def make_policy(action_spec: ActionSpec, learn_step_mul: bool) -> policy_lib.JointPolicy:
    """The joint distribution over the heads of an `envs.actions.ActionSpec`."""
    head_used = {
        head: action_spec.head_used[:, column]
        for column, head in enumerate(action_spec.argument_heads)
    }
    return policy_lib.JointPolicy(action_spec.heads, head_used, learn_step_mul)


def recorded(weights: List[tf.Variable]) -> ContextManager[None]:
    """Appends the trainable variables that are created inside the block to a list."""

    def create(next_creator: Callable[..., tf.Variable], **kwargs: Any) -> tf.Variable:
        variable = next_creator(**kwargs)
        if variable.trainable:
            weights.append(variable)
        return variable

    return tf.variable_creator_scope(create)


class Agent(snt.RNNCore):
    """An actor-critic over the dictionary of heads.

    Its inputs are the observation and the last function. `policy` has the maths of its
    action distribution, and `action_values` interprets its outputs as values of actions, if they
    are learned instead; the learner uses both. `arguments_are_conditioned` tells whether
    the logits of arguments depend on the choices before them.
    """

    def __init__(
        self,
        torso: Callable[..., Features],
        core: snt.Module,
        heads: snt.Module,
        policy: policy_lib.JointPolicy,
        num_step_muls: int,
        fixed_step_mul: Optional[int] = None,
        weights: Sequence[tf.Variable] = (),
        value_statistics: Optional[ValueStatistics] = None,
        make_copy: Optional[Callable[[str], 'Agent']] = None,
        unit_prior: Optional[UnitPrior] = None,
        num_tasks: int = 0,
        task_input: bool = False,
        critic: Optional[SeparateCritic] = None,
        name: str = 'agent',
    ):
        """Args:
        torso: (observation, one-hot last function) -> `Features`, over one leading dimension.
        core: `ConvLSTM` or anything else with its two methods.
        heads: `Features` -> `HeadOutputs`, over one leading dimension; or
            `conditioning.ConditionedHeads`, or anything else with its two methods; or
            `bootstrap.BootstrappedHeads`.
        policy: the joint distribution over the heads.
        num_step_muls: number of step multipliers to choose from; 1 if it is fixed.
        fixed_step_mul: environment frames between two actions; None lets the agent choose.
        weights: trainable variables that the parts have created already, e.g. embeddings.
        value_statistics: `ValueStatistics` if the heads give normalised baselines, or None.
        make_copy: name scope -> an agent of the same kind with separate variables, which have
            the same order as this agent's; for target networks.
        unit_prior: `unit_prior.UnitPrior` of conditioned points, or None.
        num_tasks: number of maps of a run on several maps; 0 on a single one.
        task_input: True if the torso observes the map, one-hot.
        critic: computes the baseline, in place of the heads; None for theirs.
        """
        super().__init__(name=name)
        self._torso = torso
        self._core = core
        self._heads = heads
        self.policy = policy
        self.make_copy = make_copy
        self._num_step_muls = num_step_muls
        self._fixed_step_mul = fixed_step_mul
        self._weights = list(weights)
        self.value_statistics = value_statistics
        self._unit_prior = unit_prior
        self._num_tasks = num_tasks
        self._task_input = task_input
        self._critic = critic
        self.arguments_are_conditioned = hasattr(heads, 'arguments')
        self._num_versions = getattr(heads, 'num_versions', 0)

    @property
    def weights(self) -> List[tf.Variable]:
        """The trainable variables in the order of their creation, most of them by the first call.

        Variables of other agents in the graph are excluded.
        """
        return list(self._weights)

    @property
    def action_values(self) -> ActionValues:
        """The values of actions, for algorithms that learn them instead of a policy."""
        return ActionValues(self.policy)

    def initial_state(self, batch_size: Union[int, tf.Tensor], **unused_kwargs: object) -> Nest:
        """The state at the start of an episode, for `batch_size` (int or int32 []) columns."""
        state = self._core.initial_state(batch_size)
        return (state, self._critic.initial_state(batch_size)) if self._critic else state

    def create_variables(self, observation_spec: ObservationSpec) -> None:
        """Creates all variables now, on the device of the caller.

        Args:
          observation_spec: `envs.specs.ObservationSpec`.
        """
        observation = tf.nest.map_structure(
            lambda spec: tf.zeros([1] + list(spec.shape), spec.dtype), observation_spec.structure()
        )
        env_output = structs.EnvOutput((), (), tf.zeros([1], tf.bool), observation)
        self(({'function': tf.zeros([1], tf.int32)}, env_output), self.initial_state(1))

    def state_spec(self) -> Nest:
        """`tf.TensorSpec`s of the recurrent state of one environment, a nest without batch axis."""
        with tf.Graph().as_default():
            return tf.nest.map_structure(
                lambda t: tf.TensorSpec(t.shape.as_list()[1:], t.dtype), self.initial_state(1)
            )

    def output_spec(self) -> structs.AgentOutput:
        """`AgentOutput` of the `tf.TensorSpec`s of one step of one environment."""
        heads = self.policy.heads
        return structs.AgentOutput(
            action={name: tf.TensorSpec([], tf.int32) for name in heads},
            action_logits={name: tf.TensorSpec([size], tf.float32) for name, size in heads.items()},
            step_mul=tf.TensorSpec([], tf.int32),
            step_mul_logits=tf.TensorSpec([self._num_step_muls], tf.float32),
            baseline=tf.TensorSpec([], tf.float32),
            auxiliary=(),
        )

    def __call__(
        self, inputs: Tuple[Mapping[str, tf.Tensor], structs.EnvOutput], prev_state: Nest
    ) -> Tuple[structs.AgentOutput, Nest]:
        """One step: samples an action.

        Args:
          inputs: (last action: dict of int32 [K], `EnvOutput` of [K]).
          prev_state: recurrent state.

        Returns:
          `AgentOutput` of [K], next recurrent state.
        """
        return self.act(inputs, prev_state)

    def act(
        self,
        inputs: Tuple[Mapping[str, tf.Tensor], structs.EnvOutput],
        prev_state: Nest,
        greedy: bool = False,
        given: Optional[Mapping[str, tf.Tensor]] = None,
        seed: Optional[tf.Tensor] = None,
        follows_episodes: bool = False,
        temperature: float = 1.0,
    ) -> Tuple[structs.AgentOutput, Nest]:
        """Acts for one step, like `__call__`, with more options.

        Args:
          inputs: as in `__call__`.
          prev_state: recurrent state.
          greedy: take the most probable choice of every head instead of sampling: the most probable
            function, and if the arguments depend on it, their most probable values given it.
          given: int32 [K] by head, the choices to take where they are not negative; None for none.
            The logits of heads that depend on them are conditioned on these choices.
          seed: int64 [2], a stream and a step, which determine the sampled actions; see
            `policy.sample_categorical`.
          follows_episodes: choice of outputs of bootstrapped heads: one version in each
            episode, see `bootstrap.versions_of_episodes`; or the mean of all. The first needs a
            seed, and the infos of the environment.
          temperature: more than 0; choices are sampled from the softmax of logits / temperature.
            The returned logits are not divided.
        """
        done, info = inputs[1].done, inputs[1].info
        last_action, env_output = tf.nest.map_structure(lambda t: t[tf.newaxis], inputs)
        heads, state = self._compute(last_action, env_output, prev_state)
        heads = tf.nest.map_structure(lambda t: tf.squeeze(t, axis=0), heads)
        if self._num_versions and follows_episodes:
            version = bootstrap.versions_of_episodes(
                seed, done, info.episode_steps, self._num_versions
            )
            heads = bootstrap.select(heads, version)
        elif self._num_versions:
            heads = bootstrap.mean(heads)
        # Only losses need these: sequences do not carry them.
        acting = heads[0]._replace(auxiliary=())
        return self._choose(acting, heads[1], given, greedy, seed, temperature), state

    def unroll(
        self,
        actions: Mapping[str, tf.Tensor],
        env_outputs: structs.EnvOutput,
        core_state: Nest,
        given: Optional[Mapping[str, tf.Tensor]] = None,
    ) -> Tuple[structs.AgentOutput, Nest]:
        """Runs over time in one pass, the recurrent state being reset where `done` is set.

        If the arguments are conditioned, their logits are given the executed choices
        at that step, `actions[t + 1]`; at the last step, whose action is unknown,
        given sampled ones. `given` replaces them.

        Args:
          actions: dict of int32 [T, B], the actions before each observation.
          env_outputs: `EnvOutput` of [T, B].
          core_state: recurrent state before the first step.
          given: int32 [T, B] by head, sampled where it is negative; None for the executed choices.

        Returns:
          `AgentOutput` of [T, B] and the state after the last step. Its `action` is the given or
          executed one, if the arguments are conditioned; else it is sampled. Bootstrapped heads
          have a column for each version, see `bootstrap.fold`.
        """
        heads, state = self._compute(actions, env_outputs, core_state)
        if self._num_versions:
            heads = bootstrap.fold(heads)
        if not self.arguments_are_conditioned:
            # No logits depend on a choice.
            return snt.BatchApply(self._choose)(*heads), state
        return snt.BatchApply(self._choose)(*heads, given or _played(actions)), state

    def unroll_with_labels(
        self,
        actions: Mapping[str, tf.Tensor],
        env_outputs: structs.EnvOutput,
        core_state: Nest,
        labels: Mapping[str, tf.Tensor],
    ) -> Tuple[Tuple[structs.AgentOutput, structs.AgentOutput], Nest]:
        """`unroll` in one pass for two sets of choices, of an agent with conditioned arguments.

        Args:
          actions, env_outputs, core_state: as in `unroll`.
          labels: int32 [T, B] by head, sampled where it is negative.

        Returns:
          Two `AgentOutput`s of [T, B], with arguments given the executed choices and given
          the labels; and the state after the last step.
        """
        heads, state = self._compute(actions, env_outputs, core_state)
        choose = snt.BatchApply(self._choose)
        return (choose(*heads, _played(actions)), choose(*heads, labels)), state

    def _compute(
        self, actions: Mapping[str, tf.Tensor], env_outputs: structs.EnvOutput, core_state: Nest
    ) -> Tuple[Tuple[HeadOutputs, Nest], Nest]:
        """Computes all outputs that do not depend on the choices.

        Returns:
          `HeadOutputs` of [T, B], or [T, B, H] of bootstrapped heads, and the features that
          conditioned arguments need, or (); and the next recurrent state.
        """
        with recorded(self._weights):
            return self._compute_heads(actions, env_outputs, core_state)

    def _compute_heads(
        self, actions: Mapping[str, tf.Tensor], env_outputs: structs.EnvOutput, core_state: Nest
    ) -> Tuple[Tuple[HeadOutputs, Nest], Nest]:
        # Labels are for losses, not for the agent.
        hidden = (structs.DEMONSTRATION, structs.TASK)
        observation = {k: v for k, v in env_outputs.observation.items() if k not in hidden}
        task = None
        if self._num_tasks:
            task = tf.one_hot(env_outputs.observation[structs.TASK], self._num_tasks)
            if self._task_input:
                observation[structs.TASK] = task
        num_functions = self.policy.heads['function']
        last_function = tf.one_hot(actions['function'], num_functions)
        last_function *= 1.0 - tf.cast(env_outputs.done, tf.float32)[..., tf.newaxis]
        own_state = core_state[0] if self._critic else core_state
        features = snt.BatchApply(self._torso)(observation, last_function)
        features, state = self._core.unroll(features, env_outputs.done, own_state)
        heads = snt.BatchApply(self._heads)(features)
        for_arguments: Any = ()
        if self.arguments_are_conditioned:
            heads, for_arguments = heads
            for_arguments = (for_arguments, self._pixel_kinds(observation))
        if self._critic:
            baseline, critic_state = self._critic.unroll(
                observation, last_function, env_outputs.done, core_state[1]
            )
            heads, state = heads._replace(baseline=baseline), (state, critic_state)
        available = observation['available_actions']
        if self._num_versions:
            available = tf.stack([available] * self._num_versions, axis=-2)
        function_logits = policy_lib.mask_unavailable(heads.action_logits['function'], available)
        heads = heads._replace(action_logits=dict(heads.action_logits, function=function_logits))
        if self.value_statistics is not None:
            baseline = self.value_statistics.unnormalised(heads.baseline)
            if task is not None:
                baseline = tf.reduce_sum(task * baseline, axis=-1)
            heads = heads._replace(baseline=baseline)
        return (heads, for_arguments), state

    def _pixel_kinds(self, observation: Mapping[str, Nest]) -> Dict[str, tf.Tensor]:
        """Returns the kinds of pixels of the unit prior by head; empty without a prior."""
        return self._unit_prior.kinds(observation) if self._unit_prior else {}

    def _choose(
        self,
        heads: HeadOutputs,
        for_arguments: Nest,
        given: Optional[Mapping[str, tf.Tensor]] = None,
        greedy: bool = False,
        seed: Optional[tf.Tensor] = None,
        temperature: float = 1.0,
    ) -> structs.AgentOutput:
        """Samples an action, or takes the most probable one.

        Args:
          heads, for_arguments: results of `_compute`, of [N].
          given: int32 [N] by head, or None, see `act`.
          greedy, seed, temperature: see `act`.

        Returns:
          `AgentOutput` of [N].
        """
        given, seeds = given or {}, {}
        if seed is not None and not greedy:
            seeds = policy_lib.seeds_of_heads(seed, [*self.policy.heads, 'step_mul'])

        def pick(name: str, head_logits: tf.Tensor) -> tf.Tensor:
            if greedy:
                return policy_lib.most_probable(head_logits)
            if temperature != 1.0:
                head_logits /= temperature
            return policy_lib.sample_categorical(head_logits, seeds.get(name))

        def choose(name: str, head_logits: tf.Tensor) -> tf.Tensor:
            own = pick(name, head_logits)
            return tf.where(given[name] < 0, own, given[name]) if name in given else own

        logits = dict(heads.action_logits)
        action = {name: choose(name, logits[name]) for name in sorted(logits)}
        if self.arguments_are_conditioned:
            with recorded(self._weights):
                features, kinds = for_arguments
                for name, conditional in self._heads.arguments(features, action):
                    if self._unit_prior is not None and name in kinds:
                        conditional = self._unit_prior.added(
                            conditional, name, kinds[name], action['function']
                        )
                    logits[name], action[name] = conditional, choose(name, conditional)
        step_mul = pick('step_mul', heads.step_mul_logits) + 1
        if self._fixed_step_mul is not None:
            step_mul = tf.fill(tf.shape(step_mul), self._fixed_step_mul)
        return structs.AgentOutput(
            action=action,
            action_logits=logits,
            step_mul=step_mul,
            step_mul_logits=heads.step_mul_logits,
            baseline=heads.baseline,
            auxiliary=heads.auxiliary,
        )


def _played(actions: Mapping[str, tf.Tensor]) -> Dict[str, tf.Tensor]:
    """Returns the executed actions for each of [T, B] observations, -1 for the last, by head."""
    return {
        name: tf.concat([played[1:], -tf.ones_like(played[:1])], axis=0)
        for name, played in actions.items()
    }
