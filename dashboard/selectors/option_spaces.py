"""The options of a system as the space that configurations and formulas are over."""

from analytics.configurations.options import Option, OptionSpace
from dashboard.models import Level, System


def options_of(system: System) -> OptionSpace:
    """The options of a system, in order, with their levels and labels; one query."""
    rows = Level.objects.filter(option__system=system).order_by("option__position", "position")
    levels: dict[str, list[tuple[str, bool | int | float | str]]] = {}
    for name, label, value in rows.values_list("option__name", "label", "value"):
        levels.setdefault(name, []).append((label, value))
    return OptionSpace(
        tuple(
            Option(name, tuple(value for _, value in own), tuple(label for label, _ in own))
            for name, own in levels.items()
        )
    )
