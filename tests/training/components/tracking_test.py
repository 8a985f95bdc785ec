"""Trackers get what TensorBoard gets, continue their runs, and never end a training."""

import importlib.util
import json
import sys
import threading
import types

import pytest
import tensorflow.compat.v1 as tf

from sc2impala.errors import UserError
from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.settings.groups import OutputSettings
from sc2impala.training.components import tracking
from tests.runtime import tiny

CONFIG = {'learning_rate': 0.5, 'functions': ['no_op']}


class FakeTracker(tracking.Tracker):
    """Writes what happens to a tape; `fails` is the method that raises."""

    name = 'Fake'

    def __init__(self, fails='', wait=None):
        self.tape = []
        self._fails = fails
        self._wait = wait

    def _do(self, method, *arguments):
        if self._wait is not None:
            self._wait.wait(10)
        if method == self._fails:
            raise RuntimeError('no route to host\nand more')
        self.tape.append((method, *arguments))

    def open(self, config):
        self._do('open', config)

    def log(self, values, step):
        self._do('log', values, step)

    def close(self, failed):
        self._do('close', failed)


class FakeWandb(types.ModuleType):
    """The part of W&B that is used; runs are kept in `runs` by their id."""

    def __init__(self):
        super().__init__('wandb')
        self.api = types.SimpleNamespace(api_key='key')
        self.runs = {}
        self.arguments = []

    def Settings(self, **values):
        return values

    def init(self, id=None, **arguments):
        self.arguments.append(dict(arguments, id=id))
        name = id or f'id{len(self.runs)}'
        tape = self.runs.setdefault(name, [])
        return types.SimpleNamespace(
            id=name,
            define_metric=lambda *names, **values: tape.append(('define', names, values)),
            log=lambda values: tape.append(('log', values)),
            finish=lambda exit_code: tape.append(('finish', exit_code)),
        )


