"""A new term of the loss, whose weight has a schedule of its own, is one file and one line."""

import dataclasses
from typing import ClassVar

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import learner
from sc2impala.learner.appo.settings import AppoSettings
from sc2impala.learner.appo.update import Appo
from sc2impala.learner.impala.settings import ImpalaSettings
from sc2impala.learner.impala.update import Impala
from sc2impala.learner.registry import OneFile
from sc2impala.settings.fields import setting
from sc2impala.settings.learning import ActorCriticSettings
from tests.runtime import tiny

UPDATE = tiny.FRAMES_PER_UPDATE


@dataclasses.dataclass(frozen=True)
class LogitsSettings(ActorCriticSettings):
    """The cost of large logits, and its schedule."""

    TITLE: ClassVar[str] = 'small logits'

    logits_cost: float = setting(0.5, 'weight of squared logits', between=(0.0, 10.0))
    logits_decay: float = setting(1.0, 'part over which it falls to 0', between=(0.0, 1.0))


class SmallLogits:
    """The term, for any actor-critic."""

    def own_terms(self, agent, batch, steps, schedule):
        settings = self.settings
        cost = schedule.linear(settings.logits_cost, 0.0, part=settings.logits_decay)
        loss = tf.reduce_mean(tf.square(steps.learner.step_mul_logits), axis=-1)
        return {**super().own_terms(agent, batch, steps, schedule), 'logits': (cost, loss)}


@dataclasses.dataclass(frozen=True)
class SmallImpalaSettings(LogitsSettings, ImpalaSettings):
    """Those of IMPALA and of the term."""


class SmallImpala(SmallLogits, Impala):
    settings_class = SmallImpalaSettings


@dataclasses.dataclass(frozen=True)
class SmallAppoSettings(LogitsSettings, AppoSettings):
    """Those of APPO and of the term."""


class SmallAppo(SmallLogits, Appo):
    settings_class = SmallAppoSettings


@pytest.fixture
def registered(monkeypatch):
    """The one line."""

    def register(name):
        monkeypatch.setitem(learner.ALGORITHMS, 'small', OneFile(__name__, name))

    return register


@pytest.mark.long
@pytest.mark.parametrize(
    'name, flags', [('SmallImpala', ()), ('SmallAppo', ('--appo_minibatches=2',))]
)
def test_it_is_a_term_of_the_loss_whose_weight_falls(name, flags, registered, tmp_path):
    registered(name)
    steps_chosen = ('--nofixed_step_mul', '--max_step_mul=120')
    tiny.train(tmp_path, 4, '--algorithm=small', '--logits_decay=0.5', *steps_chosen, *flags)
    tags = tiny.summaries(tmp_path)
    terms = [tag for tag in tags if tag.startswith('loss/') and tag != 'loss/total_loss']
    assert {'loss/policy_gradient', 'loss/logits', 'loss/baseline'} <= set(terms)
    totals = [value for _, value in tags['loss/total_loss']]
    sums = np.sum([[value for _, value in tags[tag]] for tag in terms], axis=0)
    np.testing.assert_allclose(totals, sums, rtol=1e-4)
    losses = [value for _, value in tags['loss/logits']]
    assert losses[0] > 0.0
    # Over the second half of the run the term has no weight.
    assert losses[-1] == 0.0
    assert tiny.read_json(tmp_path, 'manifest.json')['config']['logits_decay'] == 0.5
