"""Storing what single executions came to: runs, measurements, regions, and the points they move."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from math import fsum
from typing import Any

from analytics.configurations.identities import configuration_identity
from analytics.whitebox.dependencies import Site
from analytics.work import CountWeights
from dashboard.models import (
    Batch,
    CountedRun,
    CountSites,
    Environment,
    Measurement,
    Metric,
    Revision,
    Run,
)
from dashboard.selectors.batch_manifests import count_weights
from dashboard.selectors.counts import extended, pack_counts, pack_sites, unpack_sites
from dashboard.services.data_versions import bump
from dashboard.services.metrics import QUANTITIES, WORK, counted, seconds
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
    "disk_limit": Run.Status.FAILED,
    "cancelled": Run.Status.KILLED,
}
_MESSAGE = 400


class RunStore:
    """Writes the runs of one batch. Call it inside the job's fenced transaction."""

    def __init__(self, *, batch: Batch, subject: SubjectDefinition) -> None:
        self._batch = batch
        self._subject = subject
        self._regions = RegionRows(batch.system)
        self._metrics = {clock: seconds(clock) for clock in (Metric.Clock.WALL, Metric.Clock.CPU)}
        self._revisions = dict(batch.system.revisions.values_list("name", "pk"))
        self._logged: set[str] = set()
        # Models of work need no time: nothing else may have made it.
        counted(WORK)
        self._weights = CountWeights(count_weights(batch.system))

    def execution(self, execution: Execution, machine: Mapping[str, object]) -> None:
        """Store one execution: a plain run, and a profiled one where it was profiled; points move with them.

        `machine` is of `reference_columns` and `strain_columns`.
        """
        fields = {**self._outcome(execution), **machine}
        plain = self._run(execution.run, execution.environment, **fields)
        if (timed := execution.result.plain) is not None:
            self._measure(plain, timed.wall_seconds, timed.cpu_seconds)
        profile = execution.result.profile
        if profile is not None:
            profiled = self._run(execution.run, execution.environment, Run.Kind.PROFILED, **fields)
            self._measure(profiled, profile.wall_seconds, profile.cpu_seconds)
            self._regions.store(profiled, profile, self._metrics[Metric.Clock.CPU])
        self._written(plain, self._metrics.values())

    def unprepared(self, planned: PlannedRun, failure: Unprepared) -> None:
        """Store a run that could not be made because its revision cannot be built; the log's end goes with the first."""
        run = self._run(
            planned,
            failure.environment,
            status=Run.Status.TIMEOUT if failure.status == "timeout" else Run.Status.FAILED,
            message=f"revision cannot be built: {failure.message}"[:_MESSAGE],
            output_tail="" if planned.revision in self._logged else failure.output,
        )
        self._logged.add(planned.revision)
        self._written(run, self._metrics.values())

    def counted(self, execution: Execution) -> Run:
        """Store what a counting run showed, as a measurement of the run that it was made beside, or of one of its own."""
        context = self._context(execution.run, execution.environment)
        own = {"kind": Run.Kind.PLAIN, "repetition": execution.run.repetition}
        run = Run.objects.filter(**context, **own).first() or self._run(
            execution.run, execution.environment, **self._outcome(execution)
        )
        self.counts(execution, timed=True)
        metrics = []
        if (counts := execution.result.counts) is not None:
            metrics = [counted(QUANTITIES[counts.tool])]
            work = fsum(self._weights.work(counts.by_region).values())
            value = work if counts.total is None else counts.total
            Measurement.objects.update_or_create(run=run, metric=metrics[0], defaults={"value": value})
        self._written(run, metrics)
        return run

    def counts(
        self, execution: Execution, counted: Mapping[Site, int] | None = None, *, timed: bool = False
    ) -> None:
        """Store what a run counted, all or what is given, and how long it took if it was `timed` as it counted.

        Nothing where it counted nothing.
        """
        if counted is None:
            counted = execution.result.counts.by_site if execution.result.counts else {}
        if not counted:
            return
        context = self._context(execution.run, execution.environment)
        if execution.result.counts and execution.result.counts.functions:
            self._regions.add(context["revision_id"], execution.result.counts.functions)
        own = {"batch": self._batch, "revision_id": context["revision_id"]}
        table = CountSites.objects.filter(**own).first()
        known = unpack_sites(table.sites) if table else []
        sites = extended(known, sorted(counted))
        if len(sites) > len(known):
            CountSites.objects.update_or_create(**own, defaults={"sites": pack_sites(sites)})
        place = {site: at for at, site in enumerate(sites)}
        plain = execution.result.plain if timed else None
        CountedRun.objects.update_or_create(
            **context,
            defaults={
                "counts": pack_counts({place[site]: count for site, count in counted.items()}),
                # A run that was too quick for the clock is not timed either.
                "cpu_seconds": plain.cpu_seconds or None if plain else None,
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

    def _outcome(self, execution: Execution) -> dict[str, Any]:
        """How it ended, as columns of a run."""
        return {
            "status": _STATUS[execution.status],
            "message": execution.message[:_MESSAGE],
            "output_tail": execution.outcome.output if execution.status != "ok" else "",
            "started_at": execution.started_at,
        }

    def _run(
        self,
        planned: PlannedRun,
        found: MachineFingerprint,
        kind: Run.Kind = Run.Kind.PLAIN,
        **fields: Any,
    ) -> Run:
        context = self._context(planned, found)
        return Run.objects.create(**context, repetition=planned.repetition, kind=kind, **fields)

    def _measure(self, run: Run, wall: float, cpu: float) -> None:
        Measurement.objects.bulk_create(
            [
                Measurement(run=run, metric=self._metrics[Metric.Clock.WALL], value=wall),
                Measurement(run=run, metric=self._metrics[Metric.Clock.CPU], value=cpu),
            ]
        )

    def _written(self, run: Run, metrics: Iterable[Metric]) -> None:
        keys = {
            SeriesKey(run.workload_id, run.environment_id, metric.pk, run.configuration_id)
            for metric in metrics
        }
        update_points(system=self._batch.system, keys=keys)
        bump(system=self._batch.system, revisions=[run.revision_id])

    def _context(self, planned: PlannedRun, found: MachineFingerprint) -> dict[str, Any]:
        """What was run, where and for which batch, as columns of a run; configuration and environment are made if need be."""
        system = self._batch.system
        assignments = assignments_of(planned.configuration, self._subject)
        configuration, _ = system.configurations.get_or_create(
            identity=configuration_identity(assignments), defaults={"assignments": assignments}
        )
        environment, _ = Environment.objects.get_or_create(
            digest=found.digest, defaults={"name": found.name[:200], "details": asdict(found)}
        )
        return {
            "batch": self._batch,
            "revision_id": self._revisions[planned.revision],
            "configuration": configuration,
            "workload": system.workloads.get(name=planned.workload),
            "environment": environment,
        }
