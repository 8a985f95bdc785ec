import re

import numpy as np
import pytest
from PIL import Image

from sc2impala.evaluation import pictures
from sc2impala.evaluation.pictures import learning_curve

HEADER = 'start,global_step,episode_return,episode_frames,episode_steps'


def write(path, *lines):
    path.write_bytes('\r\n'.join(lines + ('',)).encode())
    return str(path)


def write_run(path, num_episodes, seed=0):
    returns = np.random.RandomState(seed).randint(0, 30, size=[num_episodes])
    rows = [f'0,{1920 * (i + 1)},{value}.0,1920,240' for i, value in enumerate(returns)]
    return write(path, HEADER, *rows)


def test_the_curve_of_a_run_is_a_png_file(tmp_path):
    path = str(tmp_path / 'curve.png')
    pictures.save_learning_curve(write_run(tmp_path / 'a.csv', 300), path, 'MoveToBeacon')
    with Image.open(path) as image:
        assert image.format == 'PNG'
        assert image.size == (900, 500)
        assert len(np.unique(np.array(image.convert('RGB')).reshape(-1, 3), axis=0)) > 50


def test_one_episode_is_enough(tmp_path):
    path = tmp_path / 'curve.png'
    pictures.save_learning_curve(write_run(tmp_path / 'a.csv', 1), str(path))
    assert path.exists()


def test_runs_are_drawn_into_one_picture(tmp_path):
    files = {f'seed {i}': write_run(tmp_path / f'{i}.csv', 50, seed=i) for i in range(3)}
    saved = []
    for number in (1, 2, 3):
        saved.append(tmp_path / f'{number}.png')
        pictures.save_learning_curve(dict(list(files.items())[:number]), str(saved[-1]))
    contents = {path.read_bytes() for path in saved}
    assert len(contents) == 3


@pytest.mark.parametrize(
    'lines, message',
    [
        ([HEADER], 'has no finished episode, expected at least one'),
        ([HEADER, '0,1'], 'has no finished episode, expected at least one'),
        ([], 'has no column start, global_step, episode_return, expected'),
        (['start,global_step', '0,100'], 'has no column episode_return, expected'),
        ([HEADER, '0,100,many,80,10'], 'without numbers: .*many'),
    ],
)
def test_an_invalid_file_is_rejected_by_name(tmp_path, lines, message):
    file = write(tmp_path / 'bad.csv', *lines)
    path = tmp_path / 'curve.png'
    for runs in (file, {'seed 1': file}):
        with pytest.raises(ValueError, match=re.escape(file) + '.*' + message):
            pictures.save_learning_curve(runs, str(path))
    assert not path.exists()


def test_a_missing_file_is_rejected_by_name(tmp_path):
    file = str(tmp_path / 'none.csv')
    with pytest.raises(ValueError, match=re.escape(file) + ' cannot be read'):
        pictures.save_learning_curve(file, str(tmp_path / 'curve.png'))


def test_a_file_of_another_type_is_rejected_by_name(tmp_path):
    file = tmp_path / 'model.ckpt'
    file.write_bytes(bytes(range(1, 256)))
    with pytest.raises(ValueError, match='model.ckpt .*expected the list of episodes of a run'):
        pictures.save_learning_curve(str(file), str(tmp_path / 'curve.png'))


def test_an_empty_dict_of_runs_is_rejected(tmp_path):
    with pytest.raises(ValueError, match='episodes_csv is {}, expected at least one file'):
        pictures.save_learning_curve({}, str(tmp_path / 'curve.png'))


def test_scores_of_others_are_lines(tmp_path):
    runs, without, path = write_run(tmp_path / 'a.csv', 30), tmp_path / 'b.png', tmp_path / 'c.png'
    learning_curve.save_learning_curve(runs, str(without), 'MoveToBeacon')
    learning_curve.save_learning_curve(runs, str(path), 'MoveToBeacon', {'human': 28.0})
    grey = []
    for file in (without, path):
        with Image.open(file) as image:
            pixels = np.array(image.convert('RGB')).astype(int)
        is_grey = (np.ptp(pixels, axis=2) < 3) & (abs(pixels[..., 0] - 77) < 12)
        grey.append(is_grey.sum(axis=1).max())
    assert grey[1] > grey[0] + 200
