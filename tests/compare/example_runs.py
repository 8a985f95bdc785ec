"""Folders of runs with the files that a comparison reads."""

import json

from sc2impala.evaluation import log

EPISODES = 'start,global_step,episode_return,episode_frames,episode_steps'


def write_run(
    folder, seed=0, map_name='MoveToBeacon', returns=(), evaluations=(), evaluation=None, **config
):
    """Writes a run.

    Args:
      folder: `pathlib.Path` of a new folder.
      seed: of the run.
      map_name: of the run.
      returns: of the episodes of the training, one every 100 frames.
      evaluations: rows of the table of evaluations: global_step, mean_return, and others.
      evaluation: content of `evaluation.json` that differs from the usual one.
      config: further settings.
    """
    folder.mkdir(parents=True)
    settings = dict(config, map_name=map_name, seed=seed, logdir=str(folder))
    (folder / 'manifest.json').write_text(json.dumps({'config': settings}))
    if len(returns):
        rows = [f'0,{100 * (i + 1)},{value},80,10' for i, value in enumerate(returns)]
        (folder / 'episodes.csv').write_text('\r\n'.join([EPISODES, *rows, '']))
    if evaluations:
        rows = [','.join(log.COLUMNS)] + [row(**each) for each in evaluations]
        (folder / log.EVALUATIONS_CSV).write_text('\r\n'.join([*rows, '']))
    if evaluation is not None:
        (folder / 'evaluation.json').write_text(json.dumps({**usual_evaluation(), **evaluation}))
    return str(folder)


def row(**values):
    """A row of the table of evaluations."""
    usual = {
        'policy': 'sampled',
        'seed': 0,
        'num_episodes': 20,
        'std_return': 2.0,
        'min_return': 0,
        'max_return': 9,
        'environment_frames': 100,
        'temperature': 1.0,
    }
    values = {**usual, **values}
    return ','.join(str(values.get(name, '')) for name in log.COLUMNS)


def usual_evaluation():
    """The content of an evaluation of three episodes."""
    return {
        'checkpoint_frames': 500,
        'policy': 'sampled',
        'temperature': 1.0,
        'eval_max_step_mul': None,
        'num_episodes': 3,
        'mean_return': 5.0,
        'std_return': 1.0,
        'episodes': [{'return': value, 'frames': 8, 'steps': 1} for value in (4.0, 5.0, 6.0)],
    }
