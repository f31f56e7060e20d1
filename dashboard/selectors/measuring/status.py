"""Where a system stands with measuring: its subject, what may be started, and the batches that came in."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db.models import Count, Q

from analytics.configurations.identities import key_options
from dashboard.access import Access, role_refusal
from dashboard.models import Batch, Configuration, Revision, Run, Series, Subject, System, SystemOption
from dashboard.selectors.batch_manifests import manifest_of
from dashboard.selectors.histories.rows import SeriesRow
from dashboard.selectors.job_columns import jobs_by_batch
from dashboard.selectors.jobs import ANALYZED, MEASURED
from dashboard.selectors.measuring.rows import SubjectRow
from dashboard.selectors.model_rows import OptionLevels
from dashboard.selectors.overview import model_summary
from dashboard.selectors.systems import EXECUTED, visible_runs
from runner.machine_state import MachineState

# The kinds of jobs whose runs are measured.
_MEASURING = (MEASURED, "track", "bisect")
# With two options there are four configurations and one interaction.
_OPTIONS = 2


@dataclass(frozen=True, slots=True)
class BatchRow:
    """Runs that came in together, and how many of them failed and were marked invalid.

    `only_profiled` are further ones that were made with a profiler alone: no end-to-end time is theirs.
    `title` is that of the job, also where it was measured elsewhere; `job` is its number and `state` what became of it, None
    and "" where it is not of here.
    `machine` are the states of the machine at its begin and its end, empty where they were not kept; `phases` is what it did
    meanwhile, by the names of `MachinePhases.as_numbers`; `sandbox` what the runs were made in.
    """

    batch: Batch
    title: str
    job: int | None
    state: str
    runs: int
    failed: int
    invalid: int
    only_profiled: int = 0
    machine: tuple[MachineState, ...] = ()
    phases: Mapping[str, float] = field(default_factory=dict)
    sandbox: tuple[str, ...] = ()


def run_counts(*, access: Access) -> dict[str, int]:
    """How many `runs` of a system count, how many of them `failed`, and how many more are `invalid`. One query."""
    return (
        visible_runs(access.system)
        .filter(EXECUTED)
        .aggregate(
            runs=Count("pk", filter=Q(invalid_reason="")),
            failed=Count("pk", filter=~Q(status=Run.Status.OK) & Q(invalid_reason="")),
            invalid=Count("pk", filter=~Q(invalid_reason="")),
        )
    )


def subject_of(*, access: Access) -> SubjectRow | None:
    """The registered subject of a system; None without one. Four queries at most."""
    row = Subject.objects.filter(system=access.system).first()
    if row is None:
        return None
    definition = row.definition
    # PostgreSQL keeps no order of keys: the options' own positions tell it.
    options = SystemOption.objects.filter(system_id=row.system_id, name__in=definition["options"])
    revisions = Revision.objects.filter(
        system_id=row.system_id, positions__order__name=definition["order"], positions__listed=True
    )
    branches = Revision.objects.filter(system_id=row.system_id).exclude(branch="").order_by("-released_at")
    return SubjectRow(
        name=row.name,
        description=definition["description"],
        registered_at=row.registered_at,
        order=definition["order"],
        options=tuple(
            OptionLevels(option.name, tuple(definition["options"][option.name]), option.description)
            for option in options.order_by("position")
        ),
        workloads=tuple(definition["workloads"]),
        revisions=tuple(revisions.order_by("positions__position").values_list("name", flat=True)),
        timeout_seconds=definition["timeout_seconds"],
        can_profile=definition.get("can_profile", True),
        can_count=not definition.get("can_profile", True) or bool(definition.get("regions")),
        counts=definition.get("counts"),
        counts_functions=definition.get("counts_functions", False),
        can_analyze=definition.get("can_analyze", definition.get("can_profile", True)),
        branches=tuple(branches.values_list("branch", "name", "base")),
    )


def measuring_refusal(*, access: Access) -> str:
    """Why the principal cannot have the system measured on this machine; "" where it can. One query."""
    if not Subject.objects.filter(system=access.system).exists():
        return "No subject is registered on this machine: run `manage.py register FOLDER` there."
    return role_refusal(access)


def configurations_of_series(*, access: Access, series: SeriesRow) -> tuple[str, ...]:
    """The selector expressions of the configurations that a series needs at every revision. One query at most."""
    if series.kind == Series.SubjectKind.TERM:
        names = key_options(series.subject)
        return (f"only={','.join(names)}",)
    rows = Configuration.objects.filter(system=access.system, identity=series.subject)
    assignments = rows.values_list("assignments", flat=True).first() or {}
    return (",".join(f"{name}={label}" for name, label in assignments.items()) or "default",)


def own_environments(system: System) -> frozenset[int]:
    """The environments (ids) in which jobs of this installation measured the system. Two queries."""
    batches = jobs_by_batch(system, _MEASURING)
    runs = Run.objects.filter(batch_id__in=batches, batch__system=system)
    return frozenset(runs.order_by().values_list("environment_id", flat=True).distinct())


def largest_options(*, access: Access) -> tuple[str, ...]:
    """The two options of the registered subject that matter most, as far as the newest model tells; else its first.

    Empty without a subject.
    """
    subject = subject_of(access=access)
    if subject is None:
        return ()
    known = [option.name for option in subject.options]
    model = model_summary(access.system)
    # In the order in which the largest significant terms name them.
    terms = (
        [] if model is None else [term for term in model.influences.terms if not term.influence.may_be_zero]
    )
    named = [change.option for term in terms for change in term.changes if change.option in known]
    return tuple(dict.fromkeys([*named, *known]))[:_OPTIONS]


def list_batches(*, access: Access, limit: int = 50) -> tuple[BatchRow, ...]:
    """What came in, the newest first. Two queries."""
    executed = Q(runs__kind=Run.Kind.PLAIN) | ~Q(format=MEASURED)
    batches = (
        Batch.objects.filter(system=access.system, state=Batch.State.VISIBLE)
        .annotate(
            total=Count("runs", filter=executed),
            failed=Count("runs", filter=executed & ~Q(runs__status=Run.Status.OK)),
            invalid=Count("runs", filter=executed & ~Q(runs__invalid_reason="")),
            profiled=Count("runs", filter=~executed),
        )
        .order_by("-pk")[:limit]
    )
    jobs = jobs_by_batch(access.system, (*_MEASURING, ANALYZED))
    return tuple(
        BatchRow(
            batch,
            manifest.title,
            job,
            state,
            batch.total,
            batch.failed,
            batch.invalid,
            max(0, batch.profiled - batch.total),
            manifest.machine,
            manifest.phases,
            manifest.sandbox,
        )
        for batch in batches
        for manifest, (job, state) in ((manifest_of(batch), jobs.get(batch.pk, (None, ""))),)
    )
