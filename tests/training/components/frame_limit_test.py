"""A start that ends at a number of frames, and what goes on from there."""

import pytest

from tests.runtime import tiny
from tests.training.resume_test import COMMON, check_same

UPDATE = tiny.FRAMES_PER_UPDATE
TOTAL = f'--total_environment_frames={3 * UPDATE}'


@pytest.mark.long
def test_a_run_in_slices_is_the_run_in_one(tmp_path, capsys):
    flags = (TOTAL, *COMMON, '--agent=fully_conv', f'--num_critic_pretrain_frames={UPDATE}')
    assert tiny.main(tmp_path / 'whole', *flags) == 0
    sliced = tmp_path / 'sliced'
    # In the middle of the first update of the training, after that of the critic.
    assert tiny.main(sliced, f'--stop_at_frames={2 * UPDATE - 5}', *flags) == 0
    assert '(--stop_at_frames=4795)' in capsys.readouterr().out
    assert tiny.newest_frames(sliced) == 2 * UPDATE
    # It is there already: nothing is trained.
    assert tiny.main(sliced, f'--stop_at_frames={2 * UPDATE}', *flags) == 0
    assert tiny.newest_frames(sliced) == 2 * UPDATE
    assert tiny.main(sliced, *flags) == 0
    assert tiny.newest_frames(sliced) == 4 * UPDATE
    check_same(tmp_path / 'whole', sliced)


@pytest.mark.long
def test_settings_change_where_the_run_allows_it(tmp_path, capsys):
    first = ('--may_change=learning_rate', f'--stop_at_frames={UPDATE}', '--learning_rate=0.001')
    assert tiny.main(tmp_path, TOTAL, *first) == 0
    limit = f'--stop_at_frames={2 * UPDATE}'
    assert tiny.main(tmp_path, TOTAL, limit, '--entropy_cost=0.5') == 1
    assert '--entropy_cost=0.01 (now 0.5)' in tiny.error_line(capsys)
    assert tiny.main(tmp_path, TOTAL, limit, '--learning_rate=0.003') == 0
    rates = dict(tiny.summaries(tmp_path)['learning_rate'])
    # The schedule is that of the whole training.
    assert abs(rates[UPDATE] - 0.001) < 1e-8
    assert abs(rates[2 * UPDATE] - 0.002) < 1e-8
    starts = tiny.read_json(tmp_path, 'manifest.json')['starts']
    assert starts[1]['settings_changed']['learning_rate'] == 0.003


def test_what_cannot_change_is_refused(tmp_path, capsys):
    assert tiny.main(tmp_path, '--may_change=learning_rate,batch_size') == 1
    line = tiny.error_line(capsys)
    assert '--may_change=batch_size cannot change when a run resumes' in line
    assert 'entropy_cost' in line
