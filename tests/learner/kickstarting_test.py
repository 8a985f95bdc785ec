"""The teacher in the loss of IMPALA: value and gradient against NumPy, and its schedule."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.learner import optimization
from sc2impala.learner.impala.settings import ImpalaSettings
from sc2impala.learner.impala.update import Impala
from tests.learner import table_agent as table

T, B = 6, 3
TOTAL = 1000
GRADIENT_DESCENT = dict(
    final_entropy_cost=-1.0,
    learning_rate=1e8,
    final_learning_rate=1e8,
    adam_beta1=0.0,
    adam_beta2=0.0,
    adam_epsilon=1e8,
    clip_grad_norm=0.0,
)


def make_teacher(seed):
    """`TeacherLogits` of [T + 1, B] arrays, not all of them valid."""
    outputs = table.random_outputs(seed, T, B)
    valid = np.random.RandomState(seed).uniform(size=[T + 1, B]) < 0.6
    return structs.TeacherLogits(outputs.action_logits, outputs.step_mul_logits, valid)


class Update:
    """One update after `frames` frames, with the gradients of all outputs and of the teacher."""

    def __init__(self, teacher, frames=0, change=lambda env: None, **settings):
        self.pi, self.mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
        self.env = table.random_env_outputs(2, T, B)
        change(self.env)
        with tf.Graph().as_default(), table.session() as session:
            agent = table.TableAgent(self.pi)
            batch = table.make_batch(self.env, self.mu)
            if teacher is not None:
                batch = batch._replace(teacher_logits=table.tensors(teacher))
            step = tf.get_variable('frames', initializer=np.int64(frames), trainable=False)
            algorithm = Impala(ImpalaSettings(**dict(GRADIENT_DESCENT, **settings)))
            update = algorithm.build_update(
                agent, batch, agent.weights, optimization.Schedule(step, TOTAL)
            )
            if teacher is not None:
                into_teacher = tf.gradients(
                    update.metrics['loss/total_loss'],
                    [t for t in tf.nest.flatten(batch.teacher_logits) if t.dtype == tf.float32],
                )
                assert into_teacher == [None] * len(into_teacher)
            session.run(tf.global_variables_initializer())
            before = session.run(agent.variables)
            metrics = {tag: m for tag, m in update.metrics.items() if m.shape.rank == 0}
            # Some metrics are those after the update.
            self.metrics, _ = session.run([metrics, update.train])
            after = session.run(agent.variables)
        self.gradients = tf.nest.map_structure(lambda a, b: a - b, before, after)


def expected(update, teacher):
    """The divergence and its gradient, by a loop over steps and heads."""
    loss = 0.0
    gradients = [
        {name: np.zeros([T + 1, B, n]) for name, n in table.HEADS.items()},
        np.zeros([T + 1, B, table.MAX_STEP_MUL]),
    ]
    counted = 0
    for t, b in np.ndindex(T, B):
        # The teacher's step t + 1 is about the observation t, like what was played on it.
        if not teacher.valid[t + 1, b] or update.env.info.aborted[t + 1, b]:
            continue
        counted += 1
        function = update.mu.action['function'][t + 1, b]
        pi = table.heads_at(update.pi, t, b, function)
        tau = table.heads_at(teacher, t + 1, b, function)
        for name in pi:
            loss += np.sum(np.exp(tau[name]) * (tau[name] - pi[name]))
            gradient = np.exp(pi[name]) - np.exp(tau[name])
            (gradients[1] if name == 'step_mul' else gradients[0][name])[t, b] = gradient
    assert 3 < counted < T * B
    return loss, gradients


def test_value_and_gradient_agree_with_numpy():
    teacher = make_teacher(5)
    without, update = Update(None), Update(teacher, teacher_cost=0.3)
    loss, gradients = expected(update, teacher)
    np.testing.assert_allclose(update.metrics['loss/teacher'], 0.3 * loss, rtol=1e-5)
    np.testing.assert_allclose(
        update.metrics['loss/total_loss'] - without.metrics['loss/total_loss'],
        0.3 * loss,
        rtol=1e-4,
    )
    differences = tf.nest.map_structure(
        lambda a, b: a - b, update.gradients[:2], without.gradients[:2]
    )
    tf.nest.map_structure(
        lambda found, wanted: np.testing.assert_allclose(found, 0.3 * wanted, atol=1e-4),
        differences,
        gradients,
    )
    np.testing.assert_array_equal(update.gradients[2], without.gradients[2])


@pytest.mark.parametrize('frames, cost', [(0, 0.8), (100, 0.4), (200, 0.0), (900, 0.0)])
def test_its_cost_falls_to_nothing(frames, cost):
    update = Update(make_teacher(5), frames, teacher_cost=0.8, teacher_decay=0.2)
    np.testing.assert_allclose(update.metrics['teacher_cost'], cost, rtol=1e-6)
    assert (update.metrics['loss/teacher'] != 0.0) == (cost != 0.0)


def test_steps_that_the_teacher_has_not_seen_are_left_alone():
    teacher = make_teacher(5)
    teacher.valid[:] = False
    without, update = Update(None), Update(teacher, teacher_cost=0.3)
    assert update.metrics['loss/teacher'] == 0.0
    tf.nest.map_structure(np.testing.assert_array_equal, update.gradients[0], without.gradients[0])


@pytest.mark.parametrize('teacher_cost, seed', [(0.0, 5), (0.3, None)])
def test_without_cost_or_teacher_there_is_no_such_term(teacher_cost, seed):
    update = Update(None if seed is None else make_teacher(seed), teacher_cost=teacher_cost)
    assert not [tag for tag in update.metrics if 'teacher' in tag]
