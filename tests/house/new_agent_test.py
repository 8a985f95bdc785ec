"""A new agent is one file and one line: it trains, is saved, and is evaluated by the command."""

import numpy as np
import pytest

from sc2impala import agents, experiment
from tests.runtime import tiny


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """The one line."""
    monkeypatch.setitem(agents.AGENTS, 'tiny', 'tests.house.tiny_agent')


def test_trains_and_is_evaluated(tmp_path):
    """Its critic can be trained alone before, and it can choose its step multiplier."""
    flags = (f'--num_critic_pretrain_frames={tiny.FRAMES_PER_UPDATE}', '--nofixed_step_mul')
    tiny.train(tmp_path, 2, '--agent=tiny', '--deterministic', *flags, '--max_step_mul=120')
    assert 'critic_pretrain/baseline_loss' in tiny.summaries(tmp_path)
    last = tiny.checkpoint_frames(tmp_path)[-1]
    first, trained = (tiny.variables(tmp_path, frames) for frames in (0, last))
    assert any('flatten' in name for name in first)
    weights = [name for name in first if tiny.is_weight(name) and name.endswith('/w')]
    changed = [name for name in weights if not np.array_equal(first[name], trained[name])]
    assert len(changed) >= 4
    assert tiny.evaluate(tmp_path, '--num_episodes=2', '--policy=greedy') == 0
    assert tiny.read_json(tmp_path, 'evaluation.json')['num_episodes'] == 2
    assert tiny.read_json(tmp_path, 'manifest.json')['config']['agent'] == 'tiny'


def test_an_agent_that_is_not_registered(tmp_path, capsys):
    assert experiment.main([f'--logdir={tmp_path}', '--agent=large']) == 1
    assert 'tiny' in tiny.error_line(capsys)
