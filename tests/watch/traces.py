"""Small traces with random content, made without a game."""

import numpy as np

from sc2impala.watch import choices, trace

FUNCTIONS = ('no_op', 'select_army', 'Move_screen')
HEADS = (
    trace.Head('function', 3, ()),
    trace.Head('screen', 12, (4, 3)),
    trace.Head('queued', 2, ()),
    trace.Head('step_mul', 8, ()),
)
USED = ([], [], ['screen', 'queued'])
WORLD = trace.World(
    'Meadow',
    (2.0, 22.0, 3.0, 21.0),
    (0.0, 24.0, 0.0, 24.0),
    (0.0, 64.0, 0.0, 64.0),
    24.0,
    False,
    100,
    [trace.UnitType('Marine', 0.375, 45.0, (0, 0)), trace.UnitType('Beacon', 1.9, 25.0, (0, 0))],
)


def player(kind=trace.POLICY, name='runs/<b>&'):
    heads = HEADS[:-1] if kind == trace.SCRIPT else HEADS
    return trace.Player(name, ['about it'], kind, FUNCTIONS, heads, USED, {}, 'how it is computed')


def distributions(rng):
    found = {head.name: rng.dirichlet(np.ones(head.choices)) for head in HEADS}
    found['function'] = np.array([0.25, 0.0, 0.75])
    return found


def episode(of, number=0, steps=5):
    """An episode of a player; the functions alternate between Move_screen and no_op."""
    rng = np.random.RandomState(number)
    recorder = choices.ChoiceRecorder(of)
    for t in range(steps):
        chosen = {'function': 0 if t % 2 else 2, 'screen': 7, 'queued': 1, 'step_mul': 4}
        found = {} if of.kind == trace.SCRIPT else distributions(rng)
        recorder.add(chosen, np.array([True, False, True]), found)
    shape = (steps, 2)
    small = {name: np.zeros(shape, np.uint8) for name in ('facing', 'order')}
    large = {name: np.full(shape, 10 * 512, np.uint16) for name in ('x', 'y')}
    units = trace.Units(
        type=np.tile(np.array([0, 1], np.uint8), (steps, 1)),
        owner=np.tile(np.array([1, 16], np.uint8), (steps, 1)),
        health=np.tile(np.array([30, 25], np.uint16), (steps, 1)),
        flags=np.full(shape, trace.SEEN, np.uint8),
        target_x=np.zeros(shape, np.uint16),
        target_y=np.zeros(shape, np.uint16),
        mobile=1,
        **small,
        **large,
    )
    values = None if of.kind == trace.SCRIPT else np.arange(steps, dtype=np.float32) + 0.5
    codes = rng.randint(0, 2, (steps, 3, 4)).astype(np.uint8)
    return trace.Episode(
        number,
        4 * np.arange(steps + 1, dtype=np.int32),
        np.full([steps, 2], 12 * 512, np.uint16),
        np.arange(steps, dtype=np.float32),
        values,
        values,
        values,
        units,
        recorder.result(),
        [trace.Layer('screen', 'player_relative', codes, ['none', 'self'], 0.0)],
        ['screen height_map'],
    )


def make(kind=trace.POLICY, num_episodes=2):
    of = player(kind)
    return trace.Trace(WORLD, of, [episode(of, number) for number in range(num_episodes)])
