import numpy as np
import pytest

from sc2impala.errors import UserError
from sc2impala.watch import choices, players, record, trace
from tests.runtime import tiny


def resolve(*names, **options):
    return players.resolve_players(names, players.Options(**options))


@pytest.mark.parametrize(
    'names, options, message',
    [
        (['script:LH'], {}, 'script:LH has no map, expected --map_name=BuildMarines'),
        (['script:LH'], {'map_name': 'Moon'}, '--map_name=Moon is unknown, expected one of: Build'),
        (
            ['script:no'],
            {'map_name': 'DefeatRoaches'},
            'script:no is no script for DefeatRoaches, expected script:NAME with one of: LH, ',
        ),
        (['nowhere'], {}, 'nowhere is no run, expected a folder with manifest.json'),
    ],
)
def test_bad_names(names, options, message):
    with pytest.raises(UserError) as error:
        resolve(*names, **options)
    assert message in str(error.value)


def test_a_script_has_its_own_observations():
    (player,) = resolve('script:pull_back', map_name='DefeatRoaches', step_mul=4)
    assert player.specs[0].screen_size == (84, 84)
    assert player.about.about == ['script', 'every 4 frames']
    env = player.make_environment([0, 1])
    decision = player.decide(env.reset(), np.ones([2], bool))
    assert decision.step_mul.tolist() == [4, 4] and not decision.distributions
    assert decision.values is None


def test_a_search_shows_its_candidates():
    (player,) = resolve('script:search', map_name='DefeatRoaches', step_mul=8)
    assert player.about.kind == trace.POLICY and player.about.about[:2] == [
        'search',
        'every 8 frames',
    ]
    env = player.make_environment([0, 1])
    observation, first = env.reset(), np.ones([2], bool)
    for _ in range(15):
        decision = player.decide(observation, first)
        observation = env.step(decision.action, decision.step_mul).observation
    for head, distribution in decision.distributions.items():
        np.testing.assert_allclose(distribution.sum(axis=1), 1.0, err_msg=head)
    assert (decision.distributions['function'].max(axis=1) < 1.0).any()
    chosen = decision.action['function']
    assert (decision.distributions['function'][[0, 1], chosen] > 0.1).all()


@pytest.fixture(scope='module')
def run(tmp_path_factory):
    """A run of MoveToBeacon whose agent chooses its step multiplier."""
    logdir = str(tmp_path_factory.mktemp('watched') / 'own')
    flags = ('--fixed_step_mul=no', '--max_step_mul=240', '--unroll_length=2', '--temperature=2')
    assert tiny.main(logdir, '--total_environment_frames=100', *flags) == 0
    return logdir


@pytest.mark.long
def test_an_agent_explains_its_choices(run):
    agent, script = resolve(run, 'script:PySC2', seed=3, step_mul=120)
    assert agent.about.name == 'own' and agent.about.kind == trace.POLICY
    assert script.environment.map_name == 'MoveToBeacon'
    assert 'discount' in agent.about.value_note
    found = record.record(agent, 2, 0).episodes[0]
    again = record.record(resolve(run, seed=3)[0], 2, 0).episodes[0]
    np.testing.assert_array_equal(found.choices.chosen['screen'], again.choices.chosen['screen'])
    assert len(found.values) == len(found.rewards)
    function = found.choices.probabilities['function'].astype(int)
    assert (function[~found.choices.available] == 0).all()
    assert (abs(function.sum(axis=1) - 65535) <= 2).all()
    assert found.choices.probabilities[choices.STEP_MUL].shape[1] == 240
    agent.close()


@pytest.mark.long
def test_an_agent_of_the_zoo():
    (player,) = resolve('zoo:MoveToBeacon-scratch')
    assert player.about.name == 'zoo:MoveToBeacon-scratch'
    assert player.environment.map_name == 'MoveToBeacon'
    player.close()


@pytest.mark.long
def test_an_agent_that_observes_a_layer_of_the_package():
    (player,) = resolve('zoo:CollectMineralShards-scratch')
    env = player.make_environment([0, 1])
    observation = env.reset()
    assert not observation['screen']['ordered'].any()
    for step in range(3):
        decision = player.decide(observation, np.full([2], step == 0))
        observation = env.step(decision.action, decision.step_mul).observation
    env.close()
    assert observation['screen']['ordered'].any()


@pytest.mark.long
def test_two_maps(run):
    with pytest.raises(UserError, match='is a run on MoveToBeacon, expected DefeatRoaches as'):
        resolve(run, map_name='DefeatRoaches')
    with pytest.raises(UserError, match='script:pull_back is no script for MoveToBeacon'):
        resolve('script:pull_back', run)
