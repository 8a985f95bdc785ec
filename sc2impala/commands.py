"""The command `sc2impala`: hands over to the commands of the package, which it imports lazily."""

import runpy
import sys
from typing import Dict, NamedTuple, Sequence, Tuple

from sc2impala.errors import FAILED, FINISHED

_HELP = ('--help', '-help', '-h', 'help')
_MODE = 'mode'


class Command(NamedTuple):
    """A command.

    module: module that runs as with `python -m`.
    help: one line.
    arguments: arguments before those of the user.
    """

    module: str
    help: str
    arguments: Tuple[str, ...] = ()


COMMANDS: Dict[str, Command] = {
    'train': Command('sc2impala.experiment', 'train an agent, or resume a run', ('--mode=train',)),
    'evaluate': Command(
        'sc2impala.experiment', 'run whole episodes of an agent', ('--mode=evaluate',)
    ),
    'record': Command('sc2impala.experiment', 'record demonstrations', ('--mode=record',)),
    'export': Command('sc2impala.experiment', 'write an agent as a SavedModel', ('--mode=export',)),
    'report': Command('sc2impala.report', 'write an HTML file about a run'),
    'watch': Command('sc2impala.watch', 'play episodes in a browser, with the policy'),
    'compare': Command('sc2impala.compare', 'compare two groups of runs'),
    'continual': Command(
        'sc2impala.continual', 'forgetting and transfer of runs on several maps in turn'
    ),
    'zoo': Command('sc2impala.zoo', 'list the trained agents of the package'),
    'population': Command('sc2impala.population', 'train a population'),
    'doctor': Command('sc2impala.doctor', 'check the installation of StarCraft II'),
    'standin': Command('sc2impala.sim.api', 'install a stand-in for StarCraft II'),
}
"""By name, in the order of the help."""


def run() -> None:
    """The command."""
    sys.exit(main(sys.argv[1:]))


def main(arguments: Sequence[str]) -> int:
    """Runs a command.

    Args:
      arguments: its name and its own arguments.

    Returns:
      The exit code, unless the command itself exits.
    """
    name, rest = (arguments[0] if arguments else ''), list(arguments[1:])
    if name in _HELP:
        print(help_text())
        return FINISHED
    if name == '--version':
        name, rest = 'train', ['--version']
    if name not in COMMANDS:
        return _refuse(name)
    command = COMMANDS[name]
    for argument in rest:
        if command.arguments and argument.lstrip('-').split('=')[0] == _MODE:
            print(
                f'error: {argument} after sc2impala {name}, expected no --{_MODE}: {name} sets it.',
                file=sys.stderr,
            )
            return FAILED
    sys.argv[1:] = [*command.arguments, *rest]
    runpy.run_module(command.module, run_name='__main__', alter_sys=True)
    return FINISHED


def help_text() -> str:
    """Returns the list of commands."""
    width = max(map(len, COMMANDS))
    lines = [f'  {name:{width}}  {command.help}' for name, command in COMMANDS.items()]
    return '\n'.join(
        [
            'usage: sc2impala COMMAND [FLAGS]',
            '',
            *lines,
            '',
            'sc2impala COMMAND --help lists the flags of a command; sc2impala --version prints the '
            'versions.',
        ]
    )


def _refuse(name: str) -> int:
    given = f'{name} is no command' if name else 'no command is given'
    if name.startswith('-'):
        given = f'{name} is given before a command'
    print(
        f'error: {given}, expected one of {", ".join(COMMANDS)}; see sc2impala --help.',
        file=sys.stderr,
    )
    return FAILED
