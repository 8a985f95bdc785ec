"""Episodes of the agents of runs, in the player of `sc2impala.watch`."""

from typing import Sequence

from sc2impala.checkpoints import directory
from sc2impala.errors import UserError
from sc2impala.report import text

MAX_RUNS = 2
"""The player shows one agent, or two on the same games."""


def section(folders: Sequence[str], num_episodes: int, seed: int = 0) -> str:
    """Runs episodes of the newest checkpoints, and returns the markup of a player.

    Args:
      folders: folders of runs; with more than MAX_RUNS nothing is run.
      num_episodes: number of episodes of each; 0 for none.
      seed: determines games and samples.

    Returns:
      HTML; empty if nothing is run, and a sentence if an agent cannot be run.
    """
    if not num_episodes or len(folders) > MAX_RUNS:
        return ''
    for folder in folders:
        if not directory.saved(folder):
            return text.missing(f'There is no checkpoint in {folder}, so no episode can be shown.')
    # TensorFlow is loaded here: a report without episodes does not wait for it.
    from sc2impala import tf_setup

    tf_setup.enable()
    from sc2impala.watch import page, players
    from sc2impala.watch.record import record

    traces = []
    try:
        for player in players.resolve_players(folders, players.Options(seed=seed)):
            traces.append(record(player, num_episodes, seed))
            player.close()
    except UserError as error:
        return text.missing(f'No episode can be shown: {error}')
    return page.embed(traces)
