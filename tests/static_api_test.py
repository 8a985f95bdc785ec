import glob
import os

from tests import static_api, static_python37

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OF_PEERS = {os.path.join('benchmarks', 'league', 'peers', 'scalable_agent.py')}
"""Sources that run with the libraries of another trainer."""

LIBRARIES = {'tf': static_api.tensorflow(), 'np': static_api.numpy()}


def _sources():
    paths = glob.glob(os.path.join(ROOT, '*.py'))
    for folder in ('sc2impala', 'benchmarks', 'tests', 'scripts'):
        paths += glob.glob(os.path.join(ROOT, folder, '**', '*.py'), recursive=True)
    return sorted(os.path.relpath(path, ROOT) for path in paths)


def _read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return file.read()


def test_all_sources_are_found():
    assert os.path.join('sc2impala', 'vtrace', 'recurrence.py') in _sources()
    assert os.path.join('tests', 'static_api_test.py') in _sources()
    assert len(_sources()) > 20


def test_sources():
    faults = []
    for path in _sources():
        source = _read(path)
        found = static_python37.find_faults(source)
        for library in LIBRARIES.values() if path not in OF_PEERS else ():
            found += static_api.find_faults(source, library)
        faults += [f'{path}, {fault}' for fault in found]
    assert not faults, '\n'.join(faults)


def test_faults_in_uses_of_tensorflow():
    for source, fault in [
        ('x = tf.math.erfinv(y)', '`tf.math.erfinv` is not in TensorF'),
        ('x = tf.shape_n.newer', None),
        ('tf.random.Generator.from_seed(1)', '`tf.random.Generator` is not in TensorFlow 1.15'),
        ('tf.contrib.layers.flatten(x)', '`tf.contrib` is not in TensorFlow 1.15'),
        ('tf.contrib', '`tf.contrib` is not in TensorFlow 1.15'),
        ('tf.nothing', '`tf.nothing` is not in TensorFlow 1.15'),
        ('f(a[tf.nothing.x].y)', '`tf.nothing` is not in TensorFlow 1.15'),
        ('x: tf.nothing = 1', '`tf.nothing` is not in TensorFlow 1.15'),
        ('tf.gather(x, y, batch_dims=1)', None),
        ('tf.gather(x, y, bad_dims=1)', '`tf.gather` has no `bad_dims` in TensorFlow 1.15'),
        ('tf.gather(x, y, **options)', None),
        ('functools.partial(tf.concat, dim=0)', '`tf.concat` has no `dim` in TensorFlow 1.15'),
        ('functools.partial(tf.concat, axis=0)', None),
        ('tf.exp(1, 2, 3)', '`tf.exp` takes 2 arguments in TensorFlow 1.15, not 3'),
        ('tf.exp(1, 2)', None),
        ('functools.partial(tf.exp, 1, 2, 3)', '`tf.exp` takes 2 arguments'),
        ('tf.group(a, b, c, d)', None),
        ('tf.nest.map_structure(f, a, b, c, check_types=False)', None),
        ('tf.float32()', '`tf.float32` cannot be called in TensorFlow 1.15'),
        ('tf.float32.as_numpy_dtype', None),
        ('tf.GraphKeys.GLOBAL_VARIABLES', None),
        ('tf.__version__', None),
        ('self.tf.nothing', None),
        ('import tensorflow.compat.v1 as tf', None),
        (
            'import tensorflow as tf',
            '`import tensorflow as tf` must be `import tensorflow.compat.v1',
        ),
        ('import os, tensorflow', '`import tensorflow` must be'),
        ('import tensorflow.compat.v2 as tf', '`import tensorflow.compat.v2 as tf` must be'),
        ('from tensorflow.python.ops import x', '`from tensorflow.python.ops import ...` must be'),
        ('from tensorflow import keras', '`from tensorflow import ...` must be'),
        ('def f():\n  import tensorflow.contrib', 'line 2: `import tensorflow.contrib` must be'),
        ('from keras import layers', '`from keras import ...` must be'),
        ('from . import tensorflow', None),
    ]:
        _assert_found(source, 'tf', fault)


def test_faults_in_uses_of_numpy():
    for source, fault in [
        ('np.broadcast_shapes(a, b)', '`np.broadcast_shapes` is not in both NumPy 1.18 and 2.4'),
        ('np.float(1)', '`np.float` is not in both NumPy 1.18 and 2.4'),
        ('np.random.default_rng(1).integers(3)', None),
        ('np.linalg.matmul(a, b)', '`np.linalg.matmul` is not in both NumPy 1.18 and 2.4'),
        ('np.stack(a, axis=1)', None),
        ('np.stack(a, dtype=int)', '`np.stack` has no `dtype` in both NumPy 1.18 and 2.4'),
        ('from numpy import typing', '`from numpy import ...` must be `import numpy as np`'),
    ]:
        _assert_found(source, 'np', fault)


def test_listings_have_the_expected_names():
    assert 'tf.where_v2' in LIBRARIES['tf'].symbols
    assert 'tf.contrib' not in LIBRARIES['tf'].symbols
    assert not [name for name in LIBRARIES['tf'].symbols if not name.startswith('tf.')]
    assert not [name for name in LIBRARIES['np'].symbols if not name.startswith('np.')]


def test_parsing_the_lines_of_a_listing():
    assert static_api.parse_line('tf.x') == ('tf.x', (None, False, False))
    assert static_api.parse_line('tf.x()') == ('tf.x', ([], False, False))
    assert static_api.parse_line('tf.x(a, *b, **c)') == ('tf.x', (['a'], True, True))
    assert static_api.parse_line('tf.x(a, **c)') == ('tf.x', (['a'], False, True))


def _assert_found(source, library, fault):
    faults = static_api.find_faults(source, LIBRARIES[library])
    if fault is None:
        assert faults == [], source
    else:
        assert len(faults) == 1 and fault in faults[0], source
