"""Where a start of a training begins: anew, or at the last checkpoint in its folder."""

from typing import Any, Callable, Mapping, NamedTuple, Optional

import tensorflow.compat.v1 as tf

from sc2impala.errors import UserError
from sc2impala.replay import ReplayTable
from sc2impala.runtime import checkpoints, console, manifest
from sc2impala.settings.settings import Settings


class Start(NamedTuple):
    """What earlier starts left in the folder of a run.

    before: the manifest, or None.
    checkpoint: to continue from, or None.
    """

    before: Optional[Mapping[str, Any]]
    checkpoint: Optional[str]

    @property
    def number(self) -> int:
        """How many starts there were before."""
        return 0 if self.before is None else len(self.before['starts'])


def find(settings: Settings) -> Start:
    """Looks into the folder of a run, and reads its last checkpoint before a graph is built.

    Raises:
      UserError: if what is there cannot be read, or is not of a run with these settings.
    """
    folder = settings.run.logdir
    before = manifest.read(folder)
    if before is not None:
        manifest.check_same_settings(folder, settings.values(), before)
    checkpoint = checkpoints.latest(folder)
    if checkpoint is not None and before is None:
        raise UserError(
            f'--logdir={folder} holds a checkpoint but no {manifest.MANIFEST}, expected a '
            'folder of this program or an empty one.'
        )
    if checkpoint is not None:
        checkpoints.read(checkpoint)
    return Start(before, checkpoint)


def prepare_restoring(
    settings: Settings, agent: Any, table: Optional[ReplayTable], checkpoint: Optional[str]
) -> Optional[Callable[[tf.Session], None]]:
    """Checks the checkpoint and restores the replay table.

    Args:
      settings: all of them.
      agent: `agents.agent.Agent`; all variables of its graph have been made.
      table: the replay table, or None.
      checkpoint: to continue from, or None.

    Returns:
      What initializes a run that has no checkpoint of its own, a function of a session, or None.

    Raises:
      UserError: if a checkpoint is damaged or of another agent, or there is none to begin with.
    """
    if checkpoint is not None:
        checkpoints.check_complete(checkpoint, tf.global_variables())
        if table is not None and not checkpoints.restore_replay(table, checkpoint):
            console.say(f'no replay buffer was saved with {checkpoint}: it starts empty')
        return None
    if not settings.start.init_checkpoint:
        return None
    path = checkpoints.find_initial(settings.start.init_checkpoint)
    return checkpoints.weights_loader(path, agent.weights)
