"""Numbers that were derived from replays of the real game, and games to compare them with.

`game_facts.json` names its sources in the entry `sources`. A recorded episode is an object:

    marines, roaches: the cells of the units at the start, one [x, y] per unit.
    loops: its length; it ends where the first wave ends.
    orders: [loop, kind, queued, numbers of the ordered marines, x, y, target], without point or
      target where there is none; a target below 100 is a marine, 100 + i is roach i.
    marine_deaths: [loop, marine]. roach_deaths: loops. kills: [loop, roach] of killed marines.

The fractions of the start positions are not known: every game draws them.
"""

import json
import os
from typing import Any, Dict, Mapping, Optional, Sequence

from sc2impala import sim

Rules = Optional[Mapping[str, Any]]
"""Constants of the simulator that differ from its own, see `sim.make`; or None."""
SIZE = (84, 84)
with open(os.path.join(os.path.dirname(__file__), 'game_facts.json')) as _file:
    FACTS: Dict[str, Any] = json.load(_file)
"""The content of `game_facts.json`."""


def make(map_name: str, seeds: Sequence[int], rules: Rules = None) -> sim.GameBatch:
    """Creates games of a map, and starts their first episodes."""
    options: Dict[str, Any] = {} if rules is None else {'rules': rules}
    games = sim.make(map_name, seeds, SIZE, SIZE, **options)
    games.reset()
    return games
