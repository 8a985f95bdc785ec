"""The messages between a trainer and a worker; actions and observations are in shared arrays.

The trainer sends the pickled `WorkerSpec` and then commands. The worker answers each command except
CLOSE with OK, or with FAILED and a text. After FAILED it executes no further commands.
"""

from typing import Any, NamedTuple

LAUNCH = b'L'  # Start the game.
RESET = b'R'  # Start the next episode.
STEP = b'S'  # Execute the call in the shared arrays; if the episode ends, start the next one.
CLOSE = b'C'  # End the game and the worker.

OK = b'+'
FAILED = b'!'
MAX_REPLY = 10000


class WorkerSpec(NamedTuple):
    """Settings of a worker.

    map_name: map of its game.
    seed: seed of its game.
    observation_spec, action_spec: the specs.
    settings: settings of StarCraft II.
    num_envs: number of games in the shared arrays.
    slot: index of its game among them.
    """

    map_name: str
    seed: int
    observation_spec: Any
    action_spec: Any
    settings: Any
    num_envs: int
    slot: int
