"""The best checkpoint of a run and a policy, in a folder such as `best` in that of the run.

The folder is that of a run: it can be evaluated, and other runs can start from it. TensorFlow's
list in it names the best checkpoint and is replaced as a whole, after the files of the new one are
there and before those of the old one are removed: a kill leaves one of the two. The evaluation for
which a checkpoint is kept is one of its files. `--mode=evaluate` writes no file of that name.
"""

import contextlib
import glob
import json
import os
import shutil
from typing import Any, Dict, List, Mapping, Optional

from sc2impala.errors import UserError
from sc2impala.runtime import checkpoint_choice, checkpoints, logdir, manifest

FOLDER = 'best'


class BestCheckpoint:
    """Holds checkpoints while they are evaluated, and keeps the best.

    folder: where they are.
    """

    def __init__(self, run_folder: str, name: str = FOLDER):
        """Args:
        run_folder: of the run.
        name: of the folder in it.

        Raises:
          UserError: if the folder cannot be made, or what is in it cannot be read.
        """
        self._run_folder = run_folder
        self.folder = os.path.join(run_folder, name)
        logdir.prepare(self.folder)
        self._kept = checkpoint_choice.named(self.folder)

    @property
    def kept(self) -> Optional[int]:
        """Frames of the best checkpoint, which are in its name; None if there is none."""
        return self._kept

    def hold(self, checkpoint: str) -> Optional[str]:
        """Links or copies a checkpoint of the run, which may be removed at any time.

        Returns:
          Its path in this folder, or None if it is gone.
        """
        held = os.path.join(self.folder, os.path.basename(checkpoint))
        try:
            for path in _files(checkpoint):
                _link(path, os.path.join(self.folder, os.path.basename(path)))
        except FileNotFoundError:
            pass
        except OSError as error:
            raise _cannot_write(self.folder, error) from error
        # Its index is removed first where it was rotated meanwhile.
        if os.path.exists(checkpoint + '.index') and os.path.exists(held + '.index'):
            return held
        self.drop_others()
        return None

    def holds(self, frames: int) -> bool:
        """Whether the checkpoint of `frames` is in this folder."""
        return os.path.exists(self.path(frames) + '.index')

    def path(self, frames: int) -> str:
        """Where the checkpoint of `frames` is, or is to be put to be held."""
        return os.path.join(self.folder, f'{checkpoints.BASENAME}-{frames}')

    def result(self) -> Optional[Dict[str, Any]]:
        """The evaluation for which the best checkpoint is kept; None if it is not known."""
        if self._kept is None:
            return None
        # Older versions wrote only the second file, which evaluations by hand replace.
        of_folder = os.path.join(self.folder, logdir.EVALUATION_JSON)
        for path in (self._record(self._kept), of_folder):
            with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
                content = json.loads(_read(path))
                if content['global_step'] == self._kept and content['policy'] is not None:
                    return dict(content, mean_return=float(content['mean_return']))
        return None

    @property
    def is_complete(self) -> bool:
        """False if a kill has interrupted `keep`, or an older version has kept the checkpoint."""
        if self._kept is None or not os.path.exists(self._record(self._kept)):
            return False
        try:
            content = json.loads(_read(os.path.join(self.folder, logdir.EVALUATION_JSON)))
            return content['global_step'] == self._kept
        except (OSError, ValueError, LookupError, TypeError):
            return False

    def keep(self, frames: int, result: Mapping[str, Any]) -> None:
        """Makes a checkpoint that is held the best.

        Args:
          frames: of the checkpoint.
          result: of its evaluation.
        """
        name = os.path.basename(self.path(frames))
        try:
            source = os.path.join(self._run_folder, manifest.MANIFEST)
            _replace(os.path.join(self.folder, manifest.MANIFEST), _read(source))
            text = json.dumps(result, indent=2, sort_keys=True) + '\n'
            _replace(self._record(frames), text.encode())
            lines = [f'{key}: "{name}"\n' for key in ('model_checkpoint_path', _ALL)]
            _replace(self._list, ''.join(lines).encode())
        except OSError as error:
            raise _cannot_write(self.folder, error) from error
        self._kept = frames
        logdir.write_json(os.path.join(self.folder, logdir.EVALUATION_JSON), result)
        self.drop_others()

    def drop_others(self) -> None:
        """Removes all checkpoints of this folder but the best."""
        kept = '' if self._kept is None else f'{os.path.basename(self.path(self._kept))}.'
        names = os.listdir(self.folder)
        # A checkpoint whose index is there is whole: that goes first.
        for name in sorted(names, key=lambda name: not name.endswith('.index')):
            if name.startswith(f'{checkpoints.BASENAME}-') and not (kept and name.startswith(kept)):
                with contextlib.suppress(OSError):
                    os.remove(os.path.join(self.folder, name))

    def _record(self, frames: int) -> str:
        return f'{self.path(frames)}.{logdir.EVALUATION_JSON}'

    @property
    def _list(self) -> str:
        return os.path.join(self.folder, checkpoints.INDEX)


_ALL = 'all_model_checkpoint_paths'


def _files(checkpoint: str) -> List[str]:
    """The files of a checkpoint, the index last."""
    data = glob.glob(glob.escape(checkpoint) + '.data-*')
    return [*data, checkpoint + '.index']


def _link(source: str, target: str) -> None:
    if os.path.exists(target):
        return
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        # The file system has no hard links.
        shutil.copyfile(source, target + '.tmp')
        os.replace(target + '.tmp', target)


def _read(path: str) -> bytes:
    with open(path, 'rb') as file:
        return file.read()


def _replace(path: str, content: bytes) -> None:
    """Writes a file whole or not at all."""
    with open(path + '.tmp', 'wb') as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + '.tmp', path)


def _cannot_write(folder: str, error: OSError) -> UserError:
    return UserError(
        f'{folder} cannot be written to ({error.strerror}), expected a --logdir with free space '
        'that this user may write to.'
    )
