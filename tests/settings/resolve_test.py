"""Which value counts: the one given, the run's, the map's, or the general default."""

import dataclasses
import itertools

import pytest

from sc2impala import envs, learner
from sc2impala.envs import maps
from sc2impala.factories import environments
from sc2impala.settings import resolve, validation
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.settings import Settings

GENERAL = settings_lib.general_defaults()
OF_THE_MAP = {name for name, value in GENERAL.items() if value is None}


@pytest.fixture
def hurried(monkeypatch):
    """MoveToBeacon with defaults of its own for two training flags."""
    changed = dataclasses.replace(
        maps.MAP_DEFAULTS['MoveToBeacon'],
        screen_size=(20, 10),
        settings={'discounting': 0.5, 'fixed_step_mul': True},
    )
    monkeypatch.setitem(maps.MAP_DEFAULTS, 'MoveToBeacon', changed)
    return changed


def test_what_a_process_does_is_not_taken_from_the_folder():
    of_run = dict(GENERAL, job_name='learner', learner_address='a:1', task=3, num_envs=7)
    values = resolve.complete({}, of_run)
    assert (values['job_name'], values['learner_address'], values['task']) == ('', '', -1)
    assert values['num_envs'] == 7
    given = {'job_name': 'learner', 'learner_address': 'b:2'}
    assert resolve.complete(given, of_run)['learner_address'] == 'b:2'


def test_in_what_actors_may_differ():
    free = {'num_envs': 3, 'seed': 5, 'rpc_timeout_secs': 3.0, 'functions': None}
    assert resolve.differences_of_actor(dict(free, map_name=GENERAL['map_name']), GENERAL) == []
    other = dict(free, screen_size=(8, 8), discounting=0.5)
    assert resolve.differences_of_actor(other, GENERAL) == ['discounting', 'screen_size']


class TestWeightsOfAnotherRun:
    """What a run that starts from an imitated agent takes over; `chosen` is what it is given."""

    RUN = resolve.complete({'map_name': 'DefeatRoaches', 'num_envs': 7, 'discounting': 0.5})
    AGENT = dict(agent='units_lstm', ratio_bins=12, screen_size=(32, 32), max_step_mul=8)

    def complete(self, **chosen):
        given = dict(chosen, init_checkpoint='runs/a')
        values = resolve.complete(given, of_start=self.RUN)
        assert {name: values[name] for name in given} == given
        assert {name: values[name] for name in self.AGENT if name not in given} == {
            name: value for name, value in self.AGENT.items() if name not in given
        }
        assert values['functions'] == self.RUN['functions']
        return values

    @pytest.mark.parametrize(
        'chosen', [{}, {'map_name': 'DefeatRoaches'}, {'backend': 'pysc2'}, {'batch_size': 3}]
    )
    def test_it_learns_as_there_but_does_not_imitate(self, chosen):
        values = self.complete(**chosen)
        assert values['map_name'] == 'DefeatRoaches'
        for name in ('discounting', 'learning_rate', 'num_critic_pretrain_frames', 'trace_decay'):
            assert values[name] == self.RUN[name] != GENERAL[name]
        if 'batch_size' not in chosen:
            assert values['batch_size'] == self.RUN['batch_size'] != GENERAL['batch_size']
        assert (values['num_cloning_frames'], values['demonstrator']) == (0, 'none')
        assert values['num_envs'] == (4 if 'backend' in chosen else GENERAL['num_envs'])

    def test_it_is_evaluated_as_there(self, monkeypatch):
        monkeypatch.setitem(self.RUN, 'temperature', 0.5)
        assert self.complete()['temperature'] == 0.5
        assert self.complete(mode='record')['temperature'] == 0.5
        assert self.complete(temperature=2.0)['temperature'] == 2.0
        assert self.complete(map_name='BuildMarines')['temperature'] == 1.0

    def test_labels_are_not_taken_over(self, monkeypatch):
        monkeypatch.setitem(self.RUN, 'demonstration_cost', 0.5)
        assert self.complete()['demonstration_cost'] == 0.0

    def test_on_another_map_it_learns_as_that_map_says(self):
        values = self.complete(map_name='BuildMarines')
        assert values['discounting'] == 0.98
        assert values['learning_rate'] == GENERAL['learning_rate']
        assert values['total_environment_frames'] == GENERAL['total_environment_frames']

    def test_by_another_algorithm_it_learns_by_general_defaults(self):
        values = self.complete(algorithm='appo')
        assert values['discounting'] == 0.97
        assert values['learning_rate'] == GENERAL['learning_rate']

    def test_from_scratch_it_learns_as_the_map_says_for_that(self):
        values = self.complete(from_scratch=True)
        assert values['learning_rate'] == 1e-3 != self.RUN['learning_rate']
        assert values['total_environment_frames'] == 2000000

    def test_of_an_algorithm_without_labels(self):
        of_run = resolve.complete({'algorithm': 'r2d2', 'from_scratch': True, 'r2d2_burn_in': 3})
        values = resolve.complete({'init_checkpoint': 'runs/a'}, of_start=of_run)
        assert (values['algorithm'], values['r2d2_burn_in']) == ('r2d2', 3)


