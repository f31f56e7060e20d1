"""The root of all errors about change points."""


class ChangePointError(ValueError):
    """Change points cannot be searched for as asked; the message names the value and what to do."""
