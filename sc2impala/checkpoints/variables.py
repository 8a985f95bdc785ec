"""The variables of a checkpoint. It may be damaged, of another agent, or untrusted.

A checkpoint is a directory, or a prefix of TensorFlow.
"""

import contextlib
import functools
import os
from typing import (
    Any,
    Callable,
    Collection,
    Dict,
    Iterator,
    List,
    Mapping,
    Sequence,
    Tuple,
    TypeVar,
)

import tensorflow.compat.v1 as tf

from sc2impala.checkpoints import choice, directory
from sc2impala.checkpoints.directory import DamagedError
from sc2impala.errors import UserError
from sc2impala.runtime import console
from sc2impala.runtime.plain_paths import plain_path

_ATTEMPTS = 20
"""Number of attempts while a run saves and removes checkpoints."""
_NAMED = 4
"""Number of missing variables that a message names."""
_Result = TypeVar('_Result')


def prefix(checkpoint: str) -> str:
    """TensorFlow's prefix of the variables of a checkpoint."""
    if os.path.isdir(checkpoint):
        checkpoint = os.path.join(checkpoint, directory.VARIABLES)
    return plain_path(checkpoint)


def describe(checkpoint: str) -> Dict[str, Tuple[List[int], tf.DType]]:
    """Shape and dtype of all variables by name, without reading them.

    Raises:
      DamagedError: if they cannot be read, or are larger than the files.
    """
    with _errors_of(checkpoint):
        reader = tf.train.load_checkpoint(prefix(checkpoint))
        types = reader.get_variable_to_dtype_map()
        shapes = reader.get_variable_to_shape_map()
        num_bytes = 0
        for name, shape in shapes.items():
            size = types[name].size
            for number in shape:
                size *= number
            num_bytes += size
        paths = directory.variable_files(checkpoint)
        data = [path for name, path in paths.items() if not name.endswith('.index')]
        found_bytes = sum(map(os.path.getsize, data))
        if num_bytes > found_bytes:
            raise ValueError(f'{num_bytes:,} bytes of variables in {found_bytes:,} bytes of files')
        return {name: (list(shape), types[name]) for name, shape in shapes.items()}


def read(checkpoint: str) -> Dict[str, Any]:
    """All variables of a checkpoint, {name: array}; reading each one checks its checksum.

    Raises:
      DamagedError: if a file is truncated or not a checkpoint.
    """
    return read_some(checkpoint, list(describe(checkpoint)))


def read_some(checkpoint: str, names: Sequence[str]) -> Dict[str, Any]:
    """Reads some variables of a checkpoint, see `read`."""
    with _errors_of(checkpoint):
        reader = tf.train.load_checkpoint(prefix(checkpoint))
        return {name: reader.get_tensor(name) for name in names}


def check(checkpoint: str) -> None:
    """Reads all variables, one at a time.

    Raises:
      DamagedError: see `read`.
    """
    for name in describe(checkpoint):
        read_some(checkpoint, [name])


def check_complete(checkpoint: str, variables: Sequence[tf.Variable]) -> None:
    """Checks that a checkpoint can be restored to these variables, before the run starts.

    Raises:
      UserError: if it is damaged or of another run.
    """
    found = describe(checkpoint)
    for variable in variables:
        name = variable.op.name
        if name not in found:
            raise UserError(f'{checkpoint} is not of this run: it has no variable {name}.')
        _check_variable(checkpoint, variable, found[name])
    for variable in variables:
        read_some(checkpoint, [variable.op.name])


def restore(saver: tf.train.Saver, session: tf.Session, checkpoint: str) -> None:
    """Restores variables from a checked checkpoint."""
    saver.restore(session, prefix(checkpoint))


def counters_of(checkpoint: str, counters: Sequence[tf.Variable]) -> List[int]:
    """The values of counters of frames in a checked checkpoint."""
    names = [counter.op.name for counter in counters]
    values = read_some(checkpoint, names)
    return [int(values[name]) for name in names]


def global_step(checkpoint: str) -> int:
    """Environment frames of the main phase in a checkpoint.

    Raises:
      UserError: if it cannot be read, or was removed.
    """
    name = tf.GraphKeys.GLOBAL_STEP
    return int(read_some(checkpoint, [name])[name])


