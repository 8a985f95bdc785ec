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

__all__ = ['ENV_IDS', 'MiniGameEnv', 'MiniGameVectorEnv']
