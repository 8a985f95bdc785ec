"""Trains and evaluates StarCraft II agents, and records demonstrations for them.

    python -m sc2impala.experiment --logdir=runs/beacon
    python -m sc2impala.experiment --logdir=runs/beacon --mode=evaluate --animation --curve

The first command trains on the built-in simulator until --total_environment_frames, or with
--backend=pysc2 on StarCraft II; the same command again resumes a run that was stopped. The
second one runs whole episodes of the trained agent. --mode=record --policy=scripted records
episodes of a script as demonstrations (--demonstrations). --mode=export writes the agent as a
SavedModel, and --version prints the versions. tensorboard --logdir=runs shows the
curves. An environment frame is a game loop of StarCraft II, 16 in a game second; the step
multiplier is the number of frames of an agent step.

The exit code is 0 if everything is done, 1 after an error that is named, 70 after one of the
program itself, and 128 + n if signal n has stopped a run, which is saved then: 130 after
Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.

A setting that is not given comes from the run in the folder if there is one, else from the defaults
of the map (sc2impala/envs/maps.py), else from the general ones below.
"""

import signal

if __name__ == '__main__':
    # Ctrl-C during the imports ends the process without a traceback, until `run` can report it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import logging
import os
import sys
from typing import Any, Callable, Dict, Mapping, Optional, Sequence

from absl import app, flags

from sc2impala import envs, tf_setup
from sc2impala.checkpoints import directory, zoo_names
from sc2impala.errors import FINISHED, UnexpectedError, UserError, exit_code_of_signal
from sc2impala.runtime import console, manifest, run_watch, versions
from sc2impala.settings import addresses, own_algorithms, resolve, setting_flags, validation
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.settings import Settings

# Functions import modules that load TensorFlow: --help and wrong flags do not
# wait for it.
VERSION = '--version'
ZOO_LOGDIR = 'runs/zoo'
"""Default --logdir of evaluations and recordings of agents of the zoo."""
_HELP = ('--help', '-help', '-h', '-?')
_FULL_HELP = ('--helpfull', '-helpfull')


