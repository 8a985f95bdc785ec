import tempfile

import pytest

from sc2impala.envs.pysc2_backend import worker


def test_temporary_files_are_nowhere_else_when_their_folder_has_vanished(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, 'tempdir', None)
    monkeypatch.setenv('TMPDIR', str(tmp_path / 'vanished'))
    worker.stay_in_temporary_folder()
    with pytest.raises(FileNotFoundError):
        tempfile.mkdtemp(prefix='sc-')
    (tmp_path / 'vanished').mkdir()
    assert tempfile.mkdtemp(prefix='sc-').startswith(str(tmp_path / 'vanished'))
