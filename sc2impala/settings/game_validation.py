"""Checks of the settings of the games."""

import dataclasses
import difflib
from typing import Iterable, Sequence, Tuple

from sc2impala import envs, extensions
from sc2impala.envs import players, pysc2_backend, search_player
from sc2impala.envs.maps import OF_EACH_MAP
from sc2impala.envs.pysc2_backend import own_map
from sc2impala.errors import UserError
from sc2impala.settings import value_types
from sc2impala.settings.groups import POLICIES, EnvironmentSettings, StarCraftSettings
from sc2impala.settings.settings import Settings


def check_map(environment: EnvironmentSettings) -> None:
    """Checks that the backend has the map."""
    map_name, backend = environment.map_name, environment.backend
    if environment.map_file:
        _check_map_file(environment)
        return
    flag, playable = f'--map_name={map_name}', envs.playable_maps(backend)
    if len(environment.map_names) > 1:
        _check_several(environment)
        return
    if map_name in playable:
        return
    names = ', '.join(sorted(set(playable) - set(envs.LADDER_MAPS)))
    if map_name in envs.LADDER_MAPS:
        raise UserError(
            f'{flag} is a ladder map, which --backend={backend} does not support, expected '
            f'--backend=pysc2 with it, or one of: {names}.'
        )
    if map_name in envs.SYNTHETIC_MAPS:
        raise UserError(
            f'{flag} is not a game, expected --backend=synthetic with it, or one of: {names}.'
        )
    if backend == 'pysc2':
        nearest = difflib.get_close_matches(map_name, envs.LADDER_MAPS, n=3, cutoff=0)
        names += ', or a ladder map of PySC2, such as the nearest ones: ' + ', '.join(nearest)
    raise UserError(f'{flag} is unknown, expected one of: {names}.')


def _check_several(environment: EnvironmentSettings) -> None:
    """Checks the names of several maps."""
    names, known = environment.map_names, tuple(envs.MAP_DEFAULTS)
    for index, name in enumerate(names):
        if name not in known:
            raise UserError(
                f'--map_name={environment.map_name} has {name or "an empty name"}, expected '
                f'mini-games separated by commas, out of: {", ".join(known)}.'
            )
        if name in names[:index]:
            raise UserError(
                f'--map_name={environment.map_name} has {name} more than once, expected each map '
                'once; --task_shares gives one of them more games.'
            )


def check_tasks(settings: Settings) -> None:
    """Checks settings of runs on several maps, and what such runs cannot have."""
    environment, own = settings.environment, settings.tasks
    names, flag = environment.map_names, f'--map_name={environment.map_name}'
    if len(names) == 1:
        for name, value in (
            ('task_schedule', own.task_schedule if own.is_sequential else ''),
            ('task_shares', _weights_text(own.task_shares)),
            ('task_input', 'true' if settings.agent.task_input else ''),
            ('mask_other_maps', '' if environment.mask_other_maps else 'false'),
        ):
            if value:
                raise UserError(
                    f'--{name}={value} is for several maps, expected their names in --map_name, '
                    f'separated by commas, not only {names[0]}.'
                )
        return
    for map_name, share in own.task_shares:
        text = value_types.WEIGHTS.to_text(own.task_shares)
        if map_name not in names:
            raise UserError(f'--task_shares={text} has {map_name}, expected maps of {flag}.')
        if share <= 0 or own.is_sequential:
            expected = 'none with --task_schedule=sequential' if share > 0 else 'more than 0'
            raise UserError(
                f'--task_shares={text} has {share:g} for {map_name}, expected {expected}.'
            )
    run = settings.run
    recorded = ','.join(settings.demonstrations.demonstrations)
    for option, value in (
        ('job_name', settings.cluster.job_name),
        ('simulator_rules', _weights_text(environment.simulator_rules)),
        ('demonstrations', recorded),
        ('mode', run.mode if run.mode == 'record' else ''),
        ('follow', 'true' if settings.evaluation.follow else ''),
    ):
        if value:
            raise UserError(
                f'--{option}={value} cannot be used with several maps, expected one in {flag}.'
            )
    if own.is_sequential and run.mode == 'train':
        _check_sequence(settings)


