"""How long work tells how far it is; for analytics, services and studies."""

from typing import Protocol


class Progress(Protocol):
    """Hears the share that is done, from 0 to 1, and what is being done; what it raises ends the work.

    `JobContext.progress` of a job is one.
    """

    def __call__(self, share: float, message: str, /) -> None:
        """Take note."""


def no_progress(_share: float, _message: str, /) -> None:
    """Nobody listens."""
