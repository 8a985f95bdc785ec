"""A list of units: features of each, their relations, and the pixels that they are at."""

import dataclasses

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.agents import unit_encoder
from sc2impala.envs import pysc2_api
from tests import fakes
from tests.sessions import run

COLUMN = {column.name: int(column) for column in pysc2_api.features.FeatureUnit}
SELF, ENEMY = 1, 4
ROWS, WIDTH, HEIGHT = 12, 16, 16


def make_specs(**changes):
    observation_spec, action_spec = fakes.make_specs(agent='units_lstm')
    sizes = dict(screen_size=(WIDTH, HEIGHT), **changes)
    return dataclasses.replace(observation_spec, **sizes), action_spec


def make_units(units, rows=ROWS):
    """`feature_units` [1, rows, 46] of (alliance, x, y, health, ...)."""
    table = np.zeros([1, rows, len(COLUMN)], np.int32)
    for row, (alliance, x, y, health) in enumerate(units):
        about = dict(alliance=alliance, unit_type=48 if alliance == SELF else 110, x=x, y=y)
        for name, value in dict(about, health=health, is_selected=row == 0).items():
            table[0, row, COLUMN[name]] = value
    return table


def encode(*tables, spec=None):
    """`Units` of several lists, by encoders with equal weights."""
    encoder = unit_encoder.UnitEncoder(spec or make_specs()[0], 2)
    return [encoder(tf.constant(table)) for table in tables]


UNITS = [(SELF, 3, 4, 45), (ENEMY, 9, 4, 20), (SELF, 5, 11, 30), (ENEMY, 8, 12, 145)]


def test_hats_are_linear_between_knots():
    knots = np.array([0, 2, 5, 9], np.float32)
    values = np.array([[-1.0, 0.0, 1.5], [2.0, 8.0, 12.0]], np.float32)
    found = run(lambda: unit_encoder._hats(tf.constant(values), knots))
    np.testing.assert_allclose(found.sum(-1), 1.0, rtol=1e-6)
    np.testing.assert_allclose(found @ knots, np.clip(values, 0, 9), rtol=1e-6)
    assert ((found > 0).sum(-1) <= 2).all() and (found >= 0).all()


def test_the_nearest_unit_of_the_other_side_is_described():
    """Slow: the offset to the nearest one, and how many are within some distances."""
    rng = np.random.RandomState(0)
    x, y = (rng.uniform(0, 12, size=[2, 7]).astype(np.float32) for _ in range(2))
    is_own = np.array([[1, 0, 1, 1, 0, 0, 1], [0, 1, 1, 0, 0, 0, 0]], bool)
    is_present = np.ones([2, 7], bool)
    is_present[1, 4:] = False

    def describe():
        offset_x, offset_y, distance = unit_encoder._offsets(tf.constant(x), tf.constant(y))
        return unit_encoder._nearest_other(offset_x, offset_y, distance, is_own, is_present)

    found = run(describe)
    knots = found.shape[-1] - 6
    for n in range(2):
        for i in np.flatnonzero(is_present[n]):
            others = [j for j in np.flatnonzero(is_present[n]) if is_own[n, j] != is_own[n, i]]
            far = [np.hypot(x[n, j] - x[n, i], y[n, j] - y[n, i]) for j in others]
            nearest = others[int(np.argmin(far))]
            to = np.array([x[n, nearest] - x[n, i], y[n, nearest] - y[n, i]])
            expected = to / max(min(far), 0.5)
            np.testing.assert_allclose(found[n, i, knots : knots + 2], expected, atol=1e-4)
            within = [np.sum(np.array(far) < reach) / 4 for reach in (4.0, 5.2, 6.2, 8.0)]
            np.testing.assert_allclose(found[n, i, knots + 2 :], within)


def test_units_that_are_absent_have_no_influence():
    short, long = make_units(UNITS), make_units(UNITS, rows=40)
    batched = np.concatenate([long, make_units(UNITS * 3, rows=40)])
    alone, padded, batch = run(lambda: encode(short, long, batched))
    assert alone.embedding.shape[1] == padded.embedding.shape[1] == len(UNITS)
    assert batch.embedding.shape[1] == 3 * len(UNITS)
    np.testing.assert_allclose(batch.embedding[0, : len(UNITS)], alone.embedding[0], atol=1e-5)
    assert not batch.pointed[0, len(UNITS) :].any()


