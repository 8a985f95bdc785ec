"""A program of its own out of the parts of the package, with a hook of its own."""

import tensorflow.compat.v1 as tf

from sc2impala import actors, agents
from sc2impala.learner import phases, sources
from sc2impala.learner.impala.settings import ImpalaSettings
from sc2impala.learner.impala.update import Impala
from sc2impala.training import loop as trainer
from sc2impala.training.local_actors import AlternationHook
from tests import fakes

NUM_ENVS, UNROLL_LENGTH, STEP_MUL = 4, 5, 8
FRAMES_PER_UPDATE = NUM_ENVS * UNROLL_LENGTH * STEP_MUL


class LossHook(tf.train.SessionRunHook):
    """Fetches a number with every update, and ends the training after some of them."""

    def __init__(self, loss, num_updates):
        self._loss = loss
        self._num_updates = num_updates
        self.losses = []

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        self.losses.append(float(run_values.results))
        if len(self.losses) == self._num_updates:
            run_context.request_stop()


class LossOfImpala(Impala):
    """Keeps the loss for the hook."""

    def build_update(self, agent, batch, variables, schedule):
        update = super().build_update(agent, batch, variables, schedule)
        self.loss = update.metrics['loss/total_loss']
        return update


def test_a_program_with_a_hook_of_its_own():
    env = fakes.FakeEnvironment(NUM_ENVS)
    specs = env.observation_spec, env.action_spec
    with tf.Graph().as_default():
        agent = agents.make_agent('fully_conv', *specs, max_step_mul=16, fixed_step_mul=STEP_MUL)
        agent.create_variables(specs[0])
        version = phases.policy_version()
        queue = actors.SequenceQueue(actors.sequence_spec(agent, specs[0], UNROLL_LENGTH), 16)
        output = actors.build_actor(agent, env, UNROLL_LENGTH, policy_version=version).output
        source = sources.QueueSource(queue, NUM_ENVS)
        algorithm = LossOfImpala(ImpalaSettings(learning_rate=1e-3))
        plan = phases.Plan(algorithm, source, 'Fake', 10 * FRAMES_PER_UPDATE, version[0])
        (phase,) = phases.build_phases(
            [plan], agent, lambda source: (source.next_batch(), None), version
        )
        own_hook = LossHook(algorithm.loss, num_updates=4)
        play = AlternationHook(queue.enqueue_many(output), queue.size(), NUM_ENVS)
        end = Frames(phase.frames)
        trainer.train([phase], [own_hook, play, end], tf.train.Saver(), tf.ConfigProto())
    assert len(set(own_hook.losses)) == 4
    assert end.frames == 4 * FRAMES_PER_UPDATE
    assert len(env.tape) == 1 + 4 * UNROLL_LENGTH


class Frames(tf.train.SessionRunHook):
    """Remembers the frames at the end."""

    def __init__(self, frames):
        self._frames = frames

    def end(self, session):
        self.frames = session.run(self._frames)
