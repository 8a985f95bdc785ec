"""V-trace in programs that run TensorFlow in another mode than the trainer."""

import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

FORK = """
import os
import sys
import traceback

import tensorflow.compat.v1 as tf

for line in sys.stdin:
    child = os.fork()
    if not child:
        failed = 1
        try:
            exec(eval(line), {})
            failed = 0
        except BaseException:
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(failed)
    print(os.waitpid(child, 0)[1], flush=True)
"""
"""Imports TensorFlow, which takes seconds, and runs each line of its input in a copy of itself.

A line is the `repr` of a program. It prints a number that is not 0 if the program failed.
"""

MODE = """
import os
import tensorflow.compat.v1 as tf

def mode():
    return {
        'eager': tf.executing_eagerly(),
        'control flow': tf.control_flow_v2_enabled(),
        'resource variables': tf.resource_variables_enabled(),
        'dimensions': type(tf.TensorShape([3])[0]),
        'logging': tf.logging.get_verbosity(),
        'environment': dict(os.environ),
    }

{switch}
before = mode()
"""

PURE_MODULES = (
    'sc2impala.vtrace',
    'sc2impala.learner.losses',
    'sc2impala.learner.batch',
    'sc2impala.agents.agent',
    'sc2impala.actors',
    'sc2impala.training.build',
    'sc2impala.experiment',
    'sc2impala.tf_setup',
)

SWITCHES = ('', 'tf.disable_eager_execution()', 'tf.disable_v2_behavior()')

USE = """
import numpy as np
from sc2impala import vtrace

steps = {'log_rhos': 0.5, 'discounts': 0.9, 'rewards': 1.0, 'values': 2.0}
with tf.Graph().as_default(), tf.Session() as session:
    outputs = []
    for shape in ([5, 2], [None, None]):
        inputs = {name: tf.placeholder(tf.float32, shape) for name in steps}
        last = tf.placeholder(tf.float32, shape[1:])
        feed = {inputs[name]: np.full([5, 2], steps[name]) for name in steps}
        feed[last] = np.full([2], 3.0)
        output = vtrace.from_importance_weights(bootstrap_value=last, **inputs)
        outputs.append(session.run(output, feed))
expected = [3.0]
for _ in range(5):
    expected.insert(0, 1.0 + 0.9 * expected[0])
for output in outputs:
    np.testing.assert_allclose(output.vs, np.array([expected[:-1]] * 2).T, rtol=1e-5)
assert mode() == before
"""


@pytest.fixture(scope='module')
def run():
    """Runs a program in a process of its own, which must succeed."""
    with subprocess.Popen(
        [sys.executable, '-c', FORK],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        universal_newlines=True,
        env=dict(os.environ, PYTHONPATH=ROOT),
    ) as process:

        def run_program(code):
            process.stdin.write(repr(code) + '\n')
            process.stdin.flush()
            assert process.stdout.readline() == '0\n'

        yield run_program
        process.stdin.close()


@pytest.mark.long
@pytest.mark.parametrize('switch', SWITCHES)
def test_imports_leave_the_mode_of_the_program(switch, run):
    imports = ''.join(
        f'import {module}\nassert mode() == before, ({module!r}, mode())\n'
        for module in PURE_MODULES
    )
    run(MODE.replace('{switch}', switch) + imports)


@pytest.mark.long
@pytest.mark.parametrize('switch', SWITCHES)
def test_vtrace_works_in_the_mode_of_the_program(switch, run):
    run(MODE.replace('{switch}', switch) + USE)


@pytest.mark.long
@pytest.mark.parametrize(
    'switch, expected',
    [
        ('from sc2impala import tf_setup\ntf_setup.enable()\ntf_setup.enable()', True),
        ('tf.disable_v2_behavior()', False),
    ],
)
def test_the_switch_of_the_trainer_is_noticed(switch, expected, run):
    """Otherwise the tests above could not fail."""
    code = MODE.replace('{switch}', switch)
    names = ['eager', 'control flow', 'resource variables']
    run(code + f'assert [before[name] for name in {names}] == [{expected}] * 3, before')


def test_a_program_that_fails_is_noticed(run):
    with pytest.raises(AssertionError):
        run('raise ValueError')
