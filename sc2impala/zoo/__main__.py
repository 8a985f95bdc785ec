"""Lists the trained agents that come with the package, or prints the card of one.

python -m sc2impala.zoo
python -m sc2impala.zoo DefeatRoaches
python -m sc2impala.zoo --markdown docs/results.md
"""

import argparse
import sys
from typing import List, Optional, Sequence

from sc2impala.checkpoints import zoo_names
from sc2impala.errors import FINISHED, UserError
from sc2impala.zoo import cards


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Prints, and returns the exit code.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    parser = argparse.ArgumentParser(
        prog='python -m sc2impala.zoo', description=(__doc__ or '').split('\n')[0]
    )
    parser.add_argument('name', nargs='?', help='of an agent, with or without zoo:')
    parser.add_argument(
        '--markdown', metavar='FILE', help='write the table of all agents between the marks of FILE'
    )
    arguments = parser.parse_args(argv)
    name = arguments.name
    if name is not None and arguments.markdown:
        parser.error('--markdown is about all agents, expected no name with it.')
    try:
        if arguments.markdown:
            _write(arguments.markdown)
        elif name is None:
            print(cards.table(_all()))
        else:
            prefix = zoo_names.PREFIX
            print(cards.describe(cards.read(name[len(prefix) :] if prefix in name else name)))
    except UserError as error:
        print(f'error: {error}', file=sys.stderr)
        return error.exit_code
    return FINISHED


def _all() -> List[cards.Card]:
    return [cards.read(name) for name in zoo_names.names()]


def _write(path: str) -> None:
    try:
        with open(path, encoding='utf-8') as file:
            text = cards.replace_between_marks(file.read(), cards.markdown(_all()))
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
    except (OSError, ValueError) as error:
        raise UserError(f'--markdown={path} cannot be written: {error}.') from error


if __name__ == '__main__':
    sys.exit(main())
