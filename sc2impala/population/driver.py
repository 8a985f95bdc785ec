"""Runs a population: one generation after the other, until the members' runs have ended."""

import subprocess
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

import numpy as np

from sc2impala.checkpoints import transfer
from sc2impala.errors import FINISHED, UserError, exit_code_of_signal
from sc2impala.population import picture, ranges, report, selection
from sc2impala.population import state as state_lib
from sc2impala.population.jobs import Jobs
from sc2impala.population.members import Members
from sc2impala.population.ranges import Range
from sc2impala.population.settings import PopulationSettings
from sc2impala.population.state import Member, State
from sc2impala.runtime import child_processes, console, seeds
from sc2impala.runtime.trained_frames import TrainedFrames

PROGRESS_SECS = 10.0

_DRAW, _PERTURB, _CHOOSE = 1, 2, 3
"""Purposes of random numbers; 0 is for evaluations, see `members`."""


def random_state(seed: int, *purpose: int) -> np.random.RandomState:
    """Returns random numbers for a seed of the population and a purpose."""
    return np.random.RandomState(seeds.streams(seed, 'population', 1, *purpose)[0])


def first_members(
    settings: PopulationSettings, drawn: Mapping[str, Range], of_command: Mapping[str, object]
) -> List[Member]:
    """Returns the members of the first generation.

    Args:
      settings: settings of the population.
      drawn: ranges by the name of the setting.
      of_command: values of these settings in the command, for the reference.
    """
    members = []
    for index in range(settings.members):
        random = random_state(settings.seed, _DRAW, index)
        members.append(Member(ranges.draw(drawn, random)))
    if settings.reference:
        members[0] = Member({name: of_command[name] for name in drawn})
    return members


