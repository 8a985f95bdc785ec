"""Summaries of metrics: tags as they are, and what the histograms of actions count."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.learner import diagnostics
from tests.learner import table_agent as table

T, B = 6, 4
IS_NEW = np.array([True, False, True, False])


def test_scalars_and_histograms_by_tag():
    with tf.Graph().as_default(), tf.Session() as session, tf.name_scope('scope'):
        metrics = {'loss/a': tf.constant(2.0), 'b': tf.constant([1, 1, 5]), 'c/d': tf.zeros([0])}
        merged = diagnostics.merge(metrics)
        assert merged.shape.rank == 0 and merged.dtype == tf.string
        serialized = session.run(merged)
    assert table.scalars(serialized) == {'loss/a': 2.0}
    histograms = table.histograms(serialized)
    assert {tag: histogram.num for tag, histogram in histograms.items()} == {'b': 3, 'c/d': 0}
    assert (histograms['b'].min, histograms['b'].max) == (1, 5)


def test_the_same_tags_can_be_merged_again_and_no_collection_is_used():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        before = graph.get_all_collection_keys()
        merged = [diagnostics.merge({'loss/a': tf.constant(v)}) for v in (1.0, 2.0)]
        assert graph.get_all_collection_keys() == before
        values = [table.scalars(serialized) for serialized in session.run(merged)]
    assert values == [{'loss/a': 1.0}, {'loss/a': 2.0}]


@pytest.mark.parametrize('learn_step_mul', [True, False])
def test_actions_of_new_columns_where_the_head_was_used(learn_step_mul):
    mu = tf.nest.map_structure(lambda a: a[1:], table.random_outputs(1, T, B))
    with tf.Graph().as_default(), tf.Session() as session:
        policy = table.TableAgent(mu, learn_step_mul).policy
        found = session.run(
            diagnostics.action_histograms(policy, table.tensors(mu), tf.constant(IS_NEW))
        )
    new = np.tile(IS_NEW, [T, 1])
    used = table.HEAD_USED['screen'][mu.action['function']]
    expected = {
        'action/function': mu.action['function'][new],
        'action/screen': mu.action['screen'][new & used],
    }
    if learn_step_mul:
        expected['action/step_mul'] = mu.step_mul[new]
    assert set(found) == set(expected)
    for tag, values in expected.items():
        np.testing.assert_array_equal(found[tag], values)
