import numpy as np
import pytest

from sc2impala.sim.neighbours import FEW, MARGIN, TOUCH, Neighbours

RADIUS = np.array([0.375, 0.5, 1.5])
NUM_FIXED = 3  # Slots for units that cannot move.


class Crowd:
    """K games with M units each that walk, jump, change type, appear and disappear."""

    def __init__(self, num_games, num_mobile, seed):
        self.random = np.random.RandomState(seed)
        self.shape = [num_games, num_mobile]
        self.position = self.anywhere()
        self.unit_type = self.random.randint(2, size=self.shape).astype(np.int8)
        self.present = self.some(0.8)

    def anywhere(self):
        side = max(2.0, 0.8 * self.shape[1] ** 0.5)
        return 30 + side * self.random.rand(2, *self.shape)

    def some(self, share):
        return self.random.rand(*self.shape) < share

    def change(self):
        walking = self.some(0.5)
        self.position += walking * self.random.uniform(-0.2, 0.2, size=[2] + self.shape)
        jumping = self.some(0.02)
        self.position = np.where(jumping, self.anywhere(), self.position)
        self.present ^= self.some(0.05)
        chance = self.random.rand()
        if chance < 0.1:
            self.present[:, self.random.randint(self.shape[1]) :] = False
        elif chance < 0.3:
            self.present |= self.some(0.9)
        changing = self.some(0.02)
        self.unit_type[changing] = self.random.randint(len(RADIUS), size=changing.sum())

    def neighbours(self):
        return Neighbours(self.shape[0], self.shape[1] + NUM_FIXED, self.shape[1])

    def look(self, neighbours, running):
        """Pairs of indices into the flattened [K, M]."""
        fixed = [(0, 0), (0, NUM_FIXED)]
        used = self.present.any(0).nonzero()[0]
        last = used[-1] + 1 if used.size else 0
        last = max(last, min(FEW, self.shape[1]))
        games, slots = neighbours.touching(
            np.pad(self.position, [(0, 0)] + fixed, constant_values=30),
            np.pad(self.unit_type, fixed),
            RADIUS,
            self.present[:, :last],
            running,
        )
        return games * self.shape[1] + slots

    def pairs(self, running):
        """All touching pairs, by an exhaustive search."""
        found = []
        num_games, num_mobile = self.shape
        for game in np.flatnonzero(running):
            for low in range(num_mobile):
                for high in range(low + 1, num_mobile):
                    here, there = self.position[:, game, low], self.position[:, game, high]
                    reach = RADIUS[self.unit_type[game, [low, high]]].sum()
                    both = self.present[game, low] and self.present[game, high]
                    if both and np.sqrt(np.square(here - there).sum()) < reach - TOUCH:
                        found.append((game * num_mobile + high, game * num_mobile + low))
        return found


@pytest.mark.parametrize('num_mobile', [2, 3, 4, 5, 9, 16])
def test_the_pairs_are_those_of_a_loop_whatever_happened_before(num_mobile):
    crowd = Crowd(3, num_mobile, seed=num_mobile)
    neighbours = crowd.neighbours()
    num_found = 0
    for _ in range(60):
        running = crowd.random.rand(3) < 0.8
        expected = crowd.pairs(running)
        num_found += len(expected)
        assert list(zip(*crowd.look(neighbours, running))) == expected
        crowd.change()
    assert num_found > 20


def test_units_that_creep_towards_each_other_are_found():
    crowd = Crowd(1, 6, seed=0)
    neighbours = crowd.neighbours()
    crowd.unit_type[:] = 0
    crowd.present[:] = True
    crowd.position[0, 0] = 20 + 4 * np.arange(6)
    crowd.position[1] = 30
    step = MARGIN / 7
    for _ in range(200):
        crowd.position[0, 0, 0] += step
        found = crowd.look(neighbours, np.array([True]))
        assert list(zip(*found)) == crowd.pairs([True])
        if found.size:
            break
    assert found.T.tolist() == [[1, 0]]


def test_a_game_without_units_has_no_pairs():
    crowd = Crowd(2, 7, seed=1)
    crowd.present[:] = False
    neighbours = crowd.neighbours()
    assert crowd.look(neighbours, np.array([True, True])).shape == (2, 0)
    crowd.present[1] = True
    crowd.position[:, 1] = 30
    assert crowd.look(neighbours, np.array([True, True])).shape == (2, 21)
    crowd.present[:] = False
    assert crowd.look(neighbours, np.array([True, True])).shape == (2, 0)


def test_units_side_by_side_do_not_touch():
    crowd = Crowd(2, 2, seed=2)
    crowd.unit_type[:] = 0
    crowd.present[:] = True
    crowd.position[:] = 30
    crowd.position[0, :, 1] += 2 * RADIUS[0] - np.array([TOUCH / 2, 2 * TOUCH])
    found = crowd.look(crowd.neighbours(), np.array([True, True]))
    assert found.tolist() == [[3], [2]]
