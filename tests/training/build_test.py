"""The graph of a training."""

import pytest
import tensorflow.compat.v1 as tf

from sc2impala.errors import UserError
from sc2impala.runtime import sessions
from tests.runtime import tiny
from tests.training.built_training import built_training


@pytest.mark.long
def test_labels_are_those_of_a_demonstrator(plain_training, phased_training):
    assert not plain_training[2].has_labels
    assert phased_training[2].has_labels


def initial_weights(training):
    """{name: array} in a new session."""
    weights = training.agent.weights
    with weights[0].graph.as_default(), tf.Session() as session:
        session.run([v.initializer for v in weights])
        return session.run({v.name: v for v in weights})


@pytest.mark.long
def test_its_initial_weights_depend_on_the_seed(plain_training, tmp_path):
    settings, _, training = plain_training
    weights = initial_weights(training)
    assert settings.run.seed == 0
    with built_training(tmp_path, '--seed=1') as (_, _, training):
        others = initial_weights(training)
    assert sorted(weights) == sorted(others)
    assert not tiny.same_arrays(weights, others)


@pytest.mark.long
def test_trains_on_several_devices(tmp_path, monkeypatch):
    """A whole run with staged parts, on virtual processors in the place of GPUs."""
    config = sessions.session_config(deterministic=False)
    config.device_count['CPU'] = 2
    monkeypatch.setattr(
        sessions, 'learner_devices', lambda count: [f'/cpu:{i}' for i in range(count)]
    )
    monkeypatch.setattr(sessions, 'session_config', lambda *arguments: config)
    tiny.train(tmp_path, 3, '--num_learner_devices=2', *tiny.REPLAY)
    assert tiny.checkpoint_frames(tmp_path)[-1] >= 3 * tiny.FRAMES_PER_UPDATE
    assert len(tiny.losses(tmp_path)['loss/policy_cloning']) >= 3


def test_more_devices_than_the_machine_has(tmp_path):
    built = built_training(tmp_path, '--num_learner_devices=4')
    message = '^--num_learner_devices=4 needs as many GPUs, but this machine has '
    with pytest.raises(UserError, match=message), built:
        pass
