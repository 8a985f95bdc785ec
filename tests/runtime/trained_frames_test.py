"""The note of trained frames survives the process."""

import os
import stat

from sc2impala.runtime.trained_frames import TrainedFrames


def test_what_was_noted_last_is_read(tmp_path):
    noted = TrainedFrames(str(tmp_path))
    assert noted.read() == 0
    for frames in (5, 12345678901, 77):
        noted.note(frames)
    again = TrainedFrames(str(tmp_path))
    assert again.read() == 77
    (name,) = os.listdir(str(tmp_path))
    assert stat.S_IMODE(os.stat(str(tmp_path / name)).st_mode) == 0o600
    again.close()
    noted.close()
    noted.note(1)
    assert noted.read() == 0


def test_without_a_file_nothing_is_known(tmp_path):
    noted = TrainedFrames(str(tmp_path / 'missing'))
    noted.note(3)
    assert noted.read() == 0
    (tmp_path / '.frames').write_bytes(b'\xff\x00 many')
    assert TrainedFrames(str(tmp_path)).read() == 0
