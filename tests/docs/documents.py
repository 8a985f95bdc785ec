"""The documents of the repository, and what is in them."""

import glob
import os
import re
from typing import Iterator, List, NamedTuple, Tuple

from tests.house import sources

Command = Tuple[str, ...]

_FENCE = re.compile(r'^```(\w*)\n(.*?)^```$', re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(
    r'(?:^<!-- (?P<kind>tiny|skip): (?P<text>[^\n]*) -->\n)?^```bash\n(?P<code>.*?)^```$',
    re.DOTALL | re.MULTILINE,
)


class Block(NamedTuple):
    """A block of commands.

    commands: one a line, continuation lines joined and comments removed.
    tiny: flags that the comment before the block adds to its commands when they are tested.
    skipped: reason for which they are not; empty if they are.
    """

    commands: List[str]
    tiny: List[str]
    skipped: str


def names() -> List[str]:
    """Returns the paths of all documents, relative to the root of the repository."""
    found = glob.glob(os.path.join(sources.ROOT, 'docs', '**', '*.md'), recursive=True)
    return ['README.md', *sorted(os.path.relpath(path, sources.ROOT) for path in found)]


def read(name: str) -> str:
    """Returns the text of a document."""
    with open(os.path.join(sources.ROOT, name), encoding='utf-8') as file:
        return file.read()


def code(name: str, language: str) -> List[str]:
    """Returns the blocks of code of a document in one language."""
    return [text for found, text in _FENCE.findall(read(name)) if found == language]


def inline_code(name: str) -> List[str]:
    """Returns the spans of code within the prose and the tables of a document."""
    return re.findall(r'`([^`\n]+)`', _FENCE.sub('', read(name)))


def prose(name: str) -> Iterator[str]:
    """Yields the lines of a document outside of code, tables, comments and pictures."""
    for line in _FENCE.sub('', read(name)).splitlines():
        if not line.startswith(('|', '    ', '<!--', '![')):
            yield line


def blocks(name: str) -> List[Block]:
    """Returns the blocks of commands of a document, see `docs/guides/development.md`."""
    result = []
    for match in _BLOCK.finditer(read(name)):
        lines = match.group('code').replace('\\\n', ' ').splitlines()
        commands = [re.sub(r'(^|\s)#.*', '', line).strip() for line in lines]
        tiny = match.group('text').split() if match.group('kind') == 'tiny' else []
        skipped = match.group('text') if match.group('kind') == 'skip' else ''
        result.append(Block([command for command in commands if command], tiny, skipped))
    return result
