"""The start of a run: from scratch, or from the last checkpoint in its folder."""

import functools
import os
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.checkpoints import choice, directory, legacy, transfer, variables
from sc2impala.checkpoints.directory import Skipped
from sc2impala.checkpoints.transfer import Adoption
from sc2impala.checkpoints.writer import CheckpointWriter
from sc2impala.errors import UserError
from sc2impala.runtime import console, manifest
from sc2impala.settings import resolve
from sc2impala.settings.settings import Settings


class Start(NamedTuple):
    """State of the folder of a run when it starts.

    before: the manifest, or None.
    checkpoint: the checkpoint to resume from, or None.
    skipped: newer checkpoints that cannot be used.
    """

    before: Optional[Mapping[str, Any]]
    checkpoint: Optional[str]
    skipped: Sequence[Skipped] = ()

    @property
    def number(self) -> int:
        """Number of earlier starts."""
        return 0 if self.before is None else len(self.before['starts'])


def find(settings: Settings) -> Start:
    """Inspects the folder of a run, and checks its last checkpoint before a graph is built.

    Uses the newest complete checkpoint.

    Raises:
      UserError: if the folder cannot be read, or is not of a run with these settings.
    """
    folder = settings.run.logdir
    before = manifest.read(folder)
    if before is not None:
        manifest.check_same_settings(folder, settings.values(), before)
        for line in resolve.changes_on_resume(settings.values(), before['config']):
            console.say(line)
    found = choice.choose(folder)
    if found is None:
        return Start(before, None)
    if before is None:
        raise UserError(
            f'--logdir={folder} has a checkpoint but no {manifest.MANIFEST}, expected the '
            'folder of a run or an empty one.'
        )
    if found.skipped:
        console.say(
            f'{folder}: {found.describe()}; damaged checkpoints are moved to {directory.DAMAGED}/'
        )
    legacy.convert(folder)
    checkpoint = directory.path(folder, directory.frames_of(found.checkpoint))
    return Start(before, checkpoint, found.skipped)


def clean_up(folder: str, start: Start) -> None:
    """Moves unusable checkpoints away, and removes remains of an interrupted save.

    Args:
      folder: the locked folder of the run.
      start: a start that is certain to begin: it may change the folder.

    Raises:
      UserError: if the folder cannot be changed.
    """
    directory.remove_leftovers(folder)
    try:
        for frames, _ in start.skipped:
            name = os.path.join(directory.FOLDER, str(frames))
            directory.set_aside(folder, [name, *legacy.files(folder, frames)])
        for name in (manifest.MANIFEST, manifest.COPY):
            # Such a folder cannot be replaced by a file.
            if os.path.isdir(os.path.join(folder, name)):
                directory.set_aside(folder, [name])
    except OSError as error:
        raise UserError(
            f'{os.path.join(folder, directory.DAMAGED)} cannot be written to ({error.strerror}), '
            'expected a --logdir in which this user may move files.'
        ) from error


def prepare_restoring(
    settings: Settings,
    agent: Agent,
    writer: CheckpointWriter,
    checkpoint: Optional[str],
    counters: Sequence[tf.Variable] = (),
) -> Optional[Callable[[tf.Session], None]]:
    """Checks the checkpoint to resume from, or the one of `--init_checkpoint`.

    Args:
      settings: all of them.
      agent: `agents.agent.Agent`; all variables of its graph have been made.
      writer: restores all of a checkpoint but the variables.
      checkpoint: the checkpoint to resume from, or None.
      counters: counters of frames of all phases; they are never taken from another run.

    Returns:
      A function of a session to call once the variables have been restored or initialised, or
      None.

    Raises:
      UserError: if a checkpoint is damaged or of another agent, or `--init_checkpoint` has none.
    """
    if checkpoint is not None:
        variables.check_complete(checkpoint, tf.global_variables())
        adopted = transfer.find(settings.run.logdir, directory.frames_of(checkpoint))
        if adopted is not None:
            return _prepare_adopting(adopted, writer, checkpoint, counters)
        return functools.partial(writer.load_files, checkpoint)
    if not settings.start.init_checkpoint:
        return None
    _check_agent(settings)
    return variables.weights_loader(settings.start.init_checkpoint, agent.weights)


def _check_agent(settings: Settings) -> None:
    """Raises: UserError: if the initial weights are for another scale or other inputs."""
    run, agent = settings.start.init_checkpoint, settings.agent
    before = manifest.read(directory.run_of(run))
    expected = {'point_logit_scale': agent.point_logit_scale, 'ratio_bins': agent.ratio_bins}
    for name, value in expected.items():
        if before is not None and before['config'][name] != value:
            raise UserError(
                f'--init_checkpoint={run} is of an agent with --{name}='
                f'{before["config"][name]:g}, expected the same instead of {value:g}.'
            )


def _prepare_adopting(
    adopted: Adoption, writer: CheckpointWriter, checkpoint: str, counters: Sequence[tf.Variable]
) -> Callable[[tf.Session], None]:
    """Returns a function that restores another run's weights and optimizer."""
    load = variables.loader(adopted.checkpoint, tf.global_variables(), counters)
    console.say(
        f'weights and optimizer are those of {adopted.source} after {adopted.frames:,} frames'
    )

    def restore(session: tf.Session) -> None:
        writer.load_files(checkpoint, session, adopted.dropped_files)
        load(session)

    return restore
