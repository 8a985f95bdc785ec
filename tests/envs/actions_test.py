import pickle
import re

import numpy as np
import pytest

from sc2impala.envs import actions
from sc2impala.envs.pysc2_api import actions as pysc2_actions
from sc2impala.envs.pysc2_api import features

SCREEN = (16, 12)
MINIMAP = (7, 5)
FUNCTIONS = pysc2_actions.FUNCTIONS


def make(functions='all', **options):
    return actions.make_action_spec(functions, SCREEN, MINIMAP, **options)


def random_action(spec, rng, size=None):
    return {head: rng.randint(n, size=size, dtype=np.int32) for head, n in spec.heads.items()}


def pysc2_action_spec():
    """The client's own description of the functions, for the sizes of these tests."""
    client = features.Features(
        features.AgentInterfaceFormat(
            feature_dimensions=features.Dimensions(screen=SCREEN, minimap=MINIMAP),
            raw_resolution=64,
        ),
        map_size=(64, 64),
    )
    return client, client.action_spec()


def random_arguments(function, types, rng):
    sizes = {argument.name: argument.sizes for argument in types}
    return [[int(rng.randint(n)) for n in sizes[argument.name]] for argument in function.args]


def test_functions_keep_the_order_of_the_choice():
    spec = make(['select_army', 331, 'no_op', np.int64(12)])
    assert spec.functions == (7, 331, 0, 12)
    assert spec.function_names == ('select_army', 'Move_screen', 'no_op', 'Attack_screen')
    assert spec.num_functions == 4


def test_heads_of_a_choice():
    spec = make(['no_op', 'select_army', 'Move_screen', 'Move_minimap'])
    assert list(spec.heads.items()) == [
        ('function', 4),
        ('screen', 16 * 12),
        ('minimap', 7 * 5),
        ('queued', 2),
        ('select_add', 2),
    ]
    assert spec.argument_heads == ('screen', 'minimap', 'queued', 'select_add')
    assert spec.head_used.tolist() == [
        [False, False, False, False],
        [False, False, False, True],
        [True, False, True, False],
        [False, True, True, False],
    ]
    assert spec.head_used.dtype == np.bool_


def test_heads_of_all_functions_are_those_of_the_client():
    _, client_spec = pysc2_action_spec()
    spec = make('all')
    assert spec.functions == tuple(range(573))
    assert spec.argument_heads == tuple(argument.name for argument in client_spec.types)
    sizes = {argument.name: int(np.prod(argument.sizes)) for argument in client_spec.types}
    assert spec.heads == dict(sizes, function=573)
    for function, used in zip(client_spec.functions, spec.head_used):
        names = {name for name, is_used in zip(spec.argument_heads, used) if is_used}
        assert names == {argument.name for argument in function.args}


def test_a_choice_may_use_no_argument_at_all():
    spec = make(['no_op'])
    assert spec.heads == {'function': 1}
    assert spec.head_used.shape == (1, 0)
    assert spec.to_function_call({'function': 0}) == (0, [])
    assert spec.decode({'function': np.zeros(3, np.int32)})[1] == {}


def test_points_index_row_by_row():
    spec = make(['no_op', 'select_rect', 'Move_minimap'])
    action = dict.fromkeys(spec.heads, 0)
    action.update(function=1, screen=3 * 16 + 5, screen2=11 * 16 + 15, select_add=1)
    assert spec.to_function_call(action) == (3, [[1], [5, 3], [15, 11]])
    action.update(function=2, minimap=4 * 7 + 6, queued=1)
    assert spec.to_function_call(action) == (332, [[1], [6, 4]])


