import numpy as np
import pytest
from PIL import Image

from sc2impala import envs
from sc2impala.envs.pictures import colors, frames
from sc2impala.evaluation import pictures
from sc2impala.evaluation.pictures import episode_picture


def make_specs(**kwargs):
    kwargs = dict({'screen_size': (20, 10), 'minimap_size': (16, 16)}, **kwargs)
    return envs.make_specs('MoveToBeacon', **kwargs)


def make_observation(observation_spec):
    def zeros(specs):
        return {
            name: zeros(spec) if isinstance(spec, dict) else np.zeros(spec.shape, spec.dtype)
            for name, spec in specs.items()
        }

    return zeros(observation_spec.structure())


def make_action(action_spec, function=0, **heads):
    action = {head: np.int32(0) for head in action_spec.heads}
    action.update(function=np.int32(function), **heads)
    return action


def play(picture, specs, step_muls):
    """Adds steps that move to a different pixel each, with the same observation."""
    observation = make_observation(specs[0])
    for t, step_mul in enumerate(step_muls):
        picture.add(observation, make_action(specs[1], 2, screen=t), step_mul, t % 3 - 1, t)


def read_gif(path):
    """Returns RGB frames [n, height, width, 3] and their durations in ms."""
    images, durations = [], []
    with Image.open(path) as gif:
        for i in range(gif.n_frames):
            gif.seek(i)
            images.append(np.array(gif.convert('RGB')))
            durations.append(gif.info['duration'])
    return np.array(images), durations


@pytest.mark.parametrize(
    'kwargs', [{}, {'screen_layers': 'all', 'minimap_layers': 'all'}, {'screen_layers': []}]
)
def test_the_file_has_one_exact_frame_for_each_step(tmp_path, monkeypatch, kwargs):
    drawn = []
    draw_frames = frames.draw_frames

    def record(*args):
        for frame in draw_frames(*args):
            drawn.append(frame.copy())
            yield frame

    monkeypatch.setattr(frames, 'draw_frames', record)
    specs = make_specs(**kwargs)
    picture = pictures.EpisodePicture(*specs)
    play(picture, specs, [8] * 7)
    path = str(tmp_path / 'episode.gif')
    picture.save(path)
    images, _ = read_gif(path)
    assert images.shape[0] == 7
    np.testing.assert_array_equal(images, colors.PALETTE[np.array(drawn)])


def test_a_long_picture_is_a_small_file(tmp_path):
    specs = make_specs(screen_size=(64, 64))
    picture = pictures.EpisodePicture(*specs)
    play(picture, specs, [8] * 50)
    path = tmp_path / 'episode.gif'
    picture.save(str(path))
    assert path.stat().st_size < 50 * 4000
    assert path.read_bytes().count(colors.PALETTE.tobytes()) == 1, 'one palette for all frames'


@pytest.mark.parametrize(
    'step_muls, speed, expected',
    [
        ([8, 16, 4, 8], 4.0, [120, 260, 60]),
        ([8, 8, 8, 8, 8], 4.0, [120, 130, 130, 120]),
        ([8, 16, 8], 1.0, [500, 1000]),
        ([1, 1, 1], 16.0, [20, 20]),
    ],
)
def test_durations_are_proportional_to_game_time(tmp_path, step_muls, speed, expected):
    specs = make_specs()
    picture = pictures.EpisodePicture(*specs)
    play(picture, specs, step_muls)
    path = str(tmp_path / 'episode.gif')
    picture.save(path, speed)
    _, durations = read_gif(path)
    assert durations == expected + [episode_picture.LAST_FRAME_MS]


def test_the_gif_repeats(tmp_path):
    specs = make_specs()
    picture = pictures.EpisodePicture(*specs)
    play(picture, specs, [8, 8])
    path = str(tmp_path / 'episode.gif')
    picture.save(path)
    with Image.open(path) as gif:
        assert gif.info['loop'] == 0


def test_one_step_is_a_picture(tmp_path):
    specs = make_specs()
    picture = pictures.EpisodePicture(*specs)
    play(picture, specs, [8])
    path = str(tmp_path / 'episode.gif')
    picture.save(path)
    images, _ = read_gif(path)
    assert len(images) == 1


