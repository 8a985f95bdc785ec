"""Headers of messages for tests."""

from sc2impala.cluster import messages

RUN = 'run'


def make(number, frames=0, sequences=None, actor='a', **changes):
    """A header of run RUN; it has a sequence if there are frames."""
    header = messages.Header(
        run=RUN,
        actor=actor,
        task=-1,
        host=f'host {actor}',
        number=number,
        sequences=int(frames > 0) if sequences is None else sequences,
        frames=frames,
        policy_updates=0,
        played=0,
        aborted=0,
        last_return=float('nan'),
        weights_secs=0.5,
        waited_secs=1.0,
        received_bytes=100,
    )
    return header._replace(**changes)
