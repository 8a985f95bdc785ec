import numpy as np
import pytest

from sc2impala.sim import state
from sc2impala.sim.games import GAMES
from sc2impala.sim.state import Field

SIZES = {'M': 3, 'U': 5, 'B': 2}


def test_fields_have_their_shapes_types_and_first_values():
    record = state.blank_record(
        [
            Field('score', np.int64),
            Field('target', np.int16, ('M', 2), -1),
            Field('x', np.float64, ('U',), np.inf),
            Field('source', np.int8, ('B',), [4, 5]),
            Field('_route', np.uint8, (7,), True),
        ],
        SIZES,
    )
    assert record.shape == (1,)
    g = record[0]
    assert g.score == 0 and record.score.dtype == np.int64
    np.testing.assert_array_equal(g.target, np.full([3, 2], -1, np.int16))
    np.testing.assert_array_equal(g.x, np.full([5], np.inf))
    assert g.source.tolist() == [4, 5] and g.source.dtype == np.int8
    assert g._route.tolist() == [1] * 7


@pytest.mark.parametrize('names', [['x', 'y', 'x'], ['size'], ['T'], ['copy'], ['dtype']])
def test_a_name_that_is_taken_is_refused(names):
    fields = [Field(name, np.int8) for name in names]
    with pytest.raises(ValueError, match=f"name '{names[-1]}' of a field is taken"):
        state.blank_record(fields, SIZES)


def test_fields_that_begin_with_an_underscore_are_derived():
    assert Field('_visible', np.uint64).derived
    assert not Field('seen', np.uint64).derived


@pytest.mark.parametrize('map_name', sorted(GAMES))
def test_records_of_all_maps_are_made_of_fields_with_one_meaning(map_name):
    family = GAMES[map_name].family
    record = family.blank()
    assert list(record.dtype.names) == [field.name for field in family.fields]
    assert record.goal_x.shape == (1, family.num_mobile)
    assert record.x.shape == (1, family.num_units)
    assert not record.alive.any() and record.episode == -1
    # Fields of an aligned record can be read by compiled code.
    assert all(offset % dtype.base.alignment == 0 for dtype, offset in fields_of(record))


def fields_of(record):
    return [record.dtype.fields[name][:2] for name in record.dtype.names]
