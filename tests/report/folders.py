"""Folders of runs with the files that a test writes."""

import os

import tensorflow.compat.v1 as tf

EPISODES = 'start,global_step,episode_return,episode_frames,episode_steps'
EVALUATIONS = (
    'global_step,policy,seed,num_episodes,mean_return,std_return,min_return,max_return,'
    'environment_frames,human_normalised_score,capped_score,human_gap,temperature,eval_max_step_mul'
)


def write(folder, name, *lines):
    """Writes the lines of a file in a folder, which is created."""
    os.makedirs(str(folder), exist_ok=True)
    path = os.path.join(str(folder), name)
    with open(path, 'wb') as file:
        file.write('\r\n'.join((*lines, '')).encode())
    return path


def start(step, time):
    """An event at the start of a launch."""
    return tf.Event(wall_time=time, step=step, session_log=tf.SessionLog(status='START'))


def scalars(step, time, **values):
    """An event with scalars; `__` in a name is '/'."""
    found = [
        tf.Summary.Value(tag=name.replace('__', '/'), simple_value=value)
        for name, value in values.items()
    ]
    return tf.Event(wall_time=time, step=step, summary=tf.Summary(value=found))


def write_events(folder, number, *events):
    """Writes an event file; files are read in the order of their numbers. Returns its path."""
    os.makedirs(str(folder), exist_ok=True)
    path = os.path.join(str(folder), f'events.out.tfevents.{number:010d}.host.1.0')
    with tf.io.TFRecordWriter(path) as writer:
        for event in (tf.Event(wall_time=1.0, file_version='brain.Event:2'), *events):
            writer.write(event.SerializeToString())
    return path