def test_settings_that_have_no_general_default():
    assert {'functions', 'fixed_arguments', 'screen_layers', 'minimap_layers'} == OF_THE_MAP


def test_settings_that_some_map_sets():
    names = set(resolve.set_by_some_map())
    assert names >= OF_THE_MAP
    assert {'reward_scaling', 'discounting'} <= names
    assert {'demonstrator', 'num_cloning_frames', 'agent'} <= names
    assert not {'demonstrations', 'backend', 'seed', 'from_scratch'} & names


def test_the_map_wins_over_the_general_default(hurried):
    assert resolve.complete({}) == dict(
        GENERAL,
        functions=('no_op', 'select_army', 'Move_screen'),
        fixed_arguments={'queued': 0, 'select_add': 0, 'select_point_act': 0},
        screen_layers=('player_relative', 'selected', 'unit_density'),
        minimap_layers=(),
        screen_size=(20, 10),
        discounting=0.5,
        fixed_step_mul=True,
    )


class TestAlgorithm:
    """Its defaults are between those of the map and the general ones."""

    def test_its_defaults_win_over_general_ones(self):
        values = resolve.complete({'algorithm': 'r2d2'})
        assert (values['replay_proportion'], values['discounting']) == (0.75, 0.9)
        assert values['batch_size'] == 16 != GENERAL['batch_size']
        assert resolve.complete({})['replay_proportion'] == GENERAL['replay_proportion'] == 0.0

    def test_the_map_wins(self, hurried):
        values = resolve.complete({'algorithm': 'r2d2'})
        assert (values['replay_proportion'], values['discounting']) == (0.75, 0.5)

    def test_the_backend_wins(self):
        values = resolve.complete({'algorithm': 'r2d2', 'backend': 'pysc2'})
        assert (values['num_actors'], values['replay_proportion']) == (2, 0.75)

    def test_weights_and_what_is_given_win(self):
        of_start = resolve.complete({'step_mul': 3, 'agent': 'atari_net'})
        given = {'algorithm': 'r2d2', 'replay_proportion': 0.5, 'init_checkpoint': 'a'}
        values = resolve.complete(given, of_start=of_start)
        assert (values['replay_proportion'], values['replay_sampler']) == (0.5, 'prioritised')
        assert (values['step_mul'], values['agent']) == (3, 'atari_net')

    def test_the_run_wins(self):
        of_run = dict(GENERAL, algorithm='r2d2', replay_proportion=0.25)
        assert resolve.complete({}, of_run) == of_run

    def test_without_imitation_it_starts_from_scratch(self):
        values = resolve.complete({'algorithm': 'r2d2', 'map_name': 'DefeatRoaches'})
        assert (values['demonstrator'], values['num_cloning_frames']) == ('none', 0)
        of_the_map, of_algorithm, line, chosen = resolve.description(values)
        assert '--discounting=0.97' in of_the_map and '--agent' not in of_the_map
        assert of_algorithm.startswith('r2d2: --fixed_step_mul=True ')
        assert '--replay_proportion=0.75' in of_algorithm
        assert '--discounting' not in of_algorithm
        assert of_algorithm.endswith('(defaults of the algorithm)')
        assert line == 'r2d2 cannot imitate a script: the run starts from scratch'
        assert chosen == 'other settings: --algorithm=r2d2'
        for other in (dict(from_scratch=True), dict(map_name='MoveToBeacon')):
            lines = resolve.description(
                resolve.complete(dict({'algorithm': 'r2d2', 'map_name': 'DefeatRoaches'}, **other))
            )
            assert not [line for line in lines if 'imitate' in line]


