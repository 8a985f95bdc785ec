"""The agents of the zoo: complete, small, and as good as their cards say."""

import os

import numpy as np
import pytest

from sc2impala.checkpoints import zoo, zoo_names
from sc2impala.runtime import manifest
from sc2impala.zoo import cards, publish

MAX_BYTES = 30 * 2**20
"""Maximum size of all agents together."""
OTHER_SEED = 77


@pytest.mark.parametrize('name', zoo_names.names())
def test_every_agent_has_weights_settings_and_a_card(name):
    folder = zoo_names.folder('zoo:' + name)
    assert os.path.getsize(os.path.join(folder, zoo.WEIGHTS)) <= publish.MAX_BYTES
    weights, card = zoo.read_weights(os.path.join(folder, zoo.WEIGHTS)), cards.read(name)
    assert card.name == name
    # The card counts the frames of earlier runs as well.
    assert (weights.frames == card.frames) == (cards.AND_THEN not in card.command)
    assert 0 < weights.frames <= card.frames
    assert sum(np.size(value) for value in weights.values.values()) == card.num_weights
    content = manifest.read(folder)
    assert content['config']['map_name'] == card.map_name
    assert content['config']['agent'] == card.agent
    assert card.scores[0].episodes >= 100


def test_the_zoo_is_small():
    sizes = [
        os.path.getsize(os.path.join(folder, name))
        for folder, _, names in os.walk(zoo_names.FOLDER)
        for name in names
    ]
    assert 0 < sum(sizes) <= MAX_BYTES


@pytest.mark.slow
@pytest.mark.parametrize('name', zoo_names.names())
def test_another_evaluation_has_the_score_of_the_card(name, tmp_path):
    scores = cards.read(name).scores
    arguments = publish.parse(
        [f'--name={name}', '--evaluate', f'--seed={OTHER_SEED}', f'--episodes={scores[0].episodes}']
    )
    for expected, found in zip(scores, publish.evaluate(arguments, None)):
        assert found.map_name == expected.map_name
        error = (expected.standard_error**2 + found.standard_error**2) ** 0.5
        # Of 14 cards one differs by more than three errors in 26 runs of the test.
        assert abs(found.mean - expected.mean) <= 3 * error
