"""The rows that runs refer to: found by their names, or made."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from django.db import IntegrityError, models, transaction

from analytics.configurations.identities import configuration_identity
from dashboard.importers.records import SystemRecords
from dashboard.models import (
    Configuration,
    Environment,
    Metric,
    Region,
    RegionVersion,
    Revision,
    Series,
    SourceText,
    System,
    Workload,
)
from dashboard.services.points import identity_of

Row = TypeVar("Row", bound=models.Model)
Created = dict[str, list[int]]
_CHUNK = 2_000


@dataclass(frozen=True, slots=True)
class Places:
    """The ids of the rows that records refer to: by name, or by position in the records."""

    revisions: Mapping[str, int]
    workloads: Mapping[str, int]
    environments: Sequence[int]
    metrics: Sequence[int]
    configurations: Sequence[int]
    regions: Sequence[int]
    series: Sequence[int]


def write_reference(system: System, records: SystemRecords, note: Callable[[Created], None]) -> Places:
    """Find or make every row that runs, analyses and series refer to; options and orders come when all is shown.

    `note` is called in the transaction of each chunk with the ids of the rows that were made: an import that fails
    takes these away again, unless somebody else uses them by then.
    """
    revisions = ensure(
        Revision.objects.filter(system=system),
        {
            one.name: Revision(
                system=system,
                name=one.name,
                commit=one.commit,
                message=one.message,
                released_at=one.released_at,
                content=one.content,
                changed_lines=one.changed_lines,
            )
            for one in records.revisions
        },
        ("name",),
        note,
    )
    workloads = ensure(
        Workload.objects.filter(system=system),
        {
            one.name: Workload(
                system=system, name=one.name, description=one.description, parameters=dict(one.parameters)
            )
            for one in records.workloads
        },
        ("name",),
        note,
    )
    regions = _write_regions(system, records, note)
    _write_versions(records, regions, revisions, note)
    environments = _write_environments(records, note)
    metrics = _write_metrics(records, note)
    configurations = _write_configurations(system, records, note)
    places = Places(revisions, workloads, environments, metrics, configurations, regions, ())
    return replace(places, series=_write_series(system, records, places, note))


def ensure(
    held: models.QuerySet[Row],
    wanted: Mapping[Any, Row],
    key: tuple[str, ...],
    note: Callable[[Created], None] = lambda _: None,
) -> dict[Any, int]:
    """The id of each wanted row by its key: of the row that is there already, or of a new one. For services."""
    found = _ids(held, key)
    missing = [name for name in wanted if name not in found]
    for start in range(0, len(missing), _CHUNK):
        chunk = {name: wanted[name] for name in missing[start : start + _CHUNK]}
        while chunk:
            try:
                with transaction.atomic():
                    models.QuerySet[Row](held.model).bulk_create(chunk.values())
                    note({held.model.__name__: [row.pk for row in chunk.values()]})
            except IntegrityError:
                # Somebody else made some of them since they were looked for: those are found now.
                found |= _ids(held, key)
                left = {name: row for name, row in chunk.items() if name not in found}
                if len(left) == len(chunk):
                    raise
                for row in left.values():
                    row.pk = None
                chunk = left
            else:
                found |= {name: row.pk for name, row in chunk.items()}
                break
    return found


def _ids(held: models.QuerySet[Row], key: tuple[str, ...]) -> dict[Any, int]:
    rows: Iterable[tuple[Any, ...]] = held.values_list(*key, "pk")
    return {(row[0] if len(key) == 1 else row[:-1]): row[-1] for row in rows}


def _write_environments(records: SystemRecords, note: Callable[[Created], None]) -> list[int]:
    wanted = {
        one.digest: Environment(digest=one.digest, name=one.name, details=dict(one.details))
        for one in records.environments
    }
    ids = ensure(Environment.objects.filter(digest__in=list(wanted)), wanted, ("digest",), note)
    return [ids[one.digest] for one in records.environments]


def _write_metrics(records: SystemRecords, note: Callable[[Created], None]) -> list[int]:
    keys = [(one.quantity, one.unit, one.clock, one.better) for one in records.metrics]
    wanted = {
        key: Metric(quantity=key[0], unit=key[1], clock=key[2], better=key[3]) for key in dict.fromkeys(keys)
    }
    ids = ensure(Metric.objects.all(), wanted, ("quantity", "unit", "clock", "better"), note)
    return [ids[key] for key in keys]


def _write_configurations(
    system: System, records: SystemRecords, note: Callable[[Created], None]
) -> list[int]:
    identities = _identities(records)
    ids = ensure(
        Configuration.objects.filter(system=system),
        {
            identity: Configuration(
                system=system, name=one.name, assignments=dict(one.assignments), identity=identity
            )
            for identity, one in zip(identities, records.configurations, strict=True)
        },
        ("identity",),
        note,
    )
    return [ids[identity] for identity in identities]


def _write_regions(system: System, records: SystemRecords, note: Callable[[Created], None]) -> list[int]:
    ids = ensure(
        Region.objects.filter(system=system),
        {
            one.key: Region(
                system=system, key=one.key, name=one.name, package=one.package, is_program=one.is_program
            )
            for one in records.regions
        },
        ("key",),
        note,
    )
    return [ids[one.key] for one in records.regions]


def _write_versions(
    records: SystemRecords,
    regions: Sequence[int],
    revisions: Mapping[str, int],
    note: Callable[[Created], None],
) -> None:
    sources = _write_sources(records, note)
    wanted: dict[Hashable, RegionVersion] = {
        (regions[one.region], revisions[one.revision]): RegionVersion(
            region_id=regions[one.region],
            revision_id=revisions[one.revision],
            file=one.file,
            first_line=one.first_line,
            last_line=one.last_line,
            body_digest=one.body_digest,
            source_id=sources.get(one.source),
        )
        for one in records.region_versions
    }
    held = RegionVersion.objects.filter(revision_id__in=list(revisions.values()))
    ensure(held, wanted, ("region_id", "revision_id"), note)


def _write_sources(records: SystemRecords, note: Callable[[Created], None]) -> dict[str, int]:
    """The source excerpts, in chunks: a query takes only so many values."""
    found: dict[str, int] = {}
    digests = list(records.sources)
    for start in range(0, len(digests), _CHUNK):
        wanted = {
            digest: SourceText(digest=digest, text=records.sources[digest])
            for digest in digests[start : start + _CHUNK]
        }
        found |= ensure(SourceText.objects.filter(digest__in=list(wanted)), wanted, ("digest",), note)
    return found


def _identities(records: SystemRecords) -> list[str]:
    return [configuration_identity(dict(one.assignments)) for one in records.configurations]


def _write_series(
    system: System, records: SystemRecords, places: Places, note: Callable[[Created], None]
) -> list[int]:
    """The series that came as aggregates."""
    configurations = _identities(records) if records.series else []
    rows = []
    for one in records.series:
        row = Series(
            system=system,
            subject_kind=(
                Series.SubjectKind.BENCHMARK
                if one.configuration is None
                else Series.SubjectKind.CONFIGURATION
            ),
            subject=one.subject if one.configuration is None else configurations[one.configuration],
            workload_id=places.workloads[one.workload],
            environment_id=places.environments[one.environment],
            benchmark_version=one.benchmark_version,
            label=one.label,
            metric_id=places.metrics[one.metric],
        )
        row.identity = identity_of(row)
        rows.append(row)
    held = Series.objects.filter(system=system)
    ids = ensure(held, {row.identity: row for row in rows}, ("identity",), note)
    return [ids[row.identity] for row in rows]
