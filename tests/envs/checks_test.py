import pytest

from sc2impala.envs import checks


def test_sizes():
    assert checks.check_size('screen_size', [16, 12]) == (16, 12)
    for bad in (16, (16,), (16, 16, 16), (16, 0), (16, -1), (16, 8.0), '84', (True, True), None):
        with pytest.raises(ValueError, match=r'^screen_size is .*, expected \(width, height\)'):
            checks.check_size('screen_size', bad)


def test_positive_integers():
    assert checks.check_positive('games', 3) == 3
    for bad in (0, -2, 1.5, '3', True, None):
        with pytest.raises(ValueError, match='^games is .*, expected a positive integer'):
            checks.check_positive('games', bad)


def test_few_known_names_are_all_listed():
    with pytest.raises(ValueError, match="^fruit is 'aple', expected one of: apple, plum.$"):
        checks.check_name('fruit', 'aple', ['apple', 'plum'])


def test_of_many_known_names_the_nearest_are_listed():
    known = [f'apple_{i}' for i in range(50)] + ['plum']
    with pytest.raises(ValueError, match='nearest ones: plum, '):
        checks.check_name('fruit', 'plumb', known)


def test_names_keep_their_order_and_all_has_the_known_one():
    assert checks.check_names('fruit', iter(['c', 'a']), ['a', 'b', 'c']) == ('c', 'a')
    assert checks.check_names('fruit', [], ['a', 'b', 'c']) == ()
    assert checks.check_names('fruit', 'all', ['b', 'a']) == ('b', 'a')


def test_bad_names():
    for names, complaint in (
        ('a', "is 'a', expected a list of names or 'all'"),
        (['a', 'b', 'a'], "has 'a' 2 times"),
        (['a', 'd'], "has 'd', expected one of"),
        ([3], 'has 3, expected one of'),
    ):
        with pytest.raises(ValueError, match=f'^fruit {complaint}'):
            checks.check_names('fruit', names, ['a', 'b', 'c'])
