"""PPO with an LSTM by the method of CleanRL's `ppo_atari_lstm.py`: our own implementation.

CleanRL's files are programs for given environments and networks, so none of their settings selects
this work. The method is the same: synchronous games in one process, generalised advantages,
minibatches of whole sequences that start from the state at the beginning of the rollout, clipped
policy and value losses, advantages normalised in each minibatch, Adam, gradients clipped at 0.5,
orthogonal initialisation, and a sequence of calls of `torch.nn.LSTM` with states reset at ends.
For the speed, one epoch over one minibatch; for the return its own four epochs of four.
"""

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import gymnasium
import numpy as np
import torch
from torch import nn

from benchmarks.league import work
from benchmarks.league.peers import games, reporting, torch_networks

State = Tuple[torch.Tensor, torch.Tensor]


class Settings(NamedTuple):
    """Of PPO; those of CleanRL's program unless a task has others."""

    num_envs: int = work.NUM_ENVS
    num_steps: int = work.UNROLL_LENGTH
    epochs: int = 1
    minibatches: int = 1
    learning_rate: float = 2.5e-4
    discounting: float = 0.99
    trace: float = 0.95
    clip: float = 0.1
    entropy_cost: float = 0.01
    value_cost: float = 0.5
    max_grad_norm: float = 0.5


RETURN_SETTINGS = Settings(
    num_steps=32,
    epochs=4,
    minibatches=4,
    learning_rate=1e-3,
    discounting=0.95,
    clip=0.2,
    entropy_cost=0.003,
)


class Agent(nn.Module):
    """Torso, LSTM, and heads for policy and value.

    heads: number of choices of each dimension of the action.
    """

    def __init__(self, torso: nn.Module, num_features: int, heads: Sequence[int]):
        super().__init__()
        self.heads = list(heads)
        self._torso = torso
        self._lstm = nn.LSTM(num_features, work.LSTM_SIZE)
        self._actor = nn.Linear(work.LSTM_SIZE, sum(heads))
        self._critic = nn.Linear(work.LSTM_SIZE, 1)
        for name, weights in self.named_parameters():
            if name.endswith('bias') or '.bias' in name or '_lstm.bias' in name:
                nn.init.zeros_(weights)
            elif weights.dim() > 1:
                scale = 0.01 if name.startswith('_actor') else 1.0
                nn.init.orthogonal_(weights, scale)

    def forward(
        self, observations: torch.Tensor, dones: torch.Tensor, state: State
    ) -> Tuple[List[torch.Tensor], torch.Tensor, State]:
        """Unrolls the agent.

        Args:
          observations: [T, B, ...].
          dones: float32 [T, B], 1 where the observation is the first of an episode.
          state: of the LSTM at the beginning, two of float32 [1, B, 256].

        Returns:
          The logits of each head, float32 [T, B, N]; the values, float32 [T, B]; and the state.
        """
        features = self._torso(observations.flatten(0, 1)).unflatten(0, dones.shape)
        outputs = []
        for step, done in zip(features, dones):
            kept = (1 - done).view(1, -1, 1)
            output, state = self._lstm(step.unsqueeze(0), (kept * state[0], kept * state[1]))
            outputs.append(output)
        core = torch.cat(outputs)
        logits = list(self._actor(core).split(self.heads, dim=-1))
        return logits, self._critic(core).squeeze(-1), state

    def initial_state(self, batch_size: int) -> State:
        """Returns zeros, two of float32 [1, B, 256]."""
        zeros = torch.zeros([1, batch_size, work.LSTM_SIZE])
        return zeros, zeros


class Rollout(NamedTuple):
    """T steps of K games: observations [T, K, ...], actions int64 [T, K, H], others [T, K]."""

    observations: torch.Tensor
    actions: torch.Tensor
    log_probs: torch.Tensor
    values: torch.Tensor
    rewards: torch.Tensor
    dones: torch.Tensor
    advantages: torch.Tensor
    state: State


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Trains until the process is stopped.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    arguments = reporting.parse(__doc__, argv)
    torch.set_num_threads(arguments.cores)
    torch.manual_seed(arguments.seed)
    seeds = range(arguments.seed, arguments.seed + work.NUM_ENVS)
    if arguments.task == 'speed':
        settings = Settings()
        envs: List[gymnasium.Env] = [games.FramesEnv(seed) for seed in seeds]
        heads = [work.NUM_ACTIONS]
        torso: nn.Module = torch_networks.Scaled(torch_networks.ResidualTorso(work.shape_of(True)))
        num_features = work.HIDDEN_SIZE
    else:
        settings = RETURN_SETTINGS
        envs = [games.PlanesEnv(seed) for seed in seeds]
        heads = list(envs[0].action_space.nvec)
        torso = torch_networks.PlanesTorso(envs[0].observation_space.shape)
        num_features = torso.num_features
    agent = Agent(torso, num_features, [int(count) for count in heads])
    train(agent, envs, settings, reporting.Reporter())


def train(
    agent: Agent,
    envs: Sequence[gymnasium.Env],
    settings: Settings,
    reporter: reporting.Reporter,
    num_updates: Optional[int] = None,
) -> None:
    """Collects rollouts and learns from them.

    Args:
      agent: to be trained.
      envs: games; with a `Discrete` action space they receive ints, otherwise arrays.
      settings: of PPO.
      reporter: of parameters and steps.
      num_updates: rollouts to learn from; None for no end.
    """
    reporter.parameters(torch_networks.num_parameters(agent))
    optimizer = torch.optim.Adam(agent.parameters(), settings.learning_rate, eps=1e-5)
    observation = np.stack([env.reset()[0] for env in envs])
    done = np.ones([len(envs)], np.float32)
    state = agent.initial_state(len(envs))
    update = 0
    while num_updates is None or update < num_updates:
        rollout, observation, done, state = collect(agent, envs, settings, observation, done, state)
        learn(agent, optimizer, settings, rollout)
        update += 1
        reporter.steps(update * settings.num_steps * len(envs))


