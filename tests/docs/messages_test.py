"""Messages that the page about troubleshooting quotes are those of the program."""

import ast
import functools
import glob
import os
import re

from tests.docs import documents
from tests.house import sources

GAP = '\0'


@functools.lru_cache(maxsize=None)
def program_texts():
    """All texts in the code of the package, not its docstrings; a formatted value is a `GAP`."""
    pattern = os.path.join(sources.ROOT, sources.PACKAGE, '**', '*.py')
    found = set()
    for path in glob.glob(pattern, recursive=True):
        with open(path, encoding='utf-8') as file:
            nodes = list(ast.walk(ast.parse(file.read())))
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.JoinedStr):
                found.add(''.join(literal(part) or GAP for part in node.values))
            elif id(node) not in docstrings:
                found.add(literal(node))
    return found


def literal(node):
    """Returns the text of a literal; '' for other nodes."""
    # Python 3.7 has the text in `s`.
    value = node.value if hasattr(node, 'value') else getattr(node, 's', '')
    return value if isinstance(value, str) else ''


def fragments(message):
    """Returns the fixed parts of a quoted message: those of at least two words between values."""
    parts = re.split(r'\.\.\.|\b\d[\w.]*', message)
    return [part.strip(' ,') for part in parts if len(part.split()) > 1]


def is_of_the_program(message):
    """Returns whether one text of the program has all fixed parts of a message, in this order."""
    pattern = re.compile('.*'.join(map(re.escape, fragments(message))), re.DOTALL)
    return any(pattern.search(text) for text in program_texts())


def test_quoted_messages():
    text = documents.read('docs/guides/troubleshooting.md')
    messages = re.findall(r'^\| "([^"]+)"', text, re.MULTILINE)
    assert len(messages) >= 8
    assert all(map(fragments, messages))
    assert not [message for message in messages if not is_of_the_program(message)]


def test_a_message_of_an_earlier_version_is_found():
    assert fragments('no update for 2m 0s: the queue') == ['no update for', ': the queue']
    assert is_of_the_program('no update for 2m 0s')
    assert not is_of_the_program('the gradient is no longer finite')
