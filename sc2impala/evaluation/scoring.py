"""Evaluation: whole episodes of one player, a table, a JSON file and pictures."""

import os
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional

import numpy as np

from sc2impala import activity, structs
from sc2impala.envs.vector import VectorEnvironment
from sc2impala.errors import UserError
from sc2impala.evaluation.players import Act, Player
from sc2impala.runtime import console, logdir, sessions
from sc2impala.settings.groups import EnvironmentSettings, EvaluationSettings

if TYPE_CHECKING:
    # It imports matplotlib, for which a training need not wait.
    from sc2impala.evaluation.pictures import EpisodePicture

ANIMATION = 'episode.gif'
CURVE = 'curve.png'


def evaluate(
    folder: str,
    player: Player,
    env: VectorEnvironment,
    evaluation: EvaluationSettings,
    picture: 'Optional[EpisodePicture]',
    about: Mapping[str, object],
    label: str = '',
    is_only_map: bool = True,
) -> Dict[str, Any]:
    """Runs `num_episodes` episodes and writes the results to the folder of the run.

    Every environment runs the same number of whole episodes, give or take one: short
    episodes are not preferred.

    Args:
      folder: folder of the run.
      player: see `players.AgentPlayer`.
      env: `VectorEnvironment`; it is closed.
      evaluation: number of episodes, and which pictures to draw.
      picture: `EpisodePicture` of the first episode, or None.
      about: entries for `evaluation.json`, see `describe`.
      label: name of a chosen checkpoint: the files are then `evaluation-<label>.json` and
        `episode-<label>.gif`.
      is_only_map: False if the run has others; the curve is then `curve-<map_name>.png`.

    Returns:
      The content of `evaluation.json`.

    Raises:
      UserError: if a game fails, or the results cannot be written.
    """
    with env, sessions.failures_reported([env]):
        infos = play_episodes(env, player, evaluation.num_episodes, picture)
    player.close()
    result = dict(about, episodes=list_episodes(infos), **summarize(infos))
    logdir.write_json(os.path.join(folder, _labelled(logdir.EVALUATION_JSON, label)), result)
    console.say(table(result))
    if picture is not None:
        picture.save(os.path.join(folder, _labelled(ANIMATION, label)))
    if evaluation.curve:
        save_curve(
            folder, result['map_name'], CURVE if is_only_map else f'curve-{about["map_name"]}.png'
        )
    return result


def play_episodes(
    env: VectorEnvironment,
    player: Act,
    num_episodes: int,
    picture: 'Optional[EpisodePicture]' = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> List[structs.EpisodeInfo]:
    """Runs whole episodes in K environments; aborted ones are repeated.

    Args:
      env: `VectorEnvironment`.
      player: see `players.AgentPlayer`.
      num_episodes: number of episodes.
      picture: `EpisodePicture` that gets the first episode of the first environment, or None.
      should_stop: called before every step; True ends the evaluation early.

    Returns:
      `EpisodeInfo` of numbers, one per episode.
    """
    with activity.doing(activity.EVALUATION):
        return _play_episodes(env, player, num_episodes, picture, should_stop)


def _play_episodes(
    env: VectorEnvironment,
    player: Act,
    num_episodes: int,
    picture: 'Optional[EpisodePicture]',
    should_stop: Callable[[], bool],
) -> List[structs.EpisodeInfo]:
    """See `play_episodes`."""
    num_envs = env.num_envs
    wanted = np.full([num_envs], num_episodes // num_envs)
    wanted[: num_episodes % num_envs] += 1
    infos = []
    env_output = structs.EnvOutput(None, None, np.ones([num_envs], bool), env.reset())
    while wanted.any() and not should_stop():
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


def describe(
    environment: EnvironmentSettings, own: EvaluationSettings, seed: int
) -> Dict[str, Any]:
    """Returns the settings of an evaluation, for `evaluation.json`.

    `step_mul` is None where the agent chooses it, `eval_max_step_mul` without an agent
    or if its steps are not cut, and `temperature` where nothing is sampled from logits.
    """
    policy, limit = own.policy, own.eval_max_step_mul
    is_agent = policy in ('sampled', 'greedy')
    step_mul = environment.step_mul
    if is_agent and limit:
        step_mul = min(step_mul, limit)
    return {
        'map_name': environment.map_name,
        'backend': environment.backend,
        'policy': policy,
        'temperature': own.temperature if policy == 'sampled' else None,
        'seed': seed,
        'step_mul': None if is_agent and not environment.fixed_step_mul else step_mul,
        'eval_max_step_mul': limit if is_agent and limit else None,
    }


def summarize(infos: List[structs.EpisodeInfo]) -> Dict[str, Any]:
    """Statistics over episodes for `evaluation.json`; the deviation is between episodes."""
    returns = np.array([info.episode_return for info in infos])
    return {
        'num_episodes': len(infos),
        'mean_return': float(returns.mean()),
        'std_return': float(returns.std()),
        'min_return': float(returns.min()),
        'max_return': float(returns.max()),
        'environment_frames': int(sum(info.episode_frames for info in infos)),
    }


def list_episodes(infos: List[structs.EpisodeInfo]) -> List[Dict[str, Any]]:
    """Return, environment frames and agent steps of every episode for `evaluation.json`."""
    return [
        {
            'return': info.episode_return,
            'frames': info.episode_frames,
            'steps': info.episode_steps,
        }
        for info in infos
    ]


def table(result: Dict[str, Any]) -> str:
    """Formats the result: mean, standard error, deviation and extremes."""
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


def save_curve(folder: str, map_name: str, name: str = CURVE) -> None:
    """Draws the learning curve of a run; reports if it has no finished episode yet.

    Args:
      folder: of the run.
      map_name: its map, or one of several.
      name: of the picture.

    Raises:
      UserError: if there is no readable list of episodes.
    """
    from sc2impala.evaluation import pictures

    try:
        pictures.save_learning_curve(
            os.path.join(folder, logdir.EPISODES_CSV), os.path.join(folder, name), map_name
        )
    except pictures.NoEpisode as error:
        console.say(f'--curve draws nothing: {error}')
    except ValueError as error:
        raise UserError(f'--curve cannot be drawn: {error}') from error


def _labelled(name: str, label: str) -> str:
    """The name of a file with a label before its extension, if there is one."""
    stem, extension = os.path.splitext(name)
    return f'{stem}-{label}{extension}' if label else name


def _draw(
    picture: 'EpisodePicture',
    env_output: structs.EnvOutput,
    action: Mapping[str, np.ndarray],
    step_mul: np.ndarray,
    next_output: structs.EnvOutput,
) -> None:
    """Adds the step of the first environment."""

    def first(nest: structs.Nest) -> structs.Nest:
        return {k: first(v) if isinstance(v, dict) else v[0] for k, v in nest.items()}

    picture.add(
        first(env_output.observation),
        first(action),
        int(step_mul[0]),
        float(next_output.reward[0]),
        float(next_output.info.episode_return[0]),
    )
