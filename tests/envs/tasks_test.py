"""Games of several maps in one environment, against an environment for each map."""

import dataclasses

import numpy as np
import pytest

from sc2impala import envs, frames, saved_arrays
from sc2impala.envs import demonstrator, players, tasks
from sc2impala.envs.maps import MAP_DEFAULTS, joined
from sc2impala.structs import EnvOutput
from tests.envs import contract
from tests.envs.states_test import check_resumes, play
from tests.sim.maps import short_episodes

NAMES = ('DefeatRoaches', 'CollectMineralShards', 'DefeatZerglingsAndBanelings')
ASSIGNED = (0, 2, 0, 1, 2)
SMALL = {'screen_size': (8, 8), 'minimap_size': (8, 8)}


def make_specs():
    return envs.make_specs(','.join(NAMES), **SMALL)


def make_one(task, num_games, seed=0, specs=None):
    """The games of a map, without what belongs to several maps."""
    seen, action_spec = specs or make_specs()
    seeds = range(100 * seed + 10 * task, 100 * seed + 10 * task + num_games)
    seen = tasks.without_tasks(seen)
    return envs.make_environment('simulator', NAMES[task], seeds, seen, action_spec, 20)


def make(assigned=ASSIGNED, seed=0, functions=tasks.functions_of, made=None):
    specs = make_specs()

    def make_map(task, num_games, drawn):
        if made is not None:
            made.append((task, num_games, drawn))
        return make_one(task, num_games, drawn)

    own = [functions(name) for name in NAMES]
    return tasks.TaskEnvironment(make_map, assigned, *specs, 20, own, seed)


def of_games(nest, games):
    """The rows of some games."""
    if isinstance(nest, dict):
        return {name: of_games(part, games) for name, part in nest.items()}
    if isinstance(nest, tuple):
        return nest._make(of_games(part, games) for part in nest)
    return nest[games]


def call(env, name):
    action, step_mul = no_op(env)
    action['function'][:] = env.action_spec.function_names.index(name)
    return action, step_mul


def no_op(env):
    action = {head: np.zeros([env.num_envs], np.int32) for head in env.action_spec.heads}
    return action, np.full([env.num_envs], 8, np.int32)


@pytest.mark.parametrize(
    'shares, num_games, expected',
    [
        ([1, 1, 1], 6, [0, 1, 2, 0, 1, 2]),
        ([2, 1], 6, [0, 1, 0, 0, 1, 0]),
        ([1, 3], 4, [1, 0, 1, 1]),
        ([5], 2, [0, 0]),
    ],
)
def test_games_are_shared_out_evenly(shares, num_games, expected):
    assert tasks.share_out(shares, num_games).tolist() == expected


def test_every_part_of_the_list_has_nearly_the_shares_of_the_whole():
    shares = np.array([0.5, 1.0, 2.5])
    given = tasks.share_out(shares, 160)
    for start in range(0, 160, 8):
        counts = np.bincount(given[start : start + 8], minlength=3)
        assert np.abs(counts - 8 * shares / 4).max() <= 1


def test_functions_are_those_of_any_start():
    found = tasks.functions_of('DefeatRoaches')
    defaults = MAP_DEFAULTS['DefeatRoaches']
    assert set(found) == set(defaults.functions) | set(defaults.demonstrated['functions'])
    assert tasks.functions_of('Simple64') == ()


@pytest.mark.parametrize('start', ['from_scratch', 'demonstrated'])
def test_functions_are_those_of_the_start_that_has_them(start):
    names = ('DefeatRoaches', 'DefeatZerglingsAndBanelings')
    wanted = getattr(joined(names), start)['functions']
    found = tasks.functions_on(names, list(reversed(wanted)))
    for name, functions in zip(names, found):
        defaults = MAP_DEFAULTS[name]
        assert functions == getattr(defaults, start).get('functions', defaults.functions)
    assert set(found[0]) != set(found[1])


def test_with_other_functions_they_are_those_of_any_start():
    names = ('DefeatRoaches', 'DefeatZerglingsAndBanelings')
    wanted = [tasks.functions_of(name) for name in names]
    assert tasks.functions_on(names, ('no_op', 'Attack_screen')) == wanted
    assert tasks.functions_on(('DefeatRoaches', 'Simple64'), ('no_op',)) == [wanted[0], ()]


def test_is_a_vector_environment(monkeypatch):
    for name in NAMES:
        short_episodes(monkeypatch, name, 300)
    contract.check_vector_environment(make)


