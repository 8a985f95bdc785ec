"""Evaluation: whole episodes of one player, a table, a JSON file and pictures."""

import os
from typing import Any, Dict, List

import numpy as np

from sc2impala import structs
from sc2impala.runtime import config as config_lib
from sc2impala.runtime import graph, logdir, pictures, players
from sc2impala.runtime.errors import UserError
from sc2impala.runtime.training import EPISODES_CSV

EVALUATION_JSON = 'evaluation.json'
ANIMATION = 'episode.gif'
CURVE = 'curve.png'


def evaluate(config: config_lib.Config) -> Dict[str, Any]:
    """Plays `num_episodes` episodes and writes what came of them to the folder of the run.

    Every environment plays the same number of episodes, give or take one, to their ends: short
    episodes are not preferred.

    Returns:
      The content of `evaluation.json`.

    Raises:
      UserError: for anything wrong with the settings, the folder, or what is in it.
    """
    config_lib.check(config)
    config = players.with_needs(config)
    specs = config_lib.make_specs(config)
    num_envs = min(config.num_eval_envs, config.num_episodes)
    player = players.make_player(config, specs, num_envs)
    logdir.prepare(config.logdir)
    make_env = graph.make_environment
    with make_env(config, specs, 'evaluation', num_envs) as env, graph.failures_reported([env]):
        picture = pictures.EpisodePicture(*specs) if config.animation else None
        infos = play_episodes(env, player, config.num_episodes, picture)
    player.close()

    result = summarize(config, infos)
    logdir.write_json(os.path.join(config.logdir, EVALUATION_JSON), result)
    print(table(result))
    if picture is not None:
        picture.save(os.path.join(config.logdir, ANIMATION))
    if config.curve:
        _save_curve(config)
    return result


def play_episodes(
    env: Any, player: Any, num_episodes: int, picture: Any = None
) -> List[structs.EpisodeInfo]:
    """Plays episodes to their ends in K environments; the aborted ones are played again.

    Args:
      env: `VectorEnvironment`.
      player: see `players.AgentPlayer`.
      num_episodes: how many.
      picture: `EpisodePicture` that gets the first episode of the first environment, or None.

    Returns:
      `EpisodeInfo` of numbers, one per episode.
    """
    num_envs = env.num_envs
    wanted = np.full([num_envs], num_episodes // num_envs)
    wanted[: num_episodes % num_envs] += 1
    infos = []
    env_output = structs.EnvOutput(None, None, np.ones([num_envs], bool), env.reset())
    while wanted.any():
        action, step_mul = player(env_output)
        next_output = env.step(action, step_mul)
        if picture is not None:
            _draw(picture, env_output, action, step_mul, next_output)
        if picture is not None and next_output.done[0]:
            picture = None
        env_output = next_output
        finished = env_output.done & (wanted > 0) & ~env_output.info.aborted
        for k in np.flatnonzero(finished):
            infos.append(structs.EpisodeInfo(*[field[k].item() for field in env_output.info]))
        wanted[finished] -= 1
    return infos


def summarize(config: config_lib.Config, infos: List[structs.EpisodeInfo]) -> Dict[str, Any]:
    """What `evaluation.json` holds; the standard deviation is that of the episodes.

    `step_mul` is None where the agent chooses it.
    """
    returns = np.array([info.episode_return for info in infos])
    chooses = config.policy in ('sampled', 'greedy') and not config.fixed_step_mul
    return {
        'map_name': config.map_name,
        'backend': config.backend,
        'policy': config.policy,
        'num_episodes': len(infos),
        'mean_return': float(returns.mean()),
        'std_return': float(returns.std()),
        'min_return': float(returns.min()),
        'max_return': float(returns.max()),
        'environment_frames': int(sum(info.episode_frames for info in infos)),
        'seed': config.seed,
        'step_mul': None if chooses else config.step_mul,
    }


def table(result: Dict[str, Any]) -> str:
    """The result as text: mean, standard error, deviation and extremes."""
    head = ('map', 'policy', 'episodes', 'mean', '+-', 'std', 'min', 'max')
    error = result['std_return'] / result['num_episodes'] ** 0.5
    row = (
        result['map_name'],
        result['policy'],
        str(result['num_episodes']),
        '{:.2f}'.format(result['mean_return']),
        f'{error:.2f}',
        '{:.2f}'.format(result['std_return']),
        '{:.0f}'.format(result['min_return']),
        '{:.0f}'.format(result['max_return']),
    )
    widths = [max(len(a), len(b)) for a, b in zip(head, row)]
    return '\n'.join(
        '  '.join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
        for line in (head, row)
    )


def _save_curve(config):
    episodes_csv = os.path.join(config.logdir, EPISODES_CSV)
    try:
        pictures.save_learning_curve(
            episodes_csv, os.path.join(config.logdir, CURVE), config.map_name
        )
    except ValueError as error:
        raise UserError(f'--curve cannot be drawn: {error}') from error


def _draw(picture, env_output, action, step_mul, next_output):
    """Adds the step of the first environment."""

    def first(nest: Any) -> Any:
        return {k: first(v) if isinstance(v, dict) else v[0] for k, v in nest.items()}

    picture.add(
        first(env_output.observation),
        first(action),
        int(step_mul[0]),
        float(next_output.reward[0]),
        float(next_output.info.episode_return[0]),
    )