class Driver:
    """Runs and selects the members, and writes the files of the population.

    Every action is saved to the state before the next one begins, and can be repeated.
    """

    def __init__(
        self,
        settings: PopulationSettings,
        members: Members,
        drawn: Mapping[str, Range],
        state: State,
        total_frames: int,
        start: Callable[[Sequence[str], str], subprocess.Popen],
    ):
        """Args:
        settings: settings of the population.
        members: runs of its members.
        drawn: ranges by the name of the setting.
        state: state to begin or resume from.
        total_frames: frames of a member, all phases together.
        start: starts a process, see `jobs.start_process`.
        """
        self._settings = settings
        self._members = members
        self._drawn = dict(drawn)
        self._state = state
        self._num_generations = -(-total_frames // settings.exploit_every_frames)
        self._start = start
        self._next_progress = 0.0

    def run(self, stop: Sequence[int]) -> int:
        """Runs until all generations are over, or a signal has arrived.

        Args:
          stop: collects the numbers of signals.

        Returns:
          The exit code.

        Raises:
          UserError: if no member can continue, or a file cannot be written.
        """
        self._write_report()
        with Jobs(self._settings.parallel, self._start) as jobs:
            while self._state.generation < self._num_generations:
                if not self._run_generation(jobs, stop):
                    jobs.stop(lambda: len(stop) > 1)
                    console.say('stopped: the same command resumes from here')
                    return exit_code_of_signal(stop[0])
                self._end_generation()
        console.say(self._result())
        return FINISHED

    def _run_generation(self, jobs: Jobs, stop: Sequence[int]) -> bool:
        """Trains and evaluates every member; returns False if a signal arrives first."""
        while not stop:
            for index, code in jobs.ended().items():
                self._after(index, code)
            todo = [i for i, m in enumerate(self._state.members) if not m.is_over]
            if not todo:
                return True
            for index in todo:
                if index not in jobs.members and jobs.has_room():
                    jobs.start(index, self._flags(index), self._members.log(index))
            self._say_progress(jobs.members)
            time.sleep(child_processes.POLL_SECS)
        return False

    def _flags(self, index: int) -> List[str]:
        """Returns the flags of the next start of a member."""
        member, generation = self._state.members[index], self._state.generation
        if member.status == state_lib.EVALUATE:
            return self._members.evaluation(index, generation)
        target = (generation + 1) * self._settings.exploit_every_frames
        return self._members.training(index, member.settings, target)

    def _after(self, index: int, code: int) -> None:
        """Updates the status of a member whose process has ended, and saves it."""
        member = self._state.members[index]
        if member.status == state_lib.TRAIN:
            frames = self._members.newest(index)
            member.frames = frames or 0
            if code == FINISHED and frames is not None:
                member.status = state_lib.EVALUATE
            else:
                self._has_died(index, code)
        else:
            score = self._members.score(index, self._state.generation)
            if code == FINISHED and score is not None:
                member.score, member.status = score, state_lib.DONE
            else:
                self._has_died(index, code)
        self._state.save(self._settings.logdir)

    def _has_died(self, index: int, code: int) -> None:
        member, limit = self._state.members[index], self._settings.max_restarts
        member.restarts += 1
        how = f'by signal {-code}' if code < 0 else f'with exit code {code}'
        what = f'member {index} has ended {how} ({self._members.last_error(index)})'
        if member.restarts <= limit:
            console.say(f'{what}: restart {member.restarts} of {limit}')
            return
        member.status = state_lib.FAILED
        console.say(f'{what}: it has failed, see {self._members.log(index)}')

    def _end_generation(self) -> None:
        """Selects, copies, and begins the next generation, in this order."""
        state, number = self._state, self._state.generation
        if not any(member.score is not None for member in state.members):
            raise UserError(
                'no member has a score, as all have failed: their logs are '
                f'{self._members.log(0)} and so on; expected --ranges that at least one can learn '
                'with.'
            )
        is_last = number + 1 >= self._num_generations
        parents = list(range(len(state.members))) if is_last else self._choose_parents()
        rows = [
            report.row(number, index, member, self._settings)
            for index, member in enumerate(state.members)
        ]
        following = [self._next_member(index, parent) for index, parent in enumerate(parents)]
        state.members, state.generation = following, number + 1
        state.history += rows
        state.save(self._settings.logdir)
        self._write_report()
        scores = ', '.join(f'{row["member"]}: {report.score_text(row["score"])}' for row in rows)
        console.say(f'generation {number + 1} of {self._num_generations}, scores {scores}')

    def _choose_parents(self) -> List[int]:
        own = self._settings
        return selection.choose_parents(
            [member.score for member in self._state.members],
            own.exploit_fraction,
            own.exploit_threshold,
            own.exploit_threshold_absolute,
            [0] if own.reference else [],
            random_state(own.seed, _CHOOSE, self._state.generation),
        )

    def _next_member(self, index: int, parent: int) -> Member:
        """Returns a member of the next generation; copies adopted weights."""
        member, other = self._state.members[index], self._state.members[parent]
        frames = self._members.newest(index)
        if member.status == state_lib.FAILED and (parent == index or frames is None):
            return Member(member.settings, index, state_lib.FAILED, frames=member.frames)
        if parent == index or frames is None:
            return Member(member.settings, index)
        own = self._settings
        source = self._members.folder(parent)
        keep = report.kept_parts(own)
        transfer.offer(source, other.frames, self._members.folder(index), frames, keep)
        random = random_state(own.seed, _PERTURB, self._state.generation, index)
        perturbed = ranges.perturb(
            self._drawn, other.settings, own.perturb_factors, own.resample_probability, random
        )
        console.say(
            f'member {index} ({report.score_text(member.score)}) takes over from member {parent} '
            f'({report.score_text(other.score)}): {_settings_text(other.settings)} -> '
            f'{_settings_text(perturbed)}'
        )
        return Member(perturbed, parent)

    def _write_report(self) -> None:
        report.write(self._settings.logdir, self._state.history, list(self._drawn))
        if self._state.history:
            picture.save(self._settings.logdir, self._state.history, self._drawn)

    def _say_progress(self, running: Sequence[int]) -> None:
        """Prints a line every few seconds."""
        now = time.monotonic()
        if now < self._next_progress:
            return
        self._next_progress = now + PROGRESS_SECS
        members = self._state.members
        over = sum(member.is_over for member in members)
        parts = [f'{over} of {len(members)} members are done']
        for index in running:
            what = 'trains' if members[index].status == state_lib.TRAIN else 'is evaluated'
            parts.append(f'member {index} {what}, {self._trained(index):,} frames')
        number = self._state.generation + 1
        console.say(f'generation {number} of {self._num_generations}: {"; ".join(parts)}')

    def _trained(self, index: int) -> int:
        noted = TrainedFrames(self._members.folder(index))
        try:
            return noted.read()
        finally:
            noted.close()

    def _result(self) -> str:
        best = best_row(self._state.history)
        if best is None:
            return 'the population is finished'
        folder = self._members.folder(best['member'])
        return (
            f'the population is finished: the best member is {best["member"]} with a mean return '
            f'of {report.score_text(best["score"])} and {_settings_text(best["settings"])}, in '
            f'{folder}'
        )


def best_row(history: Sequence[Mapping[str, Any]]) -> Optional[Mapping[str, Any]]:
    """The row of the best member of the last generation, or None."""
    last = max((row['generation'] for row in history), default=None)
    rows = [row for row in history if row['generation'] == last and row['score'] is not None]
    return max(rows, key=lambda row: row['score'], default=None)


def _settings_text(values: Dict[str, Any]) -> str:
    return ' '.join(f'{name}={value}' for name, value in values.items())
