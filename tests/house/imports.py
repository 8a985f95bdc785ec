"""The imports of the package's files, read from their source text."""

import ast
import functools
import os

import sc2impala

PACKAGE = os.path.dirname(os.path.abspath(sc2impala.__file__))
PARTS = sorted(
    name[: -len('.py')] if name.endswith('.py') else name
    for name in os.listdir(PACKAGE)
    if not name.startswith('_')
)
"""Packages and modules directly in the package."""


def files(part=''):
    """Paths of the Python files of a part, or of the whole package."""
    path = os.path.join(PACKAGE, part)
    if os.path.isfile(path + '.py'):
        return [path + '.py']
    return sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(path)
        for name in names
        if name.endswith('.py')
    )


@functools.lru_cache(maxsize=None)
def imported(path, at_start_only=False):
    """Full names of the modules, or things in them, that a file imports."""
    with open(path) as file:
        tree = ast.parse(file.read())
    result = set()
    for node in tree.body if at_start_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            result.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f'{path} has a relative import'
            result.update(f'{node.module}.{alias.name}' for alias in node.names)
    return frozenset(result)


def own_parts(names):
    """Parts of the package among the names."""
    return {name.split('.')[1] for name in names if name.startswith('sc2impala.')} & set(PARTS)


def typed_only(path):
    """Names that a file imports for its annotations alone."""
    with open(path) as file:
        tree = ast.parse(file.read())
    blocks = [n for n in tree.body if isinstance(n, ast.If) and 'TYPE_CHECKING' in ast.dump(n.test)]
    return {
        f'{node.module}.{alias.name}'
        for block in blocks
        for node in ast.walk(block)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
