"""Sequences without an agent, for tests."""

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import structs

NUM_STEPS = 4
"""T + 1."""

STEP_MUL = 8
FRAMES = (NUM_STEPS - 1) * STEP_MUL


def make_spec():
    """`ActorOutput` of specs of one sequence."""

    def steps(dtype, *shape):
        return tf.TensorSpec([NUM_STEPS, *shape], dtype)

    return structs.ActorOutput(
        agent_state=tf.TensorSpec([2], tf.float32),
        env_outputs=structs.EnvOutput(
            reward=steps(tf.float32),
            info=structs.EpisodeInfo(
                steps(tf.float32), steps(tf.int32), steps(tf.int32), steps(tf.bool)
            ),
            done=steps(tf.bool),
            observation={'screen': steps(tf.uint8, 3, 3, 2)},
        ),
        agent_outputs=structs.AgentOutput(
            action={'function': steps(tf.int32)},
            action_logits={'function': steps(tf.float32, 5)},
            step_mul=steps(tf.int32),
            step_mul_logits=steps(tf.float32, 1),
            baseline=steps(tf.float32),
        ),
        sequence_info=structs.SequenceInfo(
            *[tf.TensorSpec([], dtype) for dtype in (tf.int32, tf.int32, tf.int64, tf.int64)]
        ),
    )


def make_unroll(num_envs, seed=0, updates=0):
    """`ActorOutput` of random arrays, [K, ...]; the last episode that ends returns `seed`."""
    rng = np.random.RandomState(seed)
    played = tf.nest.map_structure(
        lambda s: rng.randint(0, 2, [num_envs] + s.shape.as_list()).astype(s.dtype.as_numpy_dtype),
        make_spec(),
    )
    played.agent_outputs.step_mul[:] = STEP_MUL
    played.sequence_info.policy_updates[:] = updates
    played.env_outputs.done[:] = True
    played.env_outputs.info.aborted[:] = False
    played.env_outputs.info.episode_return[:] = seed
    played.env_outputs.info.episode_steps[:] = 1
    played.env_outputs.info.episode_frames[:] = STEP_MUL
    return played
