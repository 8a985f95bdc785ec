"""Population based training on this machine.

    python -m sc2impala.population --logdir=runs/pbt --members=4 \\
        --ranges=learning_rate=1e-5..1e-2:log,entropy_cost=0.001..0.1:log \\
        --map_name=MoveToBeacon --from_scratch --total_environment_frames=10000000

Every member is a separate run, with settings sampled from --ranges. After each
--exploit_every_frames all members are evaluated, and the worst continue with the weights and the
optimizer of the best, and with perturbed settings. All flags that are not listed here are
flags of the members: see python -m sc2impala.experiment --help. The same command resumes a
population that was stopped, by Ctrl-C, a signal or a crash. See docs/guides/populations.md.
"""

import os
import subprocess
import sys
from typing import Any, Callable, Dict, List, Sequence

from absl import flags

from sc2impala import experiment, learner
from sc2impala.errors import UserError
from sc2impala.population import driver, jobs, ranges
from sc2impala.population import settings as settings_lib
from sc2impala.population import state as state_lib
from sc2impala.population.members import Members
from sc2impala.population.settings import PopulationSettings
from sc2impala.population.state import State
from sc2impala.runtime import child_processes, console, logdir, versions
from sc2impala.settings import setting_flags, validation
from sc2impala.settings import settings as run_settings

_HELP = ('--help', '-help', '-h', '-?', '--helpfull')


def main(
    arguments: Sequence[str],
    start: Callable[[Sequence[str], str], subprocess.Popen] = jobs.start_process,
) -> int:
    """Runs the command.

    Args:
      arguments: the command line without the name of the program.
      start: starts the process of a member.

    Returns:
      The exit code: 0 if the population is finished, 128 + n if signal n has stopped it, 1 after
      an error that it reports.
    """
    if set(_HELP).intersection(arguments):
        console.say(setting_flags.help_text(__doc__, settings_lib.all_settings()))
        return 0
    if experiment.VERSION in arguments:
        console.say(versions.text())
        return 0
    try:
        with child_processes.stop_requests() as stop:
            return _run(arguments, start, stop)
    except UserError as error:
        console.write(sys.stderr, f'error: {error}\n')
        return error.exit_code
    finally:
        console.flush()


def _run(
    arguments: Sequence[str],
    start: Callable[[Sequence[str], str], subprocess.Popen],
    stop: Sequence[int],
) -> int:
    own, member_flags = setting_flags.split(settings_lib.all_settings(), arguments)
    settings = settings_lib.complete(own)
    given, drawn = _read_given(member_flags), ranges.parse(settings.ranges)
    members = Members(settings, member_flags, given, list(drawn))
    of_command = _check(members, 0, {}).values()
    state = State(
        settings_lib.to_json(settings),
        _fixed(given),
        driver.first_members(settings, drawn, of_command),
    )
    before = state_lib.read(settings.logdir)
    if before is not None:
        resizable = [name for name, each in run_settings.all_settings().items() if each.on_resume]
        state_lib.check_same(settings.logdir, before, state, resizable)
        state = before
    for index, member in enumerate(state.members):
        run = _check(members, index, member.settings)
    logdir.prepare(settings.logdir)
    with logdir.Lock(settings.logdir):
        _say_start(settings, state, before is not None)
        state.save(settings.logdir)
        total = _total_frames(run)
        return driver.Driver(settings, members, drawn, state, total, start).run(stop)


def _read_given(member_flags: Sequence[str]) -> Dict[str, Any]:
    """The settings in the flags of members."""
    flag_values = flags.FlagValues()
    experiment.define_flags(flag_values, member_flags)
    setting_flags.parse(flag_values, member_flags)
    return setting_flags.read(flag_values)


def _check(members: Members, index: int, own: Dict[str, Any]) -> run_settings.Settings:
    """Reads the settings of a member like its run, to report errors before the start.

    Returns:
      All settings of the member.

    Raises:
      UserError: if they are invalid.
    """
    settings = experiment.read_settings(members.training(index, own))
    validation.check(settings)
    if settings.cluster.job_name:
        raise UserError(
            f'a member would be the {settings.cluster.job_name} of a cluster, as the environment '
            'says, but members are single processes: expected no TF_CONFIG.'
        )
    return settings


def _fixed(given: Dict[str, Any]) -> Dict[str, Any]:
    """The settings that a run cannot change, as JSON values."""
    known = run_settings.all_settings()
    return {n: known[n].type.to_json(v) for n, v in given.items() if not known[n].free_on_resume}


def _total_frames(settings: run_settings.Settings) -> int:
    """Environment frames of all phases of a run together."""
    total = settings.training.total_environment_frames
    for name in learner.PRETRAINING:
        total += settings.algorithms[name].num_frames
    return total


def _say_start(settings: PopulationSettings, state: State, goes_on: bool) -> None:
    begins = f'resumes in generation {state.generation + 1}' if goes_on else 'begins'
    lines: List[str] = [
        f'population of {len(state.members)} in {settings.logdir}, process {os.getpid()}: '
        f'{begins}; what members print is in member-<K>.log'
    ]
    for index, member in enumerate(state.members):
        values = ' '.join(f'{name}={value}' for name, value in member.settings.items())
        is_reference = settings.reference and index == 0
        lines.append(f'member {index}: {values}{" (reference)" if is_reference else ""}')
    console.say('\n'.join(lines))


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
