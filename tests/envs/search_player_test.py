"""The player that searches, alone and as a demonstrator."""

import numpy as np
import pytest

from sc2impala import envs
from sc2impala.envs import demonstrator, search_player
from sc2impala.envs.actions import FUNCTIONS
from sc2impala.sim.search import PROBLEMS, UNSCRIPTED
from tests.envs import contract

MAP = 'DefeatRoaches'
K = 3
STEP = np.full([K], 4, np.int32)
FUNCTION_NAMES = ('no_op', 'select_army', 'select_point', 'Attack_screen', 'Move_screen')


def make_specs(**changes):
    given = dict(functions=FUNCTION_NAMES, screen_size=(32, 32))
    given.update(fixed_arguments={'queued': 0, 'select_add': 0, 'select_point_act': 0})
    return envs.make_specs(MAP, **dict(given, **changes))


def make_env(specs, seeds=range(K)):
    return envs.make_environment('simulator', MAP, seeds, *specs, max_step_mul=8)


def make_player(env, specs):
    player = search_player.of_map(MAP)(*specs)
    player.join(env, 4)
    return player


def make_demonstrator(num_candidates=4, labelled_share=1.0, share=1.0, seed=0):
    specs = make_specs()
    player = search_player.of_map(MAP)(*specs)
    return demonstrator.DemonstratedEnvironment(
        make_env(specs),
        specs[0],
        player,
        4,
        share,
        seed,
        labelled_share=labelled_share,
        num_candidates=num_candidates,
    )


def play_into_fight(env, player, num_steps=25):
    """Both armies meet after about 100 frames."""
    observation = env.reset()
    for _ in range(num_steps):
        observation = env.step(player.act(observation), STEP).observation
    return observation


def test_every_map_of_the_list_has_a_problem():
    assert set(search_player.MAPS) == set(PROBLEMS)
    unscripted = {
        name for name, known in search_player.MAPS.items() if 'search_unscripted' in known
    }
    assert all('base_policy' in known for known in search_player.MAPS.values())
    assert unscripted == set(UNSCRIPTED)
    assert search_player.of_map('BuildMarines', search_player.UNSCRIPTED) is None
    assert search_player.of_map('MoveToBeacon') is None or 'MoveToBeacon' in PROBLEMS
    assert search_player.of_map('Simple64') is None


def test_chooses_the_best_call_in_the_pixels_of_the_agent():
    specs = make_specs()
    with make_env(specs) as env:
        player = make_player(env, specs)
        action = player.act(play_into_fight(env, player))
        calls = player.decisions.calls
        for k in range(K):
            function, arguments = specs[1].to_function_call({h: int(action[h][k]) for h in action})
            assert function == calls['function'][k]
            if FUNCTIONS[function].name.endswith('_screen'):
                assert arguments[-1] == [calls['screen_x'][k], calls['screen_y'][k]]


def test_base_policy_is_the_first_candidate_of_the_search():
    specs = make_specs()
    with make_env(specs) as env:
        player = make_player(env, specs)
        script = search_player.of_map(MAP, search_player.BASE_POLICY)(*specs)
        script.join(env, 4)
        observation = env.reset()
        for _ in range(25):
            action = player.act(observation)
            script.act(observation)
            np.testing.assert_array_equal(script.decisions.calls, player.decisions.candidates[:, 0])
            assert not script.decisions.steps.any()
            observation = env.step(action, STEP).observation
        assert player.decisions.chosen.any()


def test_games_that_are_not_wanted_are_left_out():
    specs = make_specs()
    with make_env(specs) as env:
        player = make_player(env, specs)
        observation = play_into_fight(env, player)
        every = player.act(observation)
        one = player.act(observation, wanted=np.array([False, True, False]))
        assert player.decisions.draws.any(axis=1).tolist() == [False, True, False]
        for head, choice in one.items():
            assert choice[1] == every[head][1]
        assert not one['function'][[0, 2]].any()
        candidates, weights = player.candidates(5, 1.0)
        assert weights.any(axis=1).tolist() == [False, True, False]
        assert all(choice.shape == (K, 5) for choice in candidates.values())


PAIRS = ('no_op', 'select_army+Attack_screen', 'select_army+Move_screen')
PAIRS += ('select_point+Attack_screen', 'select_point+Move_screen')


def test_base_policy_gives_both_calls_where_these_are_one_action():
    specs = make_specs(functions=PAIRS)
    script = search_player.of_map(MAP, search_player.BASE_POLICY)
    returns = {}
    for functions in (PAIRS, FUNCTION_NAMES):
        specs = make_specs(functions=functions)
        with make_env(specs) as env:
            player = script(*specs)
            player.join(env, 8)
            observation, total, names = env.reset(), 0.0, set()
            for _ in range(230):
                action = player.act(observation)
                names.update(specs[1].function_names[i] for i in action['function'])
                output = env.step(action, 2 * STEP)
                observation, total = output.observation, total + output.reward.sum()
            returns[functions] = total
            if functions == PAIRS:
                assert {'select_army+Attack_screen', 'select_point+Move_screen'} <= names
                assert player.candidates(3, 1.0) is None
    # A single marine steps back in one step instead of two.
    assert returns[PAIRS] > 1.3 * returns[FUNCTION_NAMES] > 0


