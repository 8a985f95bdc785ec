"""Measures how many agent steps an actor plays per second, and what its parts would do alone.

* network: the agent acts, again and again, on K observations that never change;
* actor: agent and environment in one loop of the graph, without the queue;
* environment: its games are called from Python with random actions, whose choice is not timed.

All of them take turns within each round, and the median of all runs counts. What is neither network
nor environment in the time of an actor's step is called the rest; it can be below zero, since
random play is not the agent's. Of the network alone it is also said how many floating-point
operations a step has in convolutions and matrix products, and what share it reaches of the rate of
one large product of matrices, which takes its turns, too, and of which the best run counts.

    python benchmarks/actor.py --workload=beacon32
    python benchmarks/actor.py --map_name=DefeatRoaches --num_envs=64

The last line of the output is JSON.
"""

import argparse
import contextlib
import json
import statistics

import workload

PARTS = ('network', 'actor', 'environment')


def main(argv=None):
    """Measures, and prints a table and the JSON.

    Args:
      argv: the arguments of the command line; None stands for those of the process.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument('--seconds', type=float, default=2, help='for each part in each round')
    parser.add_argument('--rounds', type=int, default=5, help='turns of each part')
    parser.add_argument(
        '--only_network', action='store_true', help='measure the rate of the network, nothing else'
    )
    arguments, flags = workload.parse(parser, argv)
    config = workload.make_config(flags)
    result = {'flags': flags, 'num_envs': config.num_envs}
    if arguments.only_network:
        rate = workload.rate_alone('network', config, arguments.seconds)
        result['steps_per_second'] = {'network': rate}
    else:
        result.update(measure(config, arguments.seconds, arguments.rounds))
    _print_table(result)
    print(json.dumps(result))


def measure(config, seconds, rounds):
    """Measures all parts; returns a dict for the JSON."""
    with contextlib.ExitStack() as stack:
        made = {name: stack.enter_context(workload.part(name, config)) for name in PARTS}
        made['matrix product'] = stack.enter_context(workload.matrix_product())
        runs = {name: run for name, (run, _) in made.items()}
        times = workload.times_in_turn(runs, seconds, rounds)
    rates = {name: made[name][1] / statistics.median(times[name]) for name in PARTS}
    share = {name: rates['actor'] / rates[name] for name in ('network', 'environment')}
    share['rest'] = 1 - sum(share.values())
    per_step = sum(workload.arithmetic_of(config, 'act').values()) / config.num_envs
    matmul = made['matrix product'][1] / min(times['matrix product'])
    return {
        'steps_per_second': rates,
        'share_of_actor': share,
        'flops_per_step': per_step,
        'gflops_per_second': per_step * rates['network'] / 1e9,
        'matmul_gflops_per_second': matmul / 1e9,
        'share_of_matmul': per_step * rates['network'] / matmul,
    }


def _print_table(result):
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
