"""The demonstrator of actors in other processes."""

from sc2impala.cluster import board


class RemoteDemonstrator:
    """Stands for the environments of all actors; what it was told goes to them by the status."""

    def __init__(self) -> None:
        self._share = 1.0
        self._is_enabled = False
        self.failure = None

    @property
    def share(self) -> float:
        """As the second number of the status."""
        return self._share if self._is_enabled else board.NO_LABELS

    def set_share(self, share: float) -> None:
        """As `envs.demonstrator.DemonstratedEnvironment.set_share`."""
        self._share = share

    def enable(self, is_enabled: bool) -> None:
        """As `envs.demonstrator.DemonstratedEnvironment.enable`."""
        self._is_enabled = is_enabled

    def close(self) -> None:
        """There is nothing to close."""
