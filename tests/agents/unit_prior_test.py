"""The prior of points: which pixels, which functions, and what becomes of it in an agent."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import agents, envs
from sc2impala.agents import unit_prior
from sc2impala.agents.policy import UNAVAILABLE_LOGIT
from tests.agents.agents_test import MAX_STEP_MUL, B, T, _tensors, _trajectory

STRENGTH = 3.0
FUNCTIONS = (
    'no_op',
    'select_point',
    'Attack_screen',
    'Build_SupplyDepot_screen',
    'Build_Refinery_screen',
    'Attack_minimap',
)
NONE, SELF, ALLY, NEUTRAL, ENEMY, GROUND = range(6)


def make_specs(**options):
    options = dict(
        dict(functions=FUNCTIONS, fixed_arguments={'queued': 0}, screen_size=(5, 4)), **options
    )
    return envs.make_specs('FindAndDefeatZerglings', minimap_size=(3, 6), **options)


def test_what_functions_point_at():
    for function, expected in [
        ('select_point', {SELF}),
        ('Effect_Repair_screen', {SELF}),
        ('Effect_Heal_screen', {SELF}),
        ('Load_screen', {SELF}),
        ('Attack_screen', {ALLY, NEUTRAL, ENEMY}),
        ('Move_minimap', {ALLY, NEUTRAL, ENEMY}),
        ('Harvest_Gather_screen', {ALLY, NEUTRAL, ENEMY}),
        ('Build_Refinery_screen', {ALLY, NEUTRAL, ENEMY}),
        ('Build_Barracks_screen', {GROUND}),
        ('TrainWarp_Zealot_screen', {GROUND}),
        ('Land_Barracks_screen', {GROUND}),
        ('UnloadAllAt_screen', set()),
        ('select_rect', set()),
    ]:
        assert set(np.flatnonzero(unit_prior.points_at(function))) == expected, function


def test_every_function_with_a_point_has_an_answer():
    for function in envs.actions.FUNCTIONS:
        points = unit_prior.points_at(function.name)
        assert points.shape == (6,) and set(points) <= {0.0, 1.0} and points[0] == 0


def initial_logits(specs, observation, of_orders=None):
    """The logits of an untrained prior, of an observation of each function, by head."""
    with tf.Graph().as_default(), tf.Session() as session:
        prior = unit_prior.UnitPrior(*specs, STRENGTH, of_orders)
        assert prior.heads == ('screen', 'minimap')
        kinds = prior.kinds(tf.nest.map_structure(tf.constant, observation))
        function = tf.range(len(FUNCTIONS))
        logits = {head: prior.logits(head, kinds[head], function) for head in prior.heads}
        session.run(tf.global_variables_initializer())
        return session.run(logits)


@pytest.mark.parametrize('of_orders, expected', [(None, STRENGTH), (0.0, 0.0), (5.0, 5.0)])
def test_logits_are_those_of_what_the_pixel_shows(of_orders, expected):
    rng = np.random.RandomState(0)
    screen = rng.randint(5, size=(len(FUNCTIONS), 4, 5)).astype(np.uint8)
    minimap = rng.randint(5, size=(len(FUNCTIONS), 6, 3)).astype(np.uint8)
    observation = {'screen': {'player_relative': screen}, 'minimap': {'player_relative': minimap}}
    found = initial_logits(make_specs(), observation, of_orders)
    for head, layer in (('screen', screen), ('minimap', minimap)):
        for row, name in enumerate(FUNCTIONS):
            strength = STRENGTH if name == 'select_point' else expected
            wanted = strength * unit_prior.points_at(name)[layer[row].ravel()]
            np.testing.assert_array_equal(found[head][row], wanted)


def test_a_unit_that_is_selected_before_an_order_has_that_of_selections():
    functions = ('no_op', 'select_point+Attack_screen', 'Attack_screen', 'select_rect')
    specs = make_specs(functions=functions)
    layer = np.random.RandomState(0).randint(5, size=(4, 4, 5)).astype(np.uint8)
    with tf.Graph().as_default(), tf.Session() as session:
        prior = unit_prior.UnitPrior(*specs, STRENGTH, 1.0)
        assert prior.heads == ('screen', 'screen2')
        kinds = prior.kinds({'screen': {'player_relative': tf.constant(layer)}})
        logits = {head: prior.logits(head, kinds[head], tf.range(4)) for head in prior.heads}
        session.run(tf.global_variables_initializer())
        found = session.run(logits)
    flat = layer.reshape([4, -1])
    np.testing.assert_array_equal(found['screen2'][1], STRENGTH * (flat[1] == SELF))
    assert not found['screen2'][[0, 2, 3]].any()
    np.testing.assert_array_equal(found['screen'][1:3], 1.0 * (flat[1:3] >= ALLY))
    assert not found['screen'][3].any()


def test_sites_are_where_there_is_ground_and_no_unit():
    specs = make_specs(screen_layers=('player_relative', 'buildable'))
    rng = np.random.RandomState(1)
    screen = rng.randint(5, size=(len(FUNCTIONS), 4, 5)).astype(np.uint8)
    buildable = rng.randint(2, size=screen.shape).astype(np.uint8)
    minimap = np.zeros([len(FUNCTIONS), 6, 3], np.uint8)
    observation = {
        'screen': {'player_relative': screen, 'buildable': buildable},
        'minimap': {'player_relative': minimap},
    }
    found = initial_logits(specs, observation)
    assert not found['minimap'].any()
    for row, name in enumerate(FUNCTIONS):
        if name == 'Build_SupplyDepot_screen':
            wanted = STRENGTH * np.logical_and(screen[row] == NONE, buildable[row])
        else:
            wanted = STRENGTH * unit_prior.points_at(name)[screen[row]]
        np.testing.assert_array_equal(found['screen'][row], wanted.ravel())


def test_a_head_without_the_layer_has_none():
    specs = make_specs(minimap_layers=('camera',))
    with tf.Graph().as_default():
        assert unit_prior.UnitPrior(*specs, STRENGTH).heads == ('screen',)


@pytest.mark.parametrize(
    'options',
    [
        dict(screen_layers=('selected',), minimap_layers=('camera',)),
        dict(functions=('no_op', 'select_army')),
    ],
)
def test_a_prior_of_nothing_is_refused(options):
    with pytest.raises(ValueError, match='unit_prior=3 needs functions that point'):
        unit_prior.UnitPrior(*make_specs(**options), STRENGTH)


def allowed_pixels(functions, mask, layer):
    """Allowed pixels and masked logits of zeros by head, with one function per observation.

    The prior itself has a strength of 0, and no variables.
    """
    specs = make_specs(functions=functions)
    with tf.Graph().as_default(), tf.Session() as session:
        prior = unit_prior.UnitPrior(*specs, 0.0, mask=mask)
        kinds = prior.kinds({'screen': {'player_relative': tf.constant(layer)}})
        function = tf.range(len(functions))
        zeros = tf.zeros([len(functions), layer[0].size])
        found = session.run(
            {
                head: (
                    prior.allowed(head, kinds[head], function),
                    prior.added(zeros, head, kinds[head], function),
                )
                for head in prior.heads
            }
        )
        assert not tf.trainable_variables()
    return found


@pytest.mark.parametrize('mask', ['selections', 'all'])
def test_a_mask_leaves_the_pixels_with_targets(mask):
    functions = ('select_rect', 'select_point', 'select_point+Attack_screen', 'Attack_screen')
    layer = np.random.RandomState(0).randint(5, size=(4, 4, 5)).astype(np.uint8)
    flat = layer.reshape([4, -1])
    own, others = flat == SELF, flat >= ALLY
    assert own[1:].any(axis=1).all() and others[1:].any(axis=1).all()
    found = allowed_pixels(functions, mask, layer)
    everywhere = np.ones_like(flat[0], bool)
    orders = others if mask == 'all' else np.ones_like(others)
    expected = {
        'screen': [everywhere, own[1], orders[2], orders[3]],
        'screen2': [everywhere, everywhere, own[2], everywhere],
    }
    for head, rows in expected.items():
        allowed, logits = found[head]
        np.testing.assert_array_equal(allowed, rows)
        np.testing.assert_array_equal(logits, np.where(rows, 0, UNAVAILABLE_LOGIT))


def test_a_mask_without_a_target_in_sight_leaves_all_pixels():
    functions = ('select_point', 'Attack_screen', 'Build_SupplyDepot_screen')
    layer = np.full([3, 4, 5], NONE, np.uint8)
    layer[0, 1, 2] = ENEMY
    layer[1, 1, 2] = SELF
    allowed, _ = allowed_pixels(functions, 'all', layer)['screen']
    assert allowed.all()


def test_a_mask_needs_no_prior_and_lets_no_gradient_flow_to_other_pixels():
    specs = make_specs()
    layer = np.zeros([2, 4, 5], np.uint8)
    layer[:, 2, 1:3] = SELF
    with tf.Graph().as_default(), tf.Session() as session:
        prior = unit_prior.UnitPrior(*specs, STRENGTH, mask='selections')
        kind = tf.reshape(tf.constant(layer, tf.int32), [2, -1])
        logits = tf.random.stateless_normal([2, 20], [1, 2])
        masked = prior.added(logits, 'screen', kind, tf.constant([1, 2]))
        log_prob = tf.nn.log_softmax(masked)[:, 11]
        gradient = tf.gradients(log_prob, logits)[0]
        session.run(tf.global_variables_initializer())
        gradient, probability = session.run([gradient, tf.nn.softmax(masked)])
    assert set(np.flatnonzero(gradient[0])) == {11, 12}
    assert set(np.flatnonzero(probability[0])) == {11, 12}
    assert np.isfinite(gradient).all() and np.count_nonzero(gradient[1]) == 20


@pytest.mark.parametrize('option', ['unit_prior', 'order_prior'])
def test_it_needs_arguments_that_depend_on_the_function(option):
    with pytest.raises(ValueError, match=f'{option}=3 needs --argument_conditioning'):
        agents.make_agent('fully_conv', *make_specs(), MAX_STEP_MUL, **{option: STRENGTH})


def test_a_mask_needs_them_as_well():
    with pytest.raises(ValueError, match='unit_mask=all needs --argument_conditioning'):
        agents.make_agent('fully_conv', *make_specs(), MAX_STEP_MUL, unit_mask='all')


@pytest.mark.long
@pytest.mark.parametrize('name', ['fully_conv_lstm', 'units_lstm'])
def test_a_masked_agent_points_at_targets_alone(name):
    """Its sampled points, and log-probabilities in the learner, whose mask is the actor's."""
    specs = make_specs(vectors=('player', 'feature_units'))
    with tf.Graph().as_default(), tf.Session() as session:
        agent = agents.make_agent(
            name, *specs, MAX_STEP_MUL, argument_conditioning=True, unit_mask='all'
        )
        agent.create_variables(specs[0])
        trajectory = _trajectory(*specs)
        output, _ = agent.unroll(*_tensors(trajectory), agent.initial_state(B))
        session.run(tf.global_variables_initializer())
        action, logits = session.run([output.action, output.action_logits])
    layer = np.asarray(trajectory[1].observation['screen']['player_relative']).reshape([T, B, -1])
    num_masked = 0
    for t in range(T):
        for b in range(B):
            aims = unit_prior.points_at(FUNCTIONS[action['function'][t, b]]) > 0
            allowed = aims[layer[t, b]]
            if not allowed.any():
                allowed = ~allowed
            np.testing.assert_array_equal(logits['screen'][t, b] > -1e8, allowed)
            num_masked += not allowed.all()
            if t == T - 1:
                assert allowed[action['screen'][t, b]]
    assert num_masked > 5


