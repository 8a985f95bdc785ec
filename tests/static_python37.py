"""Checks source text against the syntax and the standard library of Python 3.7.

The table of newer names contains those that code of this kind is likely to use; it is not complete.
Methods are identified by their name only, since the types of objects are known only at run time.
"""

import ast
import itertools
import sys
from typing import List

from tests.static_api import last_name

NEWER_NAMES = {
    'argparse.BooleanOptionalAction',
    'ast.get_source_segment',
    'ast.unparse',
    'asyncio.TaskGroup',
    'asyncio.to_thread',
    'contextlib.aclosing',
    'contextlib.chdir',
    'dataclasses.KW_ONLY',
    'datetime.UTC',
    'enum.StrEnum',
    'functools.cache',
    'functools.cached_property',
    'functools.singledispatchmethod',
    'graphlib',
    'hashlib.file_digest',
    'importlib.metadata',
    'importlib.resources.files',
    'inspect.get_annotations',
    'itertools.batched',
    'itertools.pairwise',
    'math.cbrt',
    'math.comb',
    'math.dist',
    'math.exp2',
    'math.isqrt',
    'math.lcm',
    'math.nextafter',
    'math.perm',
    'math.prod',
    'math.sumprod',
    'math.ulp',
    'multiprocessing.parent_process',
    'multiprocessing.shared_memory',
    'operator.call',
    'os.memfd_create',
    'os.pidfd_open',
    'os.process_cpu_count',
    'os.waitstatus_to_exitcode',
    'random.randbytes',
    'shlex.join',
    'signal.raise_signal',
    'signal.strsignal',
    'signal.valid_signals',
    'socket.create_server',
    'statistics.NormalDist',
    'statistics.correlation',
    'statistics.fmean',
    'statistics.geometric_mean',
    'statistics.linear_regression',
    'statistics.multimode',
    'statistics.quantiles',
    'sys.exception',
    'sys.orig_argv',
    'sys.stdlib_module_names',
    'sys.unraisablehook',
    'threading.excepthook',
    'threading.get_native_id',
    'threading.setprofile_all_threads',
    'time.clock_nanosleep',
    'tomllib',
    'types.EllipsisType',
    'types.NoneType',
    'types.UnionType',
    'typing.Annotated',
    'typing.Concatenate',
    'typing.Final',
    'typing.Literal',
    'typing.LiteralString',
    'typing.Never',
    'typing.NotRequired',
    'typing.ParamSpec',
    'typing.Protocol',
    'typing.Required',
    'typing.Self',
    'typing.SupportsIndex',
    'typing.TypeAlias',
    'typing.TypeGuard',
    'typing.TypedDict',
    'typing.Unpack',
    'typing.assert_never',
    'typing.final',
    'typing.get_args',
    'typing.get_origin',
    'typing.override',
    'typing.runtime_checkable',
    'unittest.IsolatedAsyncioTestCase',
    'unittest.mock.AsyncMock',
    'zoneinfo',
}

NEWER_METHODS = {
    'bit_count',
    'hardlink_to',
    'is_relative_to',
    'removeprefix',
    'removesuffix',
    'with_stem',
}

NEWER_KEYWORDS = {
    ('ArgumentParser', 'exit_on_error'),
    ('Popen', 'process_group'),
    ('Popen', 'umask'),
    ('TemporaryDirectory', 'ignore_cleanup_errors'),
    ('basicConfig', 'encoding'),
    ('basicConfig', 'force'),
    ('bisect', 'key'),
    ('bisect_left', 'key'),
    ('bisect_right', 'key'),
    ('copytree', 'dirs_exist_ok'),
    ('dataclass', 'kw_only'),
    ('dataclass', 'slots'),
    ('glob', 'root_dir'),
    ('iglob', 'root_dir'),
    ('insort', 'key'),
    ('md5', 'usedforsecurity'),
    ('rmtree', 'onexc'),
    ('sha1', 'usedforsecurity'),
    ('shutdown', 'cancel_futures'),
    ('sum', 'start'),
    ('unlink', 'missing_ok'),
    ('write_text', 'newline'),
    ('zip', 'strict'),
}
"""Pairs of the last part of a function's name and an argument that Python 3.7 does not have."""

BUILTIN_TYPES = {'bool', 'bytes', 'complex', 'dict', 'float', 'frozenset', 'int', 'list', 'set'}
BUILTIN_TYPES |= {'str', 'tuple', 'type'}

NEWER_GENERICS = BUILTIN_TYPES | {
    'collections.ChainMap',
    'collections.Counter',
    'collections.OrderedDict',
    'collections.defaultdict',
    'collections.deque',
    'concurrent.futures.Future',
    'contextlib.AbstractContextManager',
    'numpy.dtype',
    'numpy.ndarray',
    'os.PathLike',
    'queue.Queue',
    're.Match',
    're.Pattern',
    'subprocess.CompletedProcess',
    'subprocess.Popen',
}
"""Types that cannot be indexed, as in `list[int]`; nor can any type of collections.abc."""


