"""The configurations of a subject as rows of level indices over its system's options, and back."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from analytics.configurations.forbidden import WithoutForbidden
from analytics.configurations.options import IntArray, OptionSpace
from dashboard.access import Principal
from dashboard.models import System
from dashboard.selectors.feature_models import valid_configurations
from dashboard.selectors.option_spaces import options_of
from runner.selections import Configuration
from runner.subjects import SubjectDefinition, level_text


@dataclass(frozen=True, slots=True)
class SubjectConfigurations:
    """`valid` are those of the system's feature model that the subject can run and does not forbid."""

    subject: SubjectDefinition
    space: OptionSpace
    # The index of each level by option and label.
    indices: Mapping[str, Mapping[str, int]]
    valid: WithoutForbidden

    @classmethod
    def of(cls, system: System, subject: SubjectDefinition) -> "SubjectConfigurations":
        """Those of a registered subject. For services, behind their check."""
        known = options_of(system)
        space = known.space
        own = {
            name: {level_text(level) for level in option.levels} for name, option in subject.options.items()
        }
        forbidden: list[Mapping[int, int]] = []
        for position, option in enumerate(space.options):
            for label, level in known.indices[option.name].items():
                # What the subject does not have stays at its reference level.
                if level and label not in own.get(option.name, set()):
                    forbidden.append({position: level})
        forbidden += [
            {
                space.position(name): known.indices[name][level_text(level)]
                for name, level in combination.items()
            }
            for combination in subject.forbidden
        ]
        base = valid_configurations(principal=Principal.operator(), slug=system.slug)
        return cls(subject, space, known.indices, WithoutForbidden(base, tuple(forbidden)))

    def row(self, labels: Mapping[str, str]) -> IntArray:
        """The configuration with these labels by option, shape (n_options,); others at their reference."""
        row = np.zeros(len(self.space.options), dtype=np.int8)
        for name, label in labels.items():
            row[self.space.position(name)] = self.indices[name][label]
        return row

    def configuration(self, row: IntArray) -> Configuration:
        """What the runner runs for a row."""
        labels = self.labels(row)
        return Configuration(
            tuple(
                (name, next(level for level in option.levels if level_text(level) == labels[name]))
                for name, option in self.subject.options.items()
            )
        )

    def labels(self, row: IntArray) -> dict[str, str]:
        """The label of each of the subject's options, references too."""
        return {
            name: next(
                label
                for label, level in self.indices[name].items()
                if level == row[self.space.position(name)]
            )
            for name in self.subject.options
        }

    def word(self, row: IntArray) -> str:
        """The row as a word of a selection: "a=on,b=off"."""
        return ",".join(f"{name}={label}" for name, label in self.labels(row).items())
