"""A system over two revisions: from the second one on, `slow` takes 4 s more where A is on, and its body is another one."""

import hashlib
from itertools import product

import numpy as np
import pytest

from dashboard.access import Access, Principal, access_to
from dashboard.models import (
    Configuration,
    Metric,
    Region,
    RegionMeasurement,
    RegionVersion,
    Revision,
    Run,
    SourceText,
    System,
)
from dashboard.services.metrics import seconds
from tests.dashboard.measuring.stored import add_batch, add_revisions, add_run, settle

BEFORE, AFTER = "def slow(x):\n    return x\n", "def slow(x):\n    wait(4)\n    return x\n"
REGIONS = ("app:slow", "app:steady", "program")


def region_times(revision: str, on: set[str]) -> dict[str, float]:
    """What each region takes, in seconds."""
    slow = 1.0 + (4.0 if revision == "2" and "A" in on else 0.0)
    return {"app:slow": slow, "app:steady": 2.0 + 3.0 * ("B" in on), "program": 0.5}


def add_profiled_revisions(
    system: System, *, profiled: bool = True, leave_out: frozenset[str] = frozenset()
) -> None:
    """Measure all configurations but that of the options `leave_out` at two revisions, three times each."""
    rng = np.random.default_rng(7)
    revisions, batch = add_revisions(system, ["1", "2"]), add_batch(system)
    Configuration.objects.filter(system=system).update(name="")
    regions = {
        key: Region.objects.create(
            system=system, key=key, name=key.rpartition(":")[2], is_program=key == "program"
        )
        for key in REGIONS
    }
    kept = [
        one
        for one in Configuration.objects.filter(system=system).order_by("pk")
        if not leave_out or set(one.assignments) != leave_out
    ]
    for revision, configuration, repetition in product(revisions, kept, (1, 2, 3)):
        true = region_times(revision.name, set(configuration.assignments))
        times = {key: one * float(np.exp(0.002 * rng.normal())) for key, one in true.items()}
        total = sum(times.values())
        plain = add_run(batch, configuration, revision, value=total, repetition=repetition)
        if profiled:
            plain.pk, plain.kind = None, Run.Kind.PROFILED
            plain.save(force_insert=True)
            RegionMeasurement.objects.bulk_create(
                RegionMeasurement(run=plain, region=regions[key], metric=seconds(Metric.Clock.CPU), value=one)
                for key, one in times.items()
            )
    if profiled:
        for revision, text in zip(revisions, (BEFORE, AFTER), strict=True):
            add_version(regions["app:slow"], revision, text)
            add_version(regions["app:steady"], revision, BEFORE)
    settle([batch])


def add_version(region: Region, revision: Revision, text: str) -> None:
    """Store a region as it stands in a revision, from line 10 on."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    source, _ = SourceText.objects.get_or_create(digest=digest, defaults={"text": text})
    RegionVersion.objects.create(
        region=region,
        revision=revision,
        file="app.py",
        first_line=10,
        last_line=9 + text.count("\n"),
        body_digest=digest,
        source=source,
    )


@pytest.fixture
def stepped(system: System, operator: Principal) -> Access:
    """The system, measured and profiled at both revisions."""
    add_profiled_revisions(system)
    return access_to(operator, system.slug)
