"""Specs, games and scripts of a run, from its settings."""

import dataclasses
from typing import List, Optional, Sequence, Tuple, Type

import numpy as np

from sc2impala import envs, extensions
from sc2impala.envs import demonstrator, players, search_player, tasks
from sc2impala.envs.maps import OF_EACH_MAP
from sc2impala.envs.pysc2_backend import own_map
from sc2impala.envs.start_states import StartShare
from sc2impala.envs.vector import Specs
from sc2impala.errors import UserError
from sc2impala.settings.groups import (
    DemonstrationSettings,
    EnvironmentSettings,
    StarCraftSettings,
    TaskSettings,
)

_MIN_LAUNCH_SECS = 30.0
_CANDIDATES = 16
"""Candidates of a search that can have a noticeable probability."""


def make_specs(environment: EnvironmentSettings) -> Specs:
    """Returns observation and action spec of a run.

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
        # `make_specs` names its arguments like the flags.
        raise UserError('--' + str(error)) from error
    if not specs[0].screen_layers:
        raise UserError(
            '--screen_layers=none leaves the agent no observation of the screen, expected at least '
            'one layer.'
        )
    return specs


def labelled_specs(demonstrations: DemonstrationSettings, specs: Specs) -> Specs:
    """Returns observation and action spec of a run, with labels in observations if used.

    Args:
      demonstrations: settings that name a script or recordings, whose sequences have labels.
      specs: specs without labels.
    """
    if demonstrations.demonstrator == 'none' and not demonstrations.demonstrations:
        return specs
    return demonstrator.with_labels(*specs, _num_candidates(demonstrations)), specs[1]


def _num_candidates(demonstrations: DemonstrationSettings) -> int:
    """Returns the number of candidates that a demonstrator gives with its labels."""
    compares = demonstrations.demonstrator in search_player.SEARCHES
    return _CANDIDATES if compares and demonstrations.search_temperature else 0


def make_environment(
    environment: EnvironmentSettings,
    starcraft: StarCraftSettings,
    specs: Specs,
    seeds: Sequence[int],
    spread_frames: int = 0,
    task: int = 0,
    start_share: Optional[StartShare] = None,
) -> envs.VectorEnvironment:
    """Returns an environment of one game per seed.

    Args:
      environment, starcraft: the games.
      specs: observation and action spec.
      seeds: one per game.
      spread_frames: see `envs.SimulatedEnvironment`.
      task: index of the map of all games, in a run on several maps.
      start_share: see `envs.SimulatedEnvironment`.

    Raises:
      UserError: if the backend is StarCraft II, and it does not run.
    """
    if specs[0].num_tasks:
        one = tasks.without_tasks(specs[0]), specs[1]
        of_map = environment.of_map(environment.map_names[task])

        def make(index: int, num_games: int, seed: int) -> envs.VectorEnvironment:
            return make_environment(of_map, starcraft, one, seeds, spread_frames)

        return _of_several_maps(environment, specs, make, [task] * len(seeds), seeds[0])
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
            start_share=start_share,
        )
    except envs.GameError as error:
        raise UserError(str(error)) from error


def make_actor_environment(
    environment: EnvironmentSettings,
    starcraft: StarCraftSettings,
    demonstrations: DemonstrationSettings,
    specs: Specs,
    seeds: Sequence[int],
    share_seed: int,
    flag: str = 'demonstrator',
    spread: bool = False,
    assigned: Optional[Sequence[int]] = None,
    start_share: Optional[StartShare] = None,
) -> envs.VectorEnvironment:
    """Returns the environment of an actor, a `DemonstratedEnvironment` if the specs have labels.

    Args:
      environment, starcraft: the games.
      demonstrations: the script; it acts in all episodes until another share is set.
      specs: see `labelled_specs`.
      seeds: one per game.
      share_seed: determines in which episodes the script acts.
      flag: name of the script's flag, for errors.
      spread: True to spread the games over all parts of an episode, if the environment can:
        a script acts up to that part; without one the first episodes are aborted.
      assigned: index of the map of each game, in a run on several maps; None for the first one.
      start_share: see `make_environment`; only without labels and on a single map.

    Raises:
      UserError: if the script cannot act with these specs, or StarCraft II does not run.
    """
    if specs[0].num_tasks:
        one = tasks.without_tasks(specs[0]), specs[1]

        def make(index: int, num_games: int, seed: int) -> envs.VectorEnvironment:
            of_map = environment.of_map(environment.map_names[index])
            own = np.random.SeedSequence(seed).generate_state(num_games + 1)
            *game_seeds, own_share_seed = map(int, own)
            return make_actor_environment(
                of_map,
                starcraft,
                demonstrations_on(of_map.map_name, demonstrations),
                one,
                game_seeds,
                own_share_seed,
                flag,
                spread,
            )

        return _of_several_maps(environment, specs, make, assigned or [0] * len(seeds), seeds[0])
    spread_frames = environment.spread_frames if spread else 0
    if not specs[0].demonstration_heads:
        return make_environment(environment, starcraft, specs, seeds, spread_frames, 0, start_share)
    of_agent, action_spec = demonstrator.without_labels(specs[0]), specs[1]
    script, seen = None, of_agent
    if demonstrations.demonstrator != 'none':
        script_class = find_script(environment.map_name, demonstrations.demonstrator)
        assert script_class is not None
        on_simulator = environment.backend == 'simulator'
        seen = demonstrator.with_needs(of_agent, script_class, fine=on_simulator)
        script = make_script(
            environment.map_name, (seen, action_spec), flag, demonstrations.demonstrator
        )
    env_spread_frames = 0 if script is not None else spread_frames
    env = make_environment(environment, starcraft, (seen, action_spec), seeds, env_spread_frames)
    return demonstrator.DemonstratedEnvironment(
        env,
        of_agent,
        script,
        script_step_mul(environment, demonstrations),
        1.0,
        share_seed,
        spread_frames,
        demonstrations.labelled_share,
        specs[0].num_candidates,
        demonstrations.search_temperature,
    )


def demonstrations_on(
    map_name: str, demonstrations: DemonstrationSettings
) -> DemonstrationSettings:
    """Returns the settings of one of several maps, whose demonstrator may be its own."""
    if demonstrations.demonstrator != OF_EACH_MAP:
        return demonstrations
    own = envs.map_defaults(map_name).demonstrated
    step_mul = own.get('demonstration_step_mul', demonstrations.demonstration_step_mul)
    return dataclasses.replace(
        demonstrations, demonstrator=own['demonstrator'], demonstration_step_mul=step_mul
    )


def assign(environment: EnvironmentSettings, own: TaskSettings, num_games: int) -> List[int]:
    """Returns the index of the map of each game of a run at its start.

    Args:
      environment: the maps.
      own: the schedule; with a sequential one all games are on the first map.
      num_games: number of games of all actors.

    Raises:
      UserError: if a map has no game.
    """
    names = environment.map_names
    if own.is_sequential or len(names) == 1:
        return [0] * num_games
    shares = dict(own.task_shares)
    assigned = tasks.share_out([shares.get(name, 1.0) for name in names], num_games)
    missing = [name for index, name in enumerate(names) if index not in assigned]
    if missing:
        raise UserError(
            f'{num_games} games (--num_actors and --num_envs) leave none for {missing[0]}, '
            'expected more of them, or a larger share in --task_shares.'
        )
    return [int(task) for task in assigned]


def _of_several_maps(
    environment: EnvironmentSettings,
    specs: Specs,
    make: tasks.Make,
    assigned: Sequence[int],
    seed: int,
) -> envs.VectorEnvironment:
    names, functions = environment.map_names, specs[1].function_names
    if environment.mask_other_maps:
        own_functions = tasks.functions_on(names, functions)
    else:
        own_functions = [functions] * len(names)
    return tasks.TaskEnvironment(
        make,
        assigned,
        specs[0],
        specs[1],
        environment.longest_step,
        own_functions,
        seed,
    )


def script_step_mul(environment: EnvironmentSettings, demonstrations: DemonstrationSettings) -> int:
    """Returns the frames between two calls of a demonstrator."""
    if environment.fixed_step_mul:
        return environment.step_mul
    return min(demonstrations.demonstration_step_mul, environment.max_step_mul)


def make_game_settings(starcraft: StarCraftSettings, map_file: str = '') -> envs.GameSettings:
    """Returns the settings with which the backend runs StarCraft II."""
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


def find_script(map_name: str, policy: str) -> Optional[Type[players.ScriptedPlayer]]:
    """Returns the class of a script of a map, for 'scripted' the best one; None if none exists.

    A script outside of the package, 'module:Class', works on every map.

    Raises:
      UserError: if the script outside of the package cannot be imported.
    """
    if extensions.is_spec(policy):
        return extensions.load_script('policy', policy)
    if policy == 'scripted':
        return players.SCRIPTED_PLAYERS.get(map_name)
    if policy in search_player.NAMES:
        return search_player.of_map(map_name, policy)
    return players.RULES.get(map_name, {}).get(policy)


def script_names(map_name: str) -> Tuple[str, ...]:
    """Returns the names of the scripts of a map, 'scripted' for the best one; () if it has none."""
    if map_name not in players.RULES:
        return ()
    return ('scripted', *players.RULES[map_name], *search_player.MAPS.get(map_name, ()))


def make_script(map_name: str, specs: Specs, flag: str, policy: str) -> players.ScriptedPlayer:
    """Makes a script.

    Args:
      map_name: the map.
      specs: observation and action spec.
      flag: name of the script's flag, for errors.
      policy: the value of the flag.

    Raises:
      UserError: if there is no such script, or it cannot act with these specs.
    """
    script = find_script(map_name, policy)
    if script is None:
        names = script_names(map_name)
        problem, known = ('is no script', names) if names else ('has no script', players.RULES)
        raise UserError(
            f'--{flag}={policy} {problem} for --map_name={map_name}, expected one of: '
            f'{", ".join(sorted(known))}.'
        )
    try:
        return script(*specs)
    except ValueError as error:
        raise UserError(f'--{flag}={policy} cannot act with these settings: --{error}') from error
