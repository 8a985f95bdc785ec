"""The stand-in for the game, installed for a test, and functions that make its games fail."""

import os
import shlex
import signal
import sys
import time

import psutil

from sc2impala.sim.api import install
from tests.envs.pysc2_backend import leftovers

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

HARM = {
    'killed': signal.SIGKILL,
    'stopped': signal.SIGSTOP,
    'garbled': signal.SIGUSR1,
    'garbled on the wire': signal.SIGUSR2,
}
"""Failures by the signal that causes them."""

_SCRIPT = """#!/bin/sh
PYTHONPATH={root}
export PYTHONPATH
exec {python} -m tests.envs.pysc2_backend.garbling_game "$@"
"""


def install_in(folder):
    """Makes a folder for SC2PATH with games that can also be made to return invalid data."""
    install.install(str(folder))
    with open(os.path.join(str(folder), install.BINARY), 'w') as file:
        file.write(_SCRIPT.format(root=shlex.quote(ROOT), python=shlex.quote(sys.executable)))


def games_in(folder):
    """Returns the games whose temporary files are in a folder: processes that are not workers."""
    found = []
    for process in leftovers.processes_in(folder):
        try:
            if 'garbling_game' in ' '.join(process.cmdline()):
                found.append(process)
        except psutil.NoSuchProcess:
            continue
    return found


def harm_one(folder, how, rng, youngest_secs=0.0):
    """Makes a game fail and waits until it has ended.

    Args:
      folder: where its temporary files are.
      how: a key of HARM.
      rng: chooses among the games.
      youngest_secs: since when it must be running; those that are not launched yet are given much
        more time to answer.
    """
    give_up = time.monotonic() + leftovers.PATIENCE_SECS
    old = []
    while not old:
        assert time.monotonic() < give_up, 'no game is running'
        time.sleep(0.05)
        born_before = time.time() - youngest_secs
        old = [game for game in games_in(folder) if game.create_time() < born_before]
    victim = old[rng.randint(len(old))]
    victim.send_signal(HARM[how])
    while victim.is_running() and victim.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < give_up, f'{victim} was {how}, and nobody noticed'
        time.sleep(0.05)
