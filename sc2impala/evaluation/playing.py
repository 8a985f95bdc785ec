"""Evaluations and recordings: whole episodes of the player of `--policy`."""

import contextlib
import dataclasses
import functools
import os
from typing import Any, Dict, Optional, Union, cast

import tensorflow.compat.v1 as tf

import sc2impala
from sc2impala.checkpoints import choice, directory, zoo_names
from sc2impala.envs.vector import Specs
from sc2impala.evaluation import pictures, players, recording, scoring
from sc2impala.evaluation.players import Player
from sc2impala.factories import acting, environments
from sc2impala.runtime import (
    console,
    logdir,
    seeds,
    sessions,
    versions,
)
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.settings.settings import Settings


def evaluate(settings: Settings) -> Dict[str, Any]:
    """Runs whole episodes of one player and writes the results to the folder of the run.

    Args:
      settings: all of them, valid.

    Returns:
      The content of `evaluation.json`. With several maps each has a file of its own,
      `evaluation-<map_name>.json`: {map_name: content}, of all maps or those of `eval_maps`.

    Raises:
      UserError: for invalid settings, or an unusable folder or file in it.
    """
    environment = players.with_needs(settings.environment, settings.evaluation.policy)
    settings = dataclasses.replace(settings, environment=environment)
    names = environment.map_names
    if len(names) == 1:
        return _evaluate_map(settings, 0)
    wanted = settings.evaluation.eval_maps
    return {
        name: _evaluate_map(settings, task)
        for task, name in enumerate(names)
        if wanted == 'all' or name in wanted
    }


def _evaluate_map(settings: Settings, task: int) -> Dict[str, Any]:
    """Evaluates on one map of the run; see `evaluate`."""
    run, own, environment = settings.run, settings.evaluation, settings.environment
    specs = environments.make_specs(environment)
    num_envs = min(own.num_eval_envs, own.num_episodes)
    map_name = environment.map_names[task]
    with tf.Graph().as_default():
        player = make_player(settings, specs, num_envs)
        about = scoring.describe(environment.of_map(map_name), own, run.seed)
        about.update(_identity(settings, player))
        logdir.prepare(run.logdir)
        env_seeds = seeds.streams(run.seed, 'evaluation', num_envs)
        env = environments.make_environment(
            environment, settings.starcraft, specs, env_seeds, task=task
        )
        if isinstance(player, players.FixedPlayer):
            player.join(env)
        label = _label(settings, player)
        if specs[0].num_tasks:
            label = f'{map_name}-{label}' if label else map_name
        return scoring.evaluate(
            run.logdir,
            player,
            env,
            own,
            pictures.EpisodePicture(*specs) if own.animation else None,
            about,
            label,
            not specs[0].num_tasks,
        )


def _label(settings: Settings, player: Player) -> str:
    """The part of file names that identifies a chosen checkpoint, or ''."""
    name = settings.evaluation.checkpoint
    if name == choice.LATEST:
        return ''
    if zoo_names.is_zoo(name):
        return name.replace(':', '-')
    return choice.label(settings.run.logdir, cast(players.AgentPlayer, player).checkpoint)


def _identity(settings: Settings, player: Player) -> Dict[str, Any]:
    """Returns the entries of `evaluation.json` that identify agent, games and versions.

    The checkpoint is a path relative to the folder of the run, or a name of the zoo; None without
    an agent.
    """
    path, own = getattr(player, 'checkpoint', None), settings.evaluation
    name = own.checkpoint
    if path is not None and not zoo_names.is_zoo(name):
        name = os.path.relpath(path, settings.run.logdir)
    return {
        'checkpoint': None if path is None else name,
        'checkpoint_frames': None if path is None else directory.frames_of(path),
        'num_eval_envs': min(own.num_eval_envs, own.num_episodes),
        'deterministic': settings.run.deterministic,
        'simulator_rules': dict(settings.environment.simulator_rules),
        'version': sc2impala.__version__,
        'git_revision': versions.git_revision(),
        'tensorflow': tf.__version__,
    }


def record(settings: Settings) -> Dict[str, Any]:
    """Records whole episodes of one player in a new folder inside the run's.

    Args:
      settings: all of them, valid.

    Returns:
      The manifest of the recording.

    Raises:
      UserError: for invalid settings, or an unusable folder or file in it.
    """
    run, own, environment = settings.run, settings.evaluation, settings.environment
    num_envs = min(own.num_eval_envs, own.num_episodes)
    specs, demonstrator = environments.make_specs(environment), settings.demonstrations
    step_mul = environments.script_step_mul(environment, demonstrator)
    is_script = environments.find_script(environment.map_name, own.policy) is not None
    if is_script:
        demonstrator = dataclasses.replace(demonstrator, demonstrator=own.policy)
        specs = environments.labelled_specs(demonstrator, specs)
    with tf.Graph().as_default(), contextlib.ExitStack() as stack:
        player: Union[Player, recording.LabelPlayer] = recording.LabelPlayer()
        if not is_script:
            player = make_player(settings, specs, num_envs, step_mul)
        stack.callback(player.close)
        env_seeds = seeds.streams(run.seed, 'recording', num_envs)
        env = environments.make_actor_environment(
            environment, settings.starcraft, demonstrator, specs, env_seeds, 0, flag='policy'
        )
        stack.enter_context(env)
        stack.enter_context(sessions.failures_reported([env]))
        logdir.prepare(run.logdir)
        about = recording.describe(environment, specs[1], own.policy, run.seed)
        writer = recording.new_writer(run.logdir, about, env, settings.actors.unroll_length)
        with StopRequest().installed() as stop:
            manifest = recording.record(
                env, player, writer, own.num_episodes, stop, settings.output
            )
    console.say(recording.summary(writer.folder, manifest))
    return manifest


def make_player(
    settings: Settings, specs: Specs, num_envs: int, step_mul: Optional[int] = None
) -> Player:
    """Returns the player of `--policy` for K environments.

    Args:
      settings: all of them.
      specs: observation and action spec.
      num_envs: K.
      step_mul: step multiplier of players that do not choose it; None for the environment's.

    Raises:
      UserError: if there is no such script, or no checkpoint of the agent.
    """
    environment, policy, seed = settings.environment, settings.evaluation.policy, settings.run.seed
    player_seed = seeds.streams(seed, 'player', 1)[0]
    step_mul = environment.step_mul if step_mul is None else step_mul
    if policy == 'random':
        return players.random_player(specs, player_seed, step_mul)
    if policy not in ('sampled', 'greedy'):
        return players.scripted_player(environment.map_name, specs, step_mul, policy)
    choose = functools.partial(_find_checkpoint, settings)
    # Checked first: building the agent takes a while.
    choose()
    tf.set_random_seed(player_seed)
    agent = acting.make_agent(settings, specs)
    return players.AgentPlayer(
        acting.in_evaluation(settings, agent),
        specs[0],
        num_envs,
        choose,
        policy == 'greedy',
        sessions.session_config(settings.run.deterministic),
    )


def _find_checkpoint(settings: Settings) -> str:
    """Returns the checkpoint of `--checkpoint`: of the run, or for a recording of another one.

    Raises:
      UserError: if there is none.
    """
    is_recording, name = settings.run.mode == 'record', settings.evaluation.checkpoint
    run = settings.start.init_checkpoint if is_recording else settings.run.logdir
    if name != choice.LATEST:
        return choice.find(run, name)
    return choice.find_initial(run) if is_recording else players.find_checkpoint(run)