def while_it_lasts(find: Callable[[], str], use: Callable[[str], _Result]) -> _Result:
    """Chooses a checkpoint and uses it; chooses again if a run has removed it meanwhile.

    Args:
      find: returns a checkpoint; raises UserError if there is none.
      use: reads a checkpoint.

    Returns:
      The result of `use`.

    Raises:
      UserError: from `find` or `use`.
    """
    for _ in range(_ATTEMPTS):
        checkpoint = find()
        try:
            return use(checkpoint)
        except (UserError, ValueError, tf.errors.OpError) as error:
            if directory.is_checkpoint(checkpoint):
                raise
            last = error
    raise UserError(f'{checkpoint} was removed while it was read.') from last


def assignments_from(folder_or_checkpoint: str, variables: Sequence[tf.Variable]) -> Dict[str, Any]:
    """Reads variables from another run: {name: array} for the ones it has.

    Args:
      folder_or_checkpoint: `--init_checkpoint`.
      variables: variables of the agent.

    Raises:
      UserError: if there is no checkpoint, or it has none of them, or one of another shape.
    """

    def assignments(checkpoint: str) -> Dict[str, Any]:
        found = describe(checkpoint)
        common = [v for v in variables if v.op.name in found]
        if not common:
            raise UserError(
                f'--init_checkpoint={checkpoint} has none of the variables of this agent.'
            )
        for variable in common:
            _check_variable(checkpoint, variable, found[variable.op.name])
        return read_some(checkpoint, [v.op.name for v in common])

    return while_it_lasts(functools.partial(choice.find_initial, folder_or_checkpoint), assignments)


def weights_loader(
    folder_or_checkpoint: str, variables: Sequence[tf.Variable]
) -> Callable[[tf.Session], None]:
    """Builds the operations that load weights of another run; prints the missing ones.

    Returns:
      Function of a session that loads them.

    Raises:
      UserError: see `assignments_from`.
    """
    values = assignments_from(folder_or_checkpoint, variables)
    missing = sorted(v.op.name for v in variables if v.op.name not in values)
    if missing:
        more = f' and {len(missing) - _NAMED} more' if len(missing) > _NAMED else ''
        names = ', '.join(missing[:_NAMED])
        console.say(f'{folder_or_checkpoint} has no {names}{more}: they start fresh')
    return _assigner(values, [v for v in variables if v.op.name in values])


def loader(
    checkpoint: str, variables: Sequence[tf.Variable], counters: Collection[tf.Variable]
) -> Callable[[tf.Session], None]:
    """Builds the operations that load all variables of another run except its counters.

    Args:
      checkpoint: checkpoint of the other run.
      variables: all variables of the graph.
      counters: unchanged variables: the frames of all phases.

    Returns:
      Function of a session that loads them.

    Raises:
      UserError: if the other run has other variables.
    """
    own = {variable.op.name for variable in counters}
    taken = [variable for variable in variables if variable.op.name not in own]
    check_complete(checkpoint, taken)
    return _assigner(read(checkpoint), taken)


def reason(error: BaseException) -> str:
    """The first line of an error."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def _assigner(
    values: Mapping[str, object], variables: Sequence[tf.Variable]
) -> Callable[[tf.Session], None]:
    """Builds the operations that assign {name: array} to variables of these shapes and dtypes."""
    placeholders = [tf.placeholder(v.dtype.base_dtype, v.shape) for v in variables]
    assign = [v.assign(value).op for v, value in zip(variables, placeholders)]
    feed = {p: values[v.op.name] for p, v in zip(placeholders, variables)}
    return lambda session: session.run(assign, feed)


def _check_variable(
    checkpoint: str, variable: tf.Variable, found: Tuple[List[int], tf.DType]
) -> None:
    """Raises: UserError: if a variable has another shape or type in a checkpoint."""
    shape, dtype = found
    if shape != variable.shape.as_list():
        raise UserError(
            f'{checkpoint} is of another agent: its {variable.op.name} has shape {shape}, expected '
            f'{variable.shape.as_list()}.'
        )
    expected = variable.dtype.base_dtype
    if dtype != expected:
        raise UserError(
            f'{checkpoint} is of another agent: its {variable.op.name} is {dtype.name}, expected '
            f'{expected.name}.'
        )


@contextlib.contextmanager
def _errors_of(checkpoint: str) -> Iterator[None]:
    try:
        yield
    except (tf.errors.OpError, ValueError, RuntimeError, OSError, LookupError) as error:
        raise DamagedError(f'{checkpoint} is damaged or not a checkpoint ({reason(error)}).') from (
            error
        )
