"""Figures are written whole, or not at all."""

import pytest
from matplotlib.figure import Figure

from sc2impala.errors import UserError
from sc2impala.runtime import figures


def test_a_figure_replaces_an_earlier_file(tmp_path):
    path = tmp_path / 'a.png'
    path.write_bytes(b'before')
    figures.save(Figure(figsize=(1, 1)), str(path), 'a --logdir')
    assert path.read_bytes().startswith(b'\x89PNG')
    assert [each.name for each in tmp_path.iterdir()] == ['a.png']


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    path = str(tmp_path / 'missing' / 'a.png')
    with pytest.raises(UserError, match=r'a\.png cannot be written .*, expected an --output with'):
        figures.save(Figure(figsize=(1, 1)), path, 'an --output')
