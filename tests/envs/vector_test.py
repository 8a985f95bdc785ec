import pytest

from sc2impala import envs


class Closed(envs.VectorEnvironment):
    closed = False

    def reset(self):
        raise NotImplementedError

    def step(self, action, step_mul):
        raise NotImplementedError

    def close(self):
        self.closed = True


def test_a_with_statement_closes_the_environment_even_after_an_error():
    env = Closed(1, *envs.make_specs('MoveToBeacon'), max_step_mul=8)
    with pytest.raises(KeyError), env as entered:
        assert entered is env
        assert not env.closed
        raise KeyError
    assert env.closed


def test_an_environment_must_fill_in_the_contract():
    class Incomplete(envs.VectorEnvironment):
        def reset(self):
            raise NotImplementedError

    with pytest.raises(TypeError, match='abstract'):
        Incomplete(1, *envs.make_specs('MoveToBeacon'), max_step_mul=8)


def test_what_is_given_can_be_read():
    observation_spec, action_spec = envs.make_specs('MoveToBeacon')
    env = Closed(5, observation_spec, action_spec, max_step_mul=8)
    assert (env.num_envs, env.max_step_mul) == (5, 8)
    assert env.observation_spec is observation_spec
    assert env.action_spec is action_spec
