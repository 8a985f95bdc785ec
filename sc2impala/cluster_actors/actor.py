"""An actor in a separate process, see docs/guides/cluster.md."""

import contextlib
import os
import secrets
import socket
import threading
from typing import Any, Mapping, Optional, Union

import tensorflow.compat.v1 as tf

from sc2impala.cluster import link
from sc2impala.cluster.link import Stopped
from sc2impala.cluster.outbox import Identity
from sc2impala.cluster.run_info import RunInfo
from sc2impala.cluster_actors.central import CentralPlay, CentralPlayer
from sc2impala.cluster_actors.play import Play
from sc2impala.cluster_actors.player import Player
from sc2impala.errors import UserError
from sc2impala.runtime import console
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.settings import resolve, validation
from sc2impala.settings.settings import Settings

_ACCOUNT = 'environment frames for this run: '

_POLL_SECS = 0.1


def act(given: Mapping[str, Any]) -> None:
    """Generates sequences for a learner until its training or this process has to end.

    Args:
      given: settings of this actor; all others are the learner's.

    Raises:
      UserError: if learner and actor are incompatible, or a game does not run.
    """
    # Actors use CPUs only: their TensorFlow must not take memory of a learner's GPU.
    os.environ['CUDA_VISIBLE_DEVICES'] = ''
    stop, address = threading.Event(), given['learner_address']
    identity = Identity(
        secrets.token_hex(8), given.get('task', -1), f'{socket.gethostname()} {os.getpid()}'
    )
    with StopRequest().installed() as request, contextlib.ExitStack() as stack:
        stack.callback(_follow(request, stop).set)
        console.say(f'actor {identity.actor}: connecting to the learner at {address}')
        with contextlib.suppress(Stopped):
            info: Optional[RunInfo] = link.wait_for_run_info(address, stop, console.say)
            assert info is not None
            settings = settings_of(given, info)
            stack.enter_context(tf.Graph().as_default())
            is_central = settings.cluster.inference == 'central'
            make_player: Any = CentralPlayer if is_central else Player
            make_play: Any = CentralPlay if is_central else Play
            player = make_player(settings, info.start, identity, stack)
            unsent = 0
            while info is not None:
                _check_same(settings, settings_of(given, info))
                play = make_play(player, info, identity, unsent)
                info = _next_run(play, stop)
                unsent = play.unsent


def settings_of(given: Mapping[str, object], info: RunInfo) -> Settings:
    """The settings of an actor: the learner's, updated by the given ones.

    Raises:
      UserError: naming settings that must not differ, or are invalid.
    """
    try:
        of_learner = resolve.from_manifest({'config': info.config})
    except (ValueError, KeyError) as error:
        raise UserError(
            f'the learner has a setting that is not understood ({error}), expected a learner of '
            'the same version.'
        ) from error
    names = resolve.differences_of_actor(given, of_learner)
    if names:
        different = ', '.join(
            f'{resolve.flags_text({name: of_learner[name]})} '
            f'(here {resolve.flags_text({name: given[name]})})'
            for name in names
        )
        raise UserError(
            f'the learner has other settings: {different}; omit these flags, or start the learner '
            'with them.'
        )
    settings = Settings.from_values(resolve.complete(given, of_learner))
    validation.check(settings)
    if settings.cluster.inference == 'central' != of_learner['inference']:
        raise UserError(
            '--inference=central needs a learner that acts for its actors, but this one has '
            f'--inference={of_learner["inference"]}, expected the same.'
        )
    return settings


def _check_same(before: Settings, now: Settings) -> None:
    """Raises: UserError: if the learner has restarted with settings that change the agent."""
    old, new = before.values(), now.values()
    names = resolve.differences_on_resume(new, old)
    if names:
        raise UserError(
            'the learner has started again with {}, expected {} as before: start this actor '
            'again.'.format(*(resolve.flags_text({n: v[n] for n in names}) for v in (new, old)))
        )


def _next_run(play: Union[Play, CentralPlay], stop: threading.Event) -> Optional[RunInfo]:
    """Acts until the run has ended; returns the metadata of the next run, None after the last.

    Raises:
      UserError, Stopped: see `Play.play`.
    """
    try:
        ended = play.play(stop)
    finally:
        console.say(f'{_ACCOUNT}{play.account()}')
    if ended.info is None:
        console.say('the training is finished')
    else:
        console.say('the learner has restarted: all games restart')
    return ended.info


def _follow(request: StopRequest, stop: threading.Event) -> threading.Event:
    """Sets an event when a stop is requested; a signal handler must not.

    Returns:
      An event that ends the thread.
    """
    ended = threading.Event()

    def follow() -> None:
        while not ended.wait(_POLL_SECS):
            if request.requested:
                stop.set()
                return

    threading.Thread(target=follow, name='stop request', daemon=True).start()
    return ended
