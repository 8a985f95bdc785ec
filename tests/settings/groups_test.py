"""What holds for every setting, and what the groups compute from theirs."""

import dataclasses
import inspect
import math
from typing import ClassVar

import pytest

from sc2impala import learner
from sc2impala.settings import fields, value_types
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.fields import setting
from sc2impala.settings.settings import Settings
from tests.runtime import tiny

SETTINGS = settings_lib.all_settings()


class TestEverySetting:
    def test_has_help(self):
        for name, found in SETTINGS.items():
            assert found.help.strip() == found.help and len(found.help) > 5, name
            # The default follows in brackets.
            assert not found.help.endswith('.') and '(default' not in found.help, name
            assert found.title, name

    def test_has_a_default_of_its_type(self):
        for name, found in SETTINGS.items():
            if found.default is None:
                assert found.type.parse('') is None, name
            else:
                assert found.type.parse(found.type.to_text(found.default)) == found.default, name

    def test_has_a_range_if_it_is_a_number(self):
        for name, found in SETTINGS.items():
            is_number = found.type in (value_types.WHOLE_NUMBER, value_types.NUMBER)
            assert (found.between is not None) == is_number, name
            if is_number:
                smallest, largest = found.between
                assert smallest < largest, name
                assert smallest <= found.default <= largest or found.default == found.or_else, name

    def test_has_choices_with_its_default(self):
        for name, found in SETTINGS.items():
            assert found.choices is None or found.default in found.choices, name


def test_every_setting_has_a_scope():
    names = {scope: {n for n, s in SETTINGS.items() if s.scope == scope} for scope in fields.SCOPES}
    assert set().union(*names.values()) == set(SETTINGS)
    assert names['process'] == {'job_name', 'learner_address', 'task', 'stop_at_frames'}
    assert names['actor'] == {'num_actors', 'num_envs', 'seed'}
    assert names['policy'] == {'temperature', 'eval_max_step_mul'}
    assert {'agent', 'unit_prior', 'screen_size', 'functions', 'step_mul'} <= names['weights']
    assert {'map_file', 'max_episode_frames', 'opponent', 'realtime'} <= names['game']
    assert {'batch_size', 'replay_sampler', 'learning_rate', 'critic_learning_rate'} <= names[
        'learning'
    ]
    # Labels are not taken over from a run that imitated.
    assert {'num_cloning_frames', 'demonstration_cost', 'demonstrator'} <= names['run']


def test_every_group_is_a_frozen_dataclass_with_a_docstring():
    for group in list(settings_lib.GROUPS.values()) + list(learner.settings_groups().values()):
        assert inspect.getdoc(group) and group.TITLE
        with pytest.raises(dataclasses.FrozenInstanceError):
            made = fields.build(group, settings_lib.general_defaults())
            setattr(made, dataclasses.fields(group)[0].name, 1)


def test_groups_have_one_title_each_in_the_order_of_the_help():
    titles = [found.title for found in SETTINGS.values()]
    changes = [b for a, b in zip([None] + titles, titles) if a != b]
    assert len(changes) == len(set(changes))
    assert changes[0] == 'run' and changes[-1] == 'evaluation'


def test_what_may_be_tuned_while_a_run_goes_on():
    of_algorithms = settings_lib.learner.settings_groups().values()
    learned = {name for group in of_algorithms for name in group.__dataclass_fields__}
    tunable = {name for name, found in SETTINGS.items() if found.tunable}
    assert {'learning_rate', 'entropy_cost', 'discounting', 'adam_epsilon'} <= tunable <= learned
    # A teacher and the counters of phases are variables; labels are part of sequences.
    assert not tunable & {
        'teacher_cost',
        'num_cloning_frames',
        'num_critic_pretrain_frames',
        'demonstration_cost',
    }
    assert not any(SETTINGS[name].free_on_resume for name in tunable)


def test_values_are_the_inverse_of_from_values():
    values = dict(settings_lib.general_defaults(), batch_size=7, critic_learning_rate=0.5)
    settings = Settings.from_values(values)
    assert settings.values() == values
    assert settings.training.batch_size == 7
    assert settings.algorithms['critic_pretraining'].critic_learning_rate == 0.5


def test_algorithms_share_the_settings_that_they_inherit():
    settings = tiny.make_settings(discounting=0.5, adam_beta1=0.25)
    for algorithm in settings.algorithms.values():
        assert (algorithm.discounting, algorithm.adam_beta1) == (0.5, 0.25)


@pytest.mark.parametrize(
    'values, agent_step_mul, longest',
    [
        (dict(fixed_step_mul=True, step_mul=30, max_step_mul=16), 30, 30),
        (dict(fixed_step_mul=False, step_mul=8, max_step_mul=16), None, 16),
        # Random and scripted players play --step_mul also when the agent chooses shorter ones.
        (dict(fixed_step_mul=False, step_mul=30, max_step_mul=16), None, 30),
    ],
)
def test_step_mul(values, agent_step_mul, longest):
    environment = tiny.make_settings(**values).environment
    assert environment.agent_step_mul == agent_step_mul
    assert environment.longest_step == longest


class TestDeclaration:
    def test_of_a_name_twice_is_refused(self):
        @dataclasses.dataclass(frozen=True)
        class One:
            TITLE: ClassVar[str] = 'one'
            speed: int = setting(1, 'how fast', between=(0, 9))

        @dataclasses.dataclass(frozen=True)
        class Two:
            TITLE: ClassVar[str] = 'two'
            speed: int = setting(1, 'how fast', between=(0, 9))

        assert list(fields.settings_of([One])) == ['speed']
        with pytest.raises(ValueError, match='speed is declared by One and by Two'):
            fields.settings_of([One, Two])

    def test_of_a_name_that_a_setting_of_the_run_has_is_refused(self):
        @dataclasses.dataclass(frozen=True)
        class Cloning:
            TITLE: ClassVar[str] = 'cloning'
            batch_size: int = setting(1, 'how many', between=(0, 9))

        groups = list(settings_lib.GROUPS.values()) + [Cloning]
        with pytest.raises(ValueError, match='batch_size is declared by TrainingSettings and by'):
            fields.settings_of(groups)

    def test_that_is_inherited_is_one_setting_with_the_title_of_the_base(self):
        @dataclasses.dataclass(frozen=True)
        class Base:
            TITLE: ClassVar[str] = 'base'
            speed: float = setting(1.0, 'how fast', between=(0.0, math.inf))

        @dataclasses.dataclass(frozen=True)
        class One(Base):
            TITLE: ClassVar[str] = 'one'
            color: str = setting('red', 'of the paint', choices=('red', 'blue'))

        @dataclasses.dataclass(frozen=True)
        class Two(Base):
            TITLE: ClassVar[str] = 'two'
            loud: bool = setting(False, 'whether it makes noise')

        found = fields.settings_of([One, Two])
        assert [(name, s.title) for name, s in found.items()] == [
            ('speed', 'base'),
            ('color', 'one'),
            ('loud', 'two'),
        ]
        assert found['speed'].type is value_types.NUMBER
        assert found['color'].type is value_types.TEXT
        assert found['loud'].type is value_types.BOOLEAN
        assert fields.build(Two, {'speed': 2.0, 'loud': True, 'color': 'x'}) == Two(2.0, True)