def test_an_empty_list_is_one_absent_unit():
    (units,) = run(lambda: encode(make_units([])))
    assert units.embedding.shape == (1, 1, unit_encoder.EMBEDDING_SIZE)
    assert not units.pointed.any() and not units.relation.any()
    assert np.isfinite(units.embedding).all()


@pytest.mark.parametrize('num_groups', [2, 3, 4])
def test_groups_of_similar_lengths_change_nothing(num_groups, monkeypatch):
    monkeypatch.setattr(unit_encoder, 'NUM_GROUPS', num_groups)
    rng = np.random.RandomState(0)
    lengths = [3, 12, 0, 1, 7, 12, 2, 9, 5]
    tables = []
    for length in lengths:
        drawn = rng.randint(1, 15, size=[length, 3])
        units = [(rng.choice([SELF, ENEMY]), x, y, 5 * health) for x, y, health in drawn]
        tables.append(make_units(units))
    table, attentions = np.concatenate(tables), []

    def softmaxes():
        return [o for o in tf.get_default_graph().get_operations() if o.type == 'Softmax']

    def encoded():
        encoder = unit_encoder.UnitEncoder(make_specs()[0], 2)
        found = []
        for smallest in (len(lengths) + 1, 2):
            monkeypatch.setattr(unit_encoder, 'MIN_GROUP', smallest)
            before = len(softmaxes())
            units = encoder(tf.constant(table))
            attentions.append(len(softmaxes()) - before)
            weight = np.arange(1.0, 1.0 + unit_encoder.EMBEDDING_SIZE, dtype=np.float32)
            loss = tf.reduce_sum(tf.square(units.embedding) * units.pointed[..., None] * weight)
            gradients = tf.gradients(loss, encoder.trainable_variables)
            found.append((units, [tf.convert_to_tensor(gradient) for gradient in gradients]))
        return found

    (whole, of_whole), (grouped, of_grouped) = run(encoded)
    assert attentions == [unit_encoder.NUM_BLOCKS, unit_encoder.NUM_BLOCKS * num_groups]
    for one, other in zip(whole, grouped):
        assert one.shape == other.shape
        for n, length in enumerate(lengths):
            np.testing.assert_allclose(one[n, :length], other[n, :length], rtol=1e-4, atol=1e-5)
    assert not grouped.pointed[2].any() and not grouped.relation[2].any()
    largest = max(np.abs(gradient).max() for gradient in of_whole)
    for one, other in zip(of_whole, of_grouped):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-6 * largest)


def test_longer_lists_are_cut():
    (units,) = run(lambda: encode(make_units([(SELF, 1, 1, 45)] * 120, rows=130)))
    assert units.embedding.shape[1] == unit_encoder.MAX_UNITS


def test_the_order_of_units_does_not_matter():
    table = make_units(UNITS)
    order = [2, 0, 3, 1] + list(range(4, ROWS))
    first, second = run(lambda: encode(table, table[:, order]))
    np.testing.assert_allclose(second.embedding, first.embedding[:, order[:4]], atol=1e-5)
    np.testing.assert_array_equal(second.place, first.place[:, order[:4]])


@pytest.mark.long
@pytest.mark.parametrize(
    'name, value',
    [('health', 21), ('x', 10), ('facing', 3), ('order_id_0', 16), ('is_selected', 1)],
)
def test_each_unit_is_described_to_all_others(name, value):
    table = make_units(UNITS)
    changed = table.copy()
    changed[0, 1, COLUMN[name]] = value
    first, second = run(lambda: encode(table, changed))
    assert (np.abs(first.embedding - second.embedding).max(-1) > 1e-6).all()


def test_places_are_pixels_of_the_agent():
    """The list may have finer pixels, and units beyond the border of the screen."""
    spec = dataclasses.replace(make_specs()[0], units_size=(64, 64))
    table = make_units([(SELF, 13, 18, 45), (ENEMY, 63, 0, 10), (ENEMY, -3, 9, 10)])
    (units,) = run(lambda: encode(table, spec=spec))
    assert units.place[0, :2].tolist() == [18 // 4 * WIDTH + 13 // 4, 15]
    assert units.patch[0, 0] == (18 // 4 // 2) * (WIDTH // 2) + 13 // 4 // 2
    assert units.pointed[0].tolist() == [1, 1, 0]
    assert units.relation[0].tolist() == [[1, 0, 1], [0, 1, 0], [0, 1, 0]]
