"""Storing what single executions came to: runs, measurements, regions, and the points they move."""

from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from analytics.configurations.identities import configuration_identity
from dashboard.models import (
    Batch,
    Configuration,
    CountedRun,
    CountSites,
    Environment,
    Measurement,
    Metric,
    Revision,
    Run,
    Workload,
)
from dashboard.selectors.packed_counts import extended, pack_counts, pack_sites, unpack_sites
from dashboard.services.data_versions import bump
from dashboard.services.metrics import seconds
from dashboard.services.points import SeriesKey, update_points
from dashboard.services.region_rows import RegionRows
from dashboard.services.subjects import assignments_of
from runner.build_outputs import joined_contents, known_builds
from runner.environments import Prepared, Unprepared
from runner.executions import Execution
from runner.fingerprints import MachineFingerprint
from runner.plans import PlannedRun
from runner.subjects import SubjectDefinition

# How the runner says it -> how a run is marked; what went over a limit failed.
_STATUS = {
    "ok": Run.Status.OK,
    "failed": Run.Status.FAILED,
    "timeout": Run.Status.TIMEOUT,
    "killed": Run.Status.KILLED,
    "lost": Run.Status.KILLED,
    "output_limit": Run.Status.FAILED,
    "cancelled": Run.Status.KILLED,
}
_MESSAGE = 400


