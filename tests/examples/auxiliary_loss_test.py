"""Self-imitation, an auxiliary loss from outside of the package."""

import os
import re

import pytest

from sc2impala import learner
from tests.docs import documents
from tests.house import sources
from tests.runtime import tiny

ALGORITHM = '--algorithm=examples.auxiliary_loss:SelfImitation'


@pytest.fixture(autouse=True)
def no_own_algorithms():
    yield
    for name in [name for name in learner.ALGORITHMS if ':' in name]:
        del learner.ALGORITHMS[name]


def test_a_run_has_the_loss(tmp_path):
    tiny.train(tmp_path, 2, ALGORITHM, '--self_imitation_cost=0.5', '--seed=1')
    config = tiny.read_json(tmp_path, 'manifest.json')['config']
    assert config['self_imitation_cost'] == 0.5
    summaries = tiny.summaries(tmp_path)
    assert {'loss/self_imitation', 'loss/policy_gradient', 'grad_norm'} <= set(summaries)


@pytest.mark.long
def test_the_loss_has_its_cost(tmp_path):
    """The first update has the same weights and sequences, so its loss is that times its cost."""
    losses = {}
    for cost in (0.0, 0.25, 0.5):
        folder = tmp_path / str(cost)
        flags = ['--deterministic', f'--self_imitation_cost={cost}', '--reward_scaling=10']
        tiny.train(folder, 1, ALGORITHM, *flags)
        summaries = tiny.summaries(folder)
        first = {tag: values[0][1] for tag, values in summaries.items()}
        losses[cost] = first['loss/self_imitation']
        terms = [first[f'loss/{name}'] for name in ('policy_gradient', 'baseline', 'entropy')]
        size = sum(map(abs, terms)) + losses[cost]
        total = sum(terms) + losses[cost]
        assert first['loss/total_loss'] == pytest.approx(total, abs=1e-5 * size)
    assert losses[0.0] == 0.0 < losses[0.25]
    assert losses[0.5] == pytest.approx(2 * losses[0.25], rel=1e-4)


def test_the_tutorial_shows_its_code():
    (shown,) = documents.code('docs/tutorial.md', 'python')
    path = os.path.join(sources.ROOT, 'examples', 'auxiliary_loss.py')
    with open(path, encoding='utf-8') as file:
        text = re.sub('^ +', '', file.read(), flags=re.MULTILINE)
    assert shown in text
