"""A new setting is one field: a flag with help and range, in the manifest, checked on resume."""

import dataclasses

import pytest

from sc2impala import experiment, learner
from sc2impala.learner.impala.settings import ImpalaSettings
from sc2impala.learner.impala.update import Impala
from sc2impala.learner.registry import OneFile
from sc2impala.settings import groups
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.fields import setting
from tests.runtime import tiny

SEEN = []


@dataclasses.dataclass(frozen=True)
class CuriousSettings(ImpalaSettings):
    """Those of IMPALA and one more."""

    TITLE = 'curiosity'

    curiosity: int = setting(3, 'how curious the agent is', between=(0, 9))


class Curious(Impala):
    """IMPALA with one more setting."""

    settings_class = CuriousSettings

    def build_update(self, agent, batch, variables, schedule):
        SEEN.append(self.settings.curiosity)
        return super().build_update(agent, batch, variables, schedule)


@dataclasses.dataclass(frozen=True)
class MoreOutputSettings(groups.OutputSettings):
    """One more setting that does not matter for what was learned."""

    TITLE = 'notes'

    note: str = setting('', 'text to remember', free_on_resume=True)


@pytest.fixture(autouse=True)
def added(monkeypatch):
    """Replaces IMPALA and a group by those with one more field."""
    monkeypatch.setitem(learner.ALGORITHMS, 'impala', OneFile(__name__, 'Curious'))
    monkeypatch.setitem(settings_lib.GROUPS, 'output', MoreOutputSettings)
    SEEN.clear()


def test_is_listed_with_its_help_and_default(capsys):
    with pytest.raises(SystemExit):
        experiment.main(['--help'])
    text = capsys.readouterr().out
    assert '\ncuriosity:\n  --curiosity=N\n        how curious the agent is (default: 3)\n' in text
    assert '\nnotes:\n  --note=TEXT\n        text to remember (default: empty)\n' in text


@pytest.mark.parametrize(
    'value, expected', [('10', 'expected 0 to 9'), ('very', 'expected a whole number')]
)
def test_is_checked(value, expected, tmp_path, capsys):
    assert tiny.main(tmp_path, f'--curiosity={value}') == 1
    line = tiny.error_line(capsys)
    assert f'--curiosity={value}' in line and expected in line


def test_is_one_value_everywhere(tmp_path):
    settings = experiment.read_settings([f'--logdir={tmp_path}', '--curiosity=5', '--note=a b'])
    assert settings.algorithms['impala'].curiosity == 5
    assert settings.output.note == 'a b'
    assert settings.values()['curiosity'] == 5
    assert settings_lib.Settings.from_values(settings.values()) == settings


@pytest.mark.long
def test_reaches_the_algorithm_and_is_checked_on_resume(tmp_path, capsys):
    tiny.train(tmp_path, 1, '--curiosity=5', '--note=first')
    assert SEEN == [5]
    config = tiny.read_json(tmp_path, 'manifest.json')['config']
    assert (config['curiosity'], config['note']) == (5, 'first')
    assert tiny.main(tmp_path, '--curiosity=6') == 1
    assert '--curiosity=5 (now 6)' in tiny.error_line(capsys)
    # One that is free on resume may be changed; one that is not given stays.
    tiny.train(tmp_path, 2, '--note=second')
    assert SEEN == [5, 5]
    starts = tiny.read_json(tmp_path, 'manifest.json')['starts']
    assert starts[1]['settings_changed']['note'] == 'second'


def test_a_folder_from_before_has_its_default(run):
    assert not {'curiosity', 'note'} & set(tiny.read_json(run, 'manifest.json')['config'])
    settings = experiment.read_settings([f'--logdir={run}'])
    assert settings.values()['curiosity'] == settings.algorithms['impala'].curiosity == 3


def test_a_name_cannot_be_declared_twice(monkeypatch):
    @dataclasses.dataclass(frozen=True)
    class Other(groups.OutputSettings):
        """Has a setting of the name of another one."""

        TITLE = 'other'

        learning_rate: float = setting(1.0, 'of something else')

    monkeypatch.setitem(settings_lib.GROUPS, 'output', Other)
    with pytest.raises(
        ValueError, match='learning_rate is declared by ActorCriticSettings and by Other'
    ):
        settings_lib.all_settings()
