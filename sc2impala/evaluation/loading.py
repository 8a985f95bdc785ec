"""Loads the agent of a run, for Python programs and for `--mode=export`."""

import functools
import os
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, Union

import tensorflow.compat.v1 as tf

from sc2impala.checkpoints import choice, directory, variables, zoo_names
from sc2impala.errors import UserError
from sc2impala.evaluation.agent_interface import AgentInterface
from sc2impala.evaluation.loaded_agent import Identity, LoadedAgent
from sc2impala.factories import acting, environments
from sc2impala.runtime import console, manifest, seeds, sessions
from sc2impala.settings import resolve, validation
from sc2impala.settings.groups import EnvironmentSettings
from sc2impala.settings.settings import Settings

EXPORTS = 'export'
"""The folder of exports in a run's folder."""

_OF_SPECS = (
    'functions',
    'fixed_arguments',
    'no_op_as_last_resort',
    'screen_size',
    'minimap_size',
    'screen_layers',
    'minimap_layers',
    'vectors',
)


def load(
    path: Union[str, 'os.PathLike[str]'],
    checkpoint: Union[str, int, 'os.PathLike[str]'] = choice.LATEST,
    policy: str = 'sampled',
    temperature: Optional[float] = None,
    eval_max_step_mul: Optional[int] = None,
    seed: Optional[int] = None,
) -> LoadedAgent:
    """Loads the agent of a run, as in its evaluation; see `sc2impala.load`.

    Raises:
      UserError: if there is no such run or checkpoint, or a value is not valid.
    """
    folder, name = _locate(os.path.expanduser(os.fspath(path)), str(checkpoint))
    if policy not in ('sampled', 'greedy'):
        raise UserError(f'policy={policy!r} is unknown, expected sampled or greedy.')
    given = {
        'logdir': folder,
        'policy': policy,
        'temperature': temperature,
        'eval_max_step_mul': eval_max_step_mul,
        'seed': seed,
    }
    settings = _read_settings(folder, {k: v for k, v in given.items() if v is not None})
    stream = int.from_bytes(os.urandom(4), 'little')
    if seed is not None:
        stream = seeds.streams(seed, 'player', 1)[0]
    choose = functools.partial(choice.find, folder, name, 'checkpoint')
    return _load(settings, choose, stream)


def export(settings: Settings) -> str:
    """Exports the agent of a run as a SavedModel.

    Args:
      settings: all of them, valid.

    Returns:
      The folder of the export.

    Raises:
      UserError: if there is no checkpoint, or the export cannot be written.
    """
    logdir, own = settings.run.logdir, settings.evaluation
    choose = functools.partial(choice.find, logdir, own.checkpoint)
    with _load(settings, choose, 0) as agent:
        folder = own.export_dir
        if not folder:
            label = choice.label(logdir, agent.identity.checkpoint)
            folder = os.path.join(logdir, EXPORTS, label)
        agent.export(folder)
        console.say(f'{agent.identity.checkpoint} is exported to {folder}')
    return folder


def _locate(path: str, checkpoint: str) -> Tuple[str, str]:
    """Returns folder and checkpoint of a run; `path` may be a checkpoint or a name of the zoo."""
    if zoo_names.is_zoo(path):
        return zoo_names.folder(path), _only(path, checkpoint, path)
    own = directory.normal(path)
    if not directory.is_checkpoint(own):
        return path, checkpoint
    return directory.run_of(own), _only(path, checkpoint, os.path.abspath(own))


def _only(path: str, checkpoint: str, found: str) -> str:
    """Returns the checkpoint that was found; raises UserError if another one is given as well."""
    if checkpoint != choice.LATEST:
        raise UserError(
            f'{path} is a checkpoint, expected no other one with it, but checkpoint={checkpoint}.'
        )
    return found


def _read_settings(folder: str, given: Mapping[str, object]) -> Settings:
    """Returns the settings of the run, updated for the evaluation."""
    before = manifest.read(folder)
    if before is None:
        raise UserError(
            f'{folder} is no run, expected a folder with {manifest.MANIFEST}, or a checkpoint in '
            'one.'
        )
    of_run = resolve.of_evaluation(before['config'], before['config']['backend'])
    settings = Settings.from_values(resolve.complete(dict(given, mode='evaluate'), of_run))
    validation.check(settings)
    return settings


def _load(settings: Settings, choose: Callable[[], str], stream: int) -> LoadedAgent:
    """Builds the agent in a separate graph, and restores its weights.

    Args:
      settings: all of them.
      choose: returns the checkpoint, see `variables.while_it_lasts`.
      stream: random stream of the sampled actions.
    """
    choose()  # First: building the agent takes a while.
    own, environment = settings.evaluation, settings.environment
    specs = environments.make_specs(environment)
    step_mul, max_step_mul = _step_muls(environment, own.eval_max_step_mul)
    with tf.Graph().as_default():
        agent = acting.make_agent(settings, specs)
        interface = AgentInterface(
            acting.in_evaluation(settings, agent),
            specs,
            own.policy == 'greedy',
            None if step_mul else max_step_mul,
        )
        saver = tf.train.Saver(agent.weights)
        session = tf.Session(config=sessions.session_config(settings.run.deterministic))

        def restore(checkpoint: str) -> str:
            variables.check_complete(checkpoint, agent.weights)
            variables.restore(saver, session, checkpoint)
            return checkpoint

        checkpoint = variables.while_it_lasts(choose, restore)
    identity = Identity(
        checkpoint,
        directory.frames_of(checkpoint),
        environment.map_name,
        own.policy,
        own.temperature,
        step_mul,
        max_step_mul,
        _env_options(environment, step_mul, max_step_mul),
    )
    return LoadedAgent(identity, settings, specs, interface, session, saver, stream)


def _step_muls(environment: EnvironmentSettings, limit: int) -> Tuple[Optional[int], int]:
    """Frames of every step, None if the agent chooses them; and their maximum."""
    fixed = environment.agent_step_mul
    largest = environment.max_step_mul if fixed is None else fixed
    largest = min(largest, limit) if limit else largest
    return (None if fixed is None else largest), largest


def _env_options(
    environment: EnvironmentSettings, step_mul: Optional[int], max_step_mul: int
) -> Dict[str, Any]:
    options = {name: getattr(environment, name) for name in _OF_SPECS}
    return dict(
        options,
        step_mul=max_step_mul,
        choose_step_mul=step_mul is None,
        simulator_rules=dict(environment.simulator_rules),
    )
