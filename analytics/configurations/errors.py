"""What can be wrong with options, configurations, formulas and partitions.

ConfigurationError
├── OptionError                an option or a level is not well formed
├── UnknownOptionError         a name that is no option of the space
├── UnknownLevelError          a value that is no level of its option
├── FormulaSyntaxError         text that is no formula
├── SelectionError             words that select no configuration
├── UnknownSamplingError       a name that no sampling has
└── PartitionError             formulas that are no partition
    └── TooManyCellsError
"""

_SHOWN = 200  # characters of a formula that a message repeats


class ConfigurationError(Exception):
    """Root of all errors of `analytics.configurations`."""


class OptionError(ConfigurationError):
    """An option, a level or an array of configurations is not well formed."""


class UnknownOptionError(ConfigurationError):
    """A name that is no option of the space."""


class UnknownLevelError(ConfigurationError):
    """A value that is no level of its option."""


class FormulaSyntaxError(ConfigurationError):
    """Text that is no formula; `position` counts characters from 0."""

    def __init__(self, text: str, position: int, problem: str) -> None:
        self.text = text
        self.position = position
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        super().__init__(f"formula {shown!r}: {problem} at character {position + 1}")


class PartitionError(ConfigurationError):
    """Formulas that do not split the configuration space: two overlap, none holds somewhere, or one holds nowhere."""


class TooManyCellsError(PartitionError):
    """The options of a partition have more combinations of levels than can be listed."""


class TooManyConfigurationsError(ConfigurationError):
    """More configurations are valid than can be listed."""


class SelectionError(ConfigurationError):
    """Words that select no configuration, or more than anyone measures."""


class UnknownSamplingError(ConfigurationError):
    """A name that no sampling has."""


class FeatureModelError(ConfigurationError):
    """A feature model that contradicts itself or is too large, and what names no feature of it."""


class ConstraintSyntaxError(FeatureModelError):
    """Text that is no constraint; `position` counts characters from 0."""

    def __init__(self, position: int, problem: str) -> None:
        self.position = position
        super().__init__(f"{problem} at character {position + 1}")
