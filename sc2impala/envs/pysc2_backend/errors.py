"""What goes wrong with StarCraft II."""


class GameError(Exception):
    """The game cannot be run: one sentence with what to check, and the game's last output."""


class GameFault(Exception):
    """A game that died, hung or answered nonsense, or its worker did; the text says which.

    Its environment starts another game in its place.
    """
