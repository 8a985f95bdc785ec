"""Lists the trained agents that come with the package, or prints the card of one.

python -m sc2impala.zoo
python -m sc2impala.zoo DefeatRoaches
"""

import argparse
import sys
from typing import Optional, Sequence

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
    name = parser.parse_args(argv).name
    try:
        if name is None:
            print(cards.table([cards.read(each) for each in zoo_names.names()]))
        else:
            prefix = zoo_names.PREFIX
            print(cards.describe(cards.read(name[len(prefix) :] if prefix in name else name)))
    except UserError as error:
        print(f'error: {error}', file=sys.stderr)
        return error.exit_code
    return FINISHED


if __name__ == '__main__':
    sys.exit(main())
