"""Errors for users, and exit codes."""

FINISHED = 0
FAILED = 1
UNEXPECTED = 70
_SIGNALLED = 128


class UserError(Exception):
    """One sentence that names the flag or file, its value and the expected one."""

    exit_code = FAILED


class UnexpectedError(UserError):
    """One sentence about an error of this program and the location of its traceback."""

    exit_code = UNEXPECTED


class UnsoundState(UserError):
    """One sentence about weights that cannot be trained further."""


class Interrupted(KeyboardInterrupt):
    """A signal that ends a process without anything to save.

    number: number of the signal.
    """

    def __init__(self, number: int):
        super().__init__(f'signal {number}')
        self.number = number


def exit_code_of_signal(number: int) -> int:
    """Returns the exit code that shells report for a process ended by a signal."""
    return _SIGNALLED + number