def test_available_picks_the_chosen_functions():
    spec = make(['Move_screen', 'no_op', 'select_army'])
    mask = np.zeros([2, 3, 573], np.bool_)
    mask[..., 0] = True
    mask[1, 2, 331] = True
    available = spec.available(mask)
    assert available.shape == (2, 3, 3)
    assert available[0, 0].tolist() == [False, True, False]
    assert available[1, 2].tolist() == [True, True, False]
    available[:] = False
    assert mask[1, 2, 331]
    assert spec.available(mask[1, 2]).tolist() == [True, True, False]
    with pytest.raises(ValueError, match=r'mask has shape \(3,\), expected \[..., 573\]'):
        spec.available([True] * 3)


def test_no_op_may_be_kept_for_where_nothing_else_is_available():
    spec = make(['Move_screen', 'no_op', 'select_army'], no_op_as_last_resort=True)
    mask = np.zeros([2, 2, 573], np.bool_)
    mask[..., 0] = True
    mask[1, 0, [7, 12]] = True  # Only one of them is among the functions.
    mask[1, 1, [7, 331]] = True
    assert spec.available(mask).tolist() == [
        [[False, True, False], [False, True, False]],
        [[False, False, True], [True, False, True]],
    ]
    assert mask[..., 0].all()
    without = make(['Move_screen', 'select_army', 'select_point'], no_op_as_last_resort=True)
    assert without.available(mask[1, 1]).tolist() == [True, True, False]


def test_every_function_survives_the_way_to_a_function_call_and_back():
    spec, rng = make('all'), np.random.RandomState(1)
    for function in FUNCTIONS:
        action = dict(random_action(spec, rng), function=int(function.id))
        function_id, arguments = spec.to_function_call(action)
        assert function_id == function.id
        back = spec.from_function_call(function_id, arguments)
        assert back.keys() == spec.heads.keys()
        assert {index.dtype for index in back.values()} == {np.dtype(np.int32)}
        used = {'function'} | {argument.name for argument in function.args}
        assert back == {head: action[head] if head in used else 0 for head in action}


def test_every_function_call_of_the_client_survives_the_way_back():
    _, client_spec = pysc2_action_spec()
    rng = np.random.RandomState(2)
    shuffled = rng.permutation(573).tolist()
    spec = make(shuffled)
    for function in FUNCTIONS:
        arguments = random_arguments(function, client_spec.types, rng)
        call = FUNCTIONS[function.id](*arguments)
        action = spec.from_function_call(call.function, call.arguments)
        assert spec.functions[action['function']] == function.id
        assert spec.to_function_call(action) == (function.id, arguments)


def test_the_client_accepts_every_call():
    client, _ = pysc2_action_spec()
    spec, rng = make('all'), np.random.RandomState(3)
    for function in FUNCTIONS:
        action = dict(random_action(spec, rng), function=int(function.id))
        call = pysc2_actions.FunctionCall(*spec.to_function_call(action))
        message = client.transform_action(None, call, skip_available=True)
        # no_op alone is an empty message.
        assert (message.ByteSize() > 0) == (function.id != 0), function.name


def test_a_batch_is_decoded_like_its_actions_one_by_one():
    spec, rng = make('all'), np.random.RandomState(4)
    actions_batch = random_action(spec, rng, size=200)
    function_ids, arguments = spec.decode(actions_batch)
    assert function_ids.dtype == np.int32
    assert {a.dtype for a in arguments.values()} == {np.dtype(np.int32)}
    assert tuple(arguments) == spec.argument_heads
    for k, function_id in enumerate(function_ids):
        call = spec.to_function_call({head: index[k] for head, index in actions_batch.items()})
        names = [argument.name for argument in FUNCTIONS[function_id].args]
        assert call == (function_id, [np.ravel(arguments[n][k]).tolist() for n in names])


def test_a_batch_is_encoded_like_its_actions_one_by_one():
    spec, rng = make('all'), np.random.RandomState(5)
    function_ids, arguments = spec.decode(random_action(spec, rng, size=200))
    batch = spec.encode(function_ids, arguments)
    for k, function_id in enumerate(function_ids):
        names = [argument.name for argument in FUNCTIONS[function_id].args]
        call = [np.ravel(arguments[n][k]).tolist() for n in names]
        one = {head: index[k] for head, index in batch.items()}
        assert one == spec.from_function_call(function_id, call)