class RunStore:
    """Writes the runs of one batch. Call it inside the job's fenced transaction."""

    def __init__(self, *, batch: Batch, subject: SubjectDefinition) -> None:
        self._batch = batch
        self._subject = subject
        self._regions = RegionRows(batch.system)
        self._revisions: dict[str, Revision] = {}
        self._configurations: dict[str, Configuration] = {}
        self._workloads: dict[str, Workload] = {}
        self._environments: dict[str, Environment] = {}
        self._metrics = {clock: seconds(clock) for clock in (Metric.Clock.WALL, Metric.Clock.CPU)}
        self._logged: set[str] = set()

    def execution(self, execution: Execution) -> None:
        """Store one execution: a plain run, and a profiled one where it was profiled; points move with them."""
        found = execution.environment
        plain = self._run(execution.run, found, Run.Kind.PLAIN, execution=execution)
        if execution.plain is not None:
            self._measure(plain, execution.plain.wall_seconds, execution.plain.cpu_seconds)
        profile = execution.profile
        if profile is not None:
            profiled = self._run(execution.run, found, Run.Kind.PROFILED, execution=execution)
            self._measure(profiled, profile.wall_seconds, profile.cpu_seconds)
            self._regions.store(profiled, profile, self._metrics[Metric.Clock.CPU])
        self._written(plain)

    def unprepared(self, planned: PlannedRun, failure: Unprepared) -> None:
        """Store a run that could not be made because its revision cannot be built; the log's end goes with the first."""
        run = self._run(planned, failure.environment, Run.Kind.PLAIN)
        run.status = Run.Status.TIMEOUT if failure.status == "timeout" else Run.Status.FAILED
        run.message = f"revision cannot be built: {failure.message}"[:_MESSAGE]
        if planned.revision not in self._logged:
            run.output_tail = failure.output
            self._logged.add(planned.revision)
        run.save(update_fields=["status", "message", "output_tail"])
        self._written(run)

    def counts(
        self, execution: Execution, regions: Collection[str] | None = None, *, timed: bool = False
    ) -> None:
        """Store what a run counted, of all regions or of some, and how long it took if it was `timed` as it counted.

        Nothing where it counted nothing.
        """
        found = execution.counts.regions if execution.counts else {}
        counted = {
            (region, line, column, kind): count
            for region, rows in found.items()
            for line, column, kind, count in rows
            if regions is None or region in regions
        }
        if not counted:
            return
        revision = self._revision(execution.run.revision)
        table = CountSites.objects.filter(batch=self._batch, revision=revision).first()
        known = unpack_sites(table.sites) if table else []
        sites = extended(known, sorted(counted))
        if len(sites) > len(known):
            CountSites.objects.update_or_create(
                batch=self._batch, revision=revision, defaults={"sites": pack_sites(sites)}
            )
        place = {site: at for at, site in enumerate(sites)}
        CountedRun.objects.update_or_create(
            batch=self._batch,
            revision=revision,
            configuration=self._configuration(execution.run),
            workload=self._workload(execution.run.workload),
            environment=self._environment(execution.environment),
            defaults={
                "counts": pack_counts({place[site]: count for site, count in counted.items()}),
                # A run that was too quick for the clock is not timed either.
                "cpu_seconds": execution.plain.cpu_seconds or None if timed and execution.plain else None,
            },
        )

    def prepared(self, made: Prepared) -> None:
        """Keep what was learned when a revision was prepared: its date, and which others are the same program."""
        revision = made.revision
        own = Revision.objects.filter(system_id=self._batch.system_id, name=revision.identifier)
        if revision.released_at is not None:
            own.filter(released_at__isnull=True).update(released_at=revision.released_at)
        if not made.built:
            return
        # All builds that are known, in whatever order they were made.
        builds = {**known_builds(made.subject, made.state), revision.identifier: made.built}
        rows = Revision.objects.filter(system_id=self._batch.system_id).only("name", "content")
        joined = joined_contents({row.name: row.content for row in rows}, builds)
        changed = [row for row in rows if row.content != joined[row.name]]
        for row in changed:
            row.content = joined[row.name]
        if changed:
            Revision.objects.bulk_update(changed, ["content"], batch_size=500)
            bump(system=self._batch.system)

    def _run(
        self,
        planned: PlannedRun,
        found: MachineFingerprint,
        kind: Run.Kind,
        *,
        execution: Execution | None = None,
    ) -> Run:
        fields: dict[str, Any] = {}
        if execution is not None:
            fields = {
                "status": _STATUS[execution.status],
                "message": execution.message[:_MESSAGE],
                "output_tail": execution.output if execution.status != "ok" else "",
                "started_at": execution.started_at,
            }
        return Run.objects.create(
            batch=self._batch,
            revision=self._revision(planned.revision),
            configuration=self._configuration(planned),
            workload=self._workload(planned.workload),
            environment=self._environment(found),
            repetition=planned.repetition,
            kind=kind,
            **fields,
        )

    def _measure(self, run: Run, wall: float, cpu: float) -> None:
        Measurement.objects.bulk_create(
            [
                Measurement(run=run, metric=self._metrics[Metric.Clock.WALL], value=wall),
                Measurement(run=run, metric=self._metrics[Metric.Clock.CPU], value=cpu),
            ]
        )

    def _written(self, run: Run) -> None:
        keys = {
            SeriesKey(run.configuration_id, run.workload_id, run.environment_id, metric.pk)
            for metric in self._metrics.values()
        }
        update_points(system=self._batch.system, keys=keys)
        bump(system=self._batch.system, revisions=[run.revision_id])

    def _revision(self, name: str) -> Revision:
        if name not in self._revisions:
            self._revisions[name] = Revision.objects.get(system_id=self._batch.system_id, name=name)
        return self._revisions[name]

    def _configuration(self, planned: PlannedRun) -> Configuration:
        assignments = assignments_of(planned.configuration, self._subject)
        identity = configuration_identity(assignments)
        if identity not in self._configurations:
            self._configurations[identity], _ = Configuration.objects.get_or_create(
                system_id=self._batch.system_id, identity=identity, defaults={"assignments": assignments}
            )
        return self._configurations[identity]

    def _workload(self, name: str) -> Workload:
        if name not in self._workloads:
            self._workloads[name] = Workload.objects.get(system_id=self._batch.system_id, name=name)
        return self._workloads[name]

    def _environment(self, found: MachineFingerprint) -> Environment:
        if found.digest not in self._environments:
            name = f"{found.interpreter or 'no interpreter'}, {found.processor}, {found.operating_system}"
            self._environments[found.digest], _ = Environment.objects.get_or_create(
                digest=found.digest, defaults={"name": name[:200], "details": asdict(found)}
            )
        return self._environments[found.digest]
