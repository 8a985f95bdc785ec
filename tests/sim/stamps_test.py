import numpy as np

from sc2impala.sim.stamps import Stamps

PICTURES = [
    np.array([[1, 2], [3, 0], [0, 4]]),
    np.array([[5]]),
    np.arange(12).reshape(3, 4),
]


def test_places_agree_with_a_loop_inside_and_across_the_borders():
    random = np.random.RandomState(0)
    width, height, num_games = 9, 6, 3
    stamp = random.randint(len(PICTURES), size=200)
    corner = random.randint(-4, 10, size=[2, 200])
    game = random.randint(num_games, size=200)

    expected = []
    for index in range(200):
        picture = PICTURES[stamp[index]]
        for row, column in zip(*np.nonzero(picture)):
            x, y = corner[0, index] + column, corner[1, index] + row
            if 0 <= x < width and 0 <= y < height:
                pixel = (game[index] * height + y) * width + x
                expected.append((index, pixel, picture[row, column]))

    placed = Stamps(PICTURES, (width, height)).place(stamp, corner, game)
    assert list(zip(*placed)) == expected

    inside = np.flatnonzero(((corner >= 0) & (corner <= [[width - 4], [height - 3]])).all(0))
    placed = Stamps(PICTURES, (width, height)).place(stamp[inside], corner[:, inside], game[inside])
    found = [(inside[index], pixel, weight) for index, pixel, weight in zip(*placed)]
    assert found == [entry for entry in expected if entry[0] in inside]
    assert found


def test_no_stamp_has_no_pixels():
    nothing = np.zeros([0], int)
    placed, pixels, weights = Stamps(PICTURES, (5, 5)).place(
        nothing, np.zeros([2, 0], int), nothing
    )
    assert len(placed) == len(pixels) == len(weights) == 0
