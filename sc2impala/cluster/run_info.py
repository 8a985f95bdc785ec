"""Run metadata that the learner publishes to actors, readable by all clients."""

import json
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple, Union

import tensorflow.compat.v1 as tf

import sc2impala
from sc2impala.errors import UserError
from sc2impala.structs import Nest

RUN_INFO = 'cluster_board'
STATUS = 'cluster_status'
NUM_DISCONNECTED = 'cluster_farewells'

STARTING, TRAINING, FINISHED, STOPPED = range(4)
"""Activities of a learner, the first number of its status."""

NO_LABELS = -1.0
"""Second number of the status while the demonstrator is switched off; else its share."""

DEVICE = '/job:learner/task:0'

VariableInfo = Tuple[str, List[int], str]
"""Dtype, shape and device of a variable."""


class RunInfo(NamedTuple):
    """Metadata of a run.

    run: random id of this start of the learner.
    versions: versions that must be equal.
    config: all settings, as in a manifest.
    start: number of earlier starts of the run.
    components: a line with shape and dtype for each component of a sequence.
    variables: {name: (dtype, shape, device)} of all variables that actors may read.
    capacity: capacity of the queue of messages.
    """

    run: str
    versions: Dict[str, str]
    config: Dict[str, Any]
    start: int
    components: List[str]
    variables: Dict[str, VariableInfo]
    capacity: int

    def to_json(self) -> str:
        """Returns the metadata as text."""
        return json.dumps(self._asdict(), sort_keys=True)


def from_json(text: bytes) -> RunInfo:
    """Decodes run metadata; the inverse of `RunInfo.to_json`.

    Raises:
      UserError: if it is invalid: another version wrote it.
    """
    try:
        content = json.loads(text.decode())
        versions = content['versions']
        check_versions(versions)
        return RunInfo(**content)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            f'the learner says what this version does not understand ({type(error).__name__}: '
            f'{error}), expected a learner of sc2impala {sc2impala.__version__}.'
        ) from error


def versions() -> Dict[str, str]:
    """Returns the versions that must be equal in learner and actors."""
    tensorflow = '.'.join(tf.__version__.split('.')[:2])
    return {'sc2impala': sc2impala.__version__, 'tensorflow': tensorflow}


def check_versions(of_learner: Mapping[str, str]) -> None:
    """Raises: UserError: if the versions of learner and actor differ."""
    for name, own in versions().items():
        found = of_learner.get(name, 'unknown')
        if found != own:
            raise UserError(
                f'the learner has {name} {found}, but this actor has {own}, expected the same.'
            )


def component_lines(spec: Nest) -> List[str]:
    """Returns a line with shape and dtype for each component of a nest of `tf.TensorSpec`s."""
    return [f'{s.dtype.name} {s.shape.as_list()}' for s in tf.nest.flatten(spec)]


def check_components(of_learner: Sequence[str], own: Sequence[str]) -> None:
    """Raises: UserError: if the sequences of this actor have another structure."""
    if list(of_learner) == list(own):
        return
    if len(of_learner) != len(own):
        difference = f'{len(own)} components instead of {len(of_learner)}'
    else:
        index = [a != b for a, b in zip(of_learner, own)].index(True)
        difference = f'{own[index]} instead of {of_learner[index]} as component {index}'
    raise UserError(
        f'the sequences of this actor have {difference}, expected those of the learner: another '
        'version of the game, or of a package, has other observations.'
    )


def describe_variables(variables: Sequence[tf.Variable]) -> Dict[str, VariableInfo]:
    """{name: (dtype, shape, device)} of resource variables; without a device '/cpu:0'."""
    return {v.op.name: (v.dtype.name, v.shape.as_list(), _device(v)) for v in variables}


def _device(variable: tf.Variable) -> str:
    is_on_gpu = 'gpu' in variable.device.lower()
    return '/device:GPU:0' if is_on_gpu else '/device:CPU:0'


def remote_variable(name: str, dtype: tf.DType, shape: Sequence[int], device: str) -> tf.Tensor:
    """Reads a variable of the learner in a session with its server.

    Args:
      name: name of the variable in the learner's graph.
      dtype: its dtype.
      shape: its shape.
      device: device of the learner, such as '/device:CPU:0'.
    """
    with tf.device(DEVICE + device):
        handle = _remote_handle(name, dtype, shape)
        return tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype)


def remote_farewell() -> tf.Operation:
    """Acknowledges the end of the training to the learner."""
    with tf.device(DEVICE + '/device:CPU:0'):
        handle = _remote_handle(NUM_DISCONNECTED, tf.int64, [])
        return tf.raw_ops.AssignAddVariableOp(resource=handle, value=tf.constant(1, tf.int64))


def _remote_handle(name: str, dtype: tf.DType, shape: Sequence[int]) -> tf.Tensor:
    return tf.raw_ops.VarHandleOp(
        dtype=dtype, shape=shape, shared_name=name, container='', name='remote/' + name
    )


def local_variables(info: RunInfo) -> Tuple[tf.Variable, tf.Variable]:
    """Returns run metadata and status in the learner's graph, and counts disconnected actors.

    Local variables are initialized after a checkpoint is restored: once the run metadata can be
    read, all variables can be read.
    """

    def variable(value: Union[str, tf.Tensor], name: str) -> tf.Variable:
        return tf.Variable(
            value,
            trainable=False,
            collections=[tf.GraphKeys.LOCAL_VARIABLES],
            use_resource=True,
            name=name,
        )

    with tf.device('/cpu'):
        status = variable(tf.constant([STARTING, NO_LABELS], tf.float64), STATUS)
        variable(tf.constant(0, tf.int64), NUM_DISCONNECTED)
        return variable(info.to_json(), RUN_INFO), status
