"""Where a system stands with measuring: its subject, what may be started, and the batches that came in."""

from django.db.models import Count, Q

from dashboard.access import Permission, Principal, permission_of, require
from dashboard.models import Batch, Job, Revision, Run, Subject, System, SystemOption
from dashboard.selectors.jobs import ANALYZED, MEASURED
from dashboard.selectors.measuring.rows import BatchRow, Measuring, OptionRow, SubjectRow

# An execution that was measured is stored as a plain and a profiled run: together they count as one.
EXECUTED = Q(kind=Run.Kind.PLAIN) | ~Q(batch__format=MEASURED)


def measuring(*, principal: Principal, slug: str) -> Measuring:
    """The registered subject of a system and the principal's say in it. Constant number of queries.

    Raises `NotFound`.
    """
    system = require(principal, slug)
    granted = permission_of(principal, system)
    level = granted.value if granted is not None else 0
    may_edit = level >= Permission.EDIT.value
    subject = Subject.objects.filter(system=system).first()
    runs = Run.objects.filter(EXECUTED, batch__system=system, batch__state=Batch.State.VISIBLE)
    counts = runs.aggregate(
        runs=Count("pk"),
        failed=Count("pk", filter=~Q(status=Run.Status.OK) & Q(invalid_reason="")),
        invalid=Count("pk", filter=~Q(invalid_reason="")),
    )
    return Measuring(
        slug=system.slug,
        name=system.name,
        subject=None if subject is None else _subject(system, subject),
        may_edit=may_edit,
        may_delete=level >= Permission.ADMIN.value,
        reason="" if may_edit else "This needs the role editor; yours is viewer.",
        data_version=system.data_version,
        **counts,
    )


def list_batches(*, principal: Principal, slug: str, limit: int = 50) -> tuple[BatchRow, ...]:
    """What came in, the newest first. Two queries after the check. Raises `NotFound`."""
    system = require(principal, slug)
    executed = Q(runs__kind=Run.Kind.PLAIN) | ~Q(format=MEASURED)
    batches = (
        Batch.objects.filter(system=system, state=Batch.State.VISIBLE)
        .annotate(
            total=Count("runs", filter=executed),
            failed=Count("runs", filter=executed & ~Q(runs__status=Run.Status.OK)),
            invalid=Count("runs", filter=executed & ~Q(runs__invalid_reason="")),
        )
        .order_by("-pk")[:limit]
    )
    # By the batch that the job remembers: numbers of jobs mean nothing in a batch that was measured elsewhere.
    jobs = Job.objects.filter(system=system, kind__in=(MEASURED, ANALYZED), checkpoint__has_key="batch")
    states = {checkpoint["batch"]: state for checkpoint, state in jobs.values_list("checkpoint", "state")}
    return tuple(
        BatchRow(
            batch_id=batch.pk,
            format=batch.format,
            source=batch.source,
            title=str(batch.manifest.get("title", "")),
            state=states.get(batch.pk, ""),
            created_at=batch.created_at,
            runs=batch.total,
            failed=batch.failed,
            invalid=batch.invalid,
        )
        for batch in batches
    )


def _subject(system: System, row: Subject) -> SubjectRow:
    definition = row.definition
    # PostgreSQL keeps no order of keys: the options' own positions tell it.
    options = SystemOption.objects.filter(system=system, name__in=definition["options"]).order_by("position")
    revisions = Revision.objects.filter(
        system=system, positions__order__name=definition["order"], positions__listed=True
    )
    return SubjectRow(
        name=row.name,
        description=definition["description"],
        registered_at=row.registered_at,
        order=definition["order"],
        options=tuple(
            OptionRow(option.name, tuple(definition["options"][option.name]), option.description)
            for option in options
        ),
        workloads=tuple(definition["workloads"]),
        revisions=tuple(revisions.order_by("positions__position").values_list("name", flat=True)),
        timeout_seconds=definition["timeout_seconds"],
        can_profile=definition.get("can_profile", True),
        can_count=definition.get("can_profile", True) and bool(definition.get("regions")),
        counts=definition.get("counts"),
    )
