"""Errors that the user can correct."""


class UserError(Exception):
    """One sentence that names the flag or file, its value and what was expected."""