def check_start_states(settings: Settings) -> None:
    """Checks that episodes can start in visited states."""
    environment, of_labels = settings.environment, settings.demonstrations
    if not environment.start_state_share:
        return
    recorded = ','.join(of_labels.demonstrations)
    for flag, value, expected in (
        ('backend', environment.backend, 'simulator'),
        ('demonstrator', of_labels.demonstrator, 'none'),
        ('demonstrations', recorded or 'none', 'none'),
        ('job_name', settings.cluster.job_name or 'none', 'none'),
        ('map_name', environment.map_name, environment.map_names[0]),
    ):
        if value != expected:
            raise UserError(
                f'--start_state_share={environment.start_state_share:g} cannot be used with '
                f'--{flag}={value}, expected {expected}.'
            )


def _weights_text(weights: Sequence[Tuple[str, float]]) -> str:
    return value_types.WEIGHTS.to_text(weights) if weights else ''


def _check_sequence(settings: Settings) -> None:
    """Checks the lengths of a sequential schedule."""
    own, num_maps = settings.tasks, len(settings.environment.map_names)
    length, total = num_maps * own.cycles * own.frames_per_task, settings.training
    if total.total_environment_frames > length:
        raise UserError(
            f'--total_environment_frames={total.total_environment_frames} is longer than '
            f'--task_schedule=sequential, expected at most {length}: {num_maps} maps x '
            f'--cycles={own.cycles} x --frames_per_task={own.frames_per_task}.'
        )
    every = settings.evaluation.evaluate_every_frames
    if every:
        raise UserError(
            f'--evaluate_every_frames={every} cannot be used with --task_schedule=sequential, '
            'expected --evaluations_per_task.'
        )


def check_simulator_rules(environment: EnvironmentSettings) -> None:
    """Names and values of constants of the simulator's rules, which only the simulator has."""
    rules = environment.simulator_rules
    if not rules:
        return
    if environment.backend != 'simulator':
        text = ','.join(f'{name}={value:g}' for name, value in rules)
        raise UserError(
            f'--simulator_rules={text} cannot be used with --backend={environment.backend}, '
            'expected --backend=simulator with it.'
        )
    try:
        envs.check_rules(environment.map_name, dict(rules))
    except ValueError as error:
        raise UserError(f'--simulator_{error}') from error


def _check_map_file(environment: EnvironmentSettings) -> None:
    """Checks the file and the name of an own map."""
    flag, name = f'--map_file={environment.map_file}', own_map.name_of(environment.map_file)
    if environment.backend != 'pysc2':
        raise UserError(
            f'{flag} is a map of StarCraft II, which --backend={environment.backend} does not '
            'support, expected --backend=pysc2 with it.'
        )
    fault = own_map.fault_of(environment.map_file)
    if fault is not None:
        raise UserError(f'{flag} {fault}, expected a map of StarCraft II, such as My.SC2Map.')
    if environment.map_name != name:
        raise UserError(
            f'--map_name={environment.map_name} is not the name of {flag}, expected '
            f'--map_name={name}, or none.'
        )


def check_opponent(environment: EnvironmentSettings, starcraft: StarCraftSettings) -> None:
    """Checks that a ladder map has an opponent."""
    if starcraft.opponent or environment.map_name in envs.LADDER_MAPS:
        if starcraft.opponent not in pysc2_backend.DIFFICULTIES:
            raise unknown('opponent', starcraft.opponent, pysc2_backend.DIFFICULTIES)


