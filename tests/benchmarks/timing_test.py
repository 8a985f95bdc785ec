from benchmarks import timing


def test_runs_alternate():
    tape = []

    def run(name, seconds):
        return lambda: tape.append(name) or seconds

    runs = {'a': run('a', 2.0), 'b': run('b', 3.0)}
    found = timing.interleaved_seconds(runs, seconds=0, rounds=2)
    assert tape == list('ab' + 'aabb' + 'aabb')
    assert found == {'a': [2.0] * 4, 'b': [3.0] * 4}


def test_seconds_of_a_call():
    calls = []
    assert timing.seconds_of(lambda: calls.append(1)) > 0
    assert calls == [1]