def test_every_algorithm_can_be_trained_on_every_map():
    for from_scratch, map_name, algorithm in itertools.product(
        [False, True], envs.MAP_NAMES, learner.ALGORITHMS
    ):
        given = dict(algorithm=algorithm, map_name=map_name, from_scratch=from_scratch)
        settings = Settings.from_values(resolve.complete(given))
        validation.check(settings)
        validation.check_given(given, algorithm)
        assert settings.training.algorithm == algorithm
        assert settings.environment.map_name == map_name


@pytest.mark.parametrize('algorithm', learner.ALGORITHMS)
def test_defaults_of_algorithms_are_typed_and_repeat_no_general_default(algorithm):
    settings = settings_lib.all_settings()
    for name, value in resolve.of_algorithm(algorithm).items():
        value_type = settings[name].type
        again = value_type.parse(value_type.to_text(value))
        assert again == value and type(again) is type(value), name
        assert value != GENERAL[name], name


def test_what_is_given_wins_over_the_map(hurried):
    values = resolve.complete(
        {
            'discounting': GENERAL['discounting'],
            'screen_layers': ('selected',),
            'screen_size': (7, 7),
        }
    )
    assert values['discounting'] == GENERAL['discounting']
    assert (values['screen_layers'], values['screen_size']) == (('selected',), (7, 7))
    assert values['fixed_step_mul'] is True


def test_the_run_wins_over_the_map(hurried):
    of_run = dict(GENERAL, discounting=0.8, functions=('no_op',))
    values = resolve.complete({'agent': 'atari_net'}, of_run)
    assert values == dict(of_run, agent='atari_net')


def test_none_is_no_choice_where_the_map_chooses():
    given = {'functions': None, 'minimap_layers': None, 'vectors': (), 'init_checkpoint': ''}
    values = resolve.complete(given, dict(GENERAL, functions=('no_op',), vectors='all'))
    assert (values['functions'], values['vectors']) == (('no_op',), ())


def test_an_unknown_map_is_left_to_the_check():
    assert resolve.complete({'map_name': 'Foo'}) == dict(GENERAL, map_name='Foo')


def test_differences_are_those_that_matter_to_what_was_learned():
    there = dict(GENERAL, unroll_length=4, progress_secs=1.0, logdir='a')
    here = dict(GENERAL, unroll_length=5, progress_secs=2.0, logdir='b', agent='atari_net')
    assert resolve.differences_on_resume(here, there) == ['agent', 'unroll_length']
    assert resolve.differences_on_resume(there, there) == []


class TestOnAnotherMachine:
    THERE = dict(GENERAL, num_actors=2, num_envs=32, batch_size=32, replay_proportion=0.5)

    def test_numbers_of_games_and_sequences_may_differ(self):
        here = dict(self.THERE, num_actors=1, num_envs=16, batch_size=16, replay_proportion=0.25)
        assert resolve.differences_on_resume(here, self.THERE) == []
        games, batch, replay = resolve.changes_on_resume(here, self.THERE)
        assert games.startswith(
            'resumes with --num_actors=1 instead of 2 and --num_envs=16 instead of 32: all games '
            'start new episodes; variables, optimizer, replay buffer, queue'
        )
        assert batch.startswith('resumes with --batch_size=16 instead of 32: each update has ')
        assert replay.startswith('resumes with --replay_proportion=0.25 instead of 0.5: ')

    def test_there_is_nothing_to_report_without_a_change(self):
        here = dict(self.THERE, save_checkpoint_secs=1.0)
        assert resolve.changes_on_resume(here, self.THERE) == []

    def test_the_replay_buffer_is_not_given_up(self):
        here = dict(self.THERE, replay_proportion=0.0)
        assert resolve.differences_on_resume(here, self.THERE) == ['replay_proportion']
        assert resolve.differences_on_resume(self.THERE, here) == []

    def test_actors_have_the_batch_size_of_their_learner(self):
        here = {'batch_size': 16, 'num_envs': 4}
        assert resolve.differences_of_actor(here, self.THERE) == ['batch_size']


