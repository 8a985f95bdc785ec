import numpy as np
import pytest
from s2clientprotocol import spatial_pb2

from sc2impala.envs import pysc2_api
from sc2impala.sim import layers
from sc2impala.sim.api import observations

GROUPS = [
    ('renders', layers.SCREEN_SCALES, pysc2_api.features.SCREEN_FEATURES),
    ('minimap_renders', layers.MINIMAP_SCALES, pysc2_api.features.MINIMAP_FEATURES),
]


@pytest.mark.parametrize('group, scales, table', GROUPS)
@pytest.mark.parametrize('size', [(8, 8), (7, 5), (3, 1)])
def test_pysc2_reads_what_was_written(group, scales, table, size):
    random = np.random.RandomState(0)
    width, height = size
    pictures = {
        name: random.randint(scale, size=[1, height, width]).astype(layers.dtype_of_scale(scale))
        for name, scale in scales.items()
    }
    for picture in pictures.values():
        picture[0, 0, 0] = 1
    message = spatial_pb2.ObservationFeatureLayer()
    observations.write_layers(getattr(message, group), pictures, scales)
    for feature in table:
        plane = getattr(getattr(message, group), feature.name)
        np.testing.assert_array_equal(feature.unpack_layer(plane), pictures[feature.name][0])


@pytest.mark.parametrize('name, num_bytes', [('selected', 5), ('power', 5), ('unit_type', 140)])
def test_layers_that_are_all_zero_are_written_in_full(name, num_bytes):
    message = spatial_pb2.FeatureLayers()
    pictures = {name: np.zeros([1, 5, 7], np.uint16)}
    observations.write_layers(message, pictures, layers.SCREEN_SCALES)
    written = getattr(message, name)
    assert written.data == bytes(num_bytes)
    assert (written.size.x, written.size.y) == (7, 5)
