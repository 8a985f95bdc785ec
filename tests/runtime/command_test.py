"""The exit code of a command."""

from sc2impala.errors import FINISHED, UserError
from sc2impala.runtime import command


def test_a_command_ends_with_the_code_of_its_error(capsys):
    assert command.exit_code_of(lambda: None) == FINISHED

    def fail():
        raise UserError('--names=A, expected two names.')

    assert command.exit_code_of(fail) == UserError('').exit_code != FINISHED
    assert capsys.readouterr().err == 'error: --names=A, expected two names.\n'