def test_absent_arguments_count_as_zero():
    spec = make(['no_op', 'Move_screen'])
    action = spec.encode(np.array([0, 331]), {'screen': np.array([[99, 99], [2, 1]])})
    assert {head: index.tolist() for head, index in action.items()} == {
        'function': [0, 1],
        'screen': [0, 18],
        'queued': [0, 0],
    }


class TestSelectionBeforeAnOrder:
    FUNCTIONS = (
        'no_op',
        'select_point+Attack_screen',
        'Attack_screen',
        'select_rect',
        'select_army+Attack_minimap',
    )

    def make(self, **kwargs):
        return make(self.FUNCTIONS, **kwargs)

    def test_heads(self):
        spec = self.make()
        attack, on_minimap = FUNCTIONS['Attack_screen'].id, FUNCTIONS['Attack_minimap'].id
        assert spec.functions == (0, attack, attack, FUNCTIONS['select_rect'].id, on_minimap)
        assert spec.function_names == self.FUNCTIONS
        assert spec.selections == ('', 'select_point', '', '', 'select_army')
        assert spec.selects.tolist() == [False, True, False, False, True]
        heads = 'screen', 'minimap', 'screen2', 'queued', 'select_point_act', 'select_add'
        assert spec.argument_heads == heads
        assert spec.head_used.astype(int).tolist() == [
            [0, 0, 0, 0, 0, 0],
            [1, 0, 1, 1, 1, 0],
            [1, 0, 0, 1, 0, 0],
            [1, 0, 1, 0, 0, 1],
            [0, 1, 0, 1, 0, 1],
        ]

    def test_it_is_available_where_units_can_be_selected(self):
        mask = np.zeros([3, 573], bool)
        for row, name in enumerate(('select_point', 'Attack_screen', 'select_army')):
            mask[row, FUNCTIONS[name].id] = True
        assert self.make().available(mask).astype(int).tolist() == [
            [0, 1, 0, 0, 0],
            [0, 0, 1, 0, 0],
            [0, 0, 0, 0, 1],
        ]

    def test_the_two_calls(self):
        spec = self.make()
        width = spec.screen_size[0]
        point, army = FUNCTIONS['select_point'].id, FUNCTIONS['select_army'].id
        action = {head: np.zeros([4], np.int32) for head in spec.heads}
        action['function'][:] = [1, 2, 1, 4]
        action['screen2'][:] = [2 * width + 1, 9, 3 * width, 0]
        action['screen'][:] = [4, 5, 6, 0]
        action['queued'][:] = [0, 0, 1, 0]
        action['select_point_act'][:] = [2, 0, 3, 0]
        action['select_add'][3] = 1
        ids, arguments = spec.decode_selections(action)
        assert ids.tolist() == [point, 0, point, army]
        assert arguments['screen'][[0, 2]].tolist() == [[1, 2], [0, 3]]
        assert set(arguments) == {'screen', 'select_point_act', 'select_add'}
        assert arguments['select_point_act'][[0, 2]].tolist() == [2, 3]
        assert arguments['select_add'][3] == 1
        ids, arguments = spec.decode(action)
        attack = FUNCTIONS['Attack_screen'].id
        assert ids.tolist() == [attack] * 3 + [FUNCTIONS['Attack_minimap'].id]
        assert arguments['screen'][:3].tolist() == [[4, 0], [5, 0], [6, 0]]
        assert arguments['queued'].tolist() == [0, 0, 1, 0]
        action['function'][:] = [0, 2, 3, 0]
        assert spec.decode_selections(action) is None
        assert make('all').decode_selections(action) is None

    def test_two_calls_are_encoded(self):
        spec = self.make(fixed_arguments={'queued': 0})
        rng = np.random.RandomState(0)
        action = {head: rng.randint(size, size=50) for head, size in spec.heads.items()}
        for column, head in enumerate(spec.argument_heads):
            action[head] *= spec.head_used[action['function'], column]
        again = spec.encode(*spec.decode(action), spec.decode_selections(action))
        assert set(again) == set(action)
        for head, choice in action.items():
            np.testing.assert_array_equal(again[head], choice)
        point, attack = FUNCTIONS['select_point'].id, FUNCTIONS['Attack_minimap'].id
        with pytest.raises(ValueError, match=f'function_ids has {attack}, expected ids out of'):
            points = {'screen': np.zeros([1, 2], int)}
            spec.encode(np.array([attack]), {}, (np.array([point]), points))

    def test_an_army_takes_no_point(self):
        spec = make(['no_op', 'select_army+Attack_minimap'])
        assert 'screen2' not in spec.heads
        action = {head: np.ones([2], np.int32) for head in spec.heads}
        ids, arguments = spec.decode_selections(action)
        assert ids.tolist() == [FUNCTIONS['select_army'].id] * 2
        assert arguments['select_add'].tolist() == [1, 1] and len(arguments) == 1

    def test_fixed_arguments_of_selections(self):
        fixed = {'queued': 0, 'select_point_act': 2, 'select_add': 0}
        spec = self.make(fixed_arguments=fixed)
        assert spec.argument_heads == ('screen', 'minimap', 'screen2')
        action = {head: np.ones([2], np.int32) for head in spec.heads}
        arguments = spec.decode_selections(action)[1]
        assert arguments['select_point_act'].tolist() == [2, 2]
        assert arguments['select_add'].tolist() == [0, 0]

    def test_a_call_is_never_encoded_as_two(self):
        attack = FUNCTIONS['Attack_screen'].id
        spec = self.make()
        assert spec.encode(np.array([attack]), {})['function'].tolist() == [2]
        alone = make(['no_op', 'select_point+Attack_screen'])
        with pytest.raises(ValueError, match='function_ids has'):
            alone.encode(np.array([attack]), {})
        with pytest.raises(ValueError, match='function_id is'):
            alone.from_function_call(attack, [[0], [1, 1]])

    def test_an_order_may_have_no_target(self):
        fixed = {'queued': 0, 'select_point_act': 0}
        spec = make(['no_op', 'select_point+Train_SCV_quick'], fixed_arguments=fixed)
        assert spec.argument_heads == ('screen2',)
        pixel = spec.screen_size[0] + 2
        action = {'function': np.array([1, 0]), 'screen2': np.array([pixel, 0])}
        ids, arguments = spec.decode_selections(action)
        assert ids.tolist() == [FUNCTIONS['select_point'].id, 0]
        assert arguments['screen'][0].tolist() == [2, 1]
        assert spec.decode(action)[0].tolist() == [FUNCTIONS['Train_SCV_quick'].id, 0]

    def test_an_idle_worker_takes_no_point(self):
        spec = make(['no_op', 'select_idle_worker+Harvest_Gather_screen'])
        assert set(spec.heads) == {'function', 'screen', 'queued', 'select_worker'}
        action = {head: np.full([2], 1, np.int32) for head in spec.heads}
        ids, arguments = spec.decode_selections(action)
        assert ids.tolist() == [FUNCTIONS['select_idle_worker'].id] * 2
        assert arguments['select_worker'].tolist() == [1, 1] and len(arguments) == 1
        mask = np.zeros([573], bool)
        mask[FUNCTIONS['select_idle_worker'].id] = True
        assert spec.available(mask).tolist() == [False, True]

    def test_a_selection_of_points_is_always_available(self):
        assert make(['select_point+Move_screen']).num_functions == 1

    @pytest.mark.parametrize(
        'name',
        ['select_point+no_op', 'select_army+select_point', 'select_point+move_camera']
        + ['select_rect+Move_screen', 'select_army+select_rect', 'select_point+unload'],
    )
    def test_only_orders_with_a_target(self, name):
        with pytest.raises(ValueError, match=re.escape(f'functions has {name!r}')):
            make(['no_op', name])


