"""Compilation of the kernels of a map ahead of their use; all tests of games depend on it."""

from sc2impala.sim import compile_ahead, compiler


def test_a_map_whose_compilation_fails_is_not_marked(tmp_path, monkeypatch):
    monkeypatch.delenv('SC2IMPALA_COMPILES', raising=False)
    monkeypatch.setattr(compiler, 'cache_folder', lambda: tmp_path)
    compile_ahead.prepare('NoSuchMap')
    assert list(tmp_path.iterdir()) == []
