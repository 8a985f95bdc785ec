"""An auxiliary head of an agent, and the loss that it learns from, are one file and one line."""

import dataclasses
from typing import ClassVar

import numpy as np
import pytest
import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala import learner
from sc2impala.agents import heads, recurrent, torsos
from sc2impala.learner.impala.settings import ImpalaSettings
from sc2impala.learner.impala.update import Impala
from sc2impala.learner.registry import OneFile
from sc2impala.settings.fields import setting
from tests.runtime import tiny


class PredictingHeads(heads.Heads):
    """Predict the reward of the next step as well."""

    def __init__(self, *args):
        super().__init__(*args)
        self._reward = snt.Linear(1, name='predicted_reward')

    def with_step_mul_and_baseline(self, action_logits, hidden):
        outputs = super().with_step_mul_and_baseline(action_logits, hidden)
        return outputs._replace(auxiliary=tf.squeeze(self._reward(hidden), axis=-1))


def make_parts(observation_spec, action_spec, num_step_muls):
    """Torso, core and heads."""
    return (
        torsos.ConvTorso(observation_spec, [(8, 3, 1)]),
        recurrent.FeedForwardCore(),
        PredictingHeads(action_spec, num_step_muls, heads.ConvPointHead),
    )


@dataclasses.dataclass(frozen=True)
class PredictingSettings(ImpalaSettings):
    """Those of IMPALA, and the cost of the prediction."""

    TITLE: ClassVar[str] = 'prediction'

    prediction_cost: float = setting(1.0, 'weight of the prediction', between=(0.0, 10.0))


class Predicting(Impala):
    """IMPALA with the error of the predicted reward."""

    settings_class = PredictingSettings

    def own_terms(self, agent, batch, steps, schedule):
        loss = tf.square(steps.learner.auxiliary - steps.rewards)
        return {'prediction': (self.settings.prediction_cost, loss)}


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """The one line; the agent is named by its module."""
    monkeypatch.setitem(learner.ALGORITHMS, 'predicting', OneFile(__name__, 'Predicting'))


@pytest.mark.long
@pytest.mark.parametrize('flags', [(), ('--argument_conditioning',)])
def test_it_is_trained_and_the_agent_acts(flags, tmp_path):
    own = ('--algorithm=predicting', f'--agent={__name__}:make_parts', *flags)
    tiny.train(tmp_path, 3, *own, '--deterministic', *tiny.HALF_REPLAYED)
    predictions = tiny.summaries(tmp_path)['loss/prediction']
    # The first batch has only new sequences, as many as two others.
    assert len(predictions) == 2 and predictions[0][1] > 0.0
    first, last = (tiny.variables(tmp_path, frames) for frames in (0, 3 * tiny.FRAMES_PER_UPDATE))
    (weights,) = [n for n in first if n.endswith('predicted_reward/w') and tiny.is_weight(n)]
    assert not np.array_equal(first[weights], last[weights])
    assert tiny.evaluate(tmp_path, '--num_episodes=2') == 0
    assert tiny.read_json(tmp_path, 'evaluation.json')['num_episodes'] == 2
