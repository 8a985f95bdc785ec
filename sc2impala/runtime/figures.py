"""Figures of Matplotlib as files."""

import os

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from sc2impala.errors import UserError


def save(figure: Figure, path: str, option: str) -> None:
    """Writes a figure as a PNG file, atomically.

    Args:
      figure: the figure.
      path: the file; an existing one is replaced.
      option: the option with its folder, for errors.

    Raises:
      UserError: if the file cannot be written.
    """
    try:
        FigureCanvasAgg(figure).print_png(path + '.tmp')
        os.replace(path + '.tmp', path)
    except OSError as error:
        raise UserError(
            f'{path} cannot be written ({error.strerror}), expected {option} with free space that '
            'this user may write to.'
        ) from error