def check_players(settings: Settings) -> None:
    """Checks names of players for the map, and settings of demonstrations."""
    demonstrations, map_names = settings.demonstrations, settings.environment.map_names
    for flag, name in (
        ('policy', settings.evaluation.policy),
        ('demonstrator', demonstrations.demonstrator),
    ):
        if extensions.is_spec(name):
            extensions.load_script(flag, name)
    scripts = _on_all([tuple(players.RULES.get(name, ())) for name in map_names])
    searches = _on_all([search_player.MAPS.get(name, ()) for name in map_names])
    demonstrators = ('none', *scripts, *searches)
    if settings.environment.backend == 'simulator':
        scripts += searches
    elif settings.run.mode in ('train', 'record'):
        # Elsewhere it is a setting of the run, which was trained on the simulator.
        demonstrators = ('none', *scripts)
    if len(map_names) > 1:
        demonstrators += (OF_EACH_MAP,)
    is_known = extensions.is_spec(settings.evaluation.policy)
    if not is_known and settings.evaluation.policy not in POLICIES + scripts:
        raise unknown('policy', settings.evaluation.policy, POLICIES + scripts)
    is_known = extensions.is_spec(demonstrations.demonstrator)
    if not is_known and demonstrations.demonstrator not in demonstrators:
        raise unknown('demonstrator', demonstrations.demonstrator, demonstrators)
    if demonstrations.demonstration_sequences and not demonstrations.demonstrations:
        raise UserError(
            f'--demonstration_sequences={demonstrations.demonstration_sequences} are taken from '
            'recordings, expected --demonstrations with it, or 0.'
        )


def _on_all(names: Sequence[Sequence[str]]) -> Tuple[str, ...]:
    """The names that are in all lists, in the order of the first one."""
    return tuple(name for name in names[0] if all(name in others for others in names))


def check_masks(settings: Settings) -> None:
    """Checks that an imitating agent may act as its players do: call no_op, and point anywhere."""
    group = settings.demonstrations
    masks = []
    if settings.environment.no_op_as_last_resort:
        masks.append(('no_op_as_last_resort', 'call no_op'))
    if settings.agent.unit_mask != 'none':
        masks.append((f'unit_mask={settings.agent.unit_mask}', 'may point at masked pixels'))
    for name, value, none in (
        ('demonstrator', group.demonstrator, 'none'),
        ('demonstrations', group.demonstrations, ()),
    ):
        if masks and value != none:
            text = ','.join(value) if isinstance(value, tuple) else value
            flag, habit = masks[0]
            raise UserError(
                f'--{flag} cannot be used with --{name}={text}, whose players {habit}, expected '
                '--from_scratch with it.'
            )


def check_starcraft(environment: EnvironmentSettings, starcraft: StarCraftSettings) -> None:
    """Checks settings of StarCraft II against the backend, the map and each other."""
    if environment.backend != 'pysc2':
        for name in [field.name for field in dataclasses.fields(StarCraftSettings)]:
            if not _has_default(starcraft, name):
                raise UserError(
                    f'--{name}={getattr(starcraft, name)} is a setting of StarCraft II, expected '
                    '--backend=pysc2 with it.'
                )
    if not environment.map_file:
        for name in ('score_index', 'score_multiplier'):
            if not _has_default(starcraft, name):
                raise UserError(
                    f'--{name}={getattr(starcraft, name)} is for a map of your own, expected '
                    '--map_file with it.'
                )
    if environment.map_name not in envs.LADDER_MAPS and not environment.map_file:
        for name in ('opponent', 'opponent_race', 'race'):
            if not _has_default(starcraft, name):
                raise UserError(
                    f'--{name}={getattr(starcraft, name)} is for ladder maps, expected none on '
                    f'--map_name={environment.map_name}, where the map decides.'
                )
    if bool(starcraft.replay_dir) != (starcraft.save_replay_episodes > 0):
        raise UserError(
            f'--replay_dir={starcraft.replay_dir} and '
            f'--save_replay_episodes={starcraft.save_replay_episodes} belong together, expected '
            'both or none.'
        )


def check_single_game(starcraft: StarCraftSettings, num_games: int, flags: str) -> None:
    """Checks that real time and PySC2's window have one game; `flags` set the number."""
    for name in ('realtime', 'visualize'):
        if getattr(starcraft, name) and num_games > 1:
            raise UserError(f'--{name} is for a single game, expected 1 instead of {flags}.')


def _has_default(starcraft: StarCraftSettings, name: str) -> bool:
    return getattr(starcraft, name) == StarCraftSettings.__dataclass_fields__[name].default


def unknown(name: str, value: object, choices: Iterable[str]) -> UserError:
    """Returns the error for a value outside of `choices`."""
    return UserError(
        '--{}={} is unknown, expected one of: {}.'.format(
            name, value, ', '.join(choice or 'empty' for choice in choices)
        )
    )
