"""The installed PySC2 client, unmodified, on a new stand-in."""

import contextlib
import importlib
import os
import random
import sys

import numpy as np

from sc2impala.envs.pysc2_api import find_client_package
from sc2impala.sim.api import install


def load(name):
    """A module of the client, such as env.sc2_env."""
    package = find_client_package()
    module = importlib.import_module(f'{package}.{name}')
    if package == 'pysc2':
        from absl import flags

        if not flags.FLAGS.is_parsed():
            flags.FLAGS(sys.argv[:1])
    return module


@contextlib.contextmanager
def standin(folder):
    """An installed stand-in that SC2PATH points at."""
    before = dict(os.environ)
    os.environ['SC2PATH'] = install.install(str(folder))
    os.environ['no_proxy'] = '127.0.0.1,localhost'
    try:
        yield os.environ['SC2PATH']
    finally:
        os.environ.clear()
        os.environ.update(before)


def make_env(map_name, size=32, seed=3, step_mul=8, **kwargs):
    """An SC2Env with one agent that sees feature layers."""
    sc2_env = load('env.sc2_env')
    features = load('lib.features')
    interface = kwargs.pop('interface', None) or sc2_env.AgentInterfaceFormat(
        feature_dimensions=features.Dimensions(screen=size, minimap=size),
        use_feature_units=True,
    )
    return sc2_env.SC2Env(
        map_name=map_name,
        players=[sc2_env.Agent(sc2_env.Race.terran)],
        agent_interface_format=interface,
        step_mul=step_mul,
        game_steps_per_episode=0,
        random_seed=seed,
        **kwargs,
    )


def random_call(rng, available, size):
    """A function id, its arguments as PySC2 wants them, and as the simulator does."""
    actions = load('lib.actions')
    function = actions.FUNCTIONS[int(rng.choice(np.asarray(available)))]
    values, named = [], {}
    for argument in function.args:
        if argument.name in ('screen', 'screen2', 'minimap'):
            point = rng.randint(size, size=2)
            values.append(point.tolist())
            named[argument.name] = point[None]
        else:
            value = rng.randint(min(argument.sizes[0], 12))
            values.append([int(value)])
            named[argument.name] = np.array([value])
    return actions.FunctionCall(int(function.id), values), int(function.id), named


def seeded(seed):
    """NumPy's and Python's generators, which PySC2's random agent uses."""
    random.seed(seed)
    np.random.seed(seed)