def test_the_economy_is_played_in_pairs():
    script = search_player.of_map('CollectMineralsAndGas', search_player.BASE_POLICY)
    specs = envs.make_specs(
        'CollectMineralsAndGas', script.pairs, (16, 16), fixed_arguments={'queued': 0}
    )
    with envs.make_environment(
        'simulator', 'CollectMineralsAndGas', range(2), *specs, max_step_mul=16
    ) as env:
        player = script(*specs)
        player.join(env, 16)
        observation, names = env.reset(), set()
        for _ in range(150):
            action = player.act(observation)
            names.update(specs[1].function_names[i] for i in action['function'])
            observation = env.step(action, np.full([2], 16, np.int32)).observation
        # All workers but those in training and under way harvest.
        assert observation['player'][:, 6].min() > 20
        assert (observation['player'][:, 7] <= 1).all()
    assert {'select_point+Train_SCV_quick', 'select_point+Build_SupplyDepot_screen'} < names


def test_the_economy_selects_all_units_of_a_type():
    script = search_player.of_map('BuildMarines', search_player.BASE_POLICY)
    for functions in (script.pairs, script.functions):
        for fixed in ({'queued': 0}, {'queued': 0, 'select_point_act': 2}):
            script(*envs.make_specs('BuildMarines', functions, fixed_arguments=fixed))
        specs = envs.make_specs('BuildMarines', functions, fixed_arguments={'select_point_act': 0})
        with pytest.raises(ValueError, match='has 0 for select_point_act, expected 2'):
            script(*specs)


def test_it_needs_all_pairs_or_all_calls():
    script = search_player.of_map(MAP, search_player.BASE_POLICY)
    for functions in (PAIRS[:-1], FUNCTION_NAMES[:-1]):
        with pytest.raises(ValueError, match='expected .* among them'):
            script(*make_specs(functions=functions))
    with pytest.raises(ValueError, match='expected select_army among them'):
        search_player.of_map(MAP)(*make_specs(functions=PAIRS))


def test_games_that_cannot_be_copied_are_refused():
    specs = make_specs()
    player = search_player.of_map(MAP)(*specs)
    synthetic = envs.make_environment('synthetic', MAP, range(2), *specs, max_step_mul=8)
    with synthetic, pytest.raises(ValueError, match='no games that can be copied'):
        player.join(synthetic, 4)


class TestAsDemonstrator:
    def test_is_a_vector_environment(self):
        contract.check_vector_environment(make_demonstrator)

    def test_labels_carry_candidates(self):
        with make_demonstrator() as env:
            label = env.reset()['demonstration']
            for _ in range(25):
                label = env.step(label['action'], STEP).observation['demonstration']
            weights = label['candidates']['weights']
            assert label['valid'].all() and label['plays'].all()
            np.testing.assert_allclose(weights.sum(axis=1), 1.0, rtol=1e-5)
            assert (np.diff(weights, axis=1) <= 0).all() and (weights[:, 1] > 0).any()
            # The first candidate is the label: both have the margin of the policy's call.
            for head, choice in label['action'].items():
                np.testing.assert_array_equal(label['candidates']['action'][head][:, 0], choice)

    def test_a_share_of_the_observations_is_labelled(self):
        with make_demonstrator(labelled_share=0.25, share=0.0) as env:
            label, valid, weights = env.reset()['demonstration'], [], []
            for _ in range(60):
                valid.append(label['valid'])
                weights.append(label['candidates']['weights'].any(axis=1))
                label = env.step(label['action'], STEP).observation['demonstration']
        assert 0.1 < np.mean(valid) < 0.4
        np.testing.assert_array_equal(valid, weights)

    def test_all_that_the_search_plays_is_labelled(self):
        with make_demonstrator(labelled_share=0.0, share=0.5) as env:
            label = env.reset()['demonstration']
            for _ in range(20):
                np.testing.assert_array_equal(label['valid'], label['plays'])
                label = env.step(label['action'], STEP).observation['demonstration']

    def test_a_restored_state_gives_the_same_labels(self):
        with make_demonstrator(labelled_share=0.5, share=0.3) as env:
            label = env.reset()['demonstration']
            for _ in range(10):
                label = env.step(label['action'], STEP).observation['demonstration']
            state = env.get_state()

            def go_on(label):
                labels = []
                for _ in range(10):
                    labels.append(env.step(label['action'], STEP).observation['demonstration'])
                    label = labels[-1]
                return labels

            first = go_on(label)
            env.set_state(state)
            np.testing.assert_equal(go_on(label), first)
