"""Addresses, and the cluster of a cluster manager."""

import json

import pytest

from sc2impala.errors import UserError
from sc2impala.settings import addresses


@pytest.mark.parametrize(
    'text, expected',
    [
        ('127.0.0.1:2222', ('127.0.0.1', 2222)),
        ('learner:0', ('learner', 0)),
        ('[::1]:80', ('[::1]', 80)),
    ],
)
def test_addresses(text, expected):
    assert addresses.parse(text) == expected


def test_what_is_no_address():
    for text in [
        '',
        'learner',
        ':2222',
        'a:b',
        'a:-1',
        'a:65536',
        '::1:22',
        'grpc://a:1',
        'a:1.5',
    ]:
        with pytest.raises(UserError, match='is not an address, expected host:port'):
            addresses.parse(text)


def environment(job, index=0, cluster=None):
    cluster = cluster or {'learner': ['l:1'], 'actor': ['a:1', 'b:1']}
    return {'TF_CONFIG': json.dumps({'cluster': cluster, 'task': {'type': job, 'index': index}})}


def test_a_cluster_manager():
    for given, expected in [
        ({}, {}),
        ({'TF_CONFIG': ''}, {}),
        (environment('learner'), {'job_name': 'learner', 'learner_address': 'l:1'}),
        (environment('actor', 3), {'job_name': 'actor', 'learner_address': 'l:1', 'task': 3}),
        (
            environment('worker', '1', {'chief': ['c:9'], 'worker': ['w:1']}),
            {'job_name': 'actor', 'learner_address': 'c:9', 'task': 1},
        ),
        (
            environment('worker', 7, {'chief': {'0': 'c:9'}, 'worker': {'7': 'w:1'}}),
            {'job_name': 'actor', 'learner_address': 'c:9', 'task': 7},
        ),
        # One process is no cluster, and opens no port.
        (environment('chief', 0, {'chief': ['c:9']}), {}),
        ({'TF_CONFIG': '{}'}, {}),
    ]:
        assert addresses.from_environment(given) == expected, given


@pytest.mark.parametrize(
    'text, reason',
    [
        ('{"cluster": ', 'Expecting value'),
        ('[1]', 'no attribute'),
        ('{"cluster": {"learner": 3}}', 'not iterable'),
        (environment('ps')['TF_CONFIG'], 'the type of its task is ps'),
        (environment('actor', 0, {'actor': ['a:1', 'b:1']})['TF_CONFIG'], 'names 0 learners'),
        (
            environment('actor', 1, {'actor': {'1': 'a:1', '2': 'b:1'}})['TF_CONFIG'],
            'names 0 learners',
        ),
        (environment('actor', 'x')['TF_CONFIG'], 'invalid literal'),
    ],
)
def test_what_is_not_understood(text, reason):
    with pytest.raises(UserError, match=f'TF_CONFIG=.*{reason}.*expected as'):
        addresses.from_environment({'TF_CONFIG': text})
