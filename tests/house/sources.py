"""The functions of the package, read from its source text without importing it."""

import ast
import functools
import glob
import io
import os
import tokenize
from typing import Iterator, List, NamedTuple, Sequence, Set, Tuple, Union

PACKAGE = 'sc2impala'
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

FunctionNode = Union[ast.FunctionDef, ast.AsyncFunctionDef]

_LAYOUT_TOKENS = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


class Function(NamedTuple):
    """A function or method.

    name: qualified name within its module, such as 'Agent.unroll'.
    line: line of the definition, or of its first decorator in Python 3.7.
    is_nested: whether it is defined within another function.
    arguments: all arguments without self and cls; `*args` and `**kwargs` are one argument each.
    has_return_annotation: whether the type of the returned value is annotated.
    num_lines: lines of the body, without docstring, blank lines and lines with a comment only.
    """

    name: str
    line: int
    is_nested: bool
    arguments: List[ast.arg]
    has_return_annotation: bool
    num_lines: int


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
    lines = _Lines(source)

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
                    num_lines=lines.count_body(child),
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


class _Lines:
    """The lines of a module that contain code.

    The syntax tree of Python 3.7 has no line at which a function ends, so its end is found by the
    indentation of the logical lines after it.
    """

    def __init__(self, source: str):
        self._code: Set[int] = set()
        self._starts: List[Tuple[int, int]] = []
        is_start = True
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.NEWLINE:
                is_start = True
            if token.type in _LAYOUT_TOKENS:
                continue
            if is_start:
                self._starts.append(token.start)
                is_start = False
            for offset, text in enumerate(token.string.split('\n')):
                if text.strip():
                    self._code.add(token.start[0] + offset)

    def count_body(self, node: FunctionNode) -> int:
        """Returns the number of code lines of a function's body, without its docstring."""
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        if not body:
            return 0
        decorators = getattr(body[0], 'decorator_list', [])
        first = min([body[0].lineno] + [decorator.lineno for decorator in decorators])
        end = min(
            (line for line, column in self._starts if line > first and column <= node.col_offset),
            default=max(self._code) + 1,
        )
        return sum(first <= line < end for line in self._code)
