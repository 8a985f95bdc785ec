"""What settings are drawn from, and how they are perturbed."""

import numpy as np
import pytest

from sc2impala.errors import UserError
from sc2impala.population import ranges
from sc2impala.population.ranges import Range


class Draws:
    """Random numbers that are given."""

    def __init__(self, uniform, randint=()):
        self._uniform = list(uniform)
        self._randint = list(randint)

    def uniform(self, low=0.0, high=1.0):
        return low + (high - low) * self._uniform.pop(0)

    def randint(self, high):
        number = self._randint.pop(0)
        assert 0 <= number < high
        return number


def test_parsing():
    text = (
        'learning_rate=1e-5..1e-2:log, discounting=0.9..0.99,warmup_frames=0..1000,'
        'reward_clipping=none|abs_one,clip_advantage=true|false,reward_scaling=-1..1,'
        'final_entropy_cost=-1|0.01'
    )
    assert ranges.parse(text) == {
        'learning_rate': Range('learning_rate', 1e-5, 1e-2, log=True),
        'discounting': Range('discounting', 0.9, 0.99),
        'warmup_frames': Range('warmup_frames', 0, 1000, whole=True),
        'reward_clipping': Range('reward_clipping', values=['none', 'abs_one']),
        'clip_advantage': Range('clip_advantage', values=[True, False]),
        'reward_scaling': Range('reward_scaling', -1.0, 1.0),
        'final_entropy_cost': Range('final_entropy_cost', values=[-1.0, 0.01]),
    }


def test_what_is_refused():
    for text, complaint in [
        ('learning_rate', 'learning_rate is not understood, expected NAME=LOW..HIGH'),
        ('learning_rate=1..2:linear', 'learning_rate=1..2:linear is not understood'),
        ('learning_rate=1..0.5', 'is empty, expected LOW below HIGH.'),
        ('learning_rate=1..1', 'is empty, expected LOW below HIGH.'),
        ('learning_rate=0..1:log', 'expected LOW below HIGH with a positive LOW'),
        ('learning_rate=1e-3', 'is no choice, expected two or more different values'),
        ('learning_rate=1e-3|0.001', 'is no choice, expected two or more different values'),
        ('learning_rate=1..very', '--learning_rate=very is not valid, expected a number'),
        ('learning_rate=1..11', '--learning_rate=11.0 is out of range, expected 0.0 to 10.0'),
        ('learning_rate=nan..1', '--learning_rate=nan is out of range'),
        ('warmup_frames=0.5..7', '--warmup_frames=0.5 is not valid, expected a whole number'),
        ('reward_clipping=none|hard', '--reward_clipping=hard is unknown, expected one of'),
        ('reward_clipping=none..soft', '--reward_clipping=soft is unknown'),
        ('reward_clipping=none..abs_one', 'is not a range of numbers'),
        ('clip_advantage=0..1', 'is not a range of numbers'),
        ('batch_size=4..8', 'batch_size cannot change when a run resumes, expected some of: '),
        ('nonsense=4..8', 'nonsense cannot change when a run resumes'),
        ('entropy_cost=0..1,entropy_cost=0..2', 'entropy_cost=0..2 is there twice'),
        ('', ' is not understood'),
    ]:
        with pytest.raises(UserError) as error:
            ranges.parse(text)
        assert complaint in str(error.value), text


def test_draws_are_even_on_their_scale():
    random = np.random.RandomState(0)
    of_log, of_line, whole = (
        Range('a', 1e-4, 1e-2, log=True),
        Range('b', 2.0, 6.0),
        Range('c', 1, 3, whole=True),
    )
    logs = np.log10([of_log.draw(random) for _ in range(2000)])
    lines = np.array([of_line.draw(random) for _ in range(2000)])
    assert logs.min() >= -4 and logs.max() <= -2 and abs(logs.mean() + 3) < 0.05
    assert lines.min() >= 2 and lines.max() <= 6 and abs(lines.mean() - 4) < 0.1
    assert {whole.draw(random) for _ in range(100)} == {1, 2, 3}
    assert {Range('d', values='xy').draw(random) for _ in range(100)} == {'x', 'y'}


def test_numbers_have_few_digits():
    assert Range('a', 0.0, 1.0).draw(Draws([1 / 3])) == 0.333333
    # Rounding does not leave the range.
    assert Range('a', 0.12345612, 0.2).draw(Draws([0.0])) == 0.12345612


def test_perturbing():
    for of_setting, value, uniform, randint, expected in [
        # Below the probability it is drawn anew, above it is multiplied with a factor.
        (Range('a', 1.0, 5.0), 2.0, [0.24, 0.5], [], 3.0),
        (Range('a', 1.0, 5.0), 2.0, [0.26], [0], 1.6),
        (Range('a', 1.0, 5.0), 2.0, [0.26], [1], 2.5),
        (Range('a', 1.0, 5.0), 4.5, [0.26], [1], 5.0),
        (Range('a', 1.0, 5.0), 1.1, [0.26], [0], 1.0),
        (Range('a', 1.0, 9.0, whole=True), 4, [0.26], [1], 5),
        # Rounding would leave it at 2.
        (Range('a', 1.0, 9.0, whole=True), 2, [0.26], [1], 3),
        (Range('a', 1.0, 9.0, whole=True), 2, [0.26], [0], 1),
        (Range('a', 1.0, 9.0, whole=True), 1, [0.26], [0], 1),
        (Range('a', values=['x', 'y', 'z']), 'y', [0.26], [0], 'x'),
        (Range('a', values=['x', 'y', 'z']), 'y', [0.26], [1], 'z'),
        (Range('a', values=['x', 'y', 'z']), 'z', [0.26], [1], 'z'),
        (Range('a', values=['x', 'y', 'z']), 'z', [0.2], [0], 'x'),
    ]:
        found = of_setting.perturb(value, (0.8, 1.25), 0.25, Draws(uniform, randint))
        assert found == expected and type(found) is type(expected), of_setting


def test_all_settings_are_perturbed_by_themselves():
    of_settings = {'a': Range('a', 1.0, 100.0), 'b': Range('b', values=['x', 'y'])}
    random = np.random.RandomState(1)
    found = [
        ranges.perturb(of_settings, {'a': 10.0, 'b': 'x'}, (0.5, 2.0), 0.0, random)
        for _ in range(100)
    ]
    assert {(each['a'], each['b']) for each in found} == {
        (a, b) for a in (5.0, 20.0) for b in ('x', 'y')
    }


def test_values_outside_are_moved_in_first():
    of_settings = {'a': Range('a', 1.0, 2.0), 'b': Range('b', values=['x', 'y'])}
    draws = Draws([0.9, 0.9], [1, 1])
    found = ranges.perturb(of_settings, {'a': 0.1, 'b': 'z'}, (0.8, 1.5), 0.0, draws)
    assert found == {'a': 1.5, 'b': 'y'}
