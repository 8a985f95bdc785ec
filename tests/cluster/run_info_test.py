"""What actors read of a run, and when they refuse to play for it."""

import json

import pytest
import tensorflow.compat.v1 as tf

from sc2impala.cluster import run_info as run_info
from sc2impala.errors import UserError
from tests.cluster import sequences


def make_run_info(run='one', **changes):
    """A run metadata without variables."""
    info = run_info.RunInfo(
        run=run,
        versions=run_info.versions(),
        config={'map_name': 'MoveToBeacon'},
        start=2,
        components=run_info.component_lines(sequences.make_spec()),
        variables={},
        capacity=2,
    )
    return info._replace(**changes)


def test_arrives_as_it_was():
    info = make_run_info(variables={'a': ['float32', [2, 3], '/device:CPU:0']})
    assert run_info.from_json(info.to_json().encode()) == info


@pytest.mark.parametrize('name', ['sc2impala', 'tensorflow'])
def test_another_version_is_refused(name):
    versions = dict(run_info.versions(), **{name: '0.0.7'})
    # Another version may have anything else in its run metadata.
    text = json.dumps({'versions': versions, 'unknown': 1}).encode()
    with pytest.raises(UserError, match=f'has {name} 0.0.7, but this actor has .*the same'):
        run_info.from_json(text)


@pytest.mark.parametrize(
    'text', [b'', b'[]', b'{}', json.dumps({'versions': run_info.versions()}).encode()]
)
def test_what_is_no_board(text):
    with pytest.raises(UserError, match='the learner says what this version does not understand'):
        run_info.from_json(text)


def test_other_observations_are_refused():
    lines = run_info.component_lines(sequences.make_spec())
    run_info.check_components(lines, list(lines))
    with pytest.raises(UserError, match=f'{len(lines) - 1} components instead of {len(lines)}'):
        run_info.check_components(lines, lines[:-1])
    other = lines[:3] + ['uint8 [1]'] + lines[4:]
    with pytest.raises(UserError, match=r'have uint8 \[1\] instead of .* as component 3'):
        run_info.check_components(lines, other)


def test_can_be_read_by_a_client_of_the_server(server):
    info = make_run_info()
    with tf.Graph().as_default():
        weight = tf.get_variable('a/w', [2, 3], tf.float64, tf.ones_initializer())
        described = run_info.describe_variables([weight])
        _, status = run_info.local_variables(info._replace(variables=described))
        new = status.assign([2.0, 0.25])
        with tf.Session(server.target) as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            session.run(new)
    with tf.Graph().as_default(), tf.Session('grpc://' + server.address) as session:
        cpu = '/device:CPU:0'
        text = session.run(run_info.remote_variable(run_info.RUN_INFO, tf.string, [], cpu))
        found = run_info.from_json(text)
        assert found.run == info.run
        status = run_info.remote_variable(run_info.STATUS, tf.float64, [2], cpu)
        assert session.run(status).tolist() == [2.0, 0.25]
        dtype, shape, device = found.variables['a/w']
        value = session.run(run_info.remote_variable('a/w', tf.as_dtype(dtype), shape, device))
        assert value.tolist() == [[1.0] * 3] * 2


def test_farewells_are_counted(server):
    with tf.Graph().as_default(), tf.Session(server.target) as learner:
        run_info.local_variables(make_run_info())
        learner.run(tf.local_variables_initializer())
        said = run_info.remote_variable(run_info.NUM_DISCONNECTED, tf.int64, [], '/device:CPU:0')
        assert learner.run(said) == 0
        for _ in range(2):
            with tf.Graph().as_default(), tf.Session('grpc://' + server.address) as client:
                client.run(run_info.remote_farewell())
        assert learner.run(said) == 2
