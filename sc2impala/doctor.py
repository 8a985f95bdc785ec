"""Checks whether StarCraft II can be run on this machine through PySC2, and suggests remedies.

    python -m sc2impala.doctor
    python -m sc2impala.doctor --map_name=Simple64 --game_version=4.10

Every line is the result of a check: `ok`, `note` for a setting that may be intended, or `FAULT`
with a remedy. The exit status is 1 if there is a fault. The last check starts and stops the game;
it is skipped with `--no_launch`.
"""

import argparse
import glob
import importlib.util
import os
import platform
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from typing import Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence

from sc2impala import sim
from sc2impala.game_folder import game_folder

CLIENTS = {'pysc2_evolved': 'pysc2_evolved', 'pysc2': 'PySC2'}
"""Importable package -> name on PyPI."""

OLDEST_BUILD = 55958
"""The build of version 3.16.1, the oldest that PySC2 supports. [S] F"""

STANDIN_MARK = b'sc2impala.sim.api'
"""A string that the binary of the stand-in contains."""

DEFAULT_MAP = 'MoveToBeacon'
LAUNCH_SECONDS = 120
_IS_STANDIN = 'This is the stand-in, not StarCraft II.'
MIN_FREE_BYTES = 1 << 28

OK, NOTE, FAULT = 'ok', 'note', 'FAULT'

_BINARIES = {'Linux': 'SC2_x64', 'Darwin': 'SC2.app', 'Windows': 'SC2_x64.exe'}
_INSTALL_CLIENT = (
    'pip install pysc2_evolved (Python 3.11 or newer) or pip install PySC2 (Python 3.7)'
)
_DOCS = 'see docs/guides/real_game.md'

_LAUNCH = """
import sys
from sc2impala.envs import pysc2_api
from sc2impala.envs.pysc2_backend import own_map
client = pysc2_api.load_client(float(sys.argv[1]))
features = pysc2_api.features
sc2_env = client.sc2_env
interface = sc2_env.AgentInterfaceFormat(
    feature_dimensions=features.Dimensions(screen=(16, 16), minimap=(16, 16)))
players = [sc2_env.Agent(sc2_env.Race.terran)]
if sys.argv[4]:
    players.append(sc2_env.Bot(sc2_env.Race.random, sc2_env.Difficulty.very_easy))
played = sys.argv[2]
if sys.argv[5]:
    played = own_map.make_map(client.maps, sys.argv[5])
with sc2_env.SC2Env(map_name=played, players=players, agent_interface_format=interface,
                    step_mul=8, version=sys.argv[3] or None) as env:
    env.reset()
    env.step([pysc2_api.actions.FUNCTIONS.no_op()])
"""
"""Program that runs one step of the game, in a new process since PySC2 has side effects."""


class Finding(NamedTuple):
    """The result of a check.

    level: OK, NOTE or FAULT.
    text: the finding.
    remedy: suggested remedy, or empty.
    """

    level: str
    text: str
    remedy: str = ''


class Settings(NamedTuple):
    """Settings of the check.

    map_name: a map; empty for the seven mini-games.
    game_version: a version of the game; empty for the newest.
    launch: whether to start the game.
    map_file: a map of the user; empty for an installed one.
    """

    map_name: str = ''
    game_version: str = ''
    launch: bool = True
    map_file: str = ''


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Makes all checks and prints their results; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog='python -m sc2impala.doctor',
        description='Checks whether StarCraft II can be run on this machine through PySC2.',
    )
    parser.add_argument('--map_name', default='', help='the map; the seven mini-games if empty')
    parser.add_argument('--map_file', default='', help='a map of your own, as My.SC2Map')
    parser.add_argument('--game_version', default='', help='such as 4.10; the newest if empty')
    parser.add_argument('--no_launch', action='store_true', help='do not start the game')
    arguments = parser.parse_args(argv)
    settings = Settings(
        arguments.map_name, arguments.game_version, not arguments.no_launch, arguments.map_file
    )
    faults = 0
    for finding in examine(settings):
        print(f'{finding.level:6}{finding.text}', flush=True)
        if finding.remedy:
            print(f'      -> {finding.remedy}', flush=True)
        faults += finding.level == FAULT
    print(f'{faults} faults found.' if faults else 'No fault found.')
    return 1 if faults else 0