def pretend_installed(monkeypatch):
    """Makes the packages of the trackers appear installed; others are found as before."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, 'find_spec', lambda name: name in ('wandb', 'mlflow') or find(name)
    )


@pytest.fixture
def wandb(monkeypatch):
    fake = FakeWandb()
    monkeypatch.setitem(sys.modules, 'wandb', fake)
    pretend_installed(monkeypatch)
    return fake


class FakeMlflow:
    """The part of MLflow that is used."""

    def __init__(self):
        self.tape = []
        self.experiments = {}

    def get_experiment_by_name(self, name):
        found = self.experiments.get(name)
        return found and types.SimpleNamespace(experiment_id=found)

    def create_experiment(self, name):
        self.experiments[name] = f'experiment {name}'
        return self.experiments[name]

    def create_run(self, experiment, run_name):
        self.tape.append(('create', experiment, run_name))
        return types.SimpleNamespace(info=types.SimpleNamespace(run_id='run 1'))

    def log_batch(self, run, metrics=(), params=()):
        self.tape += [('metric', run, *each) for each in metrics]
        self.tape += [('param', run, *each) for each in params]

    def update_run(self, run, status):
        self.tape.append(('update', run, status))

    def set_terminated(self, run, status):
        self.tape.append(('end', run, status))


@pytest.fixture
def mlflow(monkeypatch):
    fake = FakeMlflow()
    entities, client = types.ModuleType('mlflow.entities'), types.ModuleType('mlflow.tracking')
    entities.Param = lambda name, value: (name, value)
    entities.Metric = lambda name, value, time, step: (name, value, step)
    client.MlflowClient = lambda tracking_uri: fake.tape.append(('uri', tracking_uri)) or fake
    for name in ('mlflow', 'mlflow.entities', 'mlflow.tracking'):
        module = {'mlflow.entities': entities, 'mlflow.tracking': client}.get(name)
        monkeypatch.setitem(sys.modules, name, module or types.ModuleType(name))
    pretend_installed(monkeypatch)
    return fake


def track(tracker, *entries, failed=False):
    """Runs the component with some scalars, {tag: value} and a step each."""
    hook = tracking.TrackingHook(tracker, CONFIG)
    for values, step in entries:
        hook.log(values, step)
    if failed:
        hook.fail(ValueError('the cause'))
    hook.close()


def test_order_of_calls():
    tracker = FakeTracker()
    track(tracker, ({'a': 1.0}, 10), ({'b': 2.0}, 20))
    logged = [('log', {'a': 1.0}, 10), ('log', {'b': 2.0}, 20)]
    assert tracker.tape == [('open', CONFIG), *logged, ('close', False)]
    tracker = FakeTracker()
    track(tracker, failed=True)
    assert tracker.tape == [('open', CONFIG), ('close', True)]


@pytest.mark.parametrize('method', ['open', 'log', 'close'])
def test_a_failure_is_reported_once(capsys, method):
    track(FakeTracker(method), ({'a': 1.0}, 10), ({'a': 2.0}, 20))
    assert capsys.readouterr().out == (
        'Fake fails (no route to host): nothing more is sent to it, and the training continues\n'
    )


def test_a_slow_tracker_does_not_block(capsys, monkeypatch):
    monkeypatch.setattr(tracking, '_MAX_PENDING', 2)
    monkeypatch.setattr(tracking, '_CLOSE_SECS', 0.01)
    go = threading.Event()
    tracker = FakeTracker(wait=go)
    hook = tracking.TrackingHook(tracker, CONFIG)
    for step in range(5):
        hook.log({'a': 1.0}, step)
    hook.close()
    assert 'Fake has not received everything within 0 s' in capsys.readouterr().out
    go.set()
    hook._thread.join(10)
    assert [entry[-1] for entry in tracker.tape if entry[0] == 'log'] == [0, 1]


def test_scalars_are_those_of_tensorboard(tmp_path):
    with tf.Graph().as_default():
        log, heard = SummaryLog(str(tmp_path), 0), []
        log.listeners.append(lambda values, step: heard.append((dict(values), step)))
        tf.summary.scalar('loss', tf.constant(1.5))
        tf.summary.histogram('action', tf.constant([1.0, 2.0]))
        with tf.Session() as session:
            log.add(session.run(tf.summary.merge_all()), 10)
        log.add_scalars({'Map/eval/episode_return': 3.0}, 20)
        log.close()
    assert heard == [({'loss': 1.5}, 10), ({'Map/eval/episode_return': 3.0}, 20)]


class TestWandb:
    def tracker(self, tmp_path, mode='offline'):
        (tracker,) = tracking.make_trackers(
            OutputSettings(wandb_project='sc2', wandb_mode=mode), str(tmp_path)
        )
        return tracker

    def test_a_resumed_run_continues_its_run(self, wandb, tmp_path):
        track(self.tracker(tmp_path), ({'loss': 1.0}, 30))
        track(self.tracker(tmp_path), ({'loss': 2.0}, 20), failed=True)
        define = ('define', ('*',), {'step_metric': 'environment_frames'})
        assert wandb.runs == {
            'id0': [
                define,
                ('log', {'environment_frames': 30, 'loss': 1.0}),
                ('finish', 0),
                define,
                ('log', {'environment_frames': 20, 'loss': 2.0}),
                ('finish', 1),
            ]
        }
        first, second = wandb.arguments
        assert first['id'] is None and second['id'] == 'id0'
        assert first['project'] == 'sc2' and first['mode'] == 'offline'
        assert first['config'] == CONFIG and first['dir'] == str(tmp_path)

    def test_a_missing_key_is_not_asked_for(self, wandb, tmp_path, capsys):
        wandb.api.api_key = None
        track(self.tracker(tmp_path, 'online'))
        assert 'W&B fails (there is no API key: wandb login, or' in capsys.readouterr().out
        assert not wandb.runs

    def test_damaged_ids_begin_another_run(self, wandb, tmp_path):
        (tmp_path / tracking.RUNS_JSON).write_text('[1')
        track(self.tracker(tmp_path))
        assert json.loads((tmp_path / tracking.RUNS_JSON).read_text()) == {'W&B': 'id0'}


class TestMlflow:
    def tracker(self, tmp_path):
        output = OutputSettings(mlflow_uri='http://host', mlflow_experiment='maps')
        return tracking.make_trackers(output, str(tmp_path / 'run'))[0]

    def test_a_resumed_run_continues_its_run(self, mlflow, tmp_path):
        (tmp_path / 'run').mkdir()
        track(self.tracker(tmp_path), ({'loss': 1.0}, 30))
        assert mlflow.tape == [
            ('uri', 'http://host'),
            ('create', 'experiment maps', 'run'),
            ('param', 'run 1', 'learning_rate', '0.5'),
            ('param', 'run 1', 'functions', "['no_op']"),
            ('metric', 'run 1', 'loss', 1.0, 30),
            ('end', 'run 1', 'FINISHED'),
        ]
        mlflow.tape.clear()
        track(self.tracker(tmp_path), failed=True)
        assert mlflow.tape == [
            ('uri', 'http://host'),
            ('update', 'run 1', 'RUNNING'),
            ('end', 'run 1', 'FAILED'),
        ]

    def test_both_trackers_keep_their_ids(self, wandb, mlflow, tmp_path):
        output = OutputSettings(wandb_project='p', mlflow_uri='u')
        for tracker in tracking.make_trackers(output, str(tmp_path)):
            track(tracker)
        ids = json.loads((tmp_path / tracking.RUNS_JSON).read_text())
        assert ids == {'W&B': 'id0', 'MLflow': 'run 1'}


@pytest.mark.parametrize('flag, package', [('wandb_project', 'wandb'), ('mlflow_uri', 'mlflow')])
def test_a_missing_package_is_named(monkeypatch, tmp_path, flag, package):
    monkeypatch.setattr(importlib.util, 'find_spec', lambda name: None)
    message = rf"--{flag}=x needs the package {package}, .* pip install 'sc2impala\[{package}\]'"
    with pytest.raises(UserError, match=message):
        tracking.make_trackers(OutputSettings(**{flag: 'x'}), str(tmp_path))


def test_none_by_default(tmp_path):
    assert tracking.make_trackers(OutputSettings(), str(tmp_path)) == []


@pytest.mark.long
def test_a_training(wandb, tmp_path):
    flags = ('--wandb_project=sc2', '--wandb_mode=offline', '--save_summaries_secs=0')
    tiny.train(tmp_path / 'run', 2, *flags)
    tiny.train(tmp_path / 'run', 3, *flags)
    assert list(wandb.runs) == ['id0']
    logged = [entry[1] for entry in wandb.runs['id0'] if entry[0] == 'log']
    assert sum('loss/total_loss' in values for values in logged) == 3
    assert wandb.arguments[0]['config']['wandb_project'] == 'sc2'
    assert wandb.arguments[0]['config']['logdir'] == str(tmp_path / 'run')
