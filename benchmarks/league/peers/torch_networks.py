"""Networks of the peers that use PyTorch and have none of their own for this work."""

from typing import Tuple

import torch
from torch import nn

from benchmarks.league import work


class _Residual(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return images + self.second(torch.relu(self.first(torch.relu(images))))


class ResidualTorso(nn.Module):
    """The deep residual network of IMPALA up to its hidden layer.

    Each of the `work.SECTIONS` is a 3 x 3 convolution, a 3 x 3 max pooling with stride 2, and two
    residual blocks.
    """

    def __init__(self, shape: Tuple[int, ...]):
        """Args: shape: of an image, (C, H, W)."""
        super().__init__()
        layers = []
        channels, height, width = shape
        for outputs in work.SECTIONS:
            layers.append(nn.Conv2d(channels, outputs, 3, padding=1))
            layers.append(nn.MaxPool2d(3, stride=2, padding=1))
            layers.extend(_Residual(outputs) for _ in range(2))
            channels, height, width = outputs, (height + 1) // 2, (width + 1) // 2
        self.convolutions = nn.Sequential(*layers)
        self.hidden = nn.Linear(channels * height * width, work.HIDDEN_SIZE)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Maps float32 [N, C, H, W] in [0, 1] to float32 [N, 256]."""
        flat = torch.relu(self.convolutions(images)).flatten(1)
        return torch.relu(self.hidden(flat))


class Scaled(nn.Module):
    """A torso that receives bytes."""

    def __init__(self, torso: nn.Module):
        super().__init__()
        self._torso = torso

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Maps uint8 [N, C, H, W] to the output of the torso for values in [0, 1]."""
        return self._torso(images.float() / 255)


def num_parameters(module: nn.Module) -> int:
    """Returns the number of trained parameters of a network."""
    return sum(each.numel() for each in module.parameters() if each.requires_grad)


class PlanesTorso(nn.Module):
    """Two convolutions over the planes of `games.PlanesEnv`, and a hidden layer over everything.

    num_features: size of the output, a few values for each pixel and the hidden layer.
    """

    _CHANNELS, _PER_PIXEL, _HIDDEN = 32, 2, 128

    def __init__(self, shape: Tuple[int, ...]):
        """Args: shape: of the planes, (C, H, W)."""
        super().__init__()
        num_planes, height, width = shape
        self._convolutions = nn.Sequential(
            nn.Conv2d(num_planes, self._CHANNELS, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(self._CHANNELS, self._CHANNELS, 3, padding=1),
            nn.ReLU(),
        )
        self._per_pixel = nn.Conv2d(self._CHANNELS, self._PER_PIXEL, 1)
        self._hidden = nn.Linear(self._CHANNELS * height * width, self._HIDDEN)
        self.num_features = self._PER_PIXEL * height * width + self._HIDDEN

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """Maps planes, [N, C, H, W] of numbers from 0, to float32 [N, num_features]."""
        maps = self._convolutions(torch.log1p(planes.float()))
        hidden = torch.relu(self._hidden(maps.flatten(1)))
        return torch.cat([self._per_pixel(maps).flatten(1), hidden], dim=1)