def examine(settings: Settings) -> Iterator[Finding]:
    """Yields the results of all checks; starts the game only without faults."""
    faults = 0
    is_standin = False
    for check in CHECKS:
        for finding in check(settings):
            faults += finding.level == FAULT
            is_standin = is_standin or finding.text == _IS_STANDIN
            yield finding
    if not settings.launch:
        return
    if faults:
        yield Finding(NOTE, 'The game is not started while there are faults.')
        return
    if is_standin and (settings.map_name or DEFAULT_MAP) in sim.MAP_NAMES:
        # A cold start compiles the map here, not while PySC2 waits for a reply.
        game = sim.make(settings.map_name or DEFAULT_MAP, [0], (8, 8), (8, 8))
        game.reset()
        game.observe()
    yield launch(settings)


def check_client(settings: Settings) -> List[Finding]:
    """Checks that exactly one PySC2 client and one package of protocol messages are installed."""
    found = [name for name in CLIENTS if importlib.util.find_spec(name) is not None]
    if not found:
        return [Finding(FAULT, 'No PySC2 client is installed.', _INSTALL_CLIENT)]
    findings = [Finding(OK, f'PySC2 client: {CLIENTS[found[0]]} {_version(CLIENTS[found[0]])}.')]
    try:
        from s2clientprotocol import sc2api_pb2

        sc2api_pb2.Request(ping=sc2api_pb2.RequestPing()).SerializeToString()
    except ImportError as error:
        remedy = _INSTALL_CLIENT
        return findings + [Finding(FAULT, f's2clientprotocol does not load: {error}.', remedy)]
    except Exception as error:  # If versions of generated code and runtime differ: any type.
        protobuf = f'protobuf {_version("protobuf")}'
        text = f's2clientprotocol is not compatible with {protobuf}: {_first_line(error)}.'
        return findings + [
            Finding(
                FAULT,
                text,
                'with PySC2 4.0.0 pip install "protobuf<3.21"; with pysc2_evolved reinstall it',
            )
        ]
    both = [name for name in ('s2clientprotocol', 'pys2clientprotocol') if _version(name)]
    if len(both) > 1:
        findings.append(
            Finding(
                FAULT,
                'Both s2clientprotocol and pys2clientprotocol are installed, under the same name.',
                'pip uninstall both, then install the PySC2 client again',
            )
        )
    else:
        findings.append(
            Finding(OK, f'Protocol messages load with protobuf {_version("protobuf")}.')
        )
    return findings


def check_game(settings: Settings) -> List[Finding]:
    """Checks the folder of the game, its versions and its binary."""
    root = game_folder()
    source = 'SC2PATH' if os.environ.get('SC2PATH') else 'SC2PATH is not set; its default'
    if not os.path.isdir(root):
        return [
            Finding(
                FAULT,
                f'{source} is {root}, which is not a folder.',
                f'install StarCraft II ({_DOCS}) and export SC2PATH=<its folder>; or try the '
                'stand-in: python -m sc2impala.sim.api install DIR',
            )
        ]
    versions = os.path.join(root, 'Versions')
    builds = _builds(versions)
    if not builds:
        return [
            Finding(
                FAULT,
                f'{versions} contains no folder named Base and a number.',
                f'SC2PATH must be the folder that contains Versions and Maps; {_DOCS}',
            )
        ]
    newest = max(builds)
    findings = [Finding(OK, f'{source} is {root}, with build {newest}.')]
    if newest < OLDEST_BUILD:
        findings.append(
            Finding(
                FAULT,
                f'Build {newest} is not supported by PySC2, expected {OLDEST_BUILD} or newer.',
                f'install a newer version; {_DOCS}',
            )
        )
    findings += _check_binary(builds[newest])
    if settings.game_version:
        findings.append(_check_version(settings.game_version, builds))
    return findings


