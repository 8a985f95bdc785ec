"""What settings may be: ranges, choices and combinations."""

import math

import pytest

from sc2impala import learner, sim
from sc2impala.errors import UserError
from sc2impala.settings import settings as settings_lib
from sc2impala.settings import validation
from sc2impala.settings.learning import NO_REPLAY, REPLAY_REQUIRED
from tests.runtime.tiny import make_settings

SETTINGS = settings_lib.all_settings()
NUMBERS = sorted(name for name, setting in SETTINGS.items() if setting.between is not None)
CHOICES = sorted(name for name, setting in SETTINGS.items() if setting.choices is not None)


def check(**values):
    validation.check(make_settings(**values))


def test_the_defaults_are_fine():
    check()


@pytest.mark.parametrize(
    'batch_size, proportion, expected',
    [(32, 0.0, (32, 0)), (32, 0.5, (16, 16)), (4, 0.3, (3, 1)), (8, 0.99, (1, 7))],
)
def test_batch_split(batch_size, proportion, expected):
    settings = make_settings(batch_size=batch_size, replay_proportion=proportion)
    assert validation.batch_split(settings.training, settings.replay) == expected
    validation.check(settings)


@pytest.mark.parametrize(
    'values, complaint',
    [
        (dict(batch_size=32, num_learner_devices=3), '--batch_size=32 cannot be split evenly'),
        (
            dict(batch_size=32, num_learner_devices=4, demonstration_sequences=2),
            '--batch_size=32 and --demonstration_sequences=2 cannot be split evenly',
        ),
        (
            dict(batch_size=30, num_learner_devices=4, demonstration_sequences=2),
            '--batch_size=30 cannot be split evenly',
        ),
    ],
)
def test_batches_that_devices_cannot_share(values, complaint):
    values.update(demonstrations=('folder',))
    count = values['num_learner_devices']
    with pytest.raises(UserError) as error:
        check(**values)
    assert str(error.value) == (
        f'{complaint} over --num_learner_devices={count}, expected a multiple of {count} sequences.'
    )
    check(**dict(values, batch_size=32, demonstration_sequences=0, num_learner_devices=4))


@pytest.mark.parametrize('kind, cost', [('none', 0.1), ('fixed', 0.0), ('entropy', 0.0)])
def test_shaping_and_its_cost_belong_together(kind, cost):
    with pytest.raises(UserError) as error:
        check(reward_shaping=kind, reward_shaping_cost=cost)
    assert str(error.value).startswith(
        f'--reward_shaping={kind} and --reward_shaping_cost={cost} belong together, expected'
    )
    check(reward_shaping='entropy', reward_shaping_cost=-0.1)


@pytest.mark.parametrize(
    'values, complaint',
    [
        (
            dict(gain_rewards=(('food_used', 2.0), ('food', 1.0))),
            '--gain_rewards=food_used=2.0,food=1.0 is unknown, expected one of: explored, visited, '
            'player',
        ),
        (
            dict(gain_rewards=(('spent_minerals', 2.0),)),
            '--gain_rewards=spent_minerals=2.0 needs score_cumulative for spent_minerals, '
            'expected it in --vectors=player.',
        ),
        (
            dict(gain_rewards=(('visited', 2.0),), minimap_layers='all'),
            '--gain_rewards=visited=2.0 needs visited, expected it in --minimap_layers=all.',
        ),
        (
            dict(gain_rewards=(('explored', 2.0),), minimap_layers=()),
            '--gain_rewards=explored=2.0 needs visibility_map for explored, expected it in '
            '--minimap_layers=none.',
        ),
    ],
)
def test_gains_that_are_not_observed(values, complaint):
    with pytest.raises(UserError) as error:
        check(**values)
    assert str(error.value).startswith(complaint)
    check(gain_rewards=(('food_used', 2.0),))


def test_maps_with_defaults_that_cannot_be_played_are_not_offered(monkeypatch):
    monkeypatch.setattr(sim, 'MAP_NAMES', ('MoveToBeacon',))
    check()
    with pytest.raises(UserError, match='--map_name=DefeatRoaches .* one of: MoveToBeacon.$'):
        check(map_name='DefeatRoaches')


