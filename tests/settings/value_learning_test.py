"""What R2D2 does not work with is refused with a sentence."""

import pytest

from sc2impala.errors import UserError
from sc2impala.settings import validation
from tests.runtime.tiny import make_settings

R2D2 = dict(algorithm='r2d2', replay_proportion=0.5)


def check(**values):
    validation.check(make_settings(**dict(R2D2, **values)))


def test_the_defaults_are_fine():
    check()
    check(replay_sampler='prioritised', replay_min_size=1000)


def test_what_is_refused():
    for values, complaint in [
        (dict(replay_proportion=0.0), '--replay_proportion=0.0 cannot be used with --algorithm=r2'),
        (dict(num_learner_devices=2), '--num_learner_devices=2 cannot be used .* expected 1'),
        (dict(demonstrator='PySC2'), '--demonstrator=PySC2 .* as with --from_scratch'),
        (dict(demonstrations=('a', 'b')), '--demonstrations=a,b cannot be used'),
        (dict(num_critic_pretrain_frames=5), '--num_critic_pretrain_frames=5 cannot be used'),
        (dict(num_cloning_frames=5), '--num_cloning_frames=5 cannot be used'),
        (dict(argument_conditioning=True), '--argument_conditioning=True .* expected false'),
        (dict(unit_prior=2.0), '--unit_prior=2.0 cannot be used .* expected 0'),
        (dict(value_normalisation='popart'), '--value_normalisation=popart .* expected none'),
        (dict(temperature=0.5), '--temperature=0.5 cannot be used .* expected 1, and perhaps'),
        (dict(job_name='learner', learner_address='a:1'), '--job_name=learner cannot be used'),
        (dict(unroll_length=5), '--r2d2_burn_in=4 leaves less than two steps of --unroll_length=5'),
        (dict(r2d2_bootstrap_mask=0.5), '--r2d2_bootstrap_mask=0.5 has no effect .* at least 2'),
        (
            dict(reward_shaping='entropy', reward_shaping_cost=0.1),
            '--reward_shaping=entropy needs .* expected none or fixed',
        ),
        (dict(replay_min_size=1001), '--replay_min_size=1001 would never be reached'),
    ]:
        with pytest.raises(UserError, match=complaint):
            check(**values)
        if not any(part in complaint for part in ('replay', 'unroll', 'r2d2_bootstrap')):
            validation.check(make_settings(**values))


def test_heads_and_their_mask():
    check(r2d2_bootstrap_heads=2, r2d2_bootstrap_mask=0.5)


def test_the_shortest_sequences():
    check(unroll_length=6)
    check(unroll_length=2, r2d2_burn_in=0)
