"""An agent that is loaded acts as in the evaluation of its run."""

import os
import shutil
import threading

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import sc2impala
from sc2impala import experiment
from sc2impala.checkpoints import variables
from sc2impala.errors import UserError
from sc2impala.evaluation import players, scoring
from sc2impala.factories import acting, environments
from sc2impala.runtime import seeds
from tests.runtime import tiny

FLAGS = (
    '--agent=fully_conv_lstm',
    '--fixed_step_mul=no',
    '--max_step_mul=240',
    '--unroll_length=2',
    '--simulator_rules=marine.speed=4',
)


@pytest.fixture(scope='module')
def recurrent(tmp_path_factory):
    """The folder of a run of a recurrent agent that chooses its step multiplier."""
    logdir = str(tmp_path_factory.mktemp('run') / 'recurrent')
    assert tiny.main(logdir, '--total_environment_frames=100', '--temperature=2', *FLAGS) == 0
    return logdir


@pytest.fixture(scope='module')
def agent(recurrent):
    """A loaded agent; tests must not depend on how often it has acted."""
    with sc2impala.load(recurrent, policy='greedy') as agent:
        yield agent


def observe(agent, rows=(), seed=0):
    """Observations with random values, and all functions available."""
    rng = np.random.RandomState(seed)
    found = {
        name: rng.randint(0, 2, tuple(rows) + tuple(shape)).astype(dtype)
        for name, (shape, dtype) in agent.describe()['observation'].items()
    }
    found['available_actions'][...] = 1
    return found


class Adapter:
    """Plays an evaluation with a loaded agent, whose state and actions it translates."""

    def __init__(self, agent, num_envs):
        self._agent = agent
        self._state = agent.initial_state(num_envs)

    def __call__(self, env_output):
        action, self._state = self._agent.act(env_output.observation, self._state, env_output.done)
        heads = dict(zip(self._agent.action_spec.heads, action.T.astype(np.int32)))
        fixed = self._agent.identity.step_mul
        if fixed is not None:
            return heads, np.full(len(action), fixed, np.int32)
        return heads, action[:, -1].astype(np.int32) + 1


class Both:
    """Plays with one player, and checks that another one chooses the same."""

    def __init__(self, player, other):
        self._players = player, other
        self.num_steps = 0

    def __call__(self, env_output):
        (action, step_mul), (other, other_mul) = [play(env_output) for play in self._players]
        assert tiny.same_arrays(action, other) and np.array_equal(step_mul, other_mul)
        self.num_steps += 1
        return action, step_mul


@pytest.mark.long
@pytest.mark.parametrize('policy, limit', [('sampled', 100), ('greedy', 0)])
def test_acts_as_the_player_of_evaluations(recurrent, policy, limit):
    flags = f'--logdir={recurrent}', '--mode=evaluate', f'--eval_max_step_mul={limit}'
    settings = experiment.read_settings(flags)
    specs = environments.make_specs(settings.environment)
    stream = seeds.streams(3, 'player', 1)[0]
    with tf.Graph().as_default(), tf.Session() as session:
        agent = acting.make_agent(settings, specs)
        player = players.SessionPlayer(
            acting.in_evaluation(settings, agent), specs[0], 2, policy == 'greedy', stream
        )
        saver = tf.train.Saver(agent.weights)
        variables.restore(saver, session, players.find_checkpoint(recurrent))
        player.start(session)
        with sc2impala.load(recurrent, policy=policy, eval_max_step_mul=limit, seed=3) as loaded:
            assert loaded.identity.temperature == 2
            both = Both(player, Adapter(loaded, 2))
            env = environments.make_environment(
                settings.environment, settings.starcraft, specs, [5, 6]
            )
            with env:
                infos = scoring.play_episodes(env, both, 3)
    assert len(infos) == 3 and both.num_steps >= 2 * 1920 // 240


