"""Batches of recorded demonstrations, alone or in addition to another source.

D is the number of recorded sequences in a batch, T the unroll length.
"""

from typing import TYPE_CHECKING, Callable, Dict, List, Mapping

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala.learner.batch import Batch, join, make_batch
from sc2impala.learner.labels import KEY
from sc2impala.learner.sources import Source
from sc2impala.structs import Nest

if TYPE_CHECKING:
    from sc2impala.demonstrations import Streams

_INFO = ('episode_return', 'episode_frames', 'episode_steps')


class DemonstrationSource(Source):
    """D streams of consecutive sequences of recorded episodes.

    Actions are in `agent_outputs.action` and `step_mul`, as in a sequence of an actor. They
    are the labels, with `valid` and `plays` set. Logits and baselines are zeros.
    The recurrent state is the trained agent's: see `Batch.stream_state`.
    """

    recorded = True

    def __init__(self, streams: 'Streams', spec: Nest, num_sequences: int):
        """Args:
        streams: `demonstrations.Streams` of D streams; used by this process only.
        spec: `ActorOutput` of `tf.TensorSpec`s of a sequence whose observations have labels.
        num_sequences: D.
        """
        self._streams = streams
        self._spec = spec
        self._num_sequences = num_sequences

    def next_batch(self) -> Batch:
        """Reads the next sequence of every stream; all columns count as new."""
        arrays = self._read()
        # Components without a recorded value are zero.
        zeros = self._zeros(self._spec)
        env, agent = zeros.env_outputs, zeros.agent_outputs
        sequences = zeros._replace(
            env_outputs=env._replace(
                reward=arrays['reward'],
                info=env.info._replace(**{name: arrays[name] for name in _INFO}),
                done=arrays['done'],
                observation=self._observation(arrays),
            ),
            agent_outputs=agent._replace(
                action={head: arrays['last_action/' + head] for head in agent.action},
                step_mul=arrays['last_step_mul'],
            ),
        )
        stream_state = tf.nest.map_structure(_local_variable, zeros.agent_state)
        self.variables = tf.nest.flatten(stream_state)
        return make_batch(sequences, stream_state=stream_state)

    def _read(self) -> Dict[str, tf.Tensor]:
        """Returns the next sequences of the streams as tensors of [D, T + 1, ...]."""
        specs = _specs_by_name(self._spec)

        def read_arrays() -> List[np.ndarray]:
            arrays = self._streams.next()
            return [arrays[name] for name in specs]

        tensors = tf.numpy_function(
            read_arrays, [], [spec.dtype for spec in specs.values()], name='demonstrations'
        )
        for tensor, spec in zip(tensors, specs.values()):
            tensor.set_shape([self._num_sequences] + spec.shape.as_list())
        return dict(zip(specs, tensors))

    def _observation(self, arrays: Mapping[str, tf.Tensor]) -> Dict[str, Nest]:
        observation = _map_names(
            lambda name, unused_spec: arrays[name], 'observation', _unlabelled(self._spec)
        )
        heads = self._spec.agent_outputs.action
        # A recording has no candidates: their weights are 0.
        label = dict(
            self._zeros(self._spec.env_outputs.observation[KEY]),
            action={head: arrays['action/' + head] for head in heads},
            plays=tf.ones_like(arrays['done']),
            step_mul=arrays['step_mul'],
            valid=tf.ones_like(arrays['done']),
        )
        return dict(observation, **{KEY: label})

    def _zeros(self, spec: Nest) -> Nest:
        return tf.nest.map_structure(
            lambda s: tf.zeros([self._num_sequences] + s.shape.as_list(), s.dtype), spec
        )


class JoinedSource(Source):
    """The batches of another source with D more columns from recordings.

    They count as replayed, so that no statistic includes their frames and episodes.
    """

    def __init__(self, source: Source, demonstrations: DemonstrationSource):
        """Args:
        source: source of sequences with labels.
        demonstrations: source of D sequences.
        """
        self._source = source
        self._demonstrations = demonstrations

    def next_batch(self) -> Batch:
        """Concatenates the next batches of both."""
        batch = join(self._source.next_batch(), self._demonstrations.next_batch())
        self.variables = [*self._source.variables, *self._demonstrations.variables]
        return batch


def _specs_by_name(spec: Nest) -> Dict[str, tf.TensorSpec]:
    """Specs of the result of `Streams.next`, by name."""
    env = spec.env_outputs
    result = {'reward': env.reward, 'done': env.done}
    result.update((name, getattr(env.info, name)) for name in _INFO)
    for prefix in ('', 'last_'):
        result[prefix + 'step_mul'] = spec.agent_outputs.step_mul
        for head, head_spec in spec.agent_outputs.action.items():
            result[f'{prefix}action/{head}'] = head_spec
    _map_names(result.setdefault, 'observation', _unlabelled(spec))
    return result


def _unlabelled(spec: Nest) -> Dict[str, Nest]:
    observation = spec.env_outputs.observation
    return {name: value for name, value in observation.items() if name != KEY}


def _map_names(
    function: Callable[[str, tf.TensorSpec], Nest], prefix: str, nest: Mapping[str, Nest]
) -> Dict[str, Nest]:
    """Applies a function of name and leaf to a nested dict; names are joined by slashes."""
    return {
        name: _map_names(function, f'{prefix}/{name}', value)
        if isinstance(value, dict)
        else function(f'{prefix}/{name}', value)
        for name, value in nest.items()
    }


def _local_variable(initial_value: tf.Tensor) -> tf.Variable:
    return tf.Variable(
        initial_value,
        trainable=False,
        collections=[tf.GraphKeys.LOCAL_VARIABLES],
        use_resource=True,
        name='stream_state',
    )