def test_numbers_out_of_range():
    for name in NUMBERS:
        smallest, largest = SETTINGS[name].between
        for value in (smallest - 2, smallest - 0.5, math.nan, -math.inf):
            with pytest.raises(UserError, match=f'--{name}={value} is out of range, expected'):
                check(**{name: value})
        if largest != math.inf:
            with pytest.raises(UserError, match=f'--{name}='):
                check(**{name: math.inf})


@pytest.mark.parametrize('name', [n for n, s in SETTINGS.items() if s.or_else is not None])
def test_a_value_outside_of_the_range_with_a_meaning(name):
    check(**{name: SETTINGS[name].or_else})
    with pytest.raises(UserError, match=', or -1.$'):
        check(**{name: -0.5})


def test_a_number_that_is_too_large_for_a_computer_is_told_the_largest():
    with pytest.raises(UserError, match=f'expected 0 to {2**63 - 1}.$'):
        check(seed=2**63)
    with pytest.raises(UserError, match='expected at least 0.$'):
        check(seed=-1)


def test_ranges_are_those_of_the_algorithms_as_well():
    assert {'learning_rate', 'critic_learning_rate', 'discounting', 'adam_epsilon'} <= set(NUMBERS)


def test_unknown_choices():
    for name in CHOICES:
        with pytest.raises(
            UserError, match=f'^--{name}=foo is unknown, expected one of: '
        ) as error:
            check(**{name: 'foo'})
        assert all(str(choice) in str(error.value) for choice in SETTINGS[name].choices), name


def test_settings_with_choices():
    assert CHOICES == [
        'agent',
        'algorithm',
        'appo_advantage',
        'appo_exploration',
        'backend',
        'inference',
        'job_name',
        'mode',
        'opponent_race',
        'race',
        'replay_compression',
        'replay_eviction',
        'replay_sampler',
        'reward_clipping',
        'reward_shaping',
        'sequence_compression',
        'task_schedule',
        'unit_mask',
        'value_normalisation',
        'wandb_mode',
    ]


class TestPlayers:
    @pytest.mark.parametrize('name', ['policy', 'demonstrator'])
    def test_scripts_are_those_of_the_map(self, name):
        check(map_name='DefeatRoaches', **{name: 'LZ'})
        always = {'policy': 'sampled, greedy, random, scripted', 'demonstrator': 'none'}[name]
        for map_name, scripts in (
            ('MoveToBeacon', 'PySC2'),
            ('BuildMarines', 'build_order, LH, LZ, search, base_policy'),
        ):
            complaint = f'--{name}=LQ is unknown, expected one of: {always}, {scripts}.'
            with pytest.raises(UserError, match=f'^{complaint}$'):
                check(map_name=map_name, **{name: 'LQ'})

    def test_agents_taught_by_a_search_act_in_the_game(self):
        """Only the simulator can be searched, but the agent does not search."""
        run = dict(map_name='DefeatRoaches', backend='pysc2', demonstrator='search')
        for mode in ('evaluate', 'export'):
            check(mode=mode, **run)
            with pytest.raises(UserError, match='--demonstrator=search is unknown'):
                check(mode=mode, **dict(run, map_name='MoveToBeacon'))
        for mode in ('train', 'record'):
            with pytest.raises(UserError, match='--demonstrator=search is unknown'):
                check(mode=mode, **run)
        with pytest.raises(UserError, match='--policy=search is unknown'):
            check(**dict(run, mode='evaluate', policy='search'))

    def test_what_may_not_wait_cannot_imitate_scripts(self):
        check(no_op_as_last_resort=True, from_scratch=True)
        for values, text in (
            (dict(demonstrator='PySC2'), 'demonstrator=PySC2'),
            (dict(demonstrations=('a', 'b')), 'demonstrations=a,b'),
        ):
            with pytest.raises(UserError, match=f'cannot be used with --{text}, .* --from_scratch'):
                check(no_op_as_last_resort=True, **values)
            with pytest.raises(UserError, match=f'unit_mask=all cannot be used with --{text}, '):
                check(unit_mask='all', **values)

    def test_self_imitation_needs_replay(self):
        check(self_imitation=True, replay_proportion=0.5)
        with pytest.raises(UserError, match='self_imitation=true needs .* --replay_proportion=0,'):
            check(self_imitation=True, replay_proportion=0.0)

    def test_sequences_need_recordings(self):
        check(demonstration_sequences=3, demonstrations=('a', 'b'))
        with pytest.raises(UserError, match='--demonstration_sequences=3 are .* --demonstrations'):
            check(demonstration_sequences=3)