def test_episodes_are_those_of_the_command(recurrent, tmp_path):
    run = shutil.copytree(recurrent, str(tmp_path / 'run'))
    flags = '--policy=greedy', '--num_episodes=5', '--num_eval_envs=2', '--seed=4'
    assert tiny.evaluate(run, *flags) == 0
    expected = tiny.read_json(run, 'evaluation.json')
    settings = experiment.read_settings([f'--logdir={run}', '--mode=evaluate'])
    env_seeds = seeds.streams(4, 'evaluation', 2)
    with sc2impala.load(run, policy='greedy') as agent:
        specs = agent.observation_spec, agent.action_spec
        env = environments.make_environment(
            settings.environment, settings.starcraft, specs, env_seeds
        )
        with env:
            infos = scoring.play_episodes(env, Adapter(agent, 2), 5)
    assert scoring.list_episodes(infos) == expected['episodes']
    # They depend on the step multipliers that the agent chose.
    assert {episode['steps'] for episode in expected['episodes']} != {1920 // 240}
    assert expected['checkpoint'] == os.path.relpath(agent.identity.checkpoint, run)


class TestAct:
    def test_dtypes_and_ranges(self, agent):
        observation, state = observe(agent, [7]), agent.initial_state(7)
        action, next_state = agent.act(observation, state)
        choices = [*agent.action_spec.heads.values(), 240]
        assert action.dtype == np.int64 and action.shape == (7, len(choices))
        assert (action >= 0).all() and (action < choices).all()
        assert {n: (a.shape, a.dtype) for n, a in state.items()} == {
            n: (a.shape, a.dtype) for n, a in next_state.items()
        }
        assert (state.pop('state_function') == -1).all()
        assert not any(array.any() for array in state.values())
        assert all(np.any(next_state[f'state_core_{i}']) for i in (0, 1))

    def test_one_game_without_rows_is_a_row(self, agent):
        observation, state = observe(agent), agent.initial_state()
        rows = {name: array[np.newaxis] for name, array in observation.items()}
        row_state = agent.initial_state(1)
        for first in (None, False, True):
            action, state = agent.act(observation, state, first)
            row_first = None if first is None else [first]
            row_action, row_state = agent.act(rows, row_state, row_first)
            assert np.array_equal(action, row_action[0])
            assert tiny.same_arrays(state, {n: a[0] for n, a in row_state.items()})

    def test_rows_are_independent(self, agent):
        """Rows of observation and state can be picked."""
        observation, state = observe(agent, [4]), agent.initial_state(4)
        _, state = agent.act(observation, state)
        whole, _ = agent.compute(observation, state)
        picked = [{n: a[[2, 0]] for n, a in nest.items()} for nest in (observation, state)]
        part, _ = agent.compute(*picked)
        assert np.array_equal(part['action'], whole['action'][[2, 0]])
        np.testing.assert_allclose(part['baseline'], whole['baseline'][[2, 0]], rtol=1e-4)

    def test_first_resets_rows(self, agent):
        observation, fresh = observe(agent, [2]), agent.initial_state(2)
        _, state = agent.act(observation, fresh)
        expected, _ = agent.compute(observation, fresh)
        found, _ = agent.compute(observation, state, [True, False])
        assert np.allclose(found['logits_screen'][0], expected['logits_screen'][0], atol=1e-6)
        assert not np.allclose(found['logits_screen'][1], expected['logits_screen'][1], atol=1e-6)

    def test_compute(self, agent):
        observation = observe(agent, [3])
        observation['available_actions'][:, 1] = 0
        outputs, _ = agent.compute(observation, agent.initial_state(3))
        heads = agent.action_spec.heads
        logits = {f'logits_{head}': (3, size) for head, size in heads.items()}
        assert {name: array.shape for name, array in outputs.items()} == dict(
            logits,
            logits_step_mul=(3, 240),
            action=(3, len(heads) + 1),
            step_mul=(3,),
            baseline=(3,),
        )
        assert np.array_equal(outputs['step_mul'], outputs['action'][:, -1] + 1)
        assert (outputs['logits_function'][:, 1] < -1e8).all()
        assert np.array_equal(outputs['logits_function'].argmax(axis=1), outputs['action'][:, 0])

    def test_takes_nested_observations_and_other_integers(self, agent):
        observation, state = observe(agent, [2]), agent.initial_state(2)
        expected, _ = agent.act(observation, state)
        wide = {name: array.astype(np.int64) for name, array in observation.items()}
        nested = {n: a for n, a in wide.items() if not n.startswith('screen_')}
        nested['screen'] = {n[7:]: a for n, a in wide.items() if n.startswith('screen_')}
        nested['available_actions'] = nested['available_actions'].astype(bool)
        nested['demonstration'] = 'ignored'
        found, _ = agent.act(nested, state)
        assert np.array_equal(found, expected)

    @pytest.mark.parametrize(
        'change, complaint',
        [
            (
                {'screen_selected': np.zeros([2, 4, 5], np.uint8)},
                "observation['screen_selected'] has shape [2, 4, 5], expected [2, 4, 4], with as "
                'many rows as available_actions.',
            ),
            (
                {'player': np.zeros([3, 11], np.int32)},
                "observation['player'] has shape [3, 11], expected [2, 11], with as many rows as "
                'available_actions.',
            ),
            ({'player': None}, "observation has no 'player', expected int32 [2, 11]."),
            (
                {'available_actions': None},
                "observation has no 'available_actions', expected a mask of functions.",
            ),
            (
                {'screen_selected': np.zeros([2, 4, 4], np.float32)},
                "observation['screen_selected'] has dtype float32, expected uint8.",
            ),
            (
                {'screen_selected': np.full([2, 4, 4], 256)},
                "observation['screen_selected'] has values from 256 to 256, expected those of "
                'uint8.',
            ),
        ],
    )
    def test_observations_that_do_not_fit(self, agent, change, complaint):
        observation = {**observe(agent, [2]), **change}
        observation = {name: array for name, array in observation.items() if array is not None}
        with pytest.raises(ValueError) as error:
            agent.act(observation, agent.initial_state(2))
        assert str(error.value) == complaint

    def test_states_that_do_not_fit(self, agent):
        with pytest.raises(ValueError, match=r"^state\['state_function'\] has shape \[3\], exp"):
            agent.act(observe(agent, [2]), agent.initial_state(3))
        with pytest.raises(ValueError, match="^state has no 'state_function', expected int32"):
            agent.act(observe(agent, [2]), {})
        with pytest.raises(ValueError, match=r'^first has shape \[1\], expected \[2\]'):
            agent.act(observe(agent, [2]), agent.initial_state(2), [True])


def test_seeds_and_steps_sample_different_actions(recurrent):
    plays = []
    for seed in (0, 1):
        with sc2impala.load(recurrent, seed=seed, temperature=5) as agent:
            observation, state = observe(agent, [16]), agent.initial_state(16)
            plays.append(np.stack([agent.act(observation, state)[0] for _ in range(2)]))
    assert not np.array_equal(plays[0], plays[1])
    assert not np.array_equal(plays[0][0], plays[0][1])


def test_several_agents_in_several_threads(recurrent, finished_run):
    found = {}

    def play(name, folder):
        with sc2impala.load(folder, policy='greedy') as agent:
            observation, state = observe(agent, [3]), agent.initial_state(3)
            for _ in range(20):
                action, state = agent.act(observation, state)
            found[name] = action

    folders = {'a': recurrent, 'b': str(finished_run), 'c': recurrent}
    threads = [threading.Thread(target=play, args=item) for item in folders.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.array_equal(found['a'], found['c'])
    # The second one does not choose its step multiplier.
    assert found['b'].shape[1] == found['a'].shape[1] - 1


class TestLoad:
    def test_checkpoints(self, finished_run):
        frames = []
        for path, checkpoint in [
            (finished_run, 'latest'),
            (finished_run, 0),
            (finished_run / 'checkpoints' / '0', 'latest'),
        ]:
            with sc2impala.load(path, checkpoint) as agent:
                frames.append(agent.identity.frames)
                assert agent.identity.step_mul == tiny.STEP_MUL
        assert frames == [tiny.newest_frames(finished_run), 0, 0]

    @pytest.mark.parametrize(
        'arguments, complaint',
        [
            (dict(checkpoint=5), '^checkpoint=5 is no checkpoint of .*latest, 0, .*, or the path'),
            (dict(policy='random'), "^policy='random' is unknown, expected sampled or greedy"),
            (dict(temperature=0.0), '--temperature=0.0 is out of range'),
        ],
    )
    def test_wrong_arguments(self, finished_run, arguments, complaint):
        with pytest.raises(UserError, match=complaint):
            sc2impala.load(finished_run, **arguments)

    def test_folders_without_a_run(self, tmp_path, finished_run):
        with pytest.raises(UserError, match='is no run, expected a folder with manifest.json'):
            sc2impala.load(tmp_path)
        with pytest.raises(UserError, match='expected no other one with it, but checkpoint=best'):
            sc2impala.load(finished_run / 'checkpoints' / '0', 'best')

    def test_closed_agents(self, recurrent):
        agent = sc2impala.load(recurrent)
        assert recurrent in repr(agent)
        observation, state = observe(agent, [1]), agent.initial_state(1)
        agent.close()
        agent.close()
        for use in (lambda: agent.act(observation, state), lambda: agent.initial_state()):
            with pytest.raises(RuntimeError, match='the agent is closed'):
                use()

    def test_nothing_is_written(self, run):
        before = tiny.snapshot(run)
        sc2impala.load(run).close()
        assert tiny.snapshot(run) == before


class TestGymnasium:
    @pytest.mark.parametrize('name', ['recurrent', 'finished_run'])
    def test_environments_fit(self, name, request):
        pytest.importorskip('gymnasium')
        with sc2impala.load(request.getfixturevalue(name), policy='greedy') as agent:
            games = agent.make_vec(3)
            rules = {'marine.speed': 4.0} if name == 'recurrent' else {}
            assert games.spec.kwargs['simulator_rules'] == rules
            assert games.single_observation_space == agent.observation_space
            assert games.single_action_space == agent.action_space
            observation, _ = games.reset(seed=0)
            state, done = agent.initial_state(3), np.zeros([3], bool)
            for _ in range(10):
                action, state = agent.act(observation, state, done)
                assert games.action_space.contains(action)
                observation, _, terminated, truncated, _ = games.step(action)
                done = terminated | truncated
            games.close()
            game = agent.make_env()
            observation, _ = game.reset(seed=0)
            action, _ = agent.act(observation, agent.initial_state())
            assert agent.action_space.contains(action)
            game.step(action)


@pytest.fixture(scope='module')
def exported(recurrent, tmp_path_factory):
    """A loaded agent, and the folder to which it was exported."""
    folder = str(tmp_path_factory.mktemp('exported') / 'new' / 'model')
    with sc2impala.load(recurrent) as agent:
        agent.export(folder)
        yield agent, folder


class TestExport:
    def compare(self, agent, initial_state, act):
        """Compares two steps of an export with those of the agent."""
        observation, state = observe(agent, [3]), initial_state(3)
        assert tiny.same_arrays(state, agent.initial_state(3))
        for step in range(2):
            first = np.array([False, True, False])
            seed = np.array([agent._stream, step], np.int64)
            outputs = act(dict(observation, **state, first=first, seed=seed))
            expected, next_state = agent.compute(observation, state, first)
            assert sorted(outputs) == sorted([*expected, *next_state])
            for name, array in {**expected, **next_state}.items():
                np.testing.assert_allclose(outputs[name], array, rtol=1e-5, atol=1e-5)
            state = next_state

    def test_in_a_session(self, exported):
        agent, folder = exported
        agent._steps = iter(range(2))
        with tf.Graph().as_default(), tf.Session() as session:
            signatures = tf.saved_model.load(session, ['serve'], folder).signature_def

            def run(name, inputs):
                signature = signatures[name]
                feed = {signature.inputs[k].name: value for k, value in inputs.items()}
                assert len(feed) == len(signature.inputs)
                return session.run({k: t.name for k, t in signature.outputs.items()}, feed)

            self.compare(
                agent,
                lambda rows: run('initial_state', {'batch_size': rows}),
                lambda inputs: run('act', inputs),
            )

    def test_as_functions(self, exported):
        agent, folder = exported
        agent._steps = iter(range(2))
        signatures = tf.saved_model.load_v2(folder).signatures

        def run(name, inputs):
            outputs = signatures[name](**{k: tf.constant(v) for k, v in inputs.items()})
            return {k: t.numpy() for k, t in outputs.items()}

        self.compare(
            agent,
            lambda rows: run('initial_state', {'batch_size': rows}),
            lambda inputs: run('act', inputs),
        )

    def test_description(self, exported):
        agent, folder = exported
        about = tiny.read_json(folder, 'agent.json')
        assert about['action'] == [*agent.action_spec.heads, 'step_mul']
        assert about['functions'] == list(agent.action_spec.function_names)
        assert about['policy'] == agent.identity.policy and about['frames'] > 0

    def test_nothing_is_overwritten(self, exported):
        agent, folder = exported
        before = tiny.snapshot(folder)
        with pytest.raises(UserError, match='is not an empty folder, expected a new or'):
            agent.export(folder)
        assert tiny.snapshot(folder) == before
        with pytest.raises(UserError, match='cannot be written'):
            agent.export(os.path.join(folder, 'agent.json', 'below'))

    def test_command(self, run, tmp_path, capsys):
        assert tiny.main(run, '--mode=export', '--checkpoint=0') == 0
        folder = os.path.join(run, 'export', '0')
        assert f'{tiny.checkpoint(run, 0)} is exported to {folder}' in capsys.readouterr().out
        assert tiny.read_json(folder, 'agent.json')['frames'] == 0
        own = str(tmp_path / 'own')
        assert tiny.main(run, '--mode=export', '--policy=greedy', f'--export_dir={own}') == 0
        assert tiny.read_json(own, 'agent.json')['frames'] == tiny.newest_frames(run)
        with tf.Graph().as_default(), tf.Session() as session:
            signatures = tf.saved_model.load(session, ['serve'], own).signature_def
        assert 'seed' not in signatures['act'].inputs
