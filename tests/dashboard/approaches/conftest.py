"""A system of six options, all 64 configurations measured end to end: 10 s, o0 adds 5, o1 adds 3, both 20 more."""

import pytest

from dashboard.models import (
    Batch,
    Configuration,
    Environment,
    Level,
    Measurement,
    Metric,
    Option,
    Revision,
    Run,
    System,
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
    for position, name in enumerate(NAMES):
        option = Option.objects.create(system=system, name=name, position=position)
        Level.objects.create(option=option, position=0, value=False, label="off")
        Level.objects.create(option=option, position=1, value=True, label="on")
    batch = Batch.objects.create(system=system, format="test", digest="0" * 64, state=Batch.State.VISIBLE)
    metric = Metric.objects.create(quantity="time", unit="s", clock=Metric.Clock.WALL)
    place = {
        "batch": batch,
        "revision": Revision.objects.get(),
        "workload": Workload.objects.get(),
        "environment": Environment.objects.get(),
        "kind": Run.Kind.PLAIN,
    }
    for number in range(64):
        on = {name for bit, name in enumerate(NAMES) if number >> bit & 1}
        configuration = Configuration.objects.create(
            system=system, identity=f"{number:064d}", assignments=dict.fromkeys(sorted(on), "on")
        )
        for repetition in range(2):
            run = Run.objects.create(**place, configuration=configuration, repetition=repetition)
            Measurement.objects.create(run=run, metric=metric, value=seconds_of(on))
    return system