def check_maps(settings: Settings) -> List[Finding]:
    """Checks the files of the maps."""
    if settings.map_file:
        return [_check_map_file(settings.map_file)]
    maps = os.path.join(game_folder(), 'Maps')
    if not os.path.isdir(maps):
        remedy = f'create {maps} and unpack the maps into it; {_DOCS}'
        return [Finding(FAULT, f'{maps} is not a folder.', remedy)]
    files = glob.glob(os.path.join(glob.escape(maps), '**', '*.[sS][cC]2[mM]ap'), recursive=True)
    names = {_map_name(path) for path in files}
    wanted = (settings.map_name,) if settings.map_name else sim.MAP_NAMES
    missing = sorted(name for name in wanted if name.lower() not in names)
    if not missing:
        return [Finding(OK, f'Maps are installed: {", ".join(sorted(wanted))}.')]
    return [
        Finding(
            FAULT,
            f'{maps} contains no map named {", ".join(missing)}.',
            f'mini-games belong in {os.path.join(maps, "mini_games")}; {_DOCS}',
        )
    ]


def _check_map_file(map_file: str) -> Finding:
    from sc2impala.envs.pysc2_backend import own_map

    fault = own_map.fault_of(map_file)
    if fault is not None:
        remedy = 'name a map of StarCraft II, such as My.SC2Map, by its path'
        return Finding(FAULT, f'--map_file={map_file} {fault}.', remedy)
    return Finding(OK, f'The map {own_map.name_of(map_file)} is {own_map.path_of(map_file)}.')


def check_network(settings: Settings) -> List[Finding]:
    """Checks that ports of this machine can be used, and whether a proxy interferes."""
    try:
        with socket.socket() as sock:
            sock.bind(('127.0.0.1', 0))
            sock.listen(1)
            with socket.create_connection(sock.getsockname(), timeout=5):
                pass
    except OSError as error:
        remedy = 'allow connections to 127.0.0.1, which the trainer uses to connect to the game'
        return [Finding(FAULT, f'No port of 127.0.0.1 can be used: {error}.', remedy)]
    findings = [Finding(OK, 'Ports of 127.0.0.1 can be used.')]
    proxy = os.environ.get('http_proxy') or os.environ.get('HTTP_PROXY')
    exempt = (os.environ.get('no_proxy') or os.environ.get('NO_PROXY') or '').split(',')
    if proxy and not {'127.0.0.1', '*'} & {name.strip() for name in exempt}:
        findings.append(
            Finding(
                NOTE,
                f'http_proxy is {proxy} and no_proxy does not contain 127.0.0.1.',
                'the trainer adds it itself; other programs that use PySC2 need '
                'export no_proxy=127.0.0.1',
            )
        )
    return findings


def check_space(settings: Settings) -> List[Finding]:
    """Checks the space for the game's temporary files."""
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    if free < MIN_FREE_BYTES:
        remedy = 'free some space, or set TMPDIR to another folder'
        return [Finding(FAULT, f'{folder} has {free >> 20} MiB left.', remedy)]
    return [Finding(OK, f'{folder} has {free >> 20} MiB left.')]


def launch(settings: Settings) -> Finding:
    """Starts the game through PySC2, runs one step and stops it."""
    map_name = settings.map_name or DEFAULT_MAP
    is_mini_game = map_name in sim.MAP_NAMES or bool(settings.map_file)
    played = settings.map_file or map_name
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, '-c', _LAUNCH, str(LAUNCH_SECONDS / 2), map_name]
        command += [settings.game_version, '' if is_mini_game else 'bot', settings.map_file]
        try:
            result = subprocess.run(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=dict(os.environ, TMPDIR=folder, PYTHONPATH=os.pathsep.join(sys.path)),
                timeout=LAUNCH_SECONDS,
            )
        except subprocess.TimeoutExpired as error:
            return _not_started(f'no result within {LAUNCH_SECONDS} s', error.output or b'')
    if result.returncode:
        return _not_started(f'exit status {result.returncode}', result.stdout)
    return Finding(OK, f'The game starts, runs a step on {played}, and ends.')