def test_specs_survive_the_way_to_another_process():
    spec, rng = make('all'), np.random.RandomState(6)
    copy = pickle.loads(pickle.dumps(spec))
    assert (copy.functions, copy.heads) == (spec.functions, spec.heads)
    action = random_action(spec, rng)
    assert copy.to_function_call(action) == spec.to_function_call(action)


def test_bad_functions():
    for functions, complaint in [
        (['no_op', 'Move_scren'], "functions has 'Move_scren'.*Move_screen"),
        (['no_op', 'selectarmy'], 'select_army'),
        (['no_op', 573], r'functions has 573, expected ids in 0\.\.572'),
        (['no_op', -1], 'functions has -1'),
        (['no_op', 0], "functions has 'no_op' 2 times"),
        ('no_op', "functions is 'no_op', expected a list of names or 'all'"),
        (['no_op', None], 'functions has None'),
        (['Move_screen', 'select_army'], 'at least one that is always available: no_op, '),
        ([], 'at least one that is always available'),
    ]:
        with pytest.raises(ValueError, match=complaint):
            make(functions)


def test_bad_sizes():
    with pytest.raises(ValueError, match='screen_size is 84'):
        actions.make_action_spec('all', 84, (64, 64))
    with pytest.raises(ValueError, match='minimap_size is'):
        actions.make_action_spec('all', (84, 84), (64, 0))


