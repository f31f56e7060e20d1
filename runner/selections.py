"""Configurations of a subject: which are valid, and which a person's selection means."""

from collections.abc import Sequence
from dataclasses import dataclass

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.options import Option, OptionSpace, level_text
from analytics.configurations.selections import select
from analytics.configurations.validity import ValidConfigurations

from .errors import SelectionInvalid
from .subjects import Level, SubjectDefinition


@dataclass(frozen=True, slots=True)
class SelectedConfiguration:
    """One level for every option of a subject, in the order of its file."""

    levels: tuple[tuple[str, Level], ...]

    @property
    def texts(self) -> dict[str, str]:
        """The levels as people write them, by option."""
        return {name: level_text(level) for name, level in self.levels}


def configurations(subject: SubjectDefinition, selection: Sequence[str]) -> tuple[SelectedConfiguration, ...]:
    """Return the valid configurations that the words of `selection` mean, as `select` of analytics says.

    Raises `SelectionInvalid`.
    """
    space = OptionSpace(
        tuple(
            # The reference level comes first, the others as the subject's file lists them.
            Option(
                name,
                (one.reference_level, *(level for level in one.levels if level != one.reference_level)),
            )
            for name, one in subject.options.items()
        )
    )
    forbidden = [
        space.indices({name: level_text(level) for name, level in combination.items()})
        for combination in subject.forbidden
    ]
    try:
        rows = select(ValidConfigurations.unconstrained(space).without(forbidden), selection)
    except ConfigurationError as error:
        raise SelectionInvalid(f"{subject.name}: {error}") from None
    return tuple(
        SelectedConfiguration(
            tuple(
                (option.name, option.levels[level]) for option, level in zip(space.options, row, strict=True)
            )
        )
        for row in rows.tolist()
    )
