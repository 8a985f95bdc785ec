"""Measures the environment steps per second through gymnasium, beside the bare simulator.

The same games are stepped with the same random actions, sampled beforehand, through four
interfaces: act, advance by `step_mul` environment frames, begin the next episode where one has
ended, and observe the map's default feature layers.

* simulator: `sim.make`;
* environment: `envs.SimulatedEnvironment`, which copies observations and counts returns;
* make_vec: `gymnasium.make_vec`, which steps all games in one call;
* sync_vector_env: gymnasium's `SyncVectorEnv` of as many single environments.

Time is processor time; every measurement is repeated in several rounds, and the fastest one counts.

    python -m benchmarks.speed.gym --games 32

The last line of the output is JSON.
"""

import argparse
import json
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from sc2impala import envs, sim

NUM_ACTIONS = 64
"""Number of batches of random actions, which are repeated cyclically."""

Step = Callable[[Any], Any]


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Measures every map through every interface, and prints a line for each and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    arguments = _parse_arguments(argv)
    rates: Dict[Tuple[str, str], List[float]] = {}
    for _ in range(arguments.rounds):
        for map_name in arguments.maps:
            for interface, make in _INTERFACES.items():
                step, actions = make(map_name, arguments)
                rate = _steps_per_second(step, actions, arguments)
                rates.setdefault((map_name, interface), []).append(rate)
    for (map_name, interface), found in rates.items():
        print(f'{map_name:28}{interface:16}{max(found):12,.0f} environment steps/s')
    result = {name: getattr(arguments, name) for name in ('games', 'step_mul')}
    result['steps_per_second'] = {
        f'{map_name}/{interface}': round(max(found))
        for (map_name, interface), found in rates.items()
    }
    print(json.dumps(result))


def _parse_arguments(argv: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--games', type=int, default=32, help='games in the batch')
    parser.add_argument('--step_mul', type=int, default=8, help='environment frames per step')
    parser.add_argument('--seconds', type=float, default=1.0, help='time per measurement')
    parser.add_argument('--rounds', type=int, default=3, help='measurements, the fastest counts')
    parser.add_argument(
        '--maps', nargs='+', choices=envs.MAP_NAMES, default=envs.MAP_NAMES, metavar='MAP'
    )
    return parser.parse_args(argv)


def _steps_per_second(step: Step, actions: Sequence[Any], arguments: argparse.Namespace) -> float:
    """Returns the steps of all games per second of processor time; the first round warms up."""
    for action in actions:
        step(action)
    steps = 0
    started = time.process_time()
    while time.process_time() - started < arguments.seconds:
        step(actions[steps % NUM_ACTIONS])
        steps += 1
    return steps * arguments.games / (time.process_time() - started)


def _specs_and_actions(
    map_name: str, arguments: argparse.Namespace
) -> Tuple[envs.ObservationSpec, envs.ActionSpec, List[Dict[str, np.ndarray]]]:
    observation_spec, action_spec = envs.make_specs(map_name)
    random = np.random.RandomState(0)
    actions = [
        {
            head: random.randint(num_choices, size=arguments.games, dtype=np.int32)
            for head, num_choices in action_spec.heads.items()
        }
        for _ in range(NUM_ACTIONS)
    ]
    return observation_spec, action_spec, actions


def _simulator(map_name: str, arguments: argparse.Namespace) -> Tuple[Step, Sequence[Any]]:
    observation_spec, action_spec, actions = _specs_and_actions(map_name, arguments)
    game = sim.make(
        map_name,
        range(arguments.games),
        screen_size=observation_spec.screen_size,
        minimap_size=observation_spec.minimap_size,
        screen_layers=[layer.name for layer in observation_spec.screen_layers],
        minimap_layers=[layer.name for layer in observation_spec.minimap_layers],
    )
    game.reset()
    frames = np.full([arguments.games], arguments.step_mul)

    def step(call: Any) -> None:
        game.act(*call)
        game.advance(frames)
        ended = game.ended
        if ended.any():
            game.reset(ended)
        game.observe()

    return step, [action_spec.decode(action) for action in actions]


def _environment(map_name: str, arguments: argparse.Namespace) -> Tuple[Step, Sequence[Any]]:
    observation_spec, action_spec, actions = _specs_and_actions(map_name, arguments)
    env = envs.SimulatedEnvironment(
        map_name, range(arguments.games), observation_spec, action_spec, arguments.step_mul
    )
    env.reset()
    frames = np.full([arguments.games], arguments.step_mul)
    return (lambda action: env.step(action, frames)), actions


def _make_vec(map_name: str, arguments: argparse.Namespace) -> Tuple[Step, Sequence[Any]]:
    return _gymnasium(map_name, arguments, {})


def _sync_vector_env(map_name: str, arguments: argparse.Namespace) -> Tuple[Step, Sequence[Any]]:
    from gymnasium.vector import AutoresetMode

    same_step = {'autoreset_mode': AutoresetMode.SAME_STEP}
    kwargs = {'vectorization_mode': 'sync', 'vector_kwargs': same_step}
    return _gymnasium(map_name, arguments, kwargs)


def _gymnasium(
    map_name: str, arguments: argparse.Namespace, kwargs: Dict[str, Any]
) -> Tuple[Step, Sequence[Any]]:
    """Makes K games through gymnasium, without the wrapper that checks every step."""
    import gymnasium

    from sc2impala.envs import gym

    if kwargs:
        kwargs = dict(kwargs, disable_env_checker=True)
    _, _, actions = _specs_and_actions(map_name, arguments)
    env = gymnasium.make_vec(
        gym.ENV_IDS[map_name], num_envs=arguments.games, step_mul=arguments.step_mul, **kwargs
    )
    env.reset(seed=0)
    stacked = [np.stack(list(action.values()), axis=1).astype(np.int64) for action in actions]
    return env.step, stacked


_INTERFACES: Dict[str, Callable[[str, argparse.Namespace], Tuple[Step, Sequence[Any]]]] = {
    'simulator': _simulator,
    'environment': _environment,
    'make_vec': _make_vec,
    'sync_vector_env': _sync_vector_env,
}


if __name__ == '__main__':
    main()
