"""What can be wrong with a feature model."""

from analytics.configurations.errors import ConfigurationError


class FeatureModelError(ConfigurationError):
    """A feature model that contradicts itself or is too large."""


class UnknownFeatureError(FeatureModelError):
    """A name that is no feature of the model."""


class ConstraintSyntaxError(FeatureModelError):
    """Text that is no constraint; `position` counts characters from 0."""

    def __init__(self, position: int, problem: str) -> None:
        self.position = position
        super().__init__(f"{problem} at character {position + 1}")


class FoldingError(FeatureModelError):
    """Rows of features that do not tell the level of every option."""