def test_each_game_is_that_of_its_map():
    specs = make_specs()
    own = [np.flatnonzero(np.equal(ASSIGNED, task)) for task in range(3)]
    rng = np.random.RandomState(0)
    made = []
    with make(made=made) as env:
        others = [make_one(*arguments) for arguments in made]
        output = EnvOutput(None, None, None, env.reset())
        for other in others:
            other.reset()
        player = players.RandomPlayer(specs[1], rng)
        for _ in range(30):
            action = player.act(output.observation)
            step_mul = rng.randint(1, 21, size=env.num_envs, dtype=np.int32)
            output = env.step(action, step_mul)
            for task, games in enumerate(own):
                of_map = {head: choices[games] for head, choices in action.items()}
                expected = others[task].step(of_map, step_mul[games])
                seen = of_games(output, games)
                # What belongs to several maps is checked below.
                del seen.observation['task'], seen.observation['available_actions']
                del expected.observation['available_actions']
                contract.check_equal(seen, expected)
            assert output.observation['task'].tolist() == list(ASSIGNED)
        assert env.frames_played == sum(other.frames_played for other in others) > 0


def test_functions_of_other_maps_are_masked():
    with make() as env:
        mask = env.reset()['available_actions']
        names = env.action_spec.function_names
        for game, task in enumerate(ASSIGNED):
            chosen = {name for name, allowed in zip(names, mask[game]) if allowed}
            assert chosen and chosen <= set(tasks.functions_of(NAMES[task]))
        # Both marines of the map are selected and could attack, but its agent collects.
        env.step(*call(env, 'select_army'))
        mask = env.step(*no_op(env)).observation['available_actions']
        assert not mask[ASSIGNED.index(1), names.index('Attack_screen')]
        assert mask[ASSIGNED.index(0), names.index('Attack_screen')]
    with make(functions=lambda name: ()) as env:
        env.reset()
        mask = env.step(*call(env, 'select_army')).observation['available_actions']
        assert mask[ASSIGNED.index(1), names.index('Attack_screen')]


def test_no_op_is_left_where_only_functions_of_other_maps_are_available():
    observation_spec, action_spec = envs.make_specs(
        'DefeatRoaches,CollectMineralShards',
        functions=('no_op', 'Attack_screen'),
        no_op_as_last_resort=True,
        **SMALL,
    )

    def make_map(task, num_games, drawn):
        return make_one(task, num_games, specs=(observation_spec, action_spec))

    env = tasks.TaskEnvironment(
        make_map, [0, 0], observation_spec, action_spec, 20, [('no_op',), ()], 0
    )
    with env:
        assert env.reset()['available_actions'].tolist() == [[True, False]] * 2


