"""The messages between a trainer and a worker; actions and observations are in shared arrays.

The trainer sends the pickled `WorkerSpec` and then commands. The worker answers each command except
CLOSE with OK, or with FAILED and a text. After FAILED it executes no further commands.
"""

import collections

LAUNCH = b'L'  # Start the game.
RESET = b'R'  # Start the next episode.
STEP = b'S'  # Execute the call in the shared arrays; if the episode ends, start the next one.
CLOSE = b'C'  # End the game and the worker.

OK = b'+'
FAILED = b'!'
MAX_REPLY = 10000

WorkerSpec = collections.namedtuple(
    'WorkerSpec',
    ['map_name', 'seed', 'observation_spec', 'action_spec', 'settings', 'num_envs', 'index'],
)
"""Settings of a worker. index: its game's index among the num_envs games of the shared arrays."""