def _builds(versions: str) -> Dict[int, str]:
    """Returns the folders of all builds by their numbers."""
    if not os.path.isdir(versions):
        return {}
    names = (re.match(r'Base(\d{5,})$', name, re.IGNORECASE) for name in os.listdir(versions))
    return {int(match.group(1)): os.path.join(versions, match.group(0)) for match in names if match}


def _check_binary(folder: str) -> List[Finding]:
    path = os.path.join(folder, _BINARIES.get(platform.system(), 'SC2_x64'))
    if not os.path.exists(path):
        remedy = f'unpack the package of the game for {platform.system()} again'
        return [Finding(FAULT, f'{path} does not exist.', remedy)]
    if not os.access(path, os.X_OK):
        return [Finding(FAULT, f'{path} cannot be executed.', f'chmod +x {path}')]
    missing = _missing_libraries(path)
    if missing:
        remedy = 'install the packages of your system that contain them'
        return [Finding(FAULT, f'{path} needs missing libraries: {", ".join(missing)}.', remedy)]
    findings = [Finding(OK, f'{path} can be executed.')]
    with open(path, 'rb') as file:
        if STANDIN_MARK in file.read(1000):
            findings.append(Finding(NOTE, _IS_STANDIN))
    return findings


def _missing_libraries(path: str) -> List[str]:
    if platform.system() != 'Linux' or shutil.which('ldd') is None:
        return []
    libraries = os.path.join(game_folder(), 'Libs')
    search = os.pathsep.join([os.environ.get('LD_LIBRARY_PATH', ''), libraries])
    result = subprocess.run(
        ['ldd', path],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=dict(os.environ, LD_LIBRARY_PATH=search),
    )
    lines = result.stdout.decode(errors='replace').splitlines()
    return [line.split()[0] for line in lines if line.rstrip().endswith('not found')]


def _check_version(wanted: str, builds: Mapping[int, str]) -> Finding:
    try:
        from sc2impala.envs import pysc2_api

        known = pysc2_api.known_versions()
    except ImportError as error:
        return Finding(FAULT, f'PySC2 does not load: {error}.', _INSTALL_CLIENT)
    name = wanted if wanted.count('.') != 1 else wanted + '.0'
    if name not in known:
        newest = ', '.join(sorted(known)[-5:])
        remedy = f'use a known version, such as {newest}, or none for the newest'
        return Finding(FAULT, f'PySC2 does not know version {wanted}.', remedy)
    if known[name] not in builds:
        remedy = f'install it in addition, or use one of the builds {sorted(builds)}'
        text = f'Version {wanted} is build {known[name]}, which is not installed.'
        return Finding(FAULT, text, remedy)
    return Finding(OK, f'Version {wanted} is installed.')


def _map_name(path: str) -> str:
    """Returns the name of a map in lower case, without a number of players as in (2)Name."""
    name = os.path.splitext(os.path.basename(path))[0]
    return re.sub(r'^\(\d+\)', '', name).lower()


def _not_started(reason: str, output: bytes) -> Finding:
    lines = [line for line in output.decode(errors='replace').splitlines() if line.strip()]
    tail = ' | '.join(lines[-4:]) or 'nothing'
    return Finding(
        FAULT,
        f'The game does not start ({reason}); its last output: {tail}',
        f'run the binary by hand to see more; {_DOCS}',
    )


def _version(distribution: str) -> str:
    """Returns the version of an installed distribution, or '' if it is not installed."""
    for folder in sys.path:
        for path in glob.glob(os.path.join(glob.escape(folder), '*.*-info')):
            name, version = (os.path.basename(path).split('-') + [''])[:2]
            if _normalize(name) == _normalize(distribution):
                return re.sub(r'\.(dist|egg)$', '', version)
    return ''


def _normalize(name: str) -> str:
    return re.sub(r'[-_.]+', '-', name).lower()


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


CHECKS: Sequence[Callable[[Settings], List[Finding]]] = (
    check_client,
    check_game,
    check_maps,
    check_network,
    check_space,
)
"""All checks except `launch`, in order."""


if __name__ == '__main__':
    sys.exit(main())