def test_orders_alone_can_have_one():
    with tf.Graph().as_default():
        options = dict(argument_conditioning=True, unit_prior=0.0)
        agent = agents.make_agent(
            'fully_conv', *make_specs(), MAX_STEP_MUL, order_prior=STRENGTH, **options
        )
        agent.create_variables(make_specs()[0])
        assert [v for v in agent.weights if 'unit_prior' in v.name]
        agent = agents.make_agent(
            'fully_conv', *make_specs(), MAX_STEP_MUL, order_prior=0.0, **options
        )
        agent.create_variables(make_specs()[0])
        assert not [v for v in agent.weights if 'unit_prior' in v.name]


def unrolled(prior, scale=1.0):
    """Logits and observation of an unroll, the gradients of the prior's variables, and the agent's.

    The variables have the same values whatever the prior is.
    """
    specs = make_specs()
    with tf.Graph().as_default(), tf.Session() as session:
        agent = agents.make_agent(
            'unet_lstm',
            *specs,
            MAX_STEP_MUL,
            argument_conditioning=True,
            unit_prior=prior,
            point_logit_scale=scale,
        )
        agent.create_variables(specs[0])
        own = [v for v in agent.weights if 'unit_prior' in v.name]
        trajectory = _trajectory(*specs)
        output, _ = agent.unroll(*_tensors(trajectory), agent.initial_state(B))
        log_prob = agent.policy.log_prob(output, output)
        gradients = tf.gradients(log_prob, own)
        session.run(tf.global_variables_initializer())
        for variable in agent.weights:
            if variable not in own:
                seed = sum(map(ord, variable.name))
                values = np.random.RandomState(seed).normal(size=variable.shape.as_list())
                variable.load(0.1 * values, session)
        logits, action, of_prior = session.run([output.action_logits, output.action, gradients])
    return logits, action, of_prior, trajectory


