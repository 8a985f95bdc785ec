"""Trains and evaluates StarCraft II agents, and records demonstrations for them.

    python -m sc2impala.experiment --logdir=runs/beacon
    python -m sc2impala.experiment --logdir=runs/beacon --mode=evaluate --animation --curve

The first command trains on the built-in simulator until --total_environment_frames, or with
--backend=pysc2 on StarCraft II; the same command again goes on with a run that was stopped. The
second one plays whole episodes with the trained agent. --mode=record --policy=scripted records
those of a script for agents to learn from (--demonstrations). tensorboard --logdir=runs shows the
curves. An environment frame is a game loop of StarCraft II, 16 in a game second; the step
multiplier is the number of frames of an agent step.

A setting that is not given comes from the run in the folder if there is one, else from the defaults
of the map (sc2impala/envs/maps.py), else from the general ones below.
"""

import os
import sys
from typing import Any, Callable, Dict, Mapping, Sequence

from absl import app, flags

from sc2impala import tf_setup
from sc2impala.errors import UserError
from sc2impala.runtime import console, manifest
from sc2impala.settings import resolve, setting_flags, validation
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.settings import Settings

# What imports TensorFlow is imported by the functions that use it: --help and wrong flags do not
# wait for it.
_HELP = ('--help', '-help', '-h', '-?')
_FULL_HELP = ('--helpfull', '-helpfull')


def run() -> None:
    """The command, as an absl application."""
    setting_flags.define(flags.FLAGS)

    def parse(argv: Sequence[str]) -> None:
        _show_help(argv, flags.FLAGS)
        exit_code = _report_errors(lambda: setting_flags.parse(flags.FLAGS, argv[1:]))
        if exit_code:
            sys.exit(exit_code)

    app.run(lambda unused: _report_errors(lambda: _run(flags.FLAGS)), flags_parser=parse)


def main(arguments: Sequence[str]) -> int:
    """Does what the command does, with flags of its own, as often as it is called.

    Args:
      arguments: the command line without the name of the program.

    Returns:
      The exit code.
    """
    flag_values = _own_flags()
    _show_help(arguments, flag_values)

    def parse_and_run() -> None:
        setting_flags.parse(flag_values, arguments)
        _run(flag_values)

    return _report_errors(parse_and_run)


def read_settings(arguments: Sequence[str]) -> Settings:
    """Flags -> settings; `resolve` finds the values of those that were not given.

    An evaluation uses the settings of the run in its folder, but for its own, and may be played on
    another backend.

    Raises:
      UserError: if a flag is not understood, an evaluation asks for other settings than those of
        the run, or the folder's manifest cannot be read.
    """
    flag_values = _own_flags()
    setting_flags.parse(flag_values, arguments)
    return _read_settings(flag_values)


def train(settings: Settings, hooks: Sequence[Any] = ()) -> None:
    """Trains until the frames are used up, going on where the folder's last run stopped.

    Args:
      settings: all of them, see `read_settings`.
      hooks: further `tf.train.SessionRunHook`s; each run of the session is one update.

    Raises:
      UserError: for anything wrong with the settings, the folder, or what is in it.
    """
    validation.check(settings)
    tf_setup.enable()
    from sc2impala.runtime import training

    training.train(settings, hooks)


def evaluate(settings: Settings) -> Dict[str, Any]:
    """Plays whole episodes of one player and writes what came of them to the folder of the run.

    Returns:
      The content of `evaluation.json`.

    Raises:
      UserError: for anything wrong with the settings, the folder, or what is in it.
    """
    validation.check(settings)
    tf_setup.enable()
    from sc2impala.runtime import playing

    return playing.evaluate(settings)


def record(settings: Settings) -> Dict[str, Any]:
    """Records whole episodes of one player in a new folder inside that of the run.

    Returns:
      The manifest of the recording.

    Raises:
      UserError: for anything wrong with the settings, the folder, or what is in it.
    """
    validation.check(settings)
    tf_setup.enable()
    from sc2impala.runtime import playing

    return playing.record(settings)


def _own_flags() -> flags.FlagValues:
    """Flags that no other module and no other call shares."""
    flag_values = flags.FlagValues()
    setting_flags.define(flag_values)
    return flag_values


def _show_help(arguments: Sequence[str], flag_values: flags.FlagValues) -> None:
    """Prints the help and exits, if it was asked for."""
    if set(_HELP).intersection(arguments):
        console.say(setting_flags.help_text(__doc__))
        sys.exit(0)
    # absl's own flag does the same, but exits with 1.
    if set(_FULL_HELP).intersection(arguments):
        console.say(f'{__doc__}\n{flag_values.get_help()}')
        sys.exit(0)


def _report_errors(function: Callable[[], Any]) -> int:
    """Calls a function; returns the exit code, after one line on standard error if it is not 0."""
    try:
        function()
    except UserError as error:
        console.write(sys.stderr, f'error: {error}\n')
        return 1
    return 0


def _run(flag_values: flags.FlagValues) -> None:
    settings = _read_settings(flag_values)
    if settings.run.mode == 'evaluate':
        evaluate(settings)
    elif settings.run.mode == 'record':
        record(settings)
    else:
        train(settings)


def _read_settings(flag_values: flags.FlagValues) -> Settings:
    given = setting_flags.read(flag_values)
    if not given.get('logdir'):
        map_name = given.get('map_name', settings_lib.general_defaults()['map_name'])
        given['logdir'] = 'runs/' + map_name
    if given.get('mode') == 'record':
        return Settings.from_values(_settings_of_recording(given))
    before = manifest.read(given['logdir'])
    if before is None:
        return Settings.from_values(resolve.complete(given))
    of_run, evaluates = before['config'], given.get('mode') == 'evaluate'
    if evaluates:
        of_run = resolve.of_evaluation(of_run, given.get('backend', of_run['backend']))
    values = resolve.complete(given, of_run)
    if evaluates:
        manifest.check_evaluation(given['logdir'], values, before)
    return Settings.from_values(values)


def _settings_of_recording(given: Mapping[str, Any]) -> Dict[str, Any]:
    """Those of the run in `--init_checkpoint`, if its agent plays; else as of a new run."""
    run = given.get('init_checkpoint', '')
    if given.get('policy', 'sampled') not in ('sampled', 'greedy') or not run:
        return resolve.complete(given)
    before = manifest.read(run if os.path.isdir(run) else os.path.dirname(run))
    if before is None:
        return resolve.complete(given)
    backend = given.get('backend', before['config']['backend'])
    return resolve.complete(given, resolve.of_evaluation(before['config'], backend))


if __name__ == '__main__':
    run()
