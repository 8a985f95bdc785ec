import functools

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import vtrace
from tests.vtrace import reference

SHAPES = ['static', 'rank', 'unknown']
RANKS = {'log_rhos': 2, 'discounts': 2, 'rewards': 2, 'values': 2, 'bootstrap_value': 1}


def _weights_feeds(num_steps=11, batch_size=5):
    """Returns inputs with weights below and above 1, and with episode ends within the unroll."""
    rng = np.random.RandomState(num_steps)
    shape = (num_steps, batch_size)
    discounts = rng.uniform(0.8, 1, shape) * (rng.uniform(size=shape) > 0.15)
    return {
        'log_rhos': rng.uniform(-2, 2, shape).astype(np.float32),
        'discounts': discounts.astype(np.float32),
        'rewards': rng.normal(size=shape).astype(np.float32),
        'values': rng.normal(size=shape).astype(np.float32),
        'bootstrap_value': rng.normal(size=batch_size).astype(np.float32),
    }


def _logits_feeds(num_steps=11, batch_size=5, num_actions=4):
    rng = np.random.RandomState(num_actions)
    feeds = _weights_feeds(num_steps, batch_size)
    del feeds['log_rhos']
    logits_shape = (num_steps, batch_size, num_actions)
    return dict(
        feeds,
        behaviour_policy_logits=rng.normal(size=logits_shape).astype(np.float32),
        target_policy_logits=rng.normal(size=logits_shape).astype(np.float32),
        actions=rng.randint(num_actions, size=(num_steps, batch_size)).astype(np.int32),
    )


def _log_probs(logits, actions):
    result = np.zeros(actions.shape)
    for index, action in np.ndenumerate(actions):
        probabilities = np.exp(logits[index].astype(np.float64))
        result[index] = np.log(probabilities[action] / probabilities.sum())
    return result


