"""No function of the package is too large."""

import pytest

from tests.house import sources

MAX_ARGUMENTS = 12
"""Without self and cls; `*args` and `**kwargs` are one argument each."""

MAX_LINES = 49
"""Without docstring, blank lines and lines with a comment only."""


def _faults(describe):
    """Returns one line for each function for which `describe` returns a text."""
    return [
        f'{path}:{function.line}: {function.name} has {describe(function)}'
        for path, function in sources.package_functions()
        if describe(function)
    ]


def test_all_functions_are_found():
    names = {(path.replace('\\', '/'), f.name) for path, f in sources.package_functions()}
    assert ('sc2impala/vtrace/vtrace.py', 'from_logits') in names
    assert ('sc2impala/runtime/pictures/episode_picture.py', 'EpisodePicture.save') in names
    assert len(names) > 1000


def test_no_function_has_too_many_arguments():
    faults = _faults(lambda f: len(f.arguments) > MAX_ARGUMENTS and f'{len(f.arguments)} arguments')
    assert not faults, 'expected at most {}:\n{}'.format(MAX_ARGUMENTS, '\n'.join(faults))


def test_no_function_is_too_long():
    faults = _faults(lambda f: f.num_lines > MAX_LINES and f'{f.num_lines} lines')
    assert not faults, 'expected at most {}:\n{}'.format(MAX_LINES, '\n'.join(faults))


@pytest.mark.parametrize(
    'source, expected',
    [
        ('def f(): pass', 0),
        ('def f(a, b=1, *c, d, e=2, **g): pass', 6),
        ('class C:\n  def f(self, a): pass', 1),
        ('class C:\n  @classmethod\n  def f(cls, a, b): pass', 2),
        ('class C:\n  @staticmethod\n  def f(a, b): pass', 2),
    ],
)
def test_number_of_arguments(source, expected):
    (function,) = sources.find_functions(source)
    assert len(function.arguments) == expected


@pytest.mark.parametrize(
    'lines, expected',
    [
        (['def f(): pass', 'x = 1'], 1),
        (['def f():', '    return 1', 'x = 1'], 1),
        (['def f():', '    """Text."""', 'x = 1'], 0),
        (['def f():', '    """Text', '', '    Text."""', '    return 1'], 1),
        (['def f(', '    a,', '    b,', '):', '    x = 1', '', '    # A comment.', '    x'], 2),
        (['def f():', '    return g(', '        1,', '        # A comment.', '    )', '', 'x'], 3),
        (['def f():', '    x = """a', 'b', '', 'c"""', '    return x', 'y = 1'], 4),
        (['def f():', '    if a:', '        b', '    else:', '        c', '# A comment.'], 4),
        (['def f():', '    @g', '    def h():', '        pass', '    return h', '', 'x'], 4),
        (['class C:', '    def f(self):', '        x', '    # A comment.', '    y = 1'], 1),
        (['@g', 'def f():', '    x = [', '        1', '    ]', '@h', 'class C: pass'], 3),
    ],
)
def test_number_of_lines(lines, expected):
    assert next(sources.find_functions('\n'.join(lines))).num_lines == expected
