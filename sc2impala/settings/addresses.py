"""Addresses of learner and actors, also from a cluster manager."""

import json
from typing import Any, Dict, List, Mapping, Tuple

from sc2impala.errors import UserError

TF_CONFIG = 'TF_CONFIG'

_JOBS = {'learner': 'learner', 'chief': 'learner', 'master': 'learner'}
_JOBS.update({'actor': 'actor', 'worker': 'actor'})

_MAX_PORT = 65535


def parse(address: str) -> Tuple[str, int]:
    """'host:port' -> host and port; an IPv6 host keeps its brackets.

    Raises:
      UserError: if it is not an address.
    """
    host, colon, port = address.rpartition(':')
    is_plain = bool(host) and ('/' not in host) and (':' not in host or host[0] + host[-1] == '[]')
    if not colon or not is_plain or not port.isdecimal() or int(port) > _MAX_PORT:
        raise UserError(
            f'--learner_address={address} is not an address, expected host:port, such as '
            '127.0.0.1:2222.'
        )
    return host, int(port)


def from_environment(environment: Mapping[str, str]) -> Dict[str, Any]:
    """The settings in TF_CONFIG, as cluster managers write it.

    Args:
      environment: environment variables of the process.

    Returns:
      job_name, learner_address and task; nothing without the variable, or if the cluster has only
      one process.

    Raises:
      UserError: if it is invalid.
    """
    text = environment.get(TF_CONFIG, '')
    if not text.strip():
        return {}
    try:
        config = json.loads(text)
        cluster, task = config.get('cluster') or {}, config.get('task') or {}
        processes = {job: _listed(found) for job, found in cluster.items()}
        job, index = task.get('type'), int(task.get('index', 0))
    except (ValueError, TypeError, AttributeError) as error:
        raise _misunderstood(text, str(error)) from error
    if sum(map(len, processes.values())) < 2:
        return {}
    learners = [a for name in processes if _JOBS.get(name) == 'learner' for a in processes[name]]
    if len(learners) != 1:
        raise _misunderstood(text, f'it names {len(learners)} learners')
    if job not in _JOBS:
        raise _misunderstood(text, f'the type of its task is {job}')
    found: Dict[str, Any] = {'job_name': _JOBS[job], 'learner_address': str(learners[0])}
    return dict(found, task=index) if _JOBS[job] == 'actor' else found


def _listed(addresses: Any) -> List[Any]:
    """The addresses of a job; {index: address} if a process knows only some of them."""
    return list(addresses.values() if isinstance(addresses, dict) else addresses)


def _misunderstood(text: str, reason: str) -> UserError:
    return UserError(
        f'{TF_CONFIG}={" ".join(text.split())} is not understood ({reason}), expected as '
        '{"cluster": {"learner": ["host:port"], "actor": [...]}, "task": {"type": "actor", '
        '"index": 0}}; chief stands for learner as well, and worker for actor.'
    )
