"""All public functions and methods of the package have type annotations."""

from tests.house import sources


def _missing_annotations(function):
    """Returns the arguments without an annotation, and 'return' if it has none.

    Private and nested functions return an empty list. Arguments named `unused...` need no
    annotation, and `__init__` needs none for its return value.
    """
    name = function.name.split('.')[-1]
    if function.is_nested or (name.startswith('_') and name != '__init__'):
        return []
    missing = [
        argument.arg
        for argument in function.arguments
        if argument.annotation is None and not argument.arg.startswith('unused')
    ]
    if not function.has_return_annotation and name != '__init__':
        missing.append('return')
    return missing


def test_public_functions_have_types():
    functions = sources.package_functions()
    names = {(path.replace('\\', '/'), function.name) for path, function in functions}
    assert ('sc2impala/vtrace/vtrace.py', 'from_logits') in names
    faults = [
        f'{path}:{function.line}: {function.name} has no type of '
        + ', '.join(_missing_annotations(function))
        for path, function in functions
        if _missing_annotations(function)
    ]
    assert not faults, '{} functions:\n{}'.format(len(faults), '\n'.join(faults))


def test_missing_annotations():
    for source, missing in [
        ('def f(a: int, *b: int, c: int = 1, **d: int) -> int: pass', []),
        ('def f(a, b: int, *c, d=1, **e): pass', ['a', 'c', 'd', 'e', 'return']),
        ('def f(a: int): pass', ['return']),
        ('def f() -> None: pass', []),
        ('def f(unused_a, *unused_b, **unused_c) -> None: pass', []),
        ('def _f(a): pass', []),
        ('async def f(a): pass', ['a', 'return']),
        ('if True:\n  def f(a) -> int: pass', ['a']),
        ('class C:\n  def f(self, a) -> int: pass', ['a']),
        ('class C:\n  def __init__(self, a): pass', ['a']),
        ('class C:\n  def __len__(self): pass', []),
        ('class C:\n  @classmethod\n  def f(cls) -> int: pass', []),
        ('class _C:\n  def f(self): pass', ['return']),
        ('class C:\n  class D:\n    def f(self): pass', ['return']),
        ('def f() -> None:\n  def g(a): pass', []),
        ('def f() -> None:\n  class C:\n    def g(self, a): pass', []),
    ]:
        functions = sources.find_functions(source)
        assert [name for f in functions for name in _missing_annotations(f)] == missing, source
