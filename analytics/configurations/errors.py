"""What can be wrong with options, configurations, formulas and partitions."""

import math

_SHOWN = 200  # characters of a formula that a message repeats
_WRITTEN = 10**15  # up to which a message writes a number's digits


def how_many(number: int) -> str:
    """A number for a message: of very many digits its power of ten, as Python writes none of more than 4,300."""
    return str(number) if number < _WRITTEN else f"about 10^{math.floor(math.log10(number))}"


class ConfigurationError(Exception):
    """What is wrong with options, levels, formulas or partitions, or what is asked of them; some have a class of their own."""


class FormulaSyntaxError(ConfigurationError):
    """Text that is no formula; `position` counts characters from 0."""

    def __init__(self, text: str, position: int, problem: str) -> None:
        self.text = text
        self.position = position
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        super().__init__(f"formula {shown!r}: {problem} at character {position + 1}")


class TooManyCellsError(ConfigurationError):
    """The options of a partition have more combinations of levels than can be listed."""


class TooManyConfigurationsError(ConfigurationError):
    """More configurations are valid than can be listed."""


class FeatureModelError(ConfigurationError):
    """A feature model that contradicts itself or is too large, and what names no feature of it."""


class ConstraintSyntaxError(FeatureModelError):
    """Text that is no constraint; `position` counts characters from 0."""

    def __init__(self, position: int, problem: str) -> None:
        self.position = position
        super().__init__(f"{problem} at character {position + 1}")
