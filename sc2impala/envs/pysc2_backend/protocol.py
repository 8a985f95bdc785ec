"""What a trainer and a worker say to each other, besides what is in their shared arrays.

The trainer sends the `WorkerSpec`, pickled, and then commands. The worker answers each command but
CLOSE with OK, or with FAILED and a text, after which nobody expects anything of it any more.
"""

import collections

LAUNCH = b'L'  # Start the game.
RESET = b'R'  # Begin the next episode.
STEP = b'S'  # Do what the call says, and begin the next episode where one ends.
CLOSE = b'C'  # End the game and the worker.

OK = b'+'
FAILED = b'!'
MAX_REPLY = 10000

WorkerSpec = collections.namedtuple(
    'WorkerSpec',
    ['map_name', 'seed', 'observation_spec', 'action_spec', 'settings', 'num_envs', 'index'],
)
"""What a worker has to know; index: which of the num_envs games of the shared arrays is its own."""