def test_an_action_is_drawn_at_its_point(tmp_path):
    specs = make_specs(screen_layers=['player_relative'])
    picture = pictures.EpisodePicture(*specs)
    observation = make_observation(specs[0])
    picture.add(observation, make_action(specs[1]), 8, 0.0, 0.0)
    picture.add(observation, make_action(specs[1], 2, screen=np.int32(4 * 20 + 12)), 8, 0.0, 0.0)
    path = str(tmp_path / 'episode.gif')
    picture.save(path)
    (before, after), _ = read_gif(path)
    ys, xs = np.nonzero((after == 255).all(axis=2) & (before != 255).any(axis=2))
    corner = np.array([8, 26])
    middle = corner + [125, 45]
    near = (np.abs(xs - middle[0]) < 20) & (np.abs(ys - middle[1]) < 20)
    assert near.sum() > 20
    assert (ys[~near] > 26 + 100).all(), 'the caption is below the panel'
    assert after[middle[1], middle[0]].tolist() == [255, 255, 255]


def test_observations_are_copied(tmp_path):
    specs = make_specs(screen_layers=['selected'])
    saved = []
    for later in (0, 1):
        picture = pictures.EpisodePicture(*specs)
        observation = make_observation(specs[0])
        picture.add(observation, make_action(specs[1]), 8, 0.0, 0.0)
        observation['screen']['selected'][:] = later
        saved.append(tmp_path / f'{later}.gif')
        picture.save(str(saved[-1]))
    assert saved[0].read_bytes() == saved[1].read_bytes()


def test_an_episode_of_the_simulator(tmp_path):
    specs = make_specs(screen_size=(16, 16))
    env = envs.make_environment('simulator', 'MoveToBeacon', [1], *specs, max_step_mul=240)
    picture = pictures.EpisodePicture(*specs)
    observation = env.reset()
    done = False
    while not done:
        first = {k: v[0] for k, v in observation['screen'].items()}
        action = make_action(specs[1])
        output = env.step({head: np.array([i]) for head, i in action.items()}, np.array([240]))
        picture.add({'screen': first}, action, 240, output.reward[0], output.info.episode_return[0])
        observation, done = output.observation, output.done[0]
    path = str(tmp_path / 'episode.gif')
    picture.save(path)
    images, durations = read_gif(path)
    assert len(images) == 1920 // 240
    assert durations[0] == 3750


def test_invalid_steps_are_rejected():
    specs = make_specs(screen_layers=['selected'])
    picture = pictures.EpisodePicture(*specs)
    observation = make_observation(specs[0])
    action = make_action(specs[1])
    with pytest.raises(ValueError, match='step_mul is 0, expected a positive integer'):
        picture.add(observation, action, 0, 0.0, 0.0)
    with pytest.raises(ValueError, match=r"action\['function'\] has 3, expected 0..2"):
        picture.add(observation, dict(action, function=np.int32(3)), 8, 0.0, 0.0)
    batch = {'screen': {'selected': np.zeros([2, 10, 20], np.uint8)}}
    for wrong in (batch, {'screen': {'selected': np.zeros([20, 10])}}, {'screen': {}}, {}):
        with pytest.raises(ValueError, match=r"observation\['screen'\]\['selected'\] has shape"):
            picture.add(wrong, action, 8, 0.0, 0.0)


def test_a_picture_without_steps_cannot_be_saved(tmp_path):
    path = tmp_path / 'episode.gif'
    with pytest.raises(ValueError, match='0 steps, expected at least one'):
        pictures.EpisodePicture(*make_specs()).save(str(path))
    assert not path.exists()


@pytest.mark.parametrize('speed', [0, -1.0, float('nan')])
def test_an_invalid_speed_is_rejected(tmp_path, speed):
    specs = make_specs()
    picture = pictures.EpisodePicture(*specs)
    play(picture, specs, [8])
    with pytest.raises(ValueError, match='speed is .*, expected a positive number'):
        picture.save(str(tmp_path / 'episode.gif'), speed)
