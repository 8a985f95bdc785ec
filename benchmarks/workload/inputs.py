"""Inputs of the network that are the same in every run."""

from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from benchmarks.workload.flags import batch_split
from sc2impala import structs
from sc2impala.agents.agent import Agent
from sc2impala.envs import synthetic
from sc2impala.learner import batch as batch_lib
from sc2impala.learner import sources
from sc2impala.settings.settings import Settings


class ConstantSource(sources.Source):
    """A source whose batches are all the same one."""

    def __init__(self, batch: batch_lib.Batch):
        self._batch = batch

    def next_batch(self) -> batch_lib.Batch:
        """See Source."""
        return self._batch


def constant_batch(settings: Settings, agent: Agent, specs: Tuple[Any, Any]) -> batch_lib.Batch:
    """Returns a random batch [T + 1, B], the same one in every run."""
    size = settings.training.batch_size
    shape = [settings.actors.unroll_length + 1, size]
    rng = np.random.RandomState(0)
    num_new, num_replay = batch_split(settings)
    # Played by the initial weights of the first actor.
    info = structs.SequenceInfo(
        task=np.zeros([size], np.int32),
        actor=np.zeros([size], np.int32),
        policy_frames=np.zeros([size], np.int64),
        policy_updates=np.zeros([size], np.int64),
    )
    return batch_lib.Batch(
        agent_state=variables_of(_evaluated(lambda: agent.initial_state(size))),
        env_outputs=variables_of(env_output_arrays(specs[0], shape)),
        agent_outputs=variables_of(_agent_output_arrays(agent, settings, shape, rng)),
        sequence_info=variables_of(info),
        is_replay=tf.constant(np.arange(size) >= num_new),
        keys=tf.constant(np.full([size], -1, np.int64)),
        probabilities=tf.constant(np.ones([size], np.float32)),
        num_replay=num_replay,
    )


def no_action(settings: Settings, agent: Agent) -> Dict[str, tf.Tensor]:
    """Returns the first choice of every head for K environments, int32 [K]."""
    return {name: tf.zeros([settings.actors.num_envs], tf.int32) for name in agent.policy.heads}


def variables_of(nest: Any) -> Any:
    """Reads variables with the values of a nest of arrays.

    Constants would let TensorFlow compute parts of the measured graph in advance.
    """

    def variable(array: np.ndarray) -> tf.Tensor:
        return tf.Variable(array, trainable=False, use_resource=True).read_value()

    return tf.nest.map_structure(variable, nest)


def stored(tensor: tf.Tensor) -> tf.Operation:
    """Assigns a tensor to a variable, so that its computation is not optimised away."""
    return tf.Variable(
        tf.zeros(tensor.shape, tensor.dtype), trainable=False, use_resource=True
    ).assign(tensor)


def _evaluated(build: Callable[[], Any]) -> Any:
    """Builds a nest of tensors in a temporary graph; returns their values."""
    with tf.Graph().as_default(), tf.Session() as opened:
        nest = build()
        # The state of an agent without a recurrent core has no tensors to run.
        return opened.run(nest) if tf.nest.flatten(nest) else nest


def env_output_arrays(observation_spec: Any, shape: Sequence[int]) -> structs.EnvOutput:
    """Returns a random `EnvOutput` of a shape, the same one in every run."""
    rng = np.random.RandomState(0)
    zeros = np.zeros(shape, np.float32)
    counts = np.zeros(shape, np.int32)
    done = rng.uniform(size=shape) < 0.01
    observation = synthetic.random_observation(observation_spec, shape, rng)
    # No step follows another one: what it took is its multiplier.
    info = structs.EpisodeInfo(zeros, counts + 10**6, counts + 2, done & False)
    return structs.EnvOutput(zeros + 0.1, info, done, observation)


def _agent_output_arrays(
    agent: Agent, settings: Settings, shape: List[int], rng: np.random.RandomState
) -> structs.AgentOutput:
    heads = agent.policy.heads
    fixed = settings.environment.agent_step_mul
    num_step_muls = settings.environment.max_step_mul if fixed is None else 1
    return structs.AgentOutput(
        action={n: rng.randint(c, size=shape).astype(np.int32) for n, c in heads.items()},
        action_logits={n: rng.normal(size=shape + [c]).astype('f') for n, c in heads.items()},
        step_mul=np.full(shape, 1 if fixed is None else fixed, np.int32),
        step_mul_logits=np.zeros(shape + [num_step_muls], np.float32),
        baseline=np.zeros(shape, np.float32),
        auxiliary=(),
    )
