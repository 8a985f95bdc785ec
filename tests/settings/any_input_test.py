"""Any text for any flag: settings that can be used, or one sentence; never another error."""

import contextlib
import re

import pytest
from hypothesis import example, given
from hypothesis import settings as effort
from hypothesis import strategies as st

from sc2impala import envs, experiment
from sc2impala.errors import UserError
from sc2impala.settings import settings as settings_lib
from sc2impala.settings import validation

SETTINGS = settings_lib.all_settings()

_NEAR_MISSES = """
-1 -0 0 1 2 0.5 -0.5 1e5 1e400 nan inf -inf 9223372036854775808 1_000 0x10 ١٢ ² 1024 1025
84x64 84x 0x0 true False yes all none ALL , ,, a,a queued=0 queued=0,queued=1 queued=-1
no_op no_op,no_op 573 -7 Move_screen player_relative height_map player feature_units
simulator pysc2 synthetic learner actor localhost:1 localhost:99999 :0 host: [::1]:80
MoveToBeacon Simple64 very_easy zerg ./ /dev/null ~ ~nobody/x {} [] null
"""
NEAR_MISSES = _NEAR_MISSES.split()

TEXTS = st.one_of(
    st.sampled_from(NEAR_MISSES),
    st.text(max_size=20),
    st.text(st.characters(min_codepoint=0, max_codepoint=127), max_size=300),
    st.text(st.characters(whitelist_categories=['Cs', 'Nd', 'No', 'Cc']), max_size=8),
    st.integers().map(str),
    st.floats().map(str),
    st.lists(st.sampled_from(NEAR_MISSES), max_size=4).map(','.join),
)


@pytest.fixture(scope='module', autouse=True)
def elsewhere(tmp_path_factory):
    """Relative folders are looked for in an empty one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp('empty'))
        yield


def use(flags):
    """What `experiment` does with flags before it builds anything."""
    settings = experiment.read_settings([f'--{name}={text}' for name, text in flags.items()])
    validation.check(settings)
    return settings


@pytest.mark.long
@effort(max_examples=400, deadline=None, derandomize=True, database=None)
@given(st.dictionaries(st.sampled_from(sorted(SETTINGS)), TEXTS, min_size=1, max_size=3))
@example({'logdir': 'a\0b'})
@example({'logdir': '\udcff'})
@example({'logdir': 300 * 'x'})
@example({'logdir': '/dev/null/x'})
@example({'init_checkpoint': 5000 * 'x'})
@example({'demonstrations': 'a\0b,c'})
@example({'seed': '9223372036854775808'})
@example({'functions': '²'})
def test_flags(flags):
    try:
        settings = use(flags)
    except UserError as error:
        text = str(error)
        assert len(text) > 20 and '\n' not in text and text.startswith('--'), text
    else:
        # What was accepted is read back from what is written to the manifest.
        for name, value in settings.values().items():
            kind = SETTINGS[name].type
            if value is not None:
                assert kind.from_json(kind.to_json(value)) == value


@pytest.mark.long
@effort(max_examples=100, deadline=None, derandomize=True, database=None)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=3))
def test_command_lines(arguments):
    with contextlib.suppress(UserError):
        experiment.read_settings(arguments)


@pytest.mark.parametrize('map_name', sorted(envs.MAP_NAMES))
def test_messages_name_the_flag_and_the_value(map_name):
    for name, text in (('screen_size', '0'), ('batch_size', 'x'), ('agent', 'nobody')):
        with pytest.raises(UserError, match=re.escape(f'--{name}={text} ')):
            use({'map_name': map_name, name: text})
