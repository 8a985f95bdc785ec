import sys

from tests import static_python37


def test_newer_syntax():
    for source in [
        'if (x := 1): pass',
        'def f(a, /): pass',
        'match x:\n  case 1: pass',
        'try: pass\nexcept* ValueError: pass',
        'def f():\n  return 1, *x',
        'def f():\n  yield 1, *x',
        'x: tuple = 1, *y',
        'for x in *a, b: pass',
        'x[*a]',
        '@a[0].b\ndef f(): pass',
        '@(lambda f: f)\nclass C: pass',
    ]:
        assert len(static_python37.find_faults(source)) == 1, source
    if sys.version_info < (3, 12):  # Newer parsers do not detect these.
        for source in ('f"{x=}"', 'with (open(a) as b, open(c) as d): pass'):
            assert len(static_python37.find_faults(source)) == 1, source


def test_newer_names_and_types():
    for source, name in [
        ('import functools\n@functools.cache\ndef f(): pass', 'functools.cache'),
        ('import functools as ft\nft.cache', 'functools.cache'),
        ('from functools import cache', 'functools.cache'),
        ('from functools import cached_property as lazy', 'functools.cached_property'),
        ('import functools\n@functools.lru_cache\ndef f(): pass', 'without parentheses'),
        ('import math\nmath.prod([1])', 'math.prod'),
        ('import math\nx = math.dist', 'math.dist'),
        ('import importlib.metadata', 'importlib.metadata'),
        ('from importlib import metadata', 'importlib.metadata'),
        ('from importlib.metadata import version', 'importlib.metadata'),
        ('from typing import List, Literal', 'typing.Literal'),
        ('import typing\nx: typing.Protocol', 'typing.Protocol'),
        ('import typing\nx: typing.Final = 1', 'typing.Final'),
        ('import zoneinfo', 'zoneinfo'),
        ('try:\n  import zoneinfo\nexcept OSError:\n  pass', 'zoneinfo'),
        ('import shlex\nshlex.join(x)', 'shlex.join'),
        ('from multiprocessing import shared_memory', 'multiprocessing.shared_memory'),
        ('"a".removeprefix("b")', 'removeprefix'),
        ('x.y().removesuffix("b")', 'removesuffix'),
        ('path.unlink(missing_ok=True)', '`missing_ok` of `unlink`'),
        ('zip(a, b, strict=True)', '`strict` of `zip`'),
        ('shutil.copytree(a, b, dirs_exist_ok=True)', '`dirs_exist_ok` of `copytree`'),
        ('executor.shutdown(cancel_futures=True)', '`cancel_futures` of `shutdown`'),
        ('def f(x: list[int]): pass', 'list[...]'),
        ('def f() -> dict[str, int]: pass', 'dict[...]'),
        ('Alias = tuple[int, ...]', 'tuple[...]'),
        (
            'import collections\nx: collections.OrderedDict[str, int]',
            'collections.OrderedDict[...]',
        ),
        ('from collections.abc import Mapping\nx: Mapping[str, int]', 'abc.Mapping[...]'),
        ('import numpy as np\nx: np.ndarray[int]', 'numpy.ndarray[...]'),
        ('def f(x: A | B): pass', 'X | Y'),
        ('def f() -> A | B: pass', 'X | Y'),
        ('x: A | B = 1', 'X | Y'),
        ('Alias = A | None', 'X | Y'),
        ('isinstance(x, int | str)', 'X | Y'),
        ('x: int | None = None', 'X | Y'),
    ]:
        faults = static_python37.find_faults(source)
        assert len(faults) == 1 and name in faults[0], source


def test_all_faults_are_reported_in_order_of_lines():
    faults = static_python37.find_faults(
        'import zoneinfo\nx = 1\nzip(a, strict=True)\nx: list[int]'
    )
    assert [fault.split(':')[0] for fault in faults] == ['line 1', 'line 3', 'line 4']


def test_source_that_python_37_accepts():
    for source in [
        'try:\n  from importlib import metadata\nexcept ImportError:\n  metadata = None',
        'try:\n  import zoneinfo\nexcept:\n  pass',
        'try:\n  import zoneinfo\nexcept (OSError, ModuleNotFoundError):\n  pass',
        'import functools\n@functools.lru_cache(maxsize=None)\ndef f(): pass',
        'import subprocess\nsubprocess.run(x, capture_output=True)',
        'from typing import List\ndef f(x: List[int]) -> List[int]: pass',
        'def f():\n  return (1, *x)',
        'for x in (*a, b): pass',
        'x = a | b | 1',
        'x[1, 2]',
        'items[0]',
        'with open(a) as b, open(c) as d: pass',
        'f"{x!r} = {y == z} {{a=}}"',
        'from . import zoneinfo',
        'cache.unlink(1)',
    ]:
        assert static_python37.find_faults(source) == [], source
