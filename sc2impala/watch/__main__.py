"""Shows the decisions of a player in a browser.

    python -m sc2impala.watch runs/roaches
    python -m sc2impala.watch runs/roaches script:LH --save=roaches.html

The first command runs episodes of the agent in a run's folder and serves a page that plays them:
the units of the game, what the policy chose and how probable it was, its value and its reward. The
second one compares the agent with a script of the map on the same games, and writes one file that
needs no network. See docs/guides/watching.md.
"""

import argparse
import os
import sys
from typing import List, Optional, Sequence

from sc2impala import tf_setup
from sc2impala.errors import FINISHED, UserError, exit_code_of_signal
from sc2impala.runtime import console, logdir
from sc2impala.watch import page, server
from sc2impala.watch.trace import Trace

_SIGINT = 2


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Runs the command; returns the exit code."""
    arguments = make_parser().parse_args(argv)
    try:
        _check(arguments)
        traces = _record(arguments)
        content = page.document(traces)
        if arguments.save:
            _save(arguments.save, content)
        else:
            server.serve(content, arguments.port, not arguments.no_browser)
    except UserError as error:
        console.write(sys.stderr, f'error: {error}\n')
        return error.exit_code
    except KeyboardInterrupt:
        console.write(sys.stderr, '\nstopped at once\n')
        return exit_code_of_signal(_SIGINT)
    finally:
        console.flush()
    return FINISHED


def make_parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog='python -m sc2impala.watch',
        description='Runs episodes of a player and shows its decisions in a browser.',
    )
    parser.add_argument(
        'players',
        metavar='PLAYER',
        nargs='+',
        help='the folder of a run, a checkpoint in it, zoo:NAME, an agent of the package, or '
        'script:NAME, a script of the map; a second one plays the same games next to the first one',
    )
    parser.add_argument('--map_name', default='', help='the map of a script')
    parser.add_argument('--episodes', type=int, default=3, help='number of episodes; default 3')
    parser.add_argument('--seed', type=int, default=0, help='seed of games and samples; default 0')
    parser.add_argument(
        '--checkpoint',
        default='latest',
        help='checkpoint of the first run: latest, best, a number of frames, or a path',
    )
    parser.add_argument('--policy', default='sampled', help='sampled (default) or greedy actions')
    parser.add_argument('--temperature', type=float, help="of sampled actions; default the run's")
    parser.add_argument(
        '--eval_max_step_mul', type=int, help="maximum frames per step; default the run's"
    )
    parser.add_argument(
        '--step_mul', type=int, default=8, help='frames between two calls of a script; default 8'
    )
    parser.add_argument('--no_layers', action='store_true', help='record no feature layers')
    parser.add_argument(
        '--save', default='', metavar='FILE.html', help='write a file, do not serve'
    )
    parser.add_argument('--port', type=int, default=0, help='port of the page; default a free one')
    parser.add_argument('--no_browser', action='store_true', help='do not open a browser')
    return parser


def _check(arguments: argparse.Namespace) -> None:
    if len(arguments.players) > 2:
        raise UserError(
            f'{len(arguments.players)} players are given, expected one, or two to compare.'
        )
    for name, low, high in (
        ('episodes', 1, 100),
        ('seed', 0, 2**63 - 1),
        ('step_mul', 1, 10000),
        ('port', 0, 2**16 - 1),
    ):
        value = getattr(arguments, name)
        if not low <= value <= high:
            raise UserError(f'--{name}={value} is out of range, expected {low}..{high}.')
    if arguments.save:
        folder = os.path.dirname(os.path.abspath(os.path.expanduser(arguments.save)))
        if not os.path.isdir(folder):
            raise UserError(f'--save={arguments.save}: {folder} is not a folder, expected one.')
        if os.path.isdir(os.path.expanduser(arguments.save)):
            raise UserError(f'--save={arguments.save} is a folder, expected a file.')


def _record(arguments: argparse.Namespace) -> List[Trace]:
    # TensorFlow is loaded here: --help and wrong flags do not wait for it.
    tf_setup.enable()
    from sc2impala.watch import players
    from sc2impala.watch.record import record

    options = players.Options(
        map_name=arguments.map_name,
        step_mul=arguments.step_mul,
        checkpoint=arguments.checkpoint,
        policy=arguments.policy,
        temperature=arguments.temperature,
        eval_max_step_mul=arguments.eval_max_step_mul,
        seed=arguments.seed,
    )
    traces = []
    for player in players.resolve_players(arguments.players, options):
        name, map_name = player.about.name, player.environment.map_name
        console.say(f'{name} on {map_name}: {console.count_text(arguments.episodes, "episode")}')
        traces.append(record(player, arguments.episodes, arguments.seed, not arguments.no_layers))
        player.close()
        scores = ', '.join(f'{float(each.rewards.sum()):g}' for each in traces[-1].episodes)
        console.say(f'{name}: returns {scores}')
    return traces


def _save(path: str, content: str) -> None:
    own = os.path.expanduser(path)
    try:
        logdir.replace_text(own, content)
    except OSError as error:
        raise UserError(
            f'--save={path} cannot be written ({error.strerror}), expected a file in a folder with '
            'free space that this user may write to.'
        ) from error
    console.say(f'{path}: {os.path.getsize(own) / 1e6:.1f} MB')


if __name__ == '__main__':
    sys.exit(main())
