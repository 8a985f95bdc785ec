"""absl flags of the settings, and their help.

Flags contain the given text; `read` converts it to typed values, so that every wrong value
gets the same kind of error.
"""

import difflib
import re
import textwrap
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from absl import flags

from sc2impala import learner
from sc2impala.errors import UserError
from sc2impala.settings import resolve, value_types
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.fields import Setting

_WIDTH = 100
_INDENT = 8 * ' '
_LIBRARY_LOG_DIR = 'log_dir'

_NEAR = 0.66
"""Similarity, as of difflib, from which a flag is named as the nearest one to an unknown name."""


class _TextParser(flags.ArgumentParser):
    """Returns the text of a flag unchanged."""

    def parse(self, argument: str) -> str:
        return argument

    def flag_type(self) -> str:
        return 'string'


def define(flag_values: flags.FlagValues, settings: Optional[Mapping[str, Setting]] = None) -> None:
    """Defines one flag per setting, absent from the result of `read` unless it is given.

    Args:
      flag_values: target, e.g. `flags.FLAGS`.
      settings: settings by name; None for all of a run.
    """
    for name, setting in _or_all(settings).items():
        flag = flags.Flag(
            _TextParser(),
            flags.ArgumentSerializer(),
            name,
            None,
            _help(setting, {}),
            boolean=setting.type is value_types.BOOLEAN,
        )
        flags.DEFINE_flag(flag, flag_values, module_name='sc2impala: ' + setting.title)


def parse(flag_values: flags.FlagValues, arguments: Sequence[str]) -> None:
    """Parses a command line without the name of the program; `--flagfile` is expanded.

    Raises:
      UserError: for a flag that does not exist or has no value, a flag file that cannot be read,
        and for arguments that are not flags.
    """
    try:
        rest = flag_values(['sc2impala'] + list(arguments))[1:]
    except flags.UnrecognizedFlagError as error:
        # absl's `flagvalue` is the whole argument.
        _, equals, value = str(error.flagvalue).partition('=')
        raise _unknown_flag(error.flagname, equals + value) from error
    except (flags.CantOpenFlagFileError, UnicodeDecodeError) as error:
        reason = _one_line(error).replace('ERROR:: Unable to open flagfile: ', '')
        raise UserError(
            f'--flagfile cannot be read ({reason}), expected a text file with one flag per line.'
        ) from error
    except flags.Error as error:
        raise _wrong_flag(error) from error
    if _LIBRARY_LOG_DIR in flag_values and flag_values[_LIBRARY_LOG_DIR].present:
        # A flag of absl's logging would otherwise be accepted silently.
        raise _unknown_flag(_LIBRARY_LOG_DIR, f'={flag_values[_LIBRARY_LOG_DIR].value}')
    if rest:
        raise UserError(
            f'{rest[0]} is not a flag, expected --name=value; a switch is given as --name, '
            '--noname or --name=false.'
        )


def split(
    settings: Mapping[str, Setting], arguments: Sequence[str]
) -> Tuple[Dict[str, Any], List[str]]:
    """Parses the flags of some settings among others; `--flagfile` is expanded.

    Args:
      settings: settings by name.
      arguments: a command line without the name of the program.

    Returns:
      The given settings, see `read`, and all other arguments in order.

    Raises:
      UserError: for a flag without a value or with an invalid one, and a flag file that
        cannot be read.
    """
    flag_values = flags.FlagValues()
    flag_values.set_gnu_getopt(True)
    define(flag_values, settings)
    try:
        rest = flag_values(['sc2impala', *arguments], known_only=True)[1:]
    except (flags.Error, UnicodeDecodeError) as error:
        raise UserError(f'{_one_line(error)}; --help lists all flags.') from error
    return read(flag_values, settings), rest


def read(
    flag_values: flags.FlagValues, settings: Optional[Mapping[str, Setting]] = None
) -> Dict[str, Any]:
    """Returns the given settings as typed values by name.

    Args:
      flag_values: parsed flags, defined by `define`.
      settings: see `define`.

    Raises:
      UserError: for an invalid value.
    """
    given = {}
    for name, setting in _or_all(settings).items():
        if flag_values[name].present:
            given[name] = read_text(setting, str(flag_values[name].value))
    return given


def read_text(setting: Setting, text: str) -> Any:
    """Parses the text of a setting.

    Raises:
      UserError: for an invalid text.
    """
    try:
        return setting.type.parse(text)
    except ValueError as error:
        raise UserError(
            f'--{setting.name}={_printable(text)} is not valid, expected {setting.type.expected}.'
        ) from error


def help_text(description: str, settings: Optional[Mapping[str, Setting]] = None) -> str:
    """The text of `--help`: a description, and all flags by group."""
    remarks = _remarks() if settings is None else {}
    lines: List[str] = [description.strip()]
    title = ''
    for setting in _or_all(settings).values():
        if setting.title != title:
            title = setting.title
            lines.append(f'\n{title}:')
        lines.append(f'  --{setting.name}={setting.type.metavar}')
        lines += textwrap.wrap(
            _help(setting, remarks), _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT
        )
    more = ' --helpfull lists the flags of the libraries as well.' if settings is None else ''
    lines.append(
        '\nSwitches (BOOL) may be given as --name or --noname. --flagfile=FILE reads flags from a '
        f'file, one\nper line.{more}'
    )
    return '\n'.join(lines)


def _or_all(settings: Optional[Mapping[str, Setting]]) -> Mapping[str, Setting]:
    return settings_lib.all_settings() if settings is None else settings


def _remarks() -> Dict[str, str]:
    """Remarks about defaults other than the general one, by setting."""
    settings = settings_lib.all_settings()
    remarks = dict.fromkeys(resolve.set_by_some_map(), '; some maps have their own')
    for algorithm in learner.ALGORITHMS:
        for name, value in resolve.of_algorithm(algorithm).items():
            text = settings[name].type.to_text(value)
            remarks[name] = f'; {text} with --algorithm={algorithm}' + remarks.get(name, '')
    return remarks


def _help(setting: Setting, remarks: Mapping[str, str]) -> str:
    if setting.default is None:
        return f'{setting.help} (default: that of the map)'
    text = setting.type.to_text(setting.default) or 'empty'
    return f'{setting.help} (default: {text}{remarks.get(setting.name, "")})'


def _unknown_flag(name: str, value: str) -> UserError:
    nearest = _nearest(name)
    return UserError(
        f'--{name}{value} is not a flag, expected one of those that --help lists'
        + (f', such as --{nearest}.' if nearest else '.')
    )


def _wrong_flag(error: flags.Error) -> UserError:
    missing = re.match(r'Missing value for flag --(\w+)$', str(error))
    if missing is None or missing.group(1) not in settings_lib.all_settings():
        return UserError(f'{_one_line(error)}; --help lists all flags.')
    setting = settings_lib.all_settings()[missing.group(1)]
    return UserError(
        f'--{setting.name} has no value, expected --{setting.name}={setting.type.metavar} with '
        f'{setting.type.expected}.'
    )


def _nearest(name: str) -> str:
    found = difflib.get_close_matches(name, settings_lib.all_settings(), n=1, cutoff=_NEAR)
    return found[0] if found else ''


def _printable(text: str) -> str:
    """Replaces unprintable characters by escape sequences, in one line."""
    return ''.join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _one_line(error: Exception) -> str:
    return ' '.join(str(error).split()).rstrip('.')
