"""The root of all errors about performance histories."""


class HistoryError(ValueError):
    """A performance history cannot be built or read as asked; the message names the value and what to do."""
