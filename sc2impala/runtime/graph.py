"""What training and evaluation both put into a graph, and how they open a session."""

import contextlib
from typing import Any, Iterator, List, Mapping, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala import agents, envs
from sc2impala.agents.agent import Agent
from sc2impala.envs.pysc2_backend import own_map
from sc2impala.errors import UserError
from sc2impala.runtime import bfloat16
from sc2impala.settings.groups import AgentSettings, EnvironmentSettings, StarCraftSettings

_MIN_LAUNCH_SECS = 30.0


def make_specs(environment: EnvironmentSettings) -> Tuple[Any, Any]:
    """Observation and action spec of a run.

    Raises:
      UserError: if a function, layer, vector or fixed argument is unknown.
    """
    try:
        specs = envs.make_specs(
            environment.map_name,
            functions=environment.functions,
            fixed_arguments=environment.fixed_arguments,
            no_op_as_last_resort=environment.no_op_as_last_resort,
            screen_size=environment.screen_size,
            minimap_size=environment.minimap_size,
            screen_layers=environment.screen_layers,
            minimap_layers=environment.minimap_layers,
            vectors=environment.vectors,
            map_file=environment.map_file,
        )
    except ValueError as error:
        # The arguments of `make_specs` have the names of the flags.
        raise UserError('--' + str(error)) from error
    if not specs[0].screen_layers:
        raise UserError(
            '--screen_layers=none leaves the agent no observation of the screen, expected at least '
            'one layer.'
        )
    return specs


def make_agent(
    settings: AgentSettings,
    specs: Tuple[Any, Any],
    max_step_mul: int,
    fixed_step_mul: Optional[int],
    options: Optional[Mapping[str, Any]] = None,
) -> Agent:
    """The agent of a run, with its variables on the GPU if there is one.

    The variables have the same names in every graph in which the agent is made first.

    Args:
      settings: which agent, and its options.
      specs: observation and action spec.
      max_step_mul: largest step multiplier that the agent may choose.
      fixed_step_mul: the step multiplier of every step; None lets the agent choose.
      options: further arguments of `agents.make_agent` by name, which its algorithm sets.

    Raises:
      UserError: if the agent does not have an option.
    """
    try:
        agent = agents.make_agent(
            settings.agent,
            specs[0],
            specs[1],
            max_step_mul,
            fixed_step_mul,
            argument_conditioning=settings.argument_conditioning,
            value_normalisation=settings.value_normalisation,
            unit_prior=settings.unit_prior,
            point_logit_scale=settings.point_logit_scale,
            order_prior=None if settings.order_prior < 0 else settings.order_prior,
            ratio_bins=settings.ratio_bins,
            **(options or {}),
        )
    except ValueError as error:
        raise UserError(f'--{error}.') from error
    with tf.device(gpu_device()):
        agent.create_variables(specs[0])
    return agent


def make_environment(
    environment: EnvironmentSettings,
    starcraft: StarCraftSettings,
    specs: Tuple[Any, Any],
    seeds: Sequence[int],
    spread_frames: int = 0,
) -> envs.VectorEnvironment:
    """An environment of one game per seed.

    Args:
      environment, starcraft: the games.
      specs: observation and action spec.
      seeds: one per game.
      spread_frames: see `envs.SimulatedEnvironment`.

    Raises:
      UserError: if StarCraft II is to be played and does not run.
    """
    game_settings = None
    if environment.backend == 'pysc2':
        game_settings = make_game_settings(starcraft, environment.map_file)
    try:
        return envs.make_environment(
            environment.backend,
            environment.map_name,
            seeds,
            *specs,
            max_step_mul=environment.longest_step,
            game_settings=game_settings,
            spread_frames=spread_frames,
            rules=dict(environment.simulator_rules),
            max_episode_frames=environment.max_episode_frames or None,
        )
    except envs.GameError as error:
        raise UserError(str(error)) from error


def make_game_settings(starcraft: StarCraftSettings, map_file: str = '') -> envs.GameSettings:
    """How the backend runs StarCraft II."""
    return envs.GameSettings(
        version=starcraft.game_version or None,
        replay_dir=starcraft.replay_dir or None,
        save_replay_episodes=starcraft.save_replay_episodes,
        realtime=starcraft.realtime,
        visualize=starcraft.visualize,
        disable_fog=starcraft.disable_fog,
        camera_width=starcraft.camera_width,
        relaunch_episodes=starcraft.relaunch_episodes,
        deadline_secs=starcraft.game_deadline_secs,
        launch_deadline_secs=max(2 * starcraft.game_deadline_secs, _MIN_LAUNCH_SECS),
        race=starcraft.race,
        opponent=starcraft.opponent or None,
        opponent_race=starcraft.opponent_race,
        map_file=own_map.path_of(map_file) if map_file else None,
        score_index=starcraft.score_index,
        score_multiplier=starcraft.score_multiplier,
    )


@contextlib.contextmanager
def failures_reported(environments: Sequence[envs.VectorEnvironment]) -> Iterator[None]:
    """Re-raises the original error of an environment that TensorFlow has wrapped in its own.

    Raises:
      UserError: if there is an error in the block and one of the environments has failed.
    """
    try:
        yield
    except Exception as error:
        for env in environments:
            if env.failure is not None:
                raise UserError(str(env.failure)) from error
        raise


def session_config(deterministic: bool, in_bfloat16: bool = False) -> tf.ConfigProto:
    """All cores, no more GPU memory than needed; one thread when deterministic.

    Raises:
      UserError: if bfloat16 is asked for and not available.
    """
    threads = 1 if deterministic else 0
    result = tf.ConfigProto(
        allow_soft_placement=True,
        intra_op_parallelism_threads=threads,
        inter_op_parallelism_threads=threads,
    )
    result.gpu_options.allow_growth = True
    if in_bfloat16:
        bfloat16.enable(result)
    return result


def gpu_device() -> Optional[str]:
    """The first GPU, or None."""
    devices = learner_devices(1)
    return devices[0] if devices else None


def learner_devices(count: int) -> List[str]:
    """The first `count` GPUs; none for 1 on a machine without a GPU, whose learner is on the CPU.

    Raises:
      UserError: if there are fewer.
    """
    found = len(tf.config.experimental.list_physical_devices('GPU'))
    if count > max(1, found):
        raise UserError(
            f'--num_learner_devices={count} needs as many GPUs, but this machine has {found}, '
            f'expected {"1" if found < 2 else f"at most {found}"}.'
        )
    return [f'/gpu:{index}' for index in range(min(count, found))]
