"""Inputs and outputs of an agent by name, for callers outside of a run.

B is the number of rows; it may differ between calls. Names and arrays of observations and
actions are as in the gymnasium environments, see `envs.gym.spaces`. The state of the agent is a
flat dict of arrays [B, ...], so that its rows can be picked and joined like observations.
"""

import json
import os
import shutil
from typing import Callable, Dict, Mapping, Optional, Sequence, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.agents.wrapper import ActingAgent
from sc2impala.envs import specs as specs_lib
from sc2impala.envs.specs import ObservationSpec
from sc2impala.envs.vector import Specs
from sc2impala.errors import UserError
from sc2impala.runtime.plain_paths import plain_path

FIRST = 'first'
SEED = 'seed'
BATCH_SIZE = 'batch_size'
ACTION = 'action'

DESCRIPTION = 'agent.json'
"""The file in an export that describes inputs and outputs."""

_STATE = 'state_'
_LAST_FUNCTION = _STATE + 'function'
_NO_FUNCTION = -1
"""The last function before the first step of an episode, encoded as zeros."""


class AgentInterface:
    """The operations of an agent in the current graph.

    observation, state: placeholders by name.
    first: bool [B], rows whose observation is the first of an episode: their state is reset.
    seed: int64 [2], a stream and the number of a step, which determine the sampled actions; None if
        nothing is sampled.
    batch_size: int32 [].
    initial_state: initial state of `batch_size` rows, by name.
    outputs: 'action' int64 [B, H], 'step_mul' int32 [B], 'baseline' float32 [B], and
        'logits_<head>' float32 [B, choices].
    next_state: next state by name.
    """

    def __init__(
        self, agent: ActingAgent, specs: Specs, greedy: bool, num_step_muls: Optional[int]
    ):
        """Builds the operations.

        Args:
          agent: `agents.agent.Agent`, or one that acts in its place.
          specs: observation and action spec.
          greedy: choose the most probable actions instead of sampling.
          num_step_muls: choices of the last dimension of the action; None if the action
            does not include the step multiplier.
        """
        observation_spec, action_spec = specs
        self.batch_size = tf.placeholder(tf.int32, [], BATCH_SIZE)
        core = agent.initial_state(self.batch_size)
        self.initial_state = _named(tf.fill([self.batch_size], _NO_FUNCTION), core)
        self.observation = {
            name: tf.placeholder(dtype, [None, *shape], name)
            for name, (shape, dtype) in observation_arrays(observation_spec).items()
        }
        self.state = {
            name: tf.placeholder(tensor.dtype, tensor.shape, name)
            for name, tensor in self.initial_state.items()
        }
        self.first = tf.placeholder(tf.bool, [None], FIRST)
        self.seed = None if greedy else tf.placeholder(tf.int64, [2], SEED)
        output, next_core = self._act(agent, observation_spec, core, greedy)
        self.next_state = _named(output.action['function'], next_core)
        chosen = [output.action[head] for head in action_spec.heads]
        if num_step_muls is not None:
            chosen.append(output.step_mul - 1)
        self.outputs = {
            ACTION: tf.cast(tf.stack(chosen, axis=1), tf.int64),
            'step_mul': output.step_mul,
            'baseline': output.baseline,
        }
        self.outputs.update((f'logits_{k}', v) for k, v in output.action_logits.items())
        if num_step_muls is not None:
            self.outputs['logits_step_mul'] = output.step_mul_logits

    @property
    def inputs(self) -> Dict[str, tf.Tensor]:
        """All placeholders of a step, by name."""
        inputs = dict(self.observation, **self.state)
        inputs[FIRST] = self.first
        if self.seed is not None:
            inputs[SEED] = self.seed
        return inputs

    def make_callable(
        self, session: tf.Session, names: Sequence[str]
    ) -> Callable[..., structs.Nest]:
        """Returns a fast function of the ordered inputs, callable from any thread.

        Args:
          session: the session with the weights.
          names: names of the outputs to return, in a dict, before the next state.
        """
        fetches = ({name: self.outputs[name] for name in names}, self.next_state)
        return session.make_callable(fetches, list(self.inputs.values()))

    def export(
        self,
        session: tf.Session,
        saver: tf.train.Saver,
        folder: str,
        about: Mapping[str, object],
    ) -> None:
        """Writes a SavedModel with the signatures 'act' and 'initial_state', atomically.

        Args:
          session: the session with the weights.
          saver: saver of the weights.
          folder: a new or an empty one.
          about: content of `agent.json`.

        Raises:
          UserError: if the folder is not empty, or cannot be written.
        """
        if os.path.lexists(folder) and not (os.path.isdir(folder) and not os.listdir(folder)):
            raise UserError(f'{folder} is not an empty folder, expected a new or an empty one.')
        temporary = folder.rstrip(os.sep) + '.tmp'
        try:
            shutil.rmtree(temporary, ignore_errors=True)
            os.makedirs(os.path.dirname(temporary) or '.', exist_ok=True)
            self._save(session, saver, temporary)
            with open(os.path.join(temporary, DESCRIPTION), 'w') as file:
                json.dump(about, file, indent=2, sort_keys=True)
            if os.path.isdir(folder):
                os.rmdir(folder)
            os.rename(temporary, folder)
        except (OSError, tf.errors.OpError) as error:
            shutil.rmtree(temporary, ignore_errors=True)
            raise UserError(
                f'{folder} cannot be written ({_reason(error)}), expected a folder with free space '
                'that this user may write to.'
            ) from error

    def _act(
        self,
        agent: ActingAgent,
        observation_spec: ObservationSpec,
        core: structs.Nest,
        greedy: bool,
    ) -> Tuple[structs.AgentOutput, structs.Nest]:
        """Returns `AgentOutput` and the next state of the core."""
        flat = dict(self.observation)
        flat[specs_lib.MASK] = tf.not_equal(flat[specs_lib.MASK], 0)
        structure = observation_spec.structure()
        observation = {
            name: {key: flat[f'{name}_{key}'] for key in value}
            if isinstance(value, dict)
            else flat[name]
            for name, value in structure.items()
        }
        states = [self.state[name] for name in list(self.state)[1:]]
        inputs = (
            {'function': self.state[_LAST_FUNCTION]},
            structs.EnvOutput(reward=(), info=(), done=self.first, observation=observation),
        )
        state = tf.nest.pack_sequence_as(core, states)
        return agent.act(inputs, state, greedy=greedy, seed=self.seed)

    def _save(self, session: tf.Session, saver: tf.train.Saver, folder: str) -> None:
        with session.graph.as_default():
            act = tf.saved_model.predict_signature_def(
                self.inputs, dict(self.outputs, **self.next_state)
            )
            initial_state = tf.saved_model.predict_signature_def(
                {BATCH_SIZE: self.batch_size}, self.initial_state
            )
            builder = tf.saved_model.Builder(plain_path(folder))
            builder.add_meta_graph_and_variables(
                session,
                ['serve'],
                {'act': act, 'initial_state': initial_state, 'serving_default': act},
                clear_devices=True,
                strip_default_attrs=True,
                saver=saver,
            )
            builder.save()


def observation_arrays(
    observation_spec: ObservationSpec,
) -> Dict[str, Tuple[Tuple[int, ...], np.dtype]]:
    """Shapes and dtypes of the arrays of one observation, by name, as in gymnasium."""
    arrays = {
        name: (spec.shape, spec.dtype)
        for name, spec in specs_lib.flatten(observation_spec.structure()).items()
    }
    return dict(arrays, **{specs_lib.MASK: (arrays[specs_lib.MASK][0], np.dtype(np.int8))})


def _named(function: tf.Tensor, core: structs.Nest) -> Dict[str, tf.Tensor]:
    """The state of an agent by name: the last function, and the recurrent state."""
    parts = {f'{_STATE}core_{i}': part for i, part in enumerate(tf.nest.flatten(core))}
    return dict({_LAST_FUNCTION: function}, **parts)


def _reason(error: Exception) -> str:
    return str(getattr(error, 'strerror', None) or str(error).splitlines()[0])
