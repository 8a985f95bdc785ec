"""The mini-games as gymnasium environments; needs the extra `gym`.

    import gymnasium
    import sc2impala.envs.gym

    env = gymnasium.make('sc2impala/MoveToBeacon-v0')
    envs = gymnasium.make_vec('sc2impala/MoveToBeacon-v0', num_envs=32)

The import registers all maps of the simulator. A name that contains the module imports it:
`gymnasium.make('sc2impala.envs.gym:sc2impala/MoveToBeacon-v0')`. `make_vec` steps all games in one
call, in this process. docs/guides/gymnasium.md describes spaces, masks, seeds, autoreset and
rendering.
"""

from typing import Any

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode  # noqa: F401  # Gymnasium 1.1 and newer have it.
except ImportError as error:
    raise ImportError(
        'sc2impala.envs.gym needs gymnasium 1.1 or newer on Python 3.11 or newer: '
        "pip install 'sc2impala[gym]'."
    ) from error

from sc2impala import envs
from sc2impala.envs.gym.single import MiniGameEnv
from sc2impala.envs.gym.vector import MiniGameVectorEnv

ENV_IDS = {map_name: f'sc2impala/{map_name}-v0' for map_name in envs.MAP_NAMES}
"""The names under which the maps are registered, by map name."""


def _register() -> None:
    for map_name, env_id in ENV_IDS.items():
        gymnasium.register(
            env_id,
            entry_point=f'{__name__}:MiniGameEnv',
            vector_entry_point=f'{__name__}:MiniGameVectorEnv',
            kwargs={'map_name': map_name},
        )


_register()


def make(map_name: str, **options: Any) -> gymnasium.Env:
    """Makes a game of a map with `gymnasium.make`.

    Args:
      map_name: a map of the simulator.
      **options: further arguments of `gymnasium.make`.

    Raises:
      ValueError: if the map is unknown.
    """
    return gymnasium.make(_env_id(map_name), **options)


def make_vec(map_name: str, num_envs: int, **options: Any) -> gymnasium.vector.VectorEnv:
    """Makes games of a map with `gymnasium.make_vec`.

    Args:
      map_name: a map of the simulator.
      num_envs: number of games.
      **options: further arguments of `gymnasium.make_vec`.

    Raises:
      ValueError: if the map is unknown.
    """
    return gymnasium.make_vec(_env_id(map_name), num_envs=num_envs, **options)


def _env_id(map_name: str) -> str:
    if map_name not in ENV_IDS:
        raise ValueError(
            f'{map_name} is not a map of the simulator, expected one of '
            f'{", ".join(sorted(ENV_IDS))}.'
        )
    return ENV_IDS[map_name]


__all__ = ['ENV_IDS', 'MiniGameEnv', 'MiniGameVectorEnv', 'make', 'make_vec']