def collect(
    agent: Agent,
    envs: Sequence[gymnasium.Env],
    settings: Settings,
    observation: np.ndarray,
    done: np.ndarray,
    state: State,
) -> Tuple[Rollout, np.ndarray, np.ndarray, State]:
    """Steps the games; returns the rollout, and observation, done and state after it."""
    first_state, rows = state, []
    with torch.no_grad():
        for _ in range(settings.num_steps):
            inputs = torch.as_tensor(observation), torch.as_tensor(done)
            logits, value, state = agent(inputs[0][None], inputs[1][None], state)
            policies = [torch.distributions.Categorical(logits=each[0]) for each in logits]
            action = torch.stack([policy.sample() for policy in policies], dim=-1)
            log_prob = log_probability(policies, action)
            observation, reward, done = step_all(envs, action.numpy())
            rows.append((*inputs[:1], action, log_prob, value[0], reward, inputs[1]))
        _, value, _ = agent(torch.as_tensor(observation)[None], torch.as_tensor(done)[None], state)
    observations, actions, log_probs, values, rewards, dones = (
        torch.stack([torch.as_tensor(each) for each in column]) for column in zip(*rows)
    )
    advantages = generalised_advantages(
        settings, rewards, values, torch.cat([dones[1:], torch.as_tensor(done)[None]]), value[0]
    )
    rollout = Rollout(
        observations, actions, log_probs, values, rewards, dones, advantages, first_state
    )
    return rollout, observation, done, state


def step_all(
    envs: Sequence[gymnasium.Env], actions: np.ndarray
) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Steps all games and resets those that end; returns observations, rewards and dones."""
    observations, rewards, dones = [], [], []
    for env, action in zip(envs, actions):
        is_single = isinstance(env.action_space, gymnasium.spaces.Discrete)
        observation, reward, terminated, truncated, _ = env.step(action[0] if is_single else action)
        if terminated or truncated:
            observation, _ = env.reset()
        observations.append(observation)
        rewards.append(reward)
        dones.append(terminated or truncated)
    return np.stack(observations), np.array(rewards, np.float32), np.array(dones, np.float32)


def log_probability(policies: Sequence[Any], actions: torch.Tensor) -> torch.Tensor:
    """Returns the log-probability of actions, [..., H], summed over the dimensions."""
    columns = zip(policies, actions.unbind(-1))
    return torch.stack([policy.log_prob(column) for policy, column in columns]).sum(0)


def generalised_advantages(
    settings: Settings,
    rewards: torch.Tensor,
    values: torch.Tensor,
    dones: torch.Tensor,
    bootstrap: torch.Tensor,
) -> torch.Tensor:
    """Returns generalised advantages, float32 [T, K].

    Args:
      settings: `discounting` and `trace`.
      rewards, values: float32 [T, K].
      dones: float32 [T, K], 1 where the step ended an episode.
      bootstrap: value after the last step, float32 [K].
    """
    result = torch.zeros_like(rewards)
    following, advantage = bootstrap, torch.zeros_like(bootstrap)
    for t in reversed(range(len(rewards))):
        kept = settings.discounting * (1 - dones[t])
        error = rewards[t] + kept * following - values[t]
        advantage = error + settings.trace * kept * advantage
        result[t], following = advantage, values[t]
    return result


def learn(agent: Agent, optimizer: Any, settings: Settings, rollout: Rollout) -> None:
    """Runs all epochs over a rollout; a minibatch has whole sequences of some of the games."""
    num_envs = rollout.rewards.shape[1]
    for _ in range(settings.epochs):
        for columns in torch.randperm(num_envs).chunk(settings.minibatches):
            optimizer.zero_grad()
            loss(agent, settings, rollout, columns).backward()
            nn.utils.clip_grad_norm_(agent.parameters(), settings.max_grad_norm)
            optimizer.step()


def loss(agent: Agent, settings: Settings, rollout: Rollout, columns: torch.Tensor) -> torch.Tensor:
    """Returns the loss of the sequences of some games, averaged over steps."""
    state = rollout.state[0][:, columns], rollout.state[1][:, columns]
    logits, values, _ = agent(rollout.observations[:, columns], rollout.dones[:, columns], state)
    policies = [torch.distributions.Categorical(logits=each) for each in logits]
    log_probs = log_probability(policies, rollout.actions[:, columns])
    ratio = (log_probs - rollout.log_probs[:, columns]).exp()
    advantages = rollout.advantages[:, columns]
    normalised = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
    policy_loss = -torch.min(ratio * normalised, clipped * normalised).mean()
    old = rollout.values[:, columns]
    targets = old + advantages
    near = old + (values - old).clamp(-settings.clip, settings.clip)
    value_loss = 0.5 * torch.max((values - targets) ** 2, (near - targets) ** 2).mean()
    entropy = torch.stack([policy.entropy() for policy in policies]).sum(0).mean()
    return policy_loss + settings.value_cost * value_loss - settings.entropy_cost * entropy


if __name__ == '__main__':
    main()