@pytest.mark.parametrize(
    'change,complaint',
    [
        ({'screen': [0, 16 * 12]}, r"action\['screen'\] has 192, expected 0\.\.191"),
        ({'queued': [-1, 0]}, r"action\['queued'\] has -1, expected 0\.\.1"),
        ({'function': [0, 3]}, r"action\['function'\] has 3, expected 0\.\.2"),
        ({'function': [0]}, r'action has heads of shape \(1,\) and \(2,\)'),
        ({'function': [[0, 0]]}, r'action has heads of shape'),
        ({'queued': [0.0, 1.0]}, 'action is of float64, expected integers'),
        ({'select_add': [0, 0]}, 'action has the heads .*, expected'),
    ],
)
def test_bad_actions(change, complaint):
    spec = make(['no_op', 'Move_screen', 'Stop_quick'])
    action = {head: [0, 1] for head in spec.heads}
    spec.decode(action)
    with pytest.raises(ValueError, match=complaint):
        spec.decode(dict(action, **change))


def test_missing_heads_and_scalars_are_no_batch():
    spec = make(['no_op', 'Move_screen'])
    with pytest.raises(ValueError, match=r"action has the heads \['function'\]"):
        spec.decode({'function': [0]})
    with pytest.raises(ValueError, match=r'action has heads of shape \(\)'):
        spec.decode({'function': 0, 'screen': 0, 'queued': 0})


def test_bad_function_calls():
    for function_id, arguments, complaint in [
        (7, [[0]], r'function_id is 7, expected one of 0, 331\.'),
        (331, [[0]], r'arguments is .*lengths \[1, 2\] for Move_screen\(queued, screen\)'),
        (331, [[0], [1, 2], [3]], 'lengths'),
        (331, [[0], [1]], 'lengths'),
        (331, [[2], [1, 1]], r"arguments\['queued'\] has \[2\]"),
        (331, [[0], [16, 0]], r"arguments\['screen'\] has \[16, 0\]"),
        (331, [[0], [0, 12]], r"arguments\['screen'\] has \[0, 12\]"),
        (331, [[0], [-1, 0]], r"arguments\['screen'\] has \[-1, 0\]"),
    ]:
        with pytest.raises(ValueError, match=complaint):
            make(['no_op', 'Move_screen']).from_function_call(function_id, arguments)


