"""Settings of demonstrations: scripts or recordings."""

import dataclasses
from typing import ClassVar, Tuple

from sc2impala.envs import players, search_player
from sc2impala.envs.maps import OF_EACH_MAP
from sc2impala.settings import value_types
from sc2impala.settings.fields import setting

_SCRIPTS = {map_name: ', '.join(rules) for map_name, rules in players.RULES.items()}
_UNSCRIPTED = [name for name, known in search_player.MAPS.items() if 'search_unscripted' in known]


@dataclasses.dataclass(frozen=True)
class DemonstrationSettings:
    """Settings of demonstrations: a script that labels games of the actors, or recordings."""

    TITLE: ClassVar[str] = 'demonstrations'

    from_scratch: bool = setting(
        False,
        'learn without demonstrations. Otherwise, on the simulator, the agent of a new run first '
        'imitates a script where the defaults of the map say so, unless it starts from another '
        'run; with --init_checkpoint and this flag it has the defaults of runs from scratch',
    )
    demonstrator: str = setting(
        'none',
        "the script that acts in the actors' games and labels them, by its name: "
        + '; '.join(f'{names} on {map_name}' for map_name, names in _SCRIPTS.items())
        + '; search, which tries calls in copies of the simulated games and continues them with a '
        'script, on '
        + ', '.join(search_player.MAPS)
        + ', and search_unscripted, in whose copies units carry on with their orders, on '
        + ', '.join(_UNSCRIPTED)
        + '; base_policy, the script of the search without its candidates'
        + f'; {OF_EACH_MAP}, on several maps: the demonstrator and its step that each map has by '
        'default'
        + '; or a script of your own as module:Class. A new run on MoveToBeacon imitates the '
        'script only if this flag names it',
    )
    demonstration_step_mul: int = setting(
        8,
        'frames between two calls of a script or random player in demonstrations and '
        'recordings; at most --max_step_mul, and --step_mul where it is fixed',
        between=(1, 10000),
    )
    labelled_share: float = setting(
        1.0,
        'fraction of the observations that a search labels in episodes in which the '
        'agent acts; less is faster, as a search takes longer than a step',
        between=(0.0, 1.0),
        free_on_resume=True,
    )
    search_temperature: float = setting(
        0.0,
        'temperature, in points of the game, of the distribution over candidates that '
        'a search gives as a label; 0 gives the best candidate alone',
        between=(0.0, 1e6),
        free_on_resume=True,
    )
    demonstrations: Tuple[str, ...] = setting(
        (),
        'folders of recordings to learn from, separated by commas',
        type=value_types.FOLDERS,
        free_on_resume=True,
    )
    demonstration_sequences: int = setting(
        0,
        'recorded sequences added to each batch of the main phase; only cloning losses apply to '
        'them',
        between=(0, 65536),
    )
