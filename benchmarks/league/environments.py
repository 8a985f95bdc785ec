"""A virtual environment for each peer, with pinned versions."""

import os
import re
import subprocess
import sys
from typing import Dict, List, NamedTuple, Optional, Tuple

_SPACE_IN_LINE = re.compile(r'\s+')
_TORCH = 'torch==2.13.0'
_GAME = ('numba==0.68.1', 'pysc2_evolved==1.1.1')
"""Requirements of `sc2impala.envs.gym` besides gymnasium and NumPy."""


class Environment(NamedTuple):
    """A virtual environment.

    python: name of its interpreter; empty for that of the league, without an environment.
    requirements: arguments of `pip install`, one call after the other.
    repository, commit: what is cloned, `owner/name` on GitHub.
    edits: (file, regular expression, replacement) in the clone.
    build: shell command in the clone, with `PYTHON` as the interpreter.
    """

    python: str = ''
    requirements: Tuple[Tuple[str, ...], ...] = ()
    repository: str = ''
    commit: str = ''
    edits: Tuple[Tuple[str, str, str], ...] = ()
    build: str = ''


class Entry(NamedTuple):
    """A row of the table.

    title: of the row.
    module: below `benchmarks.league.peers`.
    environment: name in `ENVIRONMENTS`.
    variant: its --variant.
    tasks: those that it has.
    note: in what it differs from the common work.
    """

    title: str
    module: str
    environment: str
    variant: str = ''
    tasks: Tuple[str, ...] = ('speed', 'return')
    note: str = ''


class NotInstalled(Exception):
    """An environment cannot be made; the message is the reason in one sentence."""


ENVIRONMENTS: Dict[str, Environment] = {
    'sc2impala': Environment(),
    'sample_factory': Environment(
        'python3.11',
        (
            (_TORCH, 'sample-factory==2.1.1'),
            _GAME,
            # It asks for gymnasium 0.29 or older, and the game for 1.1 or newer. With NumPy 2, for
            # which the client of the game asks, its workers die.
            ('--no-deps', 'gymnasium==1.4.0', 'numpy==1.26.4'),
        ),
    ),
    'stable_baselines3': Environment(
        'python3.11',
        (
            (_TORCH, 'stable-baselines3==2.9.2', 'sb3-contrib==2.9.2', 'gymnasium==1.4.0'),
            _GAME,
        ),
    ),
    'pufferlib': Environment('python3.11', (('pufferlib-core==3.0.23',), _GAME)),
    'rllib': Environment(
        'python3.11', ((_TORCH, 'ray[rllib]==2.60.0'), ('gymnasium==1.4.0',) + _GAME)
    ),
    'scalable_agent': Environment(
        'python3.7',
        (
            (
                'tensorflow==1.15.5',
                'protobuf<3.21',
                'numpy>=1.18,<1.19',
                'dm-sonnet==1.36',
                'tensorflow-probability==0.8.0',
                'six',
            ),
        ),
        repository='google-deepmind/scalable_agent',
        commit='6c0c8a701990fab9053fb338ede9c915c18fa2b1',
        # Signatures of TensorFlow 1.15, and strings of Python 3; it was written for 1.9 and 2.
        # DeepMind Lab is not installed.
        edits=(
            ('py_process.py', r'str\(serialized\[0\]\)', 'serialized[0].decode()'),
            ('experiment.py', r'tag=level_name \+', 'tag=level_name.decode() +'),
            ('environments.py', r'(?m)^import deepmind_lab$', ''),
            ('batcher.cc', r'DebugString\(\) override', 'DebugString() const override'),
            ('batcher.cc', r'(?m)^  mutex mu_', '  mutable mutex mu_'),
        ),
        build='g++ -std=c++11 -shared -fPIC -O2 -D_GLIBCXX_USE_CXX11_ABI=0 batcher.cc '
        '-o batcher.so $("$PYTHON" -c "import tensorflow as tf; '
        "print('-I' + tf.sysconfig.get_include(), '-L' + tf.sysconfig.get_lib())\" "
        '2>/dev/null) -l:libtensorflow_framework.so.1',
    ),
    'continual_rl': Environment(
        'python3.11',
        (
            # The last NumPy with `np.bool`.
            (_TORCH, 'gym==0.25.2', 'numpy==1.23.5', 'opencv-python-headless==4.8.1.78'),
            ('dotmap==1.3.30', 'psutil==7.2.2', 'cloudpickle==3.1.3'),
        ),
        repository='AGI-Labs/continual_rl',
        commit='f2754bb282757829765beb4703f24b87efa13ff9',
    ),
}

_OUR_NOTE = 'last action and reward are inputs; a hidden layer for the value'