def test_bad_batches_of_function_calls():
    spec = make(['no_op', 'Move_screen'])
    for function_id in (7, -1, 573):
        with pytest.raises(ValueError, match=f'function_ids has {function_id}'):
            spec.encode(np.array([0, function_id]), {})
    with pytest.raises(ValueError, match=r"arguments\['screen'\] has shape \(2,\)"):
        spec.encode(np.array([0, 331]), {'screen': np.array([1, 2])})


def test_fixed_arguments_are_no_heads_and_in_every_call():
    spec = actions.make_action_spec(
        ['no_op', 'select_army', 'Move_screen'], (5, 4), (3, 2), {'queued': 1, 'unload_id': 3}
    )
    assert spec.argument_heads == ('screen', 'select_add')
    assert spec.fixed_arguments == {'queued': 1}
    action = {
        'function': np.array([2, 1]),
        'screen': np.array([7, 0]),
        'select_add': np.array([0, 1]),
    }
    function_ids, arguments = spec.decode(action)
    assert arguments['queued'].tolist() == [1, 1]
    assert spec.to_function_call({head: index[0] for head, index in action.items()}) == (
        331,
        [[1], [2, 1]],
    )
    assert spec.from_function_call(331, [[1], [2, 1]]) == {
        'function': 2,
        'screen': 7,
        'select_add': 0,
    }
    encoded = spec.encode(function_ids, arguments)
    assert {head: index.tolist() for head, index in encoded.items()} == {
        'function': [2, 1],
        'screen': [7, 0],
        'select_add': [0, 1],
    }
    with pytest.raises(ValueError, match='arguments has 0 for queued, expected 1'):
        spec.from_function_call(331, [[0], [2, 1]])


@pytest.mark.parametrize(
    'fixed, message',
    [
        ({'queued': 2}, 'fixed_arguments has 2 for queued, expected 0..1'),
        ({'screen': 0}, "fixed_arguments is 'screen', expected one of: .*queued"),
        ({'quequed': 0}, "fixed_arguments is 'quequed'"),
    ],
)
def test_refuses_to_fix_what_cannot_be_fixed(fixed, message):
    with pytest.raises(ValueError, match=message):
        actions.make_action_spec(['no_op'], (5, 4), (3, 2), fixed)


def test_what_selects_and_orders_in_one_action():
    assert actions.in_pairs(('no_op', 'select_point', 'Move_screen')) == (
        'no_op',
        'select_point+Move_screen',
    )
    several = (
        'select_army',
        'no_op',
        'Attack_minimap',
        'move_camera',
        'select_point',
        'Move_screen',
    )
    assert actions.in_pairs(several) == (
        'no_op',
        'move_camera',
        'select_army+Attack_minimap',
        'select_army+Move_screen',
        'select_point+Attack_minimap',
        'select_point+Move_screen',
    )
    assert make(actions.in_pairs(several)).num_functions == 6
    assert actions.in_pairs(('no_op', 'select_point', 'Train_Marine_quick')) is None
    assert actions.in_pairs(('no_op', 'select_idle_worker', 'select_point', 'Move_screen')) is None
    assert actions.in_pairs(('no_op', 'Move_screen')) is None


def test_actions_are_described_by_names():
    names = ('no_op', 'select_point+Attack_screen', 'select_army+Move_screen', 'select_rect')
    spec = actions.make_action_spec(names, (5, 4), (3, 2), {'queued': 0, 'select_add': 0})
    action = {'function': 1, 'screen': 7, 'screen2': 14, 'select_point_act': 2}
    expected = {'queued': [0], 'screen': [2, 1]}
    of_first = {'select_point': [4, 2], 'select_point_act': [2]}
    assert spec.described(action) == (names[1], {**of_first, **expected})
    assert spec.described(dict(action, function=2)) == (names[2], expected)
    assert spec.described(dict(action, function=0)) == ('no_op', {})
    expected = {'select_add': [0], 'screen': [2, 1], 'screen2': [4, 2]}
    assert spec.described(dict(action, function=3)) == ('select_rect', expected)
