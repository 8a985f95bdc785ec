"""The end of a command: its exit code, and the line of an error of its user."""

import sys
from typing import Callable

from sc2impala.errors import FINISHED, UserError
from sc2impala.runtime import console


def exit_code_of(function: Callable[[], None]) -> int:
    """Runs a command; returns its exit code. A `UserError` is reported in one line."""
    try:
        function()
    except UserError as error:
        console.write(sys.stderr, f'error: {error}\n')
        return error.exit_code
    finally:
        console.flush()
    return FINISHED
