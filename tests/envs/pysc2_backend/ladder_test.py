"""Names of PySC2 that the package repeats, because importing PySC2 has side effects."""

import json
import subprocess
import sys

import pytest

from sc2impala import envs
from sc2impala.envs import pysc2_backend

PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from sc2impala.envs import pysc2_api
client = pysc2_api.load_client(60)
maps = {name: found.players for name, found in client.maps.get_maps().items()}
enums = client.sc2_env.Race, client.sc2_env.Difficulty
print(json.dumps([maps] + [list(names.__members__) for names in enums]))
"""


@pytest.fixture(scope='module')
def of_pysc2():
    output = subprocess.run(
        [sys.executable, '-c', PROGRAM, json.dumps(sys.path)], stdout=subprocess.PIPE, check=True
    ).stdout
    return json.loads(output.decode().splitlines()[-1])


def test_maps_are_those_of_the_registry(of_pysc2):
    of_two_or_more = {name for name, players in of_pysc2[0].items() if players > 1}
    assert set(envs.LADDER_MAPS) == of_two_or_more
    assert set(envs.MAP_DEFAULTS) == set(of_pysc2[0]) - of_two_or_more
    assert len(set(envs.LADDER_MAPS)) == len(envs.LADDER_MAPS)


def test_names_of_races_and_opponents(of_pysc2):
    assert sorted(pysc2_backend.RACES) == sorted(of_pysc2[1])
    assert list(pysc2_backend.DIFFICULTIES) == of_pysc2[2]


def test_all_ladder_maps_have_the_same_defaults():
    for map_name in ('Simple64', 'Acropolis'):
        defaults = envs.map_defaults(map_name)
        observation_spec, action_spec = envs.make_specs(map_name)
        assert action_spec.function_names == defaults.functions
        assert observation_spec.screen_size == observation_spec.minimap_size == (64, 64)
        assert len(observation_spec.minimap_layers) == len(defaults.minimap_layers)
    with pytest.raises(ValueError, match="map_name is 'Simple65', expected one of"):
        envs.map_defaults('Simple65')


def test_what_can_be_played_where():
    assert envs.playable_maps('simulator') == envs.MAP_NAMES
    assert set(envs.playable_maps('pysc2')) == set(envs.MAP_DEFAULTS) | set(envs.LADDER_MAPS)
    specs = envs.make_specs('Simple64')
    with pytest.raises(ValueError, match="map_name is 'Simple64', expected one of"):
        envs.make_environment('simulator', 'Simple64', [1], *specs, max_step_mul=8)
