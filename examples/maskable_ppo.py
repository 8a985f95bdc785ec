"""Trains sb3-contrib's MaskablePPO on a mini-game, through the gymnasium interface.

The mask of available functions keeps the policy from functions that would have no effect; the
choices of the arguments are never masked. The network is convolutional, and the logits of a point
on the screen are one more layer of the same resolution.

    pip install -e '.[examples]'
    python -m examples.maskable_ppo --map_name=MoveToBeacon

prints SB3's tables, then a line of JSON with the mean return of fresh episodes.
"""

import argparse
import json
import time
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv

from sc2impala.envs import gym

CHANNELS = 16
NUM_FEATURES = 64
_EVALUATION_SEED = 10**6


class GamesVecEnv(VecEnv):
    """Stable-Baselines3's interface for a `MiniGameVectorEnv` of K games.

    Both return the first observation of the next episode in the step in which an episode ends.
    """

    def __init__(self, games: gym.MiniGameVectorEnv, seed: int):
        """Args: games: the environment. seed: game i of the first reset has the seed `seed + i`."""
        self.games = games
        super().__init__(games.num_envs, games.single_observation_space, games.single_action_space)
        self.seed(seed)

    def reset(self) -> Dict[str, np.ndarray]:
        """Starts an episode in every game and returns the observations, arrays [K, ...]."""
        observation, _ = self.games.reset(seed=self._seeds if None not in self._seeds else None)
        self._reset_seeds()
        return observation

    def step_async(self, actions: np.ndarray) -> None:
        """Keeps the actions, int [K, H]."""
        self._actions = actions

    def step_wait(self) -> Tuple[Dict[str, np.ndarray], np.ndarray, np.ndarray, List[Dict]]:
        """Steps all games; returns observations, rewards float32 [K], dones bool [K] and infos."""
        observation, reward, done, _, infos = self.games.step(self._actions)
        of_games: List[Dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for game in np.flatnonzero(done):
            final = infos['final_info']
            of_games[game]['terminal_observation'] = infos['final_obs'][game]
            of_games[game]['episode'] = {
                'r': float(final['episode_return'][game]),
                'l': int(final['episode_steps'][game]),
            }
        return observation, reward.astype(np.float32), done, of_games

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> List[Any]:
        """Calls a method of the environment; returns its results, one for each game."""
        results = getattr(self.games, method_name)(*method_args, **method_kwargs)
        return [results[game] for game in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> List[Any]:
        """Returns an attribute of the environment, once for each game."""
        return [getattr(self.games, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refused: the games have no attributes of their own."""
        raise NotImplementedError('The games have no attributes of their own.')

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> List[bool]:
        """Returns False for each game: wrappers are for single environments."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Releases the games."""
        self.games.close()


class ScreenFeatures(BaseFeaturesExtractor):
    """Two convolutions over the screen, then a layer over everything.

    The features are the output of the convolutions, [CHANNELS * H * W], and NUM_FEATURES more.
    """

    def __init__(self, observation_space: gymnasium.spaces.Dict):
        self._layers = [name for name in observation_space if name.startswith('screen_')]
        self._labels = [
            int(observation_space[name].high.max()) + 1
            if observation_space[name].high.max() < np.iinfo(np.uint8).max
            else 1
            for name in self._layers
        ]
        self._others = [name for name in observation_space if name not in self._layers]
        num_maps = CHANNELS * int(np.prod(observation_space[self._layers[0]].shape))
        num_others = sum(int(np.prod(observation_space[name].shape)) for name in self._others)
        super().__init__(observation_space, num_maps + NUM_FEATURES)
        self._convolutions = torch.nn.Sequential(
            torch.nn.Conv2d(sum(self._labels), CHANNELS, 3, padding=1),
            torch.nn.ReLU(),
            torch.nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1),
            torch.nn.ReLU(),
        )
        self._dense = torch.nn.Sequential(
            torch.nn.Linear(num_maps + num_others, NUM_FEATURES), torch.nn.ReLU()
        )

    def forward(self, observations: Mapping[str, torch.Tensor]) -> torch.Tensor:
        """Returns the features, float32 [B, CHANNELS * H * W + NUM_FEATURES].

        Args:
          observations: float32 [B, ...] by name. Layers with few labels become one layer for each
            label; the logarithm of all other numbers is taken.
        """
        layers = []
        for name, num_labels in zip(self._layers, self._labels):
            values = observations[name]
            if num_labels > 1:
                one_hot = torch.nn.functional.one_hot(values.long(), num_labels)
                layers.append(one_hot.permute(0, 3, 1, 2).float())
            else:
                layers.append(torch.log1p(values).unsqueeze(1))
        maps = self._convolutions(torch.cat(layers, dim=1)).flatten(1)
        others = [observations[name].clamp(min=0).log1p().flatten(1) for name in self._others]
        return torch.cat([maps, self._dense(torch.cat([maps] + others, dim=1))], dim=1)


class Heads(torch.nn.Module):
    """The logits of all heads: a point on the screen from the maps, others from all features."""

    def __init__(self, heads: Mapping[str, int], num_features: int):
        """Args: heads: choices of each dimension of the action. num_features: of the extractor."""
        super().__init__()
        self._num_maps = num_features - NUM_FEATURES
        self._heads = torch.nn.ModuleDict()
        for name, num_choices in heads.items():
            if name in ('screen', 'screen2'):
                self._heads[name] = torch.nn.Conv1d(CHANNELS, 1, 1)
            else:
                self._heads[name] = torch.nn.Linear(NUM_FEATURES, num_choices)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Returns float32 [B, sum of the choices] for features, float32 [B, F]."""
        maps = features[:, : self._num_maps].unflatten(1, (CHANNELS, -1))
        dense = features[:, self._num_maps :]
        logits = [
            head(maps).flatten(1) if isinstance(head, torch.nn.Conv1d) else head(dense)
            for head in self._heads.values()
        ]
        return torch.cat(logits, dim=1)


class ScreenPolicy(MaskableMultiInputActorCriticPolicy):
    """The policy of sb3-contrib with `ScreenFeatures` and `Heads`."""

    def __init__(self, *args: Any, heads: Mapping[str, int], **kwargs: Any):
        """Args: heads: choices of each dimension of the action; others as of the base class."""
        self._head_sizes = dict(heads)
        super().__init__(
            *args, net_arch=[], features_extractor_class=ScreenFeatures, ortho_init=False, **kwargs
        )

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net = Heads(self._head_sizes, self.features_dim)
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )


def main(argv: Optional[Sequence[str]] = None) -> Dict[str, Any]:
    """Trains and evaluates; prints and returns the result.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    arguments = _parse_arguments(argv)
    env_id = gym.ENV_IDS[arguments.map_name]
    games = gymnasium.make_vec(env_id, num_envs=arguments.num_envs)
    env = GamesVecEnv(games, arguments.seed)
    model = MaskablePPO(
        ScreenPolicy,
        env,
        learning_rate=lambda remaining: arguments.learning_rate * remaining,
        n_steps=arguments.num_steps,
        batch_size=arguments.batch_size,
        n_epochs=arguments.num_epochs,
        gamma=arguments.discounting,
        ent_coef=arguments.entropy_cost,
        policy_kwargs={'heads': games.action_spec.heads},
        seed=arguments.seed,
        verbose=1,
    )
    started = time.time()
    model.learn(arguments.num_timesteps, log_interval=arguments.log_interval)
    seconds = time.time() - started
    env.close()
    returns = _evaluate(model, env_id, arguments)
    result = {
        'map_name': arguments.map_name,
        'timesteps': model.num_timesteps,
        'training_seconds': round(seconds),
        'episodes': len(returns),
        'mean_return': round(float(np.mean(returns)), 2),
    }
    print(json.dumps(result))
    return result


def _parse_arguments(argv: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--map_name', default='MoveToBeacon', choices=sorted(gym.ENV_IDS))
    parser.add_argument('--num_timesteps', type=int, default=100000, help='agent steps')
    parser.add_argument('--num_envs', type=int, default=32, help='games')
    parser.add_argument('--num_steps', type=int, default=32, help='steps per game and update')
    parser.add_argument('--batch_size', type=int, default=256)
    parser.add_argument('--num_epochs', type=int, default=4)
    parser.add_argument('--learning_rate', type=float, default=1e-3, help='falls to 0')
    parser.add_argument('--discounting', type=float, default=0.95)
    parser.add_argument('--entropy_cost', type=float, default=0.003)
    parser.add_argument('--num_episodes', type=int, default=100, help='of the evaluation')
    parser.add_argument('--log_interval', type=int, default=20, help='updates between tables')
    parser.add_argument('--seed', type=int, default=0)
    return parser.parse_args(argv)


def _evaluate(model: MaskablePPO, env_id: str, arguments: argparse.Namespace) -> List[float]:
    """Returns the returns of one episode of each of `num_episodes` games, by the sampled policy."""
    games = gymnasium.make_vec(env_id, num_envs=arguments.num_episodes)
    observation, _ = games.reset(seed=_EVALUATION_SEED + arguments.seed)
    returns: Dict[int, float] = {}
    while len(returns) < games.num_envs:
        action, _ = model.predict(observation, action_masks=games.action_masks())
        observation, _, done, _, infos = games.step(action)
        for game in np.flatnonzero(done):
            returns.setdefault(int(game), float(infos['final_info']['episode_return'][game]))
    games.close()
    return list(returns.values())


if __name__ == '__main__':
    main()