class TestFollow:
    def test_an_agent_is_evaluated_without_pictures(self):
        check(mode='evaluate', follow=True, policy='greedy')
        for changes, complaint in (
            (dict(mode='train'), '--follow is for evaluations'),
            (dict(policy='random'), '--policy=random with --follow'),
            (dict(animation=True), '--animation with --follow'),
            (dict(curve=True), '--curve with --follow'),
        ):
            with pytest.raises(UserError, match=complaint):
                check(**dict(dict(mode='evaluate', follow=True), **changes))


@pytest.mark.parametrize(
    'values, complaint',
    [
        (
            dict(backend='pysc2', simulator_rules=(('facing', 1.0),)),
            '--simulator_rules=facing=1 cannot be used with --backend=pysc2, expected '
            '--backend=simulator with it.',
        ),
        (
            dict(simulator_rules=(('faceing', 1.0),)),
            "--simulator_rules has 'faceing', expected a known name, such as the nearest ones: "
            'facing, ',
        ),
        (
            dict(simulator_rules=(('facing', 1.5),)),
            "--simulator_rules['facing'] is 1.5, expected an integer from 0 to 1.",
        ),
        (dict(simulator_rules=(('roach.speed', 0.1),)), "--simulator_rules has 'roach.speed', "),
    ],
)
def test_rules_that_the_simulator_does_not_have(values, complaint):
    with pytest.raises(UserError) as error:
        check(**values)
    assert str(error.value).startswith(complaint)
    check(simulator_rules=(('facing', 1.0), ('marine.damage_point', 2.0)))


def test_evaluations_within_a_training():
    check(evaluate_every_frames=1000, policy='greedy')
    for changes, complaint in (
        (dict(mode='evaluate'), '--evaluate_every_frames=1000 is for training, .*, not evaluate'),
        (dict(mode='record'), 'expected --mode=train with it, not record'),
        (dict(policy='scripted'), '--policy=scripted with --evaluate_every_frames=1000'),
    ):
        with pytest.raises(UserError, match=complaint):
            check(evaluate_every_frames=1000, **changes)


class TestStarCraft:
    def test_its_settings_are_refused_on_the_simulator(self):
        changes = dict(
            game_version='4.10',
            disable_fog=True,
            camera_width=30,
            relaunch_episodes=3,
            game_deadline_secs=5.0,
            realtime=True,
            visualize=True,
        )
        for name, value in changes.items():
            with pytest.raises(UserError, match=f'--{name}={value} .* --backend=pysc2'):
                check(**{name: value})
            check(backend='pysc2', **dict(dict(num_actors=1, num_envs=1), **{name: value}))

    def test_maps(self):
        check(backend='pysc2', map_name='Acropolis', opponent='hard')
        with pytest.raises(UserError, match='--map_name=Simple64 is a ladder map.*=pysc2'):
            check(map_name='Simple64', opponent='hard')
        with pytest.raises(UserError, match='--map_name=Simpel64 .* MoveToBeacon, .* Simple64'):
            check(backend='pysc2', map_name='Simpel64')
        check(backend='synthetic', map_name='Frames')
        with pytest.raises(UserError, match='--map_name=Frames is not a game.*=synthetic'):
            check(map_name='Frames')

    def test_players_of_ladder_maps(self):
        ladder = dict(backend='pysc2', map_name='Simple64', opponent='easy')
        check(**ladder, race='zerg', opponent_race='protoss')
        for name, value in (('opponent', ''), ('opponent', 'weak'), ('race', 'human')):
            with pytest.raises(UserError, match=f'--{name}={value} is unknown, expected one of'):
                check(**dict(ladder, **{name: value}))
        for name, value in (('opponent', 'easy'), ('race', 'zerg'), ('opponent_race', 'zerg')):
            with pytest.raises(UserError, match=f'--{name}={value} is for ladder maps'):
                check(backend='pysc2', **{name: value})

    @pytest.mark.parametrize('values', [{'replay_dir': 'x'}, {'save_replay_episodes': 3}])
    def test_replays_need_a_folder_and_a_number(self, values):
        with pytest.raises(UserError, match='belong together'):
            check(backend='pysc2', **values)
        check(backend='pysc2', replay_dir='x', save_replay_episodes=3)

    @pytest.mark.parametrize('name', ['realtime', 'visualize'])
    def test_one_game_is_watched(self, name):
        watched = {'backend': 'pysc2', name: True}
        with pytest.raises(UserError, match=f'--{name} .* --num_actors=1 and --num_envs=2'):
            check(num_actors=1, num_envs=2, **watched)
        with pytest.raises(UserError, match=f'--{name} .* --num_eval_envs=4'):
            check(mode='evaluate', num_eval_envs=4, **watched)
        check(mode='evaluate', num_eval_envs=4, num_episodes=1, **watched)


