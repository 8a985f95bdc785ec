"""Errors of the StarCraft II backend."""


class GameError(Exception):
    """The game cannot be run.

    The message suggests checks in one sentence, and ends with the game's last output.
    """


class GameFault(Exception):
    """A game or its worker died, hung or returned invalid data; see the message.

    The environment then replaces the game with a new one.
    """
