"""Tables of the game's data that the simulator does not need, as comma-separated files.

Costs, times and requirements are those of BurnySc2/sc2-techtree, which were read from the game
(version 4.11; upgrades 4.10). Ids and names are those of Blizzard's `stableid.json`. [S] TT, ID A
list within a field is separated by semicolons. An empty number is 0. Times are in game loops.
"""

import csv
import os
from typing import Dict, List

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def read(name: str) -> List[Dict[str, str]]:
    """Returns the rows of a table by the names of its columns."""
    with open(os.path.join(_FOLDER, name + '.csv'), encoding='utf-8', newline='') as file:
        return list(csv.DictReader(file))


def integer(text: str) -> int:
    """Returns the integer of a field."""
    return int(text or 0)


def number(text: str) -> float:
    """Returns the number of a field."""
    return float(text or 0)


def items(text: str) -> List[str]:
    """Returns the entries of a list within a field."""
    return text.split(';') if text else []