def test_deterministic_needs_room_in_the_queue():
    values = dict(deterministic=True, num_actors=1, batch_size=8, num_envs=4)
    check(queue_capacity=11, **values)
    check(queue_capacity=0, **values)
    with pytest.raises(UserError, match='--queue_capacity=10 .* at least 11'):
        check(queue_capacity=10, **values)
    check(queue_capacity=10, **dict(values, deterministic=False))


def test_the_queue_holds_the_batches_of_all_phases():
    values = dict(batch_size=8, cloning_batch_size=20, demonstrator='PySC2')
    check(queue_capacity=20, num_cloning_frames=100, **values)
    check(queue_capacity=8, num_cloning_frames=0, **values)
    with pytest.raises(UserError, match='--queue_capacity=19 .* --cloning_batch_size=20'):
        check(queue_capacity=19, num_cloning_frames=100, **values)
    with pytest.raises(UserError, match='--queue_capacity=7 .* --batch_size=8'):
        check(queue_capacity=7, num_cloning_frames=100, **dict(values, cloning_batch_size=2))


@pytest.mark.parametrize(
    'values, expected',
    [
        (
            dict(learner_address='a:1'),
            '--learner_address=a:1 is for a cluster, expected --job_name',
        ),
        (
            dict(inference='central'),
            '^--inference=central is for a cluster, expected --job_name=learner with it, or '
            '--inference=local.$',
        ),
        (dict(job_name='learner'), '--learner_address= is not an address'),
        (dict(job_name='actor', learner_address='a:0'), 'has no port to connect to'),
        (dict(job_name='ps', learner_address='a:1'), '--job_name=ps is unknown'),
        (
            dict(job_name='learner', learner_address='a:1', mode='evaluate'),
            '--job_name=learner is for training, but --mode=evaluate',
        ),
        (
            dict(job_name='learner', learner_address='a:1', deterministic=True, num_actors=1),
            '--deterministic with --job_name=learner',
        ),
    ],
)
def test_clusters(values, expected):
    with pytest.raises(UserError, match=expected):
        check(**values)
    check(job_name='learner', learner_address='a:0', max_policy_lag=3)
    check(job_name='actor', learner_address='[::1]:22', task=3)


def test_evaluation_may_be_deterministic_for_any_number_of_actors():
    check(mode='evaluate', deterministic=True, num_actors=2)
    with pytest.raises(UserError, match='--num_actors=2'):
        check(deterministic=True, num_actors=2)


class TestAlgorithm:
    """Whether its batches may, or must, have replayed columns."""

    @pytest.fixture
    def wanted(self, monkeypatch):
        def install(replay):
            monkeypatch.setattr(learner.load_settings('impala'), 'REPLAY', replay)

        return install

    def test_without_replay(self, wanted):
        wanted(NO_REPLAY)
        check()
        with pytest.raises(UserError, match='--replay_proportion=0.5 .* --algorithm=impala, which'):
            check(replay_proportion=0.5)

    def test_that_needs_replay(self, wanted):
        wanted(REPLAY_REQUIRED)
        check(replay_proportion=0.5)
        with pytest.raises(UserError, match='--replay_proportion=0.0 .* expected more than 0'):
            check()


