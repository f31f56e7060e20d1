"""The configurations of a subject as rows of level indices over its system's options, and back."""

from collections.abc import Mapping
from dataclasses import dataclass

from numpy.typing import ArrayLike

from analytics.configurations.identities import selector_of
from analytics.configurations.options import OptionSpace, level_text
from analytics.configurations.validity import ValidConfigurations
from dashboard.models import System
from dashboard.selectors.configurations import options_of
from dashboard.selectors.feature_models.valid import valid_configurations
from runner.selections import SelectedConfiguration
from runner.subjects import SubjectDefinition


@dataclass(frozen=True, slots=True)
class SubjectConfigurations:
    """`valid` are those of the system's feature model that the subject can run and does not forbid."""

    subject: SubjectDefinition
    space: OptionSpace
    valid: ValidConfigurations

    @classmethod
    def of(cls, system: System, subject: SubjectDefinition) -> "SubjectConfigurations":
        """Those of a registered subject. For services, behind their check."""
        space = options_of(system)
        own = {
            name: {level_text(level) for level in option.levels} for name, option in subject.options.items()
        }
        # What the subject does not have stays at its reference level.
        forbidden = [
            {position: level}
            for position, option in enumerate(space.options)
            for level, label in enumerate(option.labels)
            if level and label not in own.get(option.name, ())
        ]
        forbidden += [
            space.indices({name: level_text(level) for name, level in combination.items()})
            for combination in subject.forbidden
        ]
        return cls(subject, space, valid_configurations(system).without(forbidden))

    def row(self, labels: Mapping[str, str]) -> tuple[int, ...]:
        """The level indices of the configuration with these labels by option; others at their reference."""
        return tuple(self.space.encode([labels])[0].tolist())

    def configuration(self, row: ArrayLike) -> SelectedConfiguration:
        """What the runner runs for a row."""
        labels = self.labels(row)
        return SelectedConfiguration(
            tuple(
                (name, next(level for level in option.levels if level_text(level) == labels[name]))
                for name, option in self.subject.options.items()
            )
        )

    def labels(self, row: ArrayLike) -> dict[str, str]:
        """The label of each of the subject's options, references too."""
        labels = self.space.decode(row)
        return {name: labels[name] for name in self.subject.options}

    def word(self, row: ArrayLike) -> str:
        """The row as a word of a selection: "a=on,b=off"."""
        return selector_of(self.labels(row))