def find_faults(source: str) -> List[str]:
    """Returns one sentence, with its line number, for each construct that Python 3.7 rejects.

    The parser of Python 3.11 detects newer syntax; later versions detect only part of it.
    """
    try:
        tree = _parse(source)
    except SyntaxError as error:
        return [f'line {error.lineno}: Python 3.7 has another syntax: {error.msg}']
    nodes, lines = list(ast.walk(tree)), source.splitlines()
    imports = list(_imports(nodes))
    full_names = {local: full for _, local, full in imports}
    faults = [(line, f'`{full}`') for line, _, full in imports if _is_newer(full)]
    for node in nodes:
        for fault in itertools.chain(
            _syntax_faults(node, lines),
            _name_faults(node, full_names),
            _type_faults(node, full_names),
        ):
            faults.append((node.lineno, fault))
    return [f'line {line}: Python 3.7 has no {fault}' for line, fault in sorted(set(faults))]


def _parse(source):
    if sys.version_info < (3, 8):
        return ast.parse(source)
    return ast.parse(source, feature_version=(3, 7))


def _imports(nodes):
    """Yields (line, name in this source, full name) of each import that must succeed."""
    optional = set()
    for node in nodes:
        if isinstance(node, ast.Try) and any(map(_catches_import_error, node.handlers)):
            optional.update(inner for statement in node.body for inner in ast.walk(statement))
    for node in nodes:
        if node in optional:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.asname or alias.name, alias.name
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                yield node.lineno, alias.asname or alias.name, f'{node.module}.{alias.name}'


def _catches_import_error(handler):
    caught = ast.dump(handler.type) if handler.type else 'ImportError'
    return 'ImportError' in caught or 'ModuleNotFoundError' in caught


def _syntax_faults(node, lines):
    """Yields newer syntax that `ast.parse` accepts in spite of its `feature_version`."""
    if sys.version_info < (3, 8):
        return
    for decorator in getattr(node, 'decorator_list', []):
        if _dotted(decorator.func if isinstance(decorator, ast.Call) else decorator) is None:
            yield 'decorators other than names and calls of names'
    if isinstance(node, ast.Subscript) and _has_star(getattr(node.slice, 'value', node.slice)):
        yield 'star in an index'
    value = node.iter if isinstance(node, ast.For) else getattr(node, 'value', None)
    if isinstance(node, (ast.AnnAssign, ast.For, ast.Return, ast.Yield)) and _has_star(value):
        if not lines[value.lineno - 1].encode()[value.col_offset :].startswith(b'('):
            yield 'star in a tuple without parentheses here'


def _name_faults(node, full_names):
    """Yields newer functions, methods and arguments."""
    if isinstance(node, ast.Attribute):
        if node.attr in NEWER_METHODS:
            yield f'method `{node.attr}`'
        if _full(node, full_names) in NEWER_NAMES:
            yield f'`{_full(node, full_names)}`'
    if isinstance(node, ast.Call):
        for keyword in node.keywords:
            if (last_name(node.func), keyword.arg) in NEWER_KEYWORDS:
                yield f'argument `{keyword.arg}` of `{last_name(node.func)}`'
    for decorator in getattr(node, 'decorator_list', []):
        if _full(decorator, full_names) == 'functools.lru_cache':
            yield '`functools.lru_cache` without parentheses'


def _type_faults(node, full_names):
    """Yields types, e.g. in annotations, in a notation that Python 3.7 cannot evaluate."""
    if isinstance(node, ast.Subscript):
        name = _full(node.value, full_names) or ''
        if name in NEWER_GENERICS or name.startswith('collections.abc.'):
            yield f'`{name}[...]`, `typing` has'
    annotations = [getattr(node, 'annotation', None), getattr(node, 'returns', None)]
    for annotation in filter(None, annotations):
        if any(isinstance(inner, ast.BitOr) for inner in ast.walk(annotation)):
            yield '`X | Y` for types, `typing` has'
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        if _is_type(node.left) or _is_type(node.right):
            yield '`X | Y` for types, `typing` has'


def _is_newer(full_name):
    parts = full_name.split('.')
    return any('.'.join(parts[:length]) in NEWER_NAMES for length in range(1, len(parts) + 1))


def _has_star(value):
    return isinstance(value, ast.Tuple) and any(isinstance(v, ast.Starred) for v in value.elts)


def _is_type(node):
    is_none = getattr(node, 'value', node) is None
    return is_none or _dotted(node) in BUILTIN_TYPES


def _full(node, full_names):
    """Returns the full name of an expression like `x.y`, None for any other."""
    dotted = _dotted(node)
    if dotted is None:
        return None
    first, dot, rest = dotted.partition('.')
    return full_names.get(first, first) + dot + rest


def _dotted(node):
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and _dotted(node.value) is not None:
        return f'{_dotted(node.value)}.{node.attr}'
    return None