class TestSettingsOfAlgorithms:
    @pytest.mark.parametrize(
        'chosen, given, expected',
        [
            (
                'impala',
                dict(seed=1, appo_clip=0.25),
                '--appo_clip=0.25 is only for --algorithm=appo, expected no such flag with '
                '--algorithm=impala',
            ),
            ('appo', dict(upgo_cost=1.0), '--upgo_cost=1.0 is only for --algorithm=impala'),
        ],
    )
    def test_those_of_another_one_are_refused(self, chosen, given, expected):
        with pytest.raises(UserError, match=expected):
            validation.check_given(given, chosen)

    @pytest.mark.parametrize('chosen', ['impala', 'appo'])
    def test_others_may_be_given(self, chosen):
        """What they share, phases before the training, and what belongs to a group as well."""
        given = dict(learning_rate=0.1, cloning_learning_rate=0.1, max_policy_lag=3, num_envs=4)
        validation.check_given(given, chosen)

    def test_an_unknown_algorithm_is_refused_elsewhere(self):
        validation.check_given(dict(appo_clip=0.2, upgo_cost=1.0), 'alphastar')


@pytest.mark.parametrize(
    'values, count',
    [
        (dict(batch_size=10, appo_minibatches=4), 4),
        (dict(batch_size=8, demonstration_sequences=2, appo_minibatches=4), 4),
        (dict(batch_size=12, appo_minibatches=4, num_learner_devices=2), 8),
    ],
)
def test_appo_divides_whole_batches(values, count):
    sequences = dict(demonstrations=('recordings',))
    with pytest.raises(UserError, match=f'expected a multiple of {count} sequences'):
        check(algorithm='appo', **dict(sequences, **values))
    check(algorithm='impala', **dict(sequences, **values))
    check(algorithm='appo', batch_size=24, appo_minibatches=3, num_learner_devices=2)


class TestCheckpoint:
    def test_modes_that_have_one(self):
        for mode in ('evaluate', 'record', 'export'):
            check(mode=mode, checkpoint='best')
        check(mode='export', export_dir='exported', policy='greedy')

    @pytest.mark.parametrize(
        'values, complaint',
        [
            (dict(checkpoint='7'), '--checkpoint=7 is for --mode=evaluate, record and export'),
            (dict(checkpoint='7', mode='evaluate', follow=True), '--checkpoint=7 with --follow'),
            (
                dict(checkpoint='7', mode='evaluate', policy='random'),
                '--policy=random with --checkpoint=7: it has no checkpoints',
            ),
            (dict(mode='export', policy='scripted'), '--policy=scripted with --mode=export'),
            (
                dict(mode='evaluate', export_dir='exported'),
                '--export_dir=exported is for exports, expected --mode=export with it, not eval',
            ),
        ],
    )
    def test_what_does_not_belong_together(self, values, complaint):
        with pytest.raises(UserError, match=complaint):
            check(**values)


class TestMapsOfAnEvaluation:
    BOTH = 'DefeatRoaches,MoveToBeacon'

    def test_some_or_all(self):
        for wanted in ('all', ('MoveToBeacon',), ('MoveToBeacon', 'DefeatRoaches')):
            check(mode='evaluate', map_name=self.BOTH, eval_maps=wanted)
        check(mode='evaluate', map_name='MoveToBeacon', eval_maps=('MoveToBeacon',))

    @pytest.mark.parametrize(
        'values, complaint',
        [
            (
                dict(mode='evaluate', map_name=BOTH, eval_maps=('BuildMarines',)),
                '--eval_maps=BuildMarines, expected all, or some of DefeatRoaches, MoveToBeacon',
            ),
            (dict(mode='evaluate', map_name=BOTH, eval_maps=()), '--eval_maps=none, expected all'),
            (
                dict(map_name=BOTH, eval_maps=('MoveToBeacon',)),
                '--eval_maps=MoveToBeacon is for single evaluations, expected --mode=evaluate',
            ),
        ],
    )
    def test_other_maps_and_modes(self, values, complaint):
        with pytest.raises(UserError, match=complaint):
            check(**values)
