"""Checks source text against the oldest and newest API of a library, without importing it.

Names of the installed TensorFlow and NumPy may not exist in the oldest supported version. A
listing has one line per public name: 'tf.x.y(first, second)' for callables, and 'tf.x.y' for
others, such as modules and dtypes.

Not checked, since that would require running the code: methods of objects, such as sessions and
writers; attributes of classes, such as `tf.GraphKeys.X`; calls through another name; types of
arguments.
"""

import ast
import functools
import gzip
import os
import re
from typing import Dict, List, NamedTuple, Optional, Set, Tuple

_DATA = os.path.join(os.path.dirname(__file__), 'data')


class Symbol(NamedTuple):
    """A public name; `arguments` is None if it is not callable."""

    arguments: Optional[List[str]]
    takes_any_positional: bool = False
    takes_any_keyword: bool = False


class Library(NamedTuple):
    """A library, the allowed way to import it, and its names in all supported versions.

    modules: the names that others are attributes of, and that cannot be called.
    """

    name: str
    alias: str
    allowed_import: str
    packages: Tuple[str, ...]
    symbols: Dict[str, Symbol]
    modules: Set[str]


def read_listing(name: str) -> Dict[str, Symbol]:
    """Reads a listing in the data folder."""
    with gzip.open(os.path.join(_DATA, name), 'rt') as file:
        return dict(parse_line(line) for line in map(str.strip, file) if line)


def parse_line(line: str) -> Tuple[str, Symbol]:
    """Parses 'tf.x.y' or 'tf.x.y(first, *args, **kwargs)' into the name and its `Symbol`."""
    name, parenthesis, rest = re.match(r'([\w.]+)(\(?)(.*?)\)?$', line).groups()
    if not parenthesis:
        return name, Symbol(None)
    arguments = rest.split(', ') if rest else []
    return name, Symbol(
        arguments=[argument for argument in arguments if not argument.startswith('*')],
        takes_any_positional=any(re.match(r'\*\w', argument) for argument in arguments),
        takes_any_keyword=any(argument.startswith('**') for argument in arguments),
    )


def tensorflow() -> Library:
    """Returns the names in `tensorflow.compat.v1` of TensorFlow 1.15.5."""
    symbols = read_listing('tf115_api.txt.gz')
    # The listing omits names with underscores.
    symbols['tf.__version__'] = Symbol(None)
    return Library(
        name='TensorFlow 1.15',
        alias='tf',
        allowed_import='import tensorflow.compat.v1 as tf',
        packages=('tensorflow', 'tensorflow_core', 'tensorflow_estimator', 'keras', 'tf_keras'),
        symbols=symbols,
        modules=_modules(symbols),
    )


def numpy() -> Library:
    """Returns the names that exist in both NumPy 1.18.5 and 2.4."""
    symbols = read_listing('numpy_api.txt.gz')
    symbols['np.__version__'] = Symbol(None)
    return Library(
        name='both NumPy 1.18 and 2.4',
        alias='np',
        allowed_import='import numpy as np',
        packages=('numpy',),
        symbols=symbols,
        modules=_modules(symbols),
    )


def _modules(symbols: Dict[str, Symbol]) -> Set[str]:
    called = {name for name, symbol in symbols.items() if symbol.arguments is not None}
    return {name.rpartition('.')[0] for name in symbols} - called


def find_faults(source: str, library: Library) -> List[str]:
    """Returns one sentence, with its line number, for each use that a version does not support."""
    finder = _FaultFinder(library)
    finder.visit(_parsed(source))
    return finder.faults


@functools.lru_cache(maxsize=1)
def _parsed(source: str) -> ast.Module:
    """The same source is checked against one library after the other."""
    return ast.parse(source)


class _FaultFinder(ast.NodeVisitor):
    def __init__(self, library):
        self._library = library
        self.faults = []

    def visit_Import(self, node):
        for alias in node.names:
            spelled = f'import {alias.name}' + (f' as {alias.asname}' if alias.asname else '')
            self._check_import(node, alias.name, spelled)

    def visit_ImportFrom(self, node):
        if not node.level:
            self._check_import(node, node.module, f'from {node.module} import ...')

    def visit_Attribute(self, node):
        chain = self._chain(node)
        if chain is None:
            self.generic_visit(node)
            return
        parts = chain.split('.')
        for length in range(2, len(parts) + 1):
            name, parent = '.'.join(parts[:length]), '.'.join(parts[: length - 1])
            if parent in self._library.modules and name not in self._library.symbols:
                self._add(node, f'`{name}` is not in {self._library.name}')
                return

    def visit_Call(self, node):
        self._check_call(node, self._chain(node.func), node.args)
        if last_name(node.func) == 'partial' and node.args:
            self._check_call(node, self._chain(node.args[0]), node.args[1:])
        self.generic_visit(node)

    def _check_import(self, node, module, spelled):
        if module.split('.')[0] in self._library.packages:
            if spelled != self._library.allowed_import:
                self._add(node, f'`{spelled}` must be `{self._library.allowed_import}`')

    def _check_call(self, node, name, positional):
        symbol = self._library.symbols.get(name)
        if symbol is None:
            return
        if symbol.arguments is None:
            self._add(node, f'`{name}` cannot be called in {self._library.name}')
            return
        for keyword in node.keywords:
            known = keyword.arg is None or keyword.arg in symbol.arguments
            if not known and not symbol.takes_any_keyword:
                self._add(node, f'`{name}` has no `{keyword.arg}` in {self._library.name}')
        if len(positional) > len(symbol.arguments) and not symbol.takes_any_positional:
            taken = f'takes {len(symbol.arguments)} arguments in {self._library.name}'
            self._add(node, f'`{name}` {taken}, not {len(positional)}')

    def _chain(self, node):
        """Returns 'tf.x.y' for the expression `tf.x.y`, None for any other."""
        names = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        if names and isinstance(node, ast.Name) and node.id == self._library.alias:
            return '.'.join([node.id] + names[::-1])
        return None

    def _add(self, node, fault):
        self.faults.append(f'line {node.lineno}: {fault}')


def last_name(node: ast.expr) -> Optional[str]:
    """Returns 'z' for the expressions `z` and `x.y.z`, None for any other."""
    return getattr(node, 'attr', getattr(node, 'id', None))
