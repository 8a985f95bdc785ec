"""`python -m sc2impala` is the command `sc2impala`."""

from sc2impala import commands

if __name__ == '__main__':
    commands.run()