ENTRIES: Dict[str, Entry] = {
    'sc2impala': Entry('sc2impala', 'sc2impala', 'sc2impala', note=_OUR_NOTE),
    'sc2impala_bfloat16': Entry(
        'sc2impala, bfloat16', 'sc2impala', 'sc2impala', 'bfloat16', note=_OUR_NOTE
    ),
    'sc2impala_quickstart': Entry(
        'sc2impala, `scripts/quickstart.sh`',
        'sc2impala',
        'sc2impala',
        'quickstart',
        tasks=('return',),
    ),
    'sample_factory': Entry('Sample Factory 2.1.1, APPO', 'sample_factory', 'sample_factory'),
    'recurrent_ppo': Entry(
        'sb3-contrib 2.9.2, RecurrentPPO',
        'stable_baselines3',
        'stable_baselines3',
        'recurrent_ppo',
        tasks=('speed',),
    ),
    'maskable_ppo': Entry(
        'sb3-contrib 2.9.2, MaskablePPO',
        'stable_baselines3',
        'stable_baselines3',
        'maskable_ppo',
        note='no LSTM',
    ),
    'cleanrl_ppo_lstm': Entry(
        "CleanRL's PPO with LSTM, our implementation of the method",
        'cleanrl_ppo_lstm',
        'stable_baselines3',
    ),
    'pufferlib': Entry(
        'PufferLib 3.0 (pufferlib-core 3.0.23), PuffeRL',
        'pufferlib',
        'pufferlib',
        note='no reset of the LSTM within a sequence',
    ),
    'rllib': Entry('RLlib 2.60.0, APPO', 'rllib', 'rllib', note='also a target network'),
    'scalable_agent': Entry(
        'scalable_agent, TensorFlow 1.15',
        'scalable_agent',
        'scalable_agent',
        tasks=('speed',),
        note='last action and reward are inputs; also an LSTM over an instruction, which is empty',
    ),
    'clear': Entry(
        "CORA's CLEAR",
        'continual_rl',
        'continual_rl',
        tasks=('speed',),
        note='no LSTM; last action and reward are inputs; half of a batch is replayed',
    ),
}


class Installed(NamedTuple):
    """A usable environment: its interpreter, and the folder of the cloned repository or ''."""

    python: str
    sources: str


def install(name: str, folder: str, clones: Optional[str]) -> Installed:
    """Makes an environment, unless it has been made before.

    Args:
      name: in `ENVIRONMENTS`.
      folder: of all environments.
      clones: folder with clones of the repositories as `owner/name`, for machines that cannot
        reach GitHub; None to clone them from there.

    Raises:
      NotInstalled: if it cannot be made.
    """
    environment = ENVIRONMENTS[name]
    if not environment.python:
        return Installed(sys.executable, '')
    root = os.path.join(folder, name)
    made = Installed(
        os.path.join(root, 'bin', 'python'),
        os.path.join(root, 'sources') if environment.repository else '',
    )
    complete = os.path.join(root, 'complete')
    if not os.path.exists(complete):
        os.makedirs(folder, exist_ok=True)
        _run([environment.python, '-m', 'venv', '--clear', root])
        for requirements in environment.requirements:
            _run([made.python, '-m', 'pip', 'install', '--quiet', *requirements])
        if environment.repository:
            _clone(environment, made, clones)
        with open(complete, 'w'):
            pass
    return made


def _clone(environment: Environment, made: Installed, clones: Optional[str]) -> None:
    source = f'https://github.com/{environment.repository}'
    if clones is not None:
        source = os.path.abspath(os.path.join(clones, environment.repository))
    _run(['git', 'clone', '--quiet', source, made.sources])
    _run(['git', '-C', made.sources, 'checkout', '--quiet', environment.commit])
    for name, pattern, replacement in environment.edits:
        path = os.path.join(made.sources, name)
        with open(path) as file:
            text = file.read()
        with open(path, 'w') as file:
            file.write(re.sub(pattern, replacement, text))
    if environment.build:
        _run(['sh', '-c', environment.build], cwd=made.sources, PYTHON=made.python)


def _run(command: List[str], cwd: Optional[str] = None, **variables: str) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env=dict(os.environ, **variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    except OSError as error:
        raise NotInstalled(f'{command[0]}: {error.strerror}') from error
    if done.returncode:
        raise NotInstalled(reason(done.stdout) or f'{command[0]} ended with {done.returncode}')


def reason(output: str) -> str:
    """Returns the line of an output that names the error, shortened to one sentence."""
    lines = [_SPACE_IN_LINE.sub(' ', line).strip() for line in output.splitlines()]
    named = [line for line in lines if re.match(r'(\w+\.)*\w*(Error|Exception)\b.*:', line)]
    errors = [line for line in lines if re.match(r'(?i)(error|fatal)\b', line)]
    found = (named or errors or [line for line in lines if line] or [''])[-1]
    return found if len(found) <= 200 else found[:197] + '...'
