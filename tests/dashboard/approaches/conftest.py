"""A system of six options, all 64 configurations measured end to end: 10 s, o0 adds 5, o1 adds 3, both 20 more."""

import pytest

from dashboard.models import (
    Batch,
    Configuration,
    Environment,
    Level,
    Measurement,
    Metric,
    Revision,
    Run,
    System,
    SystemOption,
    Workload,
)

NAMES = tuple(f"o{number}" for number in range(6))


def seconds_of(on: set[str]) -> float:
    """What a configuration takes."""
    return 10.0 + 5.0 * ("o0" in on) + 3.0 * ("o1" in on) + 20.0 * ({"o0", "o1"} <= on)


@pytest.fixture
def wide(system: System) -> System:
    """The system, in place of `small`'s two options, so that the people of `small` are its members."""
    system.options.all().delete()
    system.configurations.all().delete()
    options = SystemOption.objects.bulk_create(
        SystemOption(system=system, name=name, position=position) for position, name in enumerate(NAMES)
    )
    Level.objects.bulk_create(
        Level(option=option, position=position, value=bool(position), label=label)
        for option in options
        for position, label in enumerate(("off", "on"))
    )
    batch = Batch.objects.create(system=system, format="test", digest="0" * 64, state=Batch.State.VISIBLE)
    metric = Metric.objects.create(quantity="time", unit="s", clock=Metric.Clock.WALL)
    place = {
        "batch": batch,
        "revision": Revision.objects.get(),
        "workload": Workload.objects.get(),
        "environment": Environment.objects.get(),
        "kind": Run.Kind.PLAIN,
    }
    on = [{name for bit, name in enumerate(NAMES) if number >> bit & 1} for number in range(64)]
    configurations = Configuration.objects.bulk_create(
        Configuration(
            system=system, identity=f"{number:064d}", assignments=dict.fromkeys(sorted(names), "on")
        )
        for number, names in enumerate(on)
    )
    runs = Run.objects.bulk_create(
        Run(**place, configuration=configuration, repetition=repetition)
        for configuration in configurations
        for repetition in range(2)
    )
    Measurement.objects.bulk_create(
        Measurement(run=run, metric=metric, value=seconds_of(set(run.configuration.assignments)))
        for run in runs
    )
    return system