def run() -> None:
    """The command, as an absl application."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # On its first run on a machine, matplotlib reports its list of fonts.
    logging.getLogger('matplotlib').setLevel(logging.WARNING)
    exit_code = _report_errors(lambda: define_flags(flags.FLAGS, sys.argv[1:]))
    if exit_code:
        sys.exit(exit_code)

    def parse(argv: Sequence[str]) -> None:
        _show_help(argv, flags.FLAGS)
        exit_code = _report_errors(lambda: setting_flags.parse(flags.FLAGS, argv[1:]))
        if exit_code:
            sys.exit(exit_code)

    def run_and_end(unused: object) -> int:
        exit_code = _report_errors(lambda: _run(flags.FLAGS))
        # A KeyboardInterrupt at the end of the interpreter would print a traceback.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        return exit_code

    app.run(run_and_end, flags_parser=parse)


def main(arguments: Sequence[str]) -> int:
    """Runs the command with separate flags; may be called several times.

    Args:
      arguments: the command line without the name of the program.

    Returns:
      The exit code.
    """
    flag_values = flags.FlagValues()

    def parse_and_run() -> int:
        define_flags(flag_values, arguments)
        _show_help(arguments, flag_values)
        setting_flags.parse(flag_values, arguments)
        return _run(flag_values)

    return _report_errors(parse_and_run)


def read_settings(arguments: Sequence[str]) -> Settings:
    """Converts flags to settings; `resolve` finds missing values.

    An evaluation uses the settings of the run in its folder, except for its own, and may use
    another backend.

    Raises:
      UserError: if a flag is invalid, an evaluation has other settings than
        the run, or the folder's manifest cannot be read.
    """
    flag_values = flags.FlagValues()
    define_flags(flag_values, arguments)
    setting_flags.parse(flag_values, arguments)
    return _read_settings(flag_values)


def define_flags(flag_values: flags.FlagValues, arguments: Sequence[str]) -> None:
    """Defines a flag per setting, including an algorithm's outside of the package.

    This algorithm is named by the command line, or else by the run in the folder, or
    by the run whose weights a new one starts from.

    Args:
      flag_values: target of the definitions.
      arguments: the command line without the name of the program.

    Raises:
      UserError: if the algorithm cannot be imported.
    """
    known = settings_lib.all_settings()
    names = ('algorithm', 'job_name', 'map_name', 'map_file', 'logdir', 'init_checkpoint')
    try:
        given, _ = setting_flags.split({name: known[name] for name in names}, arguments)
    except UserError:
        given = {}  # The error is reported once all flags are parsed.
    algorithm = given.get('algorithm', '')
    if not algorithm and given.get('job_name') != 'actor':
        algorithm = manifest.peek_algorithm(_logdir(given))
        if not algorithm and given.get('init_checkpoint'):
            algorithm = manifest.peek_algorithm(directory.run_of(given['init_checkpoint']))
    own_algorithms.register(algorithm)
    setting_flags.define(flag_values)


def train(settings: Settings, hooks: Sequence[Any] = ()) -> int:
    """Trains until all frames are used; resumes the run in the folder if there is one.

    Args:
      settings: all of them, see `read_settings`.
      hooks: further `tf.train.SessionRunHook`s; each run of the session is one update.

    Returns:
      0 if the training is finished; 128 and the number of the signal if one has stopped it.

    Raises:
      UserError: for invalid settings, or an unusable folder or file in it.
    """
    _prepare(settings)
    if settings.cluster.job_name == 'actor':
        _act(settings.values())
        return FINISHED
    from sc2impala.training import train as training

    return training.train(settings, hooks)


def evaluate(settings: Settings) -> Dict[str, Any]:
    """Runs whole episodes of one player and writes the results to the folder of the run.

    Returns:
      The content of `evaluation.json`.

    Raises:
      UserError: for invalid settings, or an unusable folder or file in it.
    """
    _prepare(settings)
    from sc2impala.evaluation import playing

    return playing.evaluate(settings)


def follow(settings: Settings) -> None:
    """Evaluates the checkpoints of a run as they appear, until the run has ended.

    Raises:
      UserError: for invalid settings, or an unusable folder or file in it.
    """
    _prepare(settings)
    from sc2impala.evaluation import following

    following.follow(settings)


def record(settings: Settings) -> Dict[str, Any]:
    """Records whole episodes of one player in a new folder inside the run's.

    Returns:
      The manifest of the recording.

    Raises:
      UserError: for invalid settings, or an unusable folder or file in it.
    """
    _prepare(settings)
    from sc2impala.evaluation import playing

    return playing.record(settings)


def export(settings: Settings) -> str:
    """Exports the agent of a run as a SavedModel.

    Returns:
      The folder of the export.

    Raises:
      UserError: for invalid settings, or an unusable folder or file in it.
    """
    _prepare(settings)
    from sc2impala.evaluation import loading

    return loading.export(settings)


def _prepare(settings: Settings) -> None:
    """Checks the settings, and imports TensorFlow while the games of this process are compiled."""
    validation.check(settings)
    if not settings.cluster.job_name and settings.run.mode != 'export':
        envs.begin_compilation(settings.environment.backend, settings.environment.map_name)
    tf_setup.enable()


def _act(given: Mapping[str, object]) -> None:
    """Runs an actor; settings that are not given come from the learner."""
    tf_setup.enable()
    from sc2impala.cluster_actors import actor

    actor.act(given)


def _show_help(arguments: Sequence[str], flag_values: flags.FlagValues) -> None:
    """Prints the help or the versions and exits, if requested."""
    if set(_HELP).intersection(arguments):
        console.say(setting_flags.help_text(__doc__))
        sys.exit(0)
    # absl's own flag does the same, but exits with 1.
    if set(_FULL_HELP).intersection(arguments):
        console.say(f'{__doc__}\n{flag_values.get_help()}')
        sys.exit(0)
    if VERSION in arguments:
        console.say(versions.text())
        sys.exit(0)


def _report_errors(function: Callable[[], Optional[int]]) -> int:
    """Calls a function; returns its exit code, or reports an error and returns its code."""
    try:
        return function() or FINISHED
    except UserError as error:
        console.write(sys.stderr, f'error: {error}\n')
        return error.exit_code
    except KeyboardInterrupt:
        console.write(sys.stderr, '\nstopped at once\n')
        return exit_code_of_signal(signal.SIGINT)
    finally:
        console.flush()


def _run(flag_values: flags.FlagValues) -> int:
    given = _read_given(flag_values)
    if given.get('job_name') == 'actor':
        general = settings_lib.Settings.from_values(resolve.complete(given))
        validation.check_cluster(general.run, general.cluster)
        _act(given)
        return FINISHED
    if given.get('mode') == 'evaluate' and given.get('follow'):
        run_watch.wait_for_run(_logdir(given))
    settings = _complete(given)
    if settings.evaluation.follow:
        follow(settings)
    elif settings.run.mode == 'evaluate':
        evaluate(settings)
    elif settings.run.mode == 'record':
        record(settings)
    elif settings.run.mode == 'export':
        export(settings)
    else:
        return _train(settings)
    return FINISHED


def _train(settings: Settings) -> int:
    """Trains; prints an error of the program as a sentence if the log has its traceback."""
    try:
        return train(settings)
    except UserError:
        raise
    except Exception as error:
        log = os.path.join(settings.run.logdir, console.NAME)
        if not os.path.exists(log):
            raise
        cause = (str(error).strip() or 'no text').splitlines()[0]
        raise UnexpectedError(
            f'training stopped with an unexpected error ({type(error).__name__}: {cause}); the '
            f'traceback is in {log}.'
        ) from error


def _read_settings(flag_values: flags.FlagValues) -> Settings:
    return _complete(_read_given(flag_values))


def _read_given(flag_values: flags.FlagValues) -> Dict[str, Any]:
    """Returns the flags, with the settings of a cluster manager if no job is given."""
    given = setting_flags.read(flag_values)
    if given.get('mode', 'train') == 'train' and 'job_name' not in given:
        given = dict(addresses.from_environment(os.environ), **given)
    return given


def _complete(chosen: Mapping[str, object]) -> Settings:
    settings = _resolve(chosen)
    validation.check_given(chosen, settings.training.algorithm)
    return settings


def _resolve(chosen: Mapping[str, Any]) -> Settings:
    chosen = _with_agent_of_zoo(chosen)
    given = dict(chosen, logdir=_logdir(chosen))
    if given.get('mode') == 'record':
        return Settings.from_values(_settings_of_recording(given))
    evaluates = given.get('mode') in ('evaluate', 'export')
    from_zoo = evaluates and zoo_names.is_zoo(given.get('checkpoint', ''))
    before = manifest.read(zoo_names.folder(given['checkpoint']) if from_zoo else given['logdir'])
    if before is None:
        if evaluates:
            console.say(
                f'--logdir={given["logdir"]} has no {manifest.MANIFEST}: settings that are not '
                'given have their default values'
            )
        return Settings.from_values(resolve.complete(given, of_start=_of_start(given)))
    of_run = before['config']
    if evaluates:
        of_run = resolve.of_evaluation(of_run, given.get('backend', of_run['backend']))
    values = resolve.complete(given, of_run)
    if evaluates:
        manifest.check_evaluation(given['logdir'], values, before)
    elif values['map_name'] != of_run['map_name']:
        # Before the values, which may only be wrong because they are of the run's map.
        manifest.check_same_settings(given['logdir'], values, before)
    return Settings.from_values(values)


def _with_agent_of_zoo(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Replaces `--policy=zoo:NAME` by the flags that it stands for.

    Raises:
      UserError: if there is no such agent, or another one is given as well.
    """
    policy, mode = given.get('policy', ''), given.get('mode', 'train')
    if not zoo_names.is_zoo(policy) or mode not in ('evaluate', 'record'):
        return given
    name = 'checkpoint' if mode == 'evaluate' else 'init_checkpoint'
    zoo_names.folder(policy)
    if name in given:
        raise UserError(
            f'--policy={policy} is a whole agent, expected no other one with it, but '
            f'--{name}={given[name]}.'
        )
    return dict({'logdir': ZOO_LOGDIR, **given}, policy='sampled', **{name: policy})


def _of_start(given: Mapping[str, Any]) -> Optional[Mapping[str, Any]]:
    """Returns the settings of the run whose weights this run starts from, or None."""
    source = given.get('init_checkpoint', '')
    before = manifest.read(directory.run_of(source)) if source else None
    if given.get('mode', 'train') != 'train' or before is None:
        return None
    console.say(
        f'flags that are not given default to the settings of {source}: agent, observations and '
        'actions, and the training settings if map and algorithm are the same'
    )
    return before['config']


def _logdir(given: Mapping[str, Any]) -> str:
    map_name = resolve.named(given).get('map_name', settings_lib.general_defaults()['map_name'])
    return given.get('logdir') or 'runs/' + map_name


def _settings_of_recording(given: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns settings of the run in `--init_checkpoint` if its agent acts, else of a new run."""
    run = given.get('init_checkpoint', '')
    if given.get('policy', 'sampled') not in ('sampled', 'greedy') or not run:
        return resolve.complete(given)
    before = manifest.read(directory.run_of(run))
    if before is None:
        return resolve.complete(given)
    backend = given.get('backend', before['config']['backend'])
    return resolve.complete(given, resolve.of_evaluation(before['config'], backend))


if __name__ == '__main__':
    run()