@pytest.mark.parametrize(
    'may_change, expected',
    [
        ((), ['entropy_cost', 'learning_rate', 'unroll_length']),
        (('learning_rate',), ['entropy_cost', 'unroll_length']),
        (('learning_rate', 'entropy_cost', 'unroll_length'), ['unroll_length']),
        ('all', ['unroll_length']),
    ],
)
def test_what_may_change_on_request(may_change, expected):
    there = settings_lib.general_defaults()
    changes = dict(learning_rate=0.5, entropy_cost=0.5, unroll_length=3)
    here = dict(there, may_change=may_change, **changes)
    assert resolve.differences_on_resume(here, there) == expected


def test_where_a_start_stops_is_not_taken_from_the_run():
    of_run = dict(settings_lib.general_defaults(), stop_at_frames=100, may_change=('upgo_cost',))
    values = resolve.complete({}, of_run)
    assert (values['stop_at_frames'], values['may_change']) == (0, ('upgo_cost',))
    assert resolve.complete({'stop_at_frames': 200}, of_run)['stop_at_frames'] == 200


def test_differences_in_an_evaluation_are_all_but_its_own():
    there = dict(GENERAL, progress_secs=1.0)
    here = dict(there, num_episodes=3, seed=5, mode='evaluate', backend='pysc2', camera_width=30)
    assert resolve.differences_in_evaluation(here, there) == []
    here.update(progress_secs=2.0, agent='atari_net')
    assert resolve.differences_in_evaluation(here, there) == ['agent', 'progress_secs']


class TestStarCraft:
    def test_has_defaults_of_its_own(self):
        values = resolve.complete({'backend': 'pysc2', 'map_name': 'BuildMarines', 'num_envs': 3})
        assert (values['num_actors'], values['num_envs'], values['num_eval_envs']) == (2, 3, 4)
        assert values['relaunch_episodes'] == 1
        assert resolve.complete({'backend': 'pysc2'})['relaunch_episodes'] == 0
        assert resolve.complete({'map_name': 'BuildMarines'})['relaunch_episodes'] == 0
        for value in resolve.of_backend('pysc2', 'MoveToBeacon').values():
            assert type(value) is int

    def test_ladder_maps_have_defaults_that_can_be_trained(self):
        settings = Settings.from_values(
            resolve.complete({'backend': 'pysc2', 'map_name': 'Simple64'})
        )
        validation.check(settings)
        assert settings.starcraft.opponent == 'very_easy'
        assert settings.environment.screen_size == (64, 64)
        _, action_spec = environments.make_specs(settings.environment)
        assert 'Build_Barracks_screen' in action_spec.function_names

    def test_an_evaluation_may_be_played_on_another_backend(self):
        of_run = dict(GENERAL, num_envs=7, num_eval_envs=9, num_episodes=8, seed=3)
        of_run['map_name'] = 'BuildMarines'
        own = dict(num_eval_envs=GENERAL['num_eval_envs'], num_episodes=100, seed=0)
        same = resolve.of_evaluation(of_run, 'simulator')
        assert same == dict(of_run, **own)
        other = resolve.of_evaluation(of_run, 'pysc2')
        own.update(backend='pysc2', num_eval_envs=4, relaunch_episodes=1)
        assert other == dict(of_run, **own)
        back = resolve.of_evaluation(dict(other, game_version='4.10'), 'simulator')
        assert back == same

    def test_the_rules_of_the_simulator_are_those_of_the_run_unless_others_are_given(self):
        of_run = dict(GENERAL, map_name='DefeatRoaches', simulator_rules=(('facing', 1.0),))
        same = resolve.of_evaluation(of_run, 'simulator')
        assert same['simulator_rules'] == (('facing', 1.0),)
        assert resolve.of_evaluation(of_run, 'pysc2')['simulator_rules'] == ()
        assert resolve.differences_in_evaluation(dict(same, simulator_rules=()), of_run) == []
        assert resolve.differences_on_resume(dict(of_run, simulator_rules=()), of_run) == [
            'simulator_rules'
        ]

    def test_its_temperature_is_that_of_the_run(self):
        of_run = dict(GENERAL, map_name='CollectMineralsAndGas', from_scratch=True)
        assert resolve.of_evaluation(of_run, 'simulator')['temperature'] == 1.0
        of_run.update(from_scratch=False, temperature=0.3)
        assert resolve.of_evaluation(of_run, 'simulator')['temperature'] == 0.3
        assert resolve.complete({'temperature': 2.0}, of_run)['temperature'] == 2.0
        assert 'temperature' not in resolve.differences_in_evaluation(
            dict(of_run, temperature=2.0), of_run
        )

    def test_it_acts_as_often_as_that_of_the_run(self):
        of_run = dict(GENERAL, map_name='DefeatRoaches', eval_max_step_mul=3)
        assert resolve.of_evaluation(of_run, 'simulator')['eval_max_step_mul'] == 3
        more_often = dict(of_run, eval_max_step_mul=1)
        assert resolve.differences_in_evaluation(more_often, of_run) == []
        assert resolve.differences_on_resume(more_often, of_run) == []

    def test_its_settings_stay_as_they_were_on_the_same_backend(self):
        of_run = dict(GENERAL, backend='pysc2', game_version='4.10', num_eval_envs=4)
        assert resolve.of_evaluation(of_run, 'pysc2') == of_run


