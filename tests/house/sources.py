"""The functions of the package, read from its source text without importing it."""

import ast
import functools
import glob
import os
from typing import Iterator, List, NamedTuple, Sequence, Tuple, Union

PACKAGE = 'sc2impala'
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

FunctionNode = Union[ast.FunctionDef, ast.AsyncFunctionDef]


class Function(NamedTuple):
    """A function or method.

    name: qualified name within its module, such as 'Agent.unroll'.
    line: line of the definition, or of its first decorator in Python 3.7.
    is_nested: whether it is defined within another function.
    arguments: all arguments without self and cls; `*args` and `**kwargs` are one argument each.
    has_return_annotation: whether the type of the returned value is annotated.
    """

    name: str
    line: int
    is_nested: bool
    arguments: List[ast.arg]
    has_return_annotation: bool


@functools.lru_cache(maxsize=None)
def package_functions() -> Sequence[Tuple[str, Function]]:
    """Returns (path relative to the root, `Function`) for all functions of the package."""
    pattern = os.path.join(ROOT, PACKAGE, '**', '*.py')
    result = []
    for path in sorted(glob.glob(pattern, recursive=True)):
        with open(path, encoding='utf-8') as file:
            for function in find_functions(file.read()):
                result.append((os.path.relpath(path, ROOT), function))
    return result


def find_functions(source: str) -> Iterator[Function]:
    """Yields all functions of a module, including methods and nested functions."""

    def visit(node: ast.AST, prefix: str, is_nested: bool) -> Iterator[Function]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                name = prefix + child.name
                yield Function(
                    name=name,
                    line=child.lineno,
                    is_nested=is_nested,
                    arguments=_arguments(child),
                    has_return_annotation=child.returns is not None,
                )
                yield from visit(child, f'{name}.', True)
            elif isinstance(child, ast.ClassDef):
                yield from visit(child, f'{prefix}{child.name}.', is_nested)
            else:
                yield from visit(child, prefix, is_nested)

    return visit(ast.parse(source), '', False)


def _arguments(node: FunctionNode) -> List[ast.arg]:
    arguments = node.args
    positional = list(getattr(arguments, 'posonlyargs', [])) + arguments.args
    if positional and positional[0].arg in ('self', 'cls'):
        positional = positional[1:]
    others = [arguments.vararg] + arguments.kwonlyargs + [arguments.kwarg]
    return positional + [argument for argument in others if argument is not None]
