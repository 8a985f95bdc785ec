"""Names of the trained agents that come with the package."""

import os
from typing import List

from sc2impala.errors import UserError

PREFIX = 'zoo:'

FOLDER = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', 'zoo', 'agents'))
"""The folder of the agents."""

CARD = 'card.json'


def is_zoo(given: str) -> bool:
    """Returns whether a path of a user is the name of an agent of the zoo."""
    return given.startswith(PREFIX)


def names() -> List[str]:
    """Returns the names of all agents, without `zoo:`."""
    found = os.listdir(FOLDER) if os.path.isdir(FOLDER) else []
    return sorted(name for name in found if os.path.isfile(os.path.join(FOLDER, name, CARD)))


def folder(given: str) -> str:
    """Returns the folder of an agent, which has the manifest of its run.

    Args:
      given: its name with `zoo:`.

    Raises:
      UserError: if there is no such agent.
    """
    name = given[len(PREFIX) :]
    if name not in names():
        raise UserError(
            f'{given} is not in the zoo, expected one of: '
            f'{", ".join(PREFIX + name for name in names()) or "none, it is empty"}.'
        )
    return os.path.join(FOLDER, name)