def _assert_close(returns, expected):
    vs, pg_advantages = expected
    np.testing.assert_allclose(returns.vs, vs, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(returns.pg_advantages, pg_advantages, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize('shapes', SHAPES)
def test_log_probs(shapes):
    feeds = _logits_feeds()
    policy_logits, actions = feeds['target_policy_logits'], feeds['actions']
    log_probs = reference.evaluate(
        vtrace.log_probs_from_logits_and_actions,
        {'policy_logits': policy_logits, 'actions': actions},
        shapes,
    )
    np.testing.assert_allclose(log_probs, _log_probs(policy_logits, actions), rtol=1e-5, atol=1e-5)


THRESHOLDS = [(1.0, 1.0), (3.7, 2.2), (0.8, None), (None, 1.5)]


@pytest.mark.parametrize(
    'thresholds, num_steps, shapes',
    [
        (thresholds, [1, 2, 20][(i + j) % 3], shapes)
        for i, thresholds in enumerate(THRESHOLDS)
        for j, shapes in enumerate(SHAPES)
    ],
)
def test_importance_weights_equal_the_paper(thresholds, num_steps, shapes):
    feeds = _weights_feeds(num_steps)
    clip_rho, clip_pg_rho = thresholds
    build = functools.partial(
        vtrace.from_importance_weights,
        clip_rho_threshold=clip_rho,
        clip_pg_rho_threshold=clip_pg_rho,
    )
    returns = reference.evaluate(build, feeds, shapes)
    expected = reference.vtrace(
        clip_rho_threshold=clip_rho, clip_pg_rho_threshold=clip_pg_rho, **feeds
    )
    _assert_close(returns, expected)


@pytest.mark.parametrize('shapes', SHAPES)
@pytest.mark.parametrize('num_steps', [1, 11])
def test_logits_equal_the_paper(num_steps, shapes):
    feeds = _logits_feeds(num_steps)
    build = functools.partial(vtrace.from_logits, clip_rho_threshold=1.9, clip_pg_rho_threshold=1.3)
    returns = reference.evaluate(build, feeds, shapes)

    actions = feeds.pop('actions')
    behaviour = _log_probs(feeds.pop('behaviour_policy_logits'), actions)
    target = _log_probs(feeds.pop('target_policy_logits'), actions)
    np.testing.assert_allclose(returns.behaviour_action_log_probs, behaviour, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(returns.target_action_log_probs, target, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(returns.log_rhos, target - behaviour, rtol=1e-5, atol=1e-5)
    expected = reference.vtrace(
        target - behaviour, clip_rho_threshold=1.9, clip_pg_rho_threshold=1.3, **feeds
    )
    _assert_close(returns, expected)


def test_positional_arguments_are_those_of_scalable_agent():
    weights, logits = _weights_feeds(), _logits_feeds()
    weights_order = ['log_rhos', 'discounts', 'rewards', 'values', 'bootstrap_value']
    logits_order = ['behaviour_policy_logits', 'target_policy_logits', 'actions'] + weights_order[
        1:
    ]
    for function, feeds, order in [
        (vtrace.from_importance_weights, weights, weights_order),
        (vtrace.from_logits, logits, logits_order),
    ]:

        def by_position(function=function, order=order, **tensors):
            return function(*[tensors[name] for name in order], 2.5, 1.7, 'a_name')

        by_name = functools.partial(
            function, clip_rho_threshold=2.5, clip_pg_rho_threshold=1.7, name='a_name'
        )
        actual = reference.evaluate(by_position, feeds)
        for got, expected in zip(actual, reference.evaluate(by_name, feeds)):
            np.testing.assert_array_equal(got, expected)


def test_on_policy_is_the_discounted_return():
    feeds = dict(_weights_feeds(), log_rhos=np.zeros([11, 5], np.float32))
    returns = reference.evaluate(vtrace.from_importance_weights, feeds)
    expected = reference.discounted_returns(
        feeds['rewards'], feeds['discounts'], feeds['bootstrap_value']
    )
    np.testing.assert_allclose(returns.vs, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        returns.pg_advantages, expected - feeds['values'], rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize('trace_decay', [0.0, 0.7])
@pytest.mark.parametrize('shapes', SHAPES)
def test_trace_decay(trace_decay, shapes):
    feeds = _weights_feeds()
    build = functools.partial(vtrace.from_importance_weights, trace_decay=trace_decay)
    returns = reference.evaluate(build, feeds, shapes)
    thresholds = dict(clip_rho_threshold=1.0, clip_pg_rho_threshold=1.0)
    _assert_close(returns, reference.vtrace(trace_decay=trace_decay, **thresholds, **feeds))


@pytest.mark.parametrize('trace_decay', [0.0, 0.6, 1.0])
def test_on_policy_trace_decay_is_td_lambda_and_generalised_advantages(trace_decay):
    feeds = dict(_weights_feeds(), log_rhos=np.zeros([11, 5], np.float32))
    build = functools.partial(vtrace.from_importance_weights, trace_decay=trace_decay)
    returns = reference.evaluate(build, feeds)
    del feeds['log_rhos']
    expected = reference.lambda_returns(trace_decay=trace_decay, **feeds)
    _assert_close(returns, (expected, expected - feeds['values']))


def test_thresholds_may_be_tensors():
    feeds = dict(
        _weights_feeds(),
        clip_rho_threshold=np.float32(2.5),
        clip_pg_rho_threshold=np.float32(1.7),
    )
    returns = reference.evaluate(vtrace.from_importance_weights, feeds)
    _assert_close(returns, reference.vtrace(**feeds))


@pytest.mark.parametrize('shapes', SHAPES)
def test_masked_step_separates_two_unrolls(shapes):
    feeds = _weights_feeds()
    feeds['discounts'][:] = 0.9
    masked = 4
    mask = np.ones([11, 5], np.float32)
    mask[masked] = 0
    # Nothing about the masked step may matter, an overflowing weight included.
    feeds['log_rhos'][masked] = 200
    build = functools.partial(
        vtrace.from_importance_weights, clip_rho_threshold=None, clip_pg_rho_threshold=2.0
    )
    returns = reference.evaluate(build, dict(feeds, mask=mask), shapes)

    def expected(steps, bootstrap_value):
        part = {name: value[steps] for name, value in feeds.items() if name != 'bootstrap_value'}
        return reference.vtrace(
            bootstrap_value=bootstrap_value,
            clip_rho_threshold=None,
            clip_pg_rho_threshold=2.0,
            **part,
        )

    before, after = slice(masked), slice(masked + 1, None)
    values = feeds['values']
    _assert_close(
        vtrace.VTraceReturns(returns.vs[before], returns.pg_advantages[before]),
        expected(before, values[masked]),
    )
    _assert_close(
        vtrace.VTraceReturns(returns.vs[after], returns.pg_advantages[after]),
        expected(after, feeds['bootstrap_value']),
    )
    np.testing.assert_array_equal(returns.vs[masked], values[masked])
    np.testing.assert_array_equal(returns.pg_advantages[masked], np.zeros(5))


def test_mask_is_per_column_and_ones_change_nothing():
    feeds = _weights_feeds()
    mask = np.ones([11, 5], np.float32)
    mask[3, 2] = 0
    unmasked = reference.evaluate(vtrace.from_importance_weights, feeds)
    masked = reference.evaluate(vtrace.from_importance_weights, dict(feeds, mask=mask))
    logits = _logits_feeds()
    others = [0, 1, 3, 4]
    np.testing.assert_array_equal(masked.vs[:, others], unmasked.vs[:, others])
    np.testing.assert_array_equal(
        masked.pg_advantages[:, others], unmasked.pg_advantages[:, others]
    )
    assert masked.vs[3, 2] == feeds['values'][3, 2] != unmasked.vs[3, 2]
    from_logits = reference.evaluate(vtrace.from_logits, dict(logits, mask=mask))
    assert from_logits.vs[3, 2] == logits['values'][3, 2]


def test_extreme_weights_stay_finite():
    feeds = _weights_feeds(num_steps=200)
    feeds['discounts'][:] = 1
    feeds['log_rhos'] = np.random.RandomState(0).choice(
        np.array([-1e9, -100, 0, 100, 1e9], np.float32), size=(200, 5)
    )
    returns = reference.evaluate(vtrace.from_importance_weights, feeds)
    # The reference overflows nowhere either: it clips an infinite weight like any other.
    with np.errstate(over='ignore'):
        expected = reference.vtrace(clip_rho_threshold=1.0, clip_pg_rho_threshold=1.0, **feeds)
    assert np.all(np.isfinite(returns.vs)) and np.all(np.isfinite(returns.pg_advantages))
    _assert_close(returns, expected)


def test_long_unrolls_without_discount():
    feeds = _weights_feeds(num_steps=200)
    feeds['discounts'][:] = 1
    returns = reference.evaluate(vtrace.from_importance_weights, feeds)
    _assert_close(
        returns, reference.vtrace(clip_rho_threshold=1.0, clip_pg_rho_threshold=1.0, **feeds)
    )


def test_no_gradient_flows_through_targets():
    with tf.Graph().as_default():
        feeds = {name: tf.constant(value) for name, value in _weights_feeds().items()}
        returns = vtrace.from_importance_weights(**feeds)
        inputs = list(feeds.values())
        assert tf.gradients(returns.vs, inputs) == [None] * 5
        assert tf.gradients(returns.pg_advantages, inputs) == [None] * 5


def test_gradient_of_log_probs_is_that_of_the_softmax():
    feeds = _logits_feeds()

    def gradients(**tensors):
        returns = vtrace.from_logits(**tensors)
        logits = [tensors['behaviour_policy_logits'], tensors['target_policy_logits']]
        assert tf.gradients([returns.vs, returns.pg_advantages], logits) == [None, None]
        return tf.gradients(returns.log_rhos, logits)

    grad_behaviour, grad_target = reference.evaluate(gradients, feeds)

    def expected(logits):
        exps = np.exp(logits.astype(np.float64))
        return np.eye(4)[feeds['actions']] - exps / exps.sum(-1, keepdims=True)

    np.testing.assert_allclose(
        grad_target, expected(feeds['target_policy_logits']), rtol=1e-5, atol=1e-5
    )
    np.testing.assert_allclose(
        grad_behaviour, -expected(feeds['behaviour_policy_logits']), rtol=1e-5, atol=1e-5
    )


def test_further_dimensions():
    rng = np.random.RandomState(3)
    feeds = {
        'log_rhos': rng.uniform(-2, 2, (6, 3, 1)).astype(np.float32),
        'discounts': rng.uniform(0.8, 1, (6, 3, 1)).astype(np.float32),
        'rewards': rng.normal(size=(6, 3, 7)).astype(np.float32),
        'values': rng.normal(size=(6, 3, 7)).astype(np.float32),
        'bootstrap_value': rng.normal(size=(3, 7)).astype(np.float32),
    }
    mask = np.ones([6, 3, 1], np.float32)
    expected = reference.vtrace(clip_rho_threshold=1.0, clip_pg_rho_threshold=1.0, **feeds)
    for shapes in SHAPES:
        returns = reference.evaluate(vtrace.from_importance_weights, dict(feeds, mask=mask), shapes)
        _assert_close(returns, expected)


def test_known_shapes_reach_the_result():
    with tf.Graph().as_default():
        feeds = {name: tf.placeholder(tf.float32, [None] * rank) for name, rank in RANKS.items()}
        assert vtrace.from_importance_weights(**feeds).vs.shape.as_list() == [None, None]
        feeds = {name: tf.constant(value) for name, value in _weights_feeds().items()}
        returns = vtrace.from_importance_weights(**feeds)
        assert returns.vs.shape.as_list() == [11, 5]
        assert returns.pg_advantages.shape.as_list() == [11, 5]


@pytest.mark.parametrize('name', ['discounts', 'rewards', 'values', 'bootstrap_value', 'mask'])
def test_wrong_rank_of_weights_inputs(name):
    feeds = dict(_weights_feeds(), mask=np.ones([11, 5], np.float32))
    feeds[name] = feeds[name][..., np.newaxis]
    rank = RANKS.get(name, 2)
    with pytest.raises(ValueError, match=f'`{name}` must have rank {rank}, but its shape is'):
        reference.evaluate(vtrace.from_importance_weights, feeds)


@pytest.mark.parametrize('name', ['clip_rho_threshold', 'clip_pg_rho_threshold'])
def test_wrong_rank_of_thresholds(name):
    feeds = dict(_weights_feeds(), **{name: np.ones([5], np.float32)})
    with pytest.raises(ValueError, match=f'`{name}` must have rank 0, but its shape is'):
        reference.evaluate(vtrace.from_importance_weights, feeds)


@pytest.mark.parametrize(
    'name, rank', [('behaviour_policy_logits', 3), ('target_policy_logits', 3), ('actions', 2)]
)
def test_wrong_rank_of_logits_inputs(name, rank):
    feeds = _logits_feeds()
    feeds[name] = feeds[name][0]
    with pytest.raises(ValueError, match=f'`{name}` must have rank {rank}, but its shape is'):
        reference.evaluate(vtrace.from_logits, feeds)


def test_operations_carry_the_name():
    with tf.Graph().as_default():
        feeds = {name: tf.constant(value) for name, value in _logits_feeds().items()}
        returns = vtrace.from_logits(name='my_vtrace', **feeds)
        assert all(tensor.name.startswith('my_vtrace/') for tensor in returns)