class TestOtherMaps:
    def test_episodes_are_aborted_in_a_step_without_frames(self):
        made = []
        with make([0, 0, 0], made=made) as env:
            env.reset()
            before = env.step(*no_op(env))
            frames_played = env.frames_played
            env.play([1, 1, 2])
            assert env.tasks.tolist() == [1, 1, 2]
            after = env.step(*no_op(env))
            assert after.done.all() and after.info.aborted.all() and not after.reward.any()
            assert env.frames_played == frames_played
            played = frames.frames_between(np, before, after, np.full([3], 8, np.int32))
            assert not played.any()
            np.testing.assert_array_equal(after.info.episode_frames, before.info.episode_frames)
            assert after.observation['task'].tolist() == [1, 1, 2]
            first = make_one(*made[1]).reset()
            contract.check_equal(
                after.observation['screen']['selected'][:2], first['screen']['selected']
            )
            again = env.step(*no_op(env))
            assert not again.done.any() and again.info.episode_steps.tolist() == [1, 1, 1]
            assert env.frames_played == frames_played + 24

    def test_the_same_maps_change_nothing(self):
        with make([0, 1]) as env:
            env.reset()
            env.play([0, 1])
            assert not env.step(*no_op(env)).done.any()

    def test_no_frames_after_an_episode_that_has_just_ended(self, monkeypatch):
        short_episodes(monkeypatch, 'DefeatRoaches', 100)
        with make([0]) as env:
            env.reset()
            while True:
                before = env.step(*no_op(env))
                if before.done[0]:
                    break
            env.play([1])
            after = env.step(*no_op(env))
            assert after.info.episode_steps[0] == 0
            assert frames.frames_between(np, before, after, np.array([8], np.int32)) == [0]

    def test_maps_that_return_have_other_games(self):
        with make([0, 0]) as env:
            first = env.reset()
            env.play([1, 1])
            env.step(*no_op(env))
            env.play([0, 0])
            again = env.step(*no_op(env)).observation
            different = [
                not np.array_equal(first['screen'][name], again['screen'][name])
                for name in first['screen']
            ]
            assert any(different)

    def test_frames_of_episodes_that_a_script_has_begun(self):
        """Also if the aborted episode has as many steps as the script has played."""
        with make_demonstrated([0] * 6, spread_frames=400) as env:
            env.reset()
            for _ in range(400 // env.max_step_mul):
                before = env.step(*no_op(env))
            for task in (1, 2, 1):
                env.play([task] * 6)
                played = env.frames_played
                for step in range(400 // env.max_step_mul + 1):
                    after = env.step(*no_op(env))
                    steps = np.full([6], 8, np.int32)
                    counted = frames.frames_between(np, before, after, steps).sum()
                    assert counted == env.frames_played - played
                    assert (counted == 0) == (step == 0)
                    before, played = after, env.frames_played

    def test_state_of_episodes_that_a_script_has_begun(self):
        with make_demonstrated([0] * 3, 400) as env, make_demonstrated([1] * 3, 400) as other:
            env.reset()
            env.play([1] * 3)
            env.step(*no_op(env))
            before = env.step(*no_op(env))
            assert before.info.episode_steps.tolist() == [1, 1, 1]
            other.reset()
            other.set_state(env.get_state())
            expected, found = (each.step(*no_op(each)) for each in (env, other))
            contract.check_equal(found.info, expected.info)
            assert found.info.episode_steps.tolist() == [2, 2, 2]

    @pytest.mark.parametrize('assigned', [[0], [0, 3], [-1, 0]])
    def test_wrong_maps(self, assigned):
        with make([0, 1]) as env, pytest.raises(ValueError, match='expected 2 indices in 0..2'):
            env.play(assigned)


class TestState:
    def test_goes_on_exactly(self):
        check_resumes(lambda seed: make(seed=seed))

    def test_after_other_maps_before_their_first_step(self):
        with make([0, 0]) as env, make([1, 2], seed=7) as other:
            play(env, 5, env.reset(), np.random.RandomState(0))
            env.play([1, 2])
            state = env.get_state()
            other.reset()
            other.set_state(state)
            expected = play(env, 6, *first_step(env))
            found = play(other, 6, *first_step(other))
            contract.check_equal(found, expected)

    def test_games_of_later_maps_are_those_of_the_state(self):
        with make([0], seed=1) as env, make([0], seed=2) as other:
            env.reset()
            other.reset()
            other.set_state(env.get_state())
            for each in (env, other):
                each.play([1])
            found, expected = (each.step(*no_op(each)) for each in (env, other))
            contract.check_equal(found, expected)

    def test_of_other_maps_is_refused(self):
        with make([0, 0]) as env, make([0, 1]) as other, make([1, 1]) as third:
            for each in (env, other, third):
                each.reset()
            for each in (other, third):
                with pytest.raises(saved_arrays.DifferentState):
                    each.set_state(env.get_state())


def first_step(env):
    output = env.step(*no_op(env))
    assert output.info.aborted.all()
    return output.observation, np.random.RandomState(3)


def make_demonstrated(assigned=ASSIGNED, spread_frames=0):
    """Games with the script of each map, whose labels have 4 frames more than the map's index.

    On all maps but the first one the script plays up to `spread_frames` in `reset`.
    """
    specs = make_specs()
    labelled = demonstrator.with_labels(*specs)

    def make_map(task, num_games, drawn):
        one = tasks.without_tasks(specs[0])
        script_class = players.SCRIPTED_PLAYERS[NAMES[task]]
        seen = demonstrator.with_needs(one, script_class)
        env = envs.make_environment('simulator', NAMES[task], range(num_games), seen, specs[1], 20)
        script = script_class(seen, specs[1])
        return demonstrator.DemonstratedEnvironment(
            env, one, script, 4 + task, 1.0, 0, spread_frames if task else 0
        )

    own = [tasks.functions_of(name) for name in NAMES]
    return tasks.TaskEnvironment(make_map, assigned, labelled, specs[1], 20, own, 0)


def test_each_map_has_its_own_demonstrator():
    with make_demonstrated() as env:
        label = env.reset()['demonstration']
        assert label['step_mul'].tolist() == [4 + task for task in ASSIGNED]
        assert label['plays'].all() and label['valid'].all()
        env.set_share(0.0)
        env.enable(False)
        env.play([1] * 5)
        # Also games that are made later.
        label = env.step(*no_op(env)).observation['demonstration']
        assert not label['plays'].any() and not label['valid'].any()
        env.enable(True)
        label = env.step(*no_op(env)).observation['demonstration']
        assert not label['plays'].any() and label['valid'].all()


def test_specs_unite_what_the_maps_need():
    observation_spec, action_spec = envs.make_specs(','.join(NAMES))
    layers = {layer.name for layer in observation_spec.screen_layers}
    for name in NAMES:
        defaults = MAP_DEFAULTS[name]
        assert layers >= set(defaults.screen_layers)
        assert set(action_spec.function_names) >= set(defaults.functions)
    assert observation_spec.num_tasks == 3 and 'task' in observation_spec.structure()
    alone = envs.make_specs('DefeatRoaches')[0]
    assert alone.num_tasks == 0 and 'task' not in alone.structure()
    assert dataclasses.replace(observation_spec, num_tasks=0) == tasks.without_tasks(
        observation_spec
    )


def test_an_argument_is_fixed_only_if_it_is_on_all_maps():
    fights = envs.map_defaults('DefeatRoaches,CollectMineralShards').fixed_arguments
    assert fights == {'queued': 0, 'select_add': 0, 'select_point_act': 0}
    assert envs.map_defaults('DefeatRoaches,BuildMarines').fixed_arguments == {'queued': 0}


def test_an_unknown_map_among_several():
    with pytest.raises(ValueError, match='DefeatRoache'):
        envs.make_specs('MoveToBeacon,DefeatRoache')