class TestManifest:
    def test_holds_numbers_and_text(self):
        values = resolve.complete(
            {'map_name': 'DefeatRoaches', 'screen_size': (9, 8), 'from_scratch': True}
        )
        config = resolve.to_manifest(values)
        assert {type(value) for value in config.values()} <= {bool, int, float, str}
        assert config['screen_size'] == '9x8' and config['minimap_size'] == '16'
        assert config['functions'] == 'no_op,Attack_screen'
        assert config['minimap_layers'] == 'none' and config['vectors'] == 'player'
        assert config['fixed_arguments'] == 'queued=0,select_add=0,select_point_act=0'
        assert resolve.from_manifest({'config': config}) == values

    OLD = {
        'config': {'map_name': 'MoveToBeacon', 'functions': '', 'num_envs': 7},
        'functions': ['no_op', 'Move_screen'],
        'screen_layers': ['selected'],
        'minimap_layers': [],
    }

    def test_of_an_older_version_lacks_settings_that_count_as_general_defaults(self, hurried):
        assert resolve.from_manifest(self.OLD) == dict(
            GENERAL,
            spread_games=False,
            num_envs=7,
            functions=('no_op', 'Move_screen'),
            fixed_arguments={'queued': 0, 'select_add': 0, 'select_point_act': 0},
            screen_layers=('selected',),
            minimap_layers=(),
        )

    def test_needs_a_list_only_where_the_setting_is_empty(self):
        values = resolve.complete({'map_name': 'CollectMineralShards'})
        config = resolve.to_manifest(values)
        assert resolve.from_manifest({'config': config}) == values
        with pytest.raises(ValueError, match='functions is missing or not a list'):
            resolve.from_manifest({'config': dict(config, functions='')})

    @pytest.mark.parametrize(
        'name, value',
        [('screen_size', '0'), ('fixed_arguments', 'all'), ('batch_size', 1.5), ('curve', 'no')],
    )
    def test_with_a_value_that_is_not_understood(self, name, value):
        config = resolve.to_manifest(resolve.complete({}))
        with pytest.raises(ValueError, match=f'config has {value!r} for {name}'):
            resolve.from_manifest({'config': dict(config, **{name: value})})


class TestDescription:
    def test_names_the_defaults_of_the_map(self):
        (line,) = resolve.description(
            resolve.complete({'map_name': 'DefeatRoaches', 'logdir': 'runs/a'})
        )
        assert line.startswith('DefeatRoaches: --screen_size=32 --fixed_arguments=queued=0,')
        assert ' --demonstrator=base_policy ' in line and '--reward_scaling' not in line
        assert line.endswith(' (defaults of the map)')
        assert '--functions' not in line and '--unroll_length' not in line

    def test_names_other_choices_apart(self):
        given = {'map_name': 'DefeatRoaches', 'discounting': 0.9, 'num_envs': 4}
        given['from_scratch'] = True
        of_the_map, chosen = resolve.description(resolve.complete(given))
        assert '--unit_prior=4.0' in of_the_map and '--discounting=' not in of_the_map
        expected = {'--num_envs=4', '--discounting=0.9', '--from_scratch=True'}
        assert set(chosen.split(': ')[1].split()) == expected
        assert chosen.startswith('other settings: ')

    def test_names_the_backend_if_it_has_defaults(self):
        of_both, chosen = resolve.description(resolve.complete({'backend': 'pysc2'}))
        assert ' --num_envs=4 ' in of_both and of_both.endswith(' (defaults of map and backend)')
        assert chosen == 'other settings: --backend=pysc2'