def test_it_is_added_to_the_logits_of_the_points_that_were_played():
    with_prior, action, gradients, trajectory = unrolled(STRENGTH)
    without, same, none, _ = unrolled(0.0)
    assert len(gradients) == 2 and not none
    assert all(np.abs(each).max() > 0 for each in gradients)
    observation = trajectory[1].observation
    for head in ('screen', 'minimap'):
        layer = np.asarray(observation[head]['player_relative']).reshape([T, B, -1])
        # The last step was not played: its function is sampled.
        for t in range(T - 1):
            for b in range(B):
                name = FUNCTIONS[action['function'][t, b]]
                added = STRENGTH * unit_prior.points_at(name)[layer[t, b]]
                np.testing.assert_allclose(
                    with_prior[head][t, b] - without[head][t, b], added, atol=1e-4
                )
    np.testing.assert_allclose(with_prior['function'], without['function'], atol=1e-5)
    np.testing.assert_array_equal(action['function'][:-1], same['function'][:-1])


def test_a_scale_is_that_of_points_only():
    scaled, plain = unrolled(0.0, 8.0)[0], unrolled(0.0)[0]
    for head in ('screen', 'minimap'):
        np.testing.assert_allclose(scaled[head][:-1], 8 * plain[head][:-1], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(scaled['function'], plain['function'], rtol=1e-5, atol=1e-5)
