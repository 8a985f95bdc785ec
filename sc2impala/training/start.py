"""Where a start of a training begins: anew, or at the last checkpoint in its folder."""

import functools
import os
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence

import tensorflow.compat.v1 as tf

from sc2impala.errors import UserError
from sc2impala.runtime import adoption, checkpoint_choice, checkpoints, console, manifest
from sc2impala.runtime import checkpoint_units as units
from sc2impala.runtime.adoption import Adoption
from sc2impala.runtime.checkpoint_units import Skipped
from sc2impala.runtime.checkpoints import CheckpointWriter
from sc2impala.settings import resolve
from sc2impala.settings.settings import Settings


class Start(NamedTuple):
    """What earlier starts left in the folder of a run.

    before: the manifest, or None.
    checkpoint: to continue from, or None.
    skipped: newer checkpoints, which cannot be used.
    """

    before: Optional[Mapping[str, Any]]
    checkpoint: Optional[str]
    skipped: Sequence[Skipped] = ()

    @property
    def number(self) -> int:
        """How many starts there were before."""
        return 0 if self.before is None else len(self.before['starts'])


def find(settings: Settings) -> Start:
    """Looks into the folder of a run, and checks its last checkpoint before a graph is built.

    The newest checkpoint that is whole is used.

    Raises:
      UserError: if what is there cannot be read, or is not of a run with these settings.
    """
    folder = settings.run.logdir
    before = manifest.read(folder)
    if before is not None:
        manifest.check_same_settings(folder, settings.values(), before)
        for line in resolve.changes_on_resume(settings.values(), before['config']):
            console.say(line)
    choice = checkpoint_choice.choose(folder)
    if choice is None:
        return Start(before, None)
    if before is None:
        raise UserError(
            f'--logdir={folder} holds a checkpoint but no {manifest.MANIFEST}, expected a '
            'folder of this program or an empty one.'
        )
    if choice.skipped:
        console.say(
            f'in {folder}, {choice.describe()}; what is skipped is moved to the folder '
            f'{units.DAMAGED} there'
        )
    return Start(before, units.model_path(folder, choice.frames), choice.skipped)


def clean_up(folder: str, start: Start) -> None:
    """Moves away what cannot be used, and removes what an interrupted save has left.

    Args:
      folder: of the run, which is locked.
      start: which is certain to begin: nothing has to be left as it is.

    Raises:
      UserError: if that does not work.
    """
    units.remove_unfinished(folder, checkpoint_choice.listed_frames(folder))
    try:
        for frames, _ in start.skipped:
            index = os.path.basename(units.index_path(folder, frames))
            units.set_aside(folder, [*units.files(folder, frames), index])
        for name in (checkpoint_choice.INDEX, manifest.MANIFEST, manifest.COPY):
            # Such a folder cannot be replaced by a file.
            if os.path.isdir(os.path.join(folder, name)):
                units.set_aside(folder, [name])
    except OSError as error:
        raise UserError(
            f'{os.path.join(folder, units.DAMAGED)} cannot be written to ({error.strerror}), '
            'expected a --logdir in which this user may move files.'
        ) from error


def prepare_restoring(
    settings: Settings,
    agent: Any,
    writer: CheckpointWriter,
    checkpoint: Optional[str],
    counters: Sequence[tf.Variable] = (),
) -> Optional[Callable[[tf.Session], None]]:
    """Checks the checkpoint, or the one of another run that this one begins with.

    Args:
      settings: all of them.
      agent: `agents.agent.Agent`; all variables of its graph have been made.
      writer: restores all of a checkpoint but the variables.
      checkpoint: to continue from, or None.
      counters: of the frames of all phases; they are the run's own whatever it adopts.

    Returns:
      What is to be done once the variables have been restored, or have their initial values: a
      function of a session, or None.

    Raises:
      UserError: if a checkpoint is damaged or of another agent, or there is none to begin with.
    """
    if checkpoint is not None:
        checkpoints.check_complete(checkpoint, tf.global_variables())
        adopted = adoption.find(settings.run.logdir, checkpoints.number(checkpoint))
        if adopted is not None:
            return _prepare_adopting(adopted, writer, checkpoint, counters)
        return functools.partial(writer.load_parts, checkpoint)
    if not settings.start.init_checkpoint:
        return None
    _check_agent(settings)
    return checkpoints.weights_loader(settings.start.init_checkpoint, agent.weights)


def _check_agent(settings: Settings) -> None:
    """Raises: UserError: if the weights to begin with are for another scale or other inputs."""
    run, agent = settings.start.init_checkpoint, settings.agent
    before = manifest.read_of_checkpoint(run)
    expected = {'point_logit_scale': agent.point_logit_scale, 'ratio_bins': agent.ratio_bins}
    for name, value in expected.items():
        if before is not None and before['config'][name] != value:
            raise UserError(
                f'--init_checkpoint={run} is of an agent with --{name}='
                f'{before["config"][name]:g}, expected the same in place of {value:g}.'
            )


def _prepare_adopting(
    adopted: Adoption, writer: CheckpointWriter, checkpoint: str, counters: Sequence[tf.Variable]
) -> Callable[[tf.Session], None]:
    """Restoring with the weights and the optimizer of another run; see `prepare_restoring`."""
    load = adoption.loader(adopted, tf.global_variables(), counters)
    console.say(
        f'weights and optimizer are those of {adopted.source} after {adopted.frames:,} frames'
    )

    def restore(session: tf.Session) -> None:
        writer.load_parts(checkpoint, session, adopted.dropped_parts)
        load(session)

    return restore
