"""Sessions with bfloat16: the rewritten graph, and the error if bfloat16 is not supported."""

import os

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.errors import UserError
from sc2impala.runtime import sessions


def _can_be_enabled():
    try:
        sessions.session_config(False, True)
    except UserError:
        return False
    return True


@pytest.mark.skipif(not _can_be_enabled(), reason='no bfloat16 here')
def test_products_are_rounded_and_variables_unchanged():
    rng = np.random.RandomState(0)
    arrays = [rng.normal(size=[64, 64]).astype(np.float32) for _ in range(2)]
    results = []
    for in_bfloat16 in (False, True):
        with tf.Graph().as_default():
            a, b = (tf.Variable(array, use_resource=True) for array in arrays)
            product = tf.nn.relu(tf.matmul(a.read_value(), b.read_value()))
            with tf.Session(config=sessions.session_config(False, in_bfloat16)) as session:
                session.run(tf.global_variables_initializer())
                results.append(session.run([product, a]))
    exact, rounded = results
    assert rounded[0].dtype == rounded[1].dtype == np.float32
    np.testing.assert_array_equal(exact[1], rounded[1])
    difference = np.abs(exact[0] - rounded[0]).max()
    assert 1e-3 < difference < 0.5


def test_it_is_disabled_by_default():
    assert sessions.session_config(False) == sessions.session_config(False, False)


def _cpuinfo(monkeypatch, tmp_path, text):
    path = os.path.join(str(tmp_path), 'cpuinfo')
    if text is not None:
        with open(path, 'w') as file:
            file.write(text)
    monkeypatch.setattr(sessions, '_CPUINFO', path)


def test_an_unsupported_processor(monkeypatch, tmp_path):
    _cpuinfo(monkeypatch, tmp_path, 'processor\t: 0\nflags\t\t: fpu avx512f\n')
    assert not sessions.bfloat16_is_available()
    with pytest.raises(UserError, match='--bfloat16=True is not supported by .* expected'):
        sessions.session_config(False, True)


@pytest.mark.parametrize(
    'text, known',
    [
        (None, False),
        ('no such line', False),
        ('flags : fpu amx_bf16\n', True),
        ('Features\t: fp asimd bf16\n', True),
    ],
)
def test_a_supported_or_unknown_processor(monkeypatch, tmp_path, text, known):
    _cpuinfo(monkeypatch, tmp_path, text)
    assert sessions._is_supported_by_processor(if_unknown=True)
    assert sessions._is_supported_by_processor(if_unknown=False) == known
    with_rewrite = sessions._is_supported_by_tensorflow()
    assert sessions.bfloat16_is_available() == (known and with_rewrite)


def test_an_unsupported_tensorflow(monkeypatch):
    monkeypatch.setattr(sessions, '_REWRITE', 'no_such_rewrite')
    assert not sessions.bfloat16_is_available()
    with pytest.raises(UserError, match='not supported by TensorFlow .*, expected'):
        sessions.session_config(False, True)
