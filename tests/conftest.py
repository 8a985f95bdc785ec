"""TensorFlow's mode, processes, and runs that are built or finished, for tests that read them."""

import multiprocessing
import shutil

import pytest

from sc2impala import tf_setup

tf_setup.enable()
import tensorflow.compat.v1 as tf  # noqa: E402

# The first session sets the threads of all later ones of this process. Games that wait take one.
with tf.Graph().as_default(), tf.Session(
    config=tf.ConfigProto(inter_op_parallelism_threads=8)
) as first_session:
    first_session.run(tf.constant(0))

from tests import rewriting  # noqa: E402
from tests.checkpoints import examples  # noqa: E402
from tests.runtime import tiny  # noqa: E402
from tests.training.built_training import kept_training  # noqa: E402

rewriting.switch_off()


@pytest.fixture(scope='session')
def finished_run(tmp_path_factory):
    """Returns the folder of a run of `tiny.NUM_UPDATES` updates; tests must not change it."""
    logdir = tmp_path_factory.mktemp('run') / 'logs'
    with rewriting.switched_on():
        tiny.train(logdir, tiny.NUM_UPDATES, *tiny.REPLAY)
    return logdir


@pytest.fixture
def run(finished_run, tmp_path):
    """Returns a copy of the finished run, which the test may change."""
    return shutil.copytree(str(finished_run), str(tmp_path / 'run'))


@pytest.fixture(scope='session')
def processes():
    """Starts processes that need not import TensorFlow again, which takes seconds."""
    context = multiprocessing.get_context('forkserver')
    context.set_forkserver_preload(['tests.runtime.tiny'])
    return context


@pytest.fixture(scope='session')
def plain_training(tmp_path_factory):
    """(settings, specs, `Graph`) without replay, script, pre-training or teacher."""
    folder = tmp_path_factory.mktemp('plain_training')
    with kept_training(folder, '--total_environment_frames=300') as built:
        yield built


@pytest.fixture(scope='session')
def phased_training(tmp_path_factory):
    """The same with a script, cloning whose last model is taken, and critic pre-training."""
    flags = (
        '--demonstrator=PySC2',
        '--num_cloning_frames=100',
        '--phase_evaluations=0',
        '--num_critic_pretrain_frames=200',
        '--total_environment_frames=300',
    )
    with kept_training(tmp_path_factory.mktemp('phased_training'), *flags) as built:
        yield built


@pytest.fixture(scope='session')
def taught_training(tmp_path_factory):
    """The same with a script, compressed replay and a teacher that acts; deterministic."""
    flags = (
        *tiny.REPLAY,
        '--replay_compression=zstd',
        '--deterministic',
        '--demonstrator=PySC2',
        '--teacher_cost=0.5',
    )
    with kept_training(tmp_path_factory.mktemp('taught_training'), *flags) as built:
        yield built


@pytest.fixture
def with_best(run):
    """A run of two checkpoints, whose best model is that of 0; it was 7 frames ahead."""
    return examples.add_best(run)
