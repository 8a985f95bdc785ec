"""Measures the agent steps per second of an actor, and of the parts of an actor alone.

* network: the agent acts repeatedly on K constant observations;
* actor: agent and environment in one loop of the graph, without the queue;
* environment: its games are stepped from Python with random actions, the choice of which is not
  timed.

All parts run alternately within each round; rates are from the median duration of all runs. The
time of an actor's step that neither network nor environment accounts for is reported as the rest.
It can be negative, since the actions of the environment measured alone are random. For the network
alone the floating-point operations of a step in convolutions and matrix products are reported as
well, with their rate as a share of that of one large matrix product. The matrix product is measured
in the same rounds; its best run counts.

    python -m benchmarks.speed.actor --workload=beacon32
    python -m benchmarks.speed.actor --map_name=DefeatRoaches --num_envs=64

The last line of the output is JSON.
"""

import argparse
import contextlib
import json
import statistics
from typing import Any, Dict, Optional, Sequence

from benchmarks import timing, workload

PARTS = ('network', 'actor', 'environment')


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Measures, and prints a table and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument('--seconds', type=float, default=2, help='of each part in each round')
    parser.add_argument('--rounds', type=int, default=5, help='of all parts, alternately')
    parser.add_argument(
        '--only_network', action='store_true', help='measure only the rate of the network'
    )
    arguments, flags = workload.parse(parser, argv)
    settings = workload.make_settings(flags)
    result = {'flags': flags, 'num_envs': workload.sizes(settings).num_envs}
    if arguments.only_network:
        rate = workload.rate_alone('network', settings, arguments.seconds)
        result['steps_per_second'] = {'network': rate}
    else:
        result.update(measure(settings, arguments.seconds, arguments.rounds))
    _print_table(result)
    print(json.dumps(result))


def measure(settings: workload.Settings, seconds: float, rounds: int) -> Dict[str, Any]:
    """Measures all parts.

    Args:
      settings: of the training.
      seconds: for each part in each round.
      rounds: the number of rounds.

    Returns:
      The entries of the JSON: rates in agent steps per second, and shares of an actor's time.
    """
    with contextlib.ExitStack() as stack:
        made = {name: stack.enter_context(workload.part(name, settings)) for name in PARTS}
        made['matrix product'] = stack.enter_context(workload.matrix_product())
        runs = {name: run for name, (run, _) in made.items()}
        times = timing.interleaved_seconds(runs, seconds, rounds)
    rates = {name: made[name][1] / statistics.median(times[name]) for name in PARTS}
    share = {name: rates['actor'] / rates[name] for name in ('network', 'environment')}
    share['rest'] = 1 - sum(share.values())
    per_step = sum(workload.flops(settings, 'act').values()) / workload.sizes(settings).num_envs
    matmul = made['matrix product'][1] / min(times['matrix product'])
    return {
        'steps_per_second': rates,
        'share_of_actor': share,
        'flops_per_step': per_step,
        'gflops_per_second': per_step * rates['network'] / 1e9,
        'matmul_gflops_per_second': matmul / 1e9,
        'share_of_matmul': per_step * rates['network'] / matmul,
    }


def _print_table(result: Dict[str, Any]) -> None:
    print('flags: {}'.format(' '.join(result['flags'])))
    shares = result.get('share_of_actor', {})
    for name, rate in result['steps_per_second'].items():
        share = f'{shares[name]:8.1%} of the time of an actor' if name in shares else ''
        print(f'{name:14}{rate:12,.0f} agent steps/s{share}')
    if shares:
        print('rest{:44.1%}'.format(shares['rest']))
        print(
            'the network: {:,.2f} MFLOP a step, {:,.1f} GFLOP/s, {:.1%} of the {:,.1f} of a '
            'matrix product'.format(
                result['flops_per_step'] / 1e6,
                result['gflops_per_second'],
                result['share_of_matmul'],
                result['matmul_gflops_per_second'],
            )
        )


if __name__ == '__main__':
    main()
