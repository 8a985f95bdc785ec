"""Errors that the user can mend."""


class UserError(Exception):
    """One sentence that names the flag or file, its value and what was expected."""
