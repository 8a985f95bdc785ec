"""The vector environment on StarCraft II: K games in worker processes, run by PySC2."""

import contextlib
import os
import sys
import tempfile
import threading
import time
import weakref
from typing import Dict, Iterable, Iterator, List, Mapping, Optional, Sequence

import numpy as np

from sc2impala import structs
from sc2impala.envs import vector
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.pysc2_backend import conversion, protocol
from sc2impala.envs.pysc2_backend.errors import GameError, GameFault
from sc2impala.envs.pysc2_backend.game_process import GameProcess, await_answers, remove_folder
from sc2impala.envs.pysc2_backend.settings import GameSettings
from sc2impala.envs.pysc2_backend.shared_arrays import SharedArrays
from sc2impala.envs.specs import ObservationSpec
from sc2impala.structs import Nest

MAX_FAULTS = 3
"""A game that fails this many times in a row without a step in between ends the environment."""

_CLOSE_SECS = 5.0
_CLOSED = 'The environment was closed.'
_REALTIME_FRAMES_PER_SEC = 22.4

_LAUNCHING = threading.Lock()
"""Games of all environments are launched one after another: a launch keeps all cores busy, and many
at once would exceed their deadline."""


class PySC2Environment(vector.VectorEnvironment):
    """K games of StarCraft II on one map, stepped in parallel.

    The first process of game i is launched with seeds[i], later ones with seeds derived from it. If
    the game is deterministic given its seed, as the stand-in is, the first process runs the same
    episodes as `SimulatedEnvironment`. A game that dies, hangs or returns invalid data is killed
    and launched again; its episode ends as aborted, and the other games are not affected.

    failure: the `GameError` that made the environment unusable, or None.
    """

    def __init__(
        self,
        map_name: str,
        seeds: Sequence[int],
        observation_spec: ObservationSpec,
        action_spec: ActionSpec,
        max_step_mul: int,
        settings: Optional[GameSettings] = None,
    ):
        """Launches the games.

        Args:
          map_name: PySC2's name of the map.
          seeds: K non-negative ints.
          observation_spec: the observation space.
          action_spec: the action space.
          max_step_mul: the largest number of environment frames per step.
          settings: settings of the games; None for the defaults.

        Raises:
          ValueError: if the specs are inconsistent.
          GameError: if the games cannot be launched.
        """
        super().__init__(len(seeds), observation_spec, action_spec, max_step_mul)
        if os.name != 'posix':
            raise GameError('--backend=pysc2 runs on Linux and macOS, expected one of them.')
        if observation_spec.units_size is not None:
            raise ValueError(
                f'units_size is {observation_spec.units_size}, expected None on StarCraft II.'
            )
        self.failure = None
        self._map_name = map_name
        self._seeds = list(seeds)
        self._settings = settings or GameSettings()
        self._processes: List[Optional[GameProcess]] = [None] * self.num_envs
        self._launches = np.zeros([self.num_envs], np.int64)
        self._episodes = np.zeros([self.num_envs], np.int64)
        self._faults = np.zeros([self.num_envs], np.int64)
        self._start_totals()
        self._stepping = threading.Lock()
        self._starting = threading.Lock()
        self._closing = False
        try:
            self._shared = SharedArrays(observation_spec, self.num_envs)
            self._folder = tempfile.mkdtemp(prefix='sc2impala-')
        except OSError as error:
            raise GameError(
                'there is not enough space for the shared memory of the games '
                f'({error.strerror}), expected it in /dev/shm or {tempfile.gettempdir()}.'
            ) from error
        self._end = weakref.finalize(self, _end, self._processes, self._folder, os.getpid())
        with self._ending_on_error():
            for index in range(self.num_envs):
                self._start(index)
            for index in range(self.num_envs):
                self._launch(index)

    def reset(self) -> Dict[str, Nest]:
        """See `VectorEnvironment.reset`.

        Raises:
          GameError: if a game cannot be launched again.
        """
        with self._stepping, self._ending_on_error():
            faults = self._command(protocol.RESET, range(self.num_envs), self._deadline_secs(0))
            for index, text in faults.items():
                self._relaunch(index, text)
            self._start_totals()
            return self._shared.copy_observation()

    def step(self, action: Mapping[str, np.ndarray], step_mul: np.ndarray) -> structs.EnvOutput:
        """See `VectorEnvironment.step`.

        If a game fails, its episode is aborted: it is done, with a reward of 0 and the number of
        frames after the previous step.

        Raises:
          ValueError: see `VectorEnvironment.step`.
          GameError: if a game cannot be launched again.
        """
        step_mul = self._check_step_mul(step_mul)
        function_ids, arguments = self._decode(action)
        with self._stepping, self._ending_on_error():
            calls = self._shared.calls
            calls['function_id'][:] = function_ids
            calls['step_mul'][:] = step_mul
            conversion.pack_arguments(arguments, calls['arguments'])
            calls['selection'][:] = conversion.pack_selections(
                self.action_spec.decode_selections(action), self.num_envs
            )
            deadline = self._deadline_secs(step_mul.max())
            faults = self._command(protocol.STEP, range(self.num_envs), deadline)
            return self._conclude(faults)

    def close(self) -> None:
        """See `VectorEnvironment.close`. A step in another thread ends with an error."""
        self._closing = True
        if not self._end.alive:
            return
        # Games may be in the middle of a step or of a launch: the wait for them is limited.
        if self._stepping.acquire(timeout=_CLOSE_SECS):
            self._ask_to_end(range(self.num_envs))
            self._stepping.release()
        with self._starting:
            self._end()

    def _start_totals(self) -> None:
        self._returns = np.zeros([self.num_envs], np.float32)
        self._frames = np.zeros([self.num_envs], np.int32)
        self._steps = np.zeros([self.num_envs], np.int32)

    def _conclude(self, faults: Mapping[int, str]) -> structs.EnvOutput:
        """Collects the results of a step; the games `faults` have failed."""
        aborted = np.zeros([self.num_envs], np.bool_)
        aborted[list(faults)] = True
        results = self._shared.results
        reward = np.where(aborted, np.float32(0), results['reward'])
        done = aborted | results['done']
        self._returns += reward
        before = int(self._frames.sum())
        self._frames = np.where(aborted, self._frames, results['episode_frames'])
        self.frames_played += int(self._frames.sum()) - before
        self._steps += aborted | ~results['reset']
        self._faults[~aborted] = 0
        self._episodes += done
        info = structs.EpisodeInfo(
            self._returns.copy(), self._frames.copy(), self._steps.copy(), aborted
        )
        for total in (self._returns, self._frames, self._steps):
            total[done] = 0
        for index, text in faults.items():
            self._relaunch(index, text)
        self._relaunch_old_games()
        return structs.EnvOutput(reward, info, done, self._shared.copy_observation())

    def _command(self, command: bytes, indices: Iterable[int], seconds: float) -> Dict[int, str]:
        """Sends a command to games, which execute it at the same time, and waits for the answers.

        Returns:
          {index: text} of the games that have failed. They have been killed.
        """
        processes = {self._process(index): index for index in indices}
        for process in processes:
            process.send(command)
        arrived, late = await_answers(processes, time.monotonic() + seconds)
        faults = {processes[process]: f'no answer within {seconds:g} s' for process in late}
        for process in arrived:
            try:
                process.receive()
            except GameFault as fault:
                faults[processes[process]] = str(fault)
        for index in faults:
            self._process(index).kill()
        return faults

    def _process(self, index: int) -> GameProcess:
        process = self._processes[index]
        assert process is not None
        return process

    def _deadline_secs(self, num_frames: int) -> float:
        waits = self._settings.realtime
        return self._settings.deadline_secs + (
            num_frames / _REALTIME_FRAMES_PER_SEC if waits else 0
        )

    def _relaunch_old_games(self) -> None:
        most = self._settings.relaunch_episodes
        old: List[int] = np.flatnonzero(self._episodes >= most).tolist() if most else []
        self._ask_to_end(old)
        for index in old:
            self._replace(index)

    def _relaunch(self, index: int, text: str) -> None:
        """Replaces a game that has failed."""
        self._note_fault(index, text)
        self._replace(index)

    def _replace(self, index: int) -> None:
        """Replaces a game by a new process and starts an episode in it."""
        while True:
            self._remove(index)
            self._start(index)
            self._launch(index)
            faults = self._command(protocol.RESET, [index], self._deadline_secs(0))
            if not faults:
                self._episodes[index] = 0
                return
            self._note_fault(index, faults[index])

    def _launch(self, index: int) -> None:
        """Launches the game of a worker; tries again with a new worker if that fails.

        Raises:
          GameError: after `MAX_FAULTS` failures in a row.
        """
        while True:
            with _LAUNCHING:
                seconds = self._settings.launch_deadline_secs
                faults = self._command(protocol.LAUNCH, [index], seconds)
            if not faults:
                return
            self._note_fault(index, faults[index])
            self._remove(index)
            self._start(index)

    def _start(self, index: int) -> None:
        """Starts a worker, whose game is not launched yet."""
        spec = protocol.WorkerSpec(
            self._map_name,
            seed_of_launch(self._seeds[index], self._launches[index]),
            self.observation_spec,
            self.action_spec,
            self._settings,
            self.num_envs,
            index,
        )
        with self._starting:
            if self._closing:
                raise RuntimeError(_CLOSED)
            try:
                self._processes[index] = GameProcess(spec, self._shared.fileno, self._folder)
            except OSError as error:
                raise GameError(
                    f'no process can be started for game {index} ({error}), expected resources for '
                    f'{self.num_envs} more, and space in {self._folder} for their files.'
                ) from error
        self._launches[index] += 1

    def _remove(self, index: int) -> None:
        process = self._process(index)
        process.kill()
        process.clear()

    def _note_fault(self, index: int, text: str) -> None:
        """Reports a failure of a game.

        Raises:
          GameError: after `MAX_FAULTS` failures in a row.
        """
        if self._closing:
            raise RuntimeError(_CLOSED)
        self._faults[index] += 1
        output = self._process(index).output_tail()
        if self._faults[index] >= MAX_FAULTS:
            raise GameError(self._complaint(text, output))
        print(f'{self._map_name}, game {index}: {text}; launched again', file=sys.stderr)

    def _complaint(self, text: str, output: str) -> str:
        found = os.environ.get('SC2PATH')
        version, map_file = self._settings.version, self._settings.map_file
        place = 'that the map is in its folder Maps'
        if map_file is not None:
            place = f'that {map_file} is a map of this version'
        return (
            'StarCraft II failed {} times in a row on --map_name={}, the last time because of: {}; '
            'expected a game that runs: check SC2PATH (now {}), --game_version (now {}), {}, and '
            'the libraries that the game needs, or run python -m sc2impala.doctor. {}'.format(
                MAX_FAULTS,
                self._map_name,
                text,
                found or 'not set',
                version or 'the newest that is installed',
                place,
                f'Its last output:\n{output}' if output else 'It printed nothing.',
            )
        )

    def _ask_to_end(self, indices: Iterable[int]) -> None:
        """Requests games to end, and waits for up to `_CLOSE_SECS`."""
        processes = [self._process(index) for index in indices]
        for process in processes:
            process.send(protocol.CLOSE)
        # Workers do not answer CLOSE: the wait is for the end of the connection.
        await_answers(processes, time.monotonic() + _CLOSE_SECS)

    @contextlib.contextmanager
    def _ending_on_error(self) -> Iterator[None]:
        """Ends all games at the first error, after which the environment is unusable."""
        if self.failure is not None:
            raise self.failure
        if not self._end.alive:
            raise RuntimeError(_CLOSED)
        try:
            yield
        except BaseException as error:
            self.failure = error if isinstance(error, GameError) else None
            self._closing = True
            with self._starting:
                self._end()
            raise


def seed_of_launch(seed: int, launch: int) -> int:
    """Returns the seed, in 0..2**32 - 1, of the process number `launch` of a game, from 0.

    Every process has a different seed: with the same one it would repeat the same episodes.
    """
    if launch == 0:
        return int(seed % 2**32)
    return int(np.random.SeedSequence([seed, int(launch)]).generate_state(1, np.uint32)[0])


def _end(processes: Iterable[Optional[GameProcess]], folder: str, owner: int) -> None:
    """Kills all games and removes their files; also called when the interpreter exits."""
    if os.getpid() != owner:
        return
    for process in processes:
        if process is not None:
            process.kill()
    remove_folder(folder)
