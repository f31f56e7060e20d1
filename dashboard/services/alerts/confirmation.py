"""The second measurement of an alert, from asking for it until the alert is told or withheld.

    waiting --begin_measuring--> measuring --decide_due--> told (confirmed, or why it is not) or withheld (refuted)

Whatever keeps it from being measured leads straight to told, with the reason. Each step asks for the state that it leaves, so two
workers take none twice.
"""

from datetime import timedelta

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from pydantic import BaseModel

from analytics.bisection import FloatArray
from analytics.findings.confirmation import ConfirmationState, measured_again
from dashboard.access import Access, AccessError, NotFound, Refused
from dashboard.figures.numbers import percent, plural
from dashboard.models import Alert, AlertRule, Batch, Job, Measurement, Run, Series
from dashboard.selectors.alerts import WantedFinding, findings_of
from dashboard.selectors.histories.rows import SeriesRow
from dashboard.selectors.histories.series import get_series, list_series
from dashboard.selectors.job_columns import SubjectCheckpoint
from dashboard.selectors.measuring.status import own_environments
from dashboard.services.alerts.delivering import new_deliveries
from dashboard.services.jobs.queueing import cancel
from dashboard.services.measuring import start_measuring
from dashboard.services.measuring.plans import change_request
from dashboard.services.metrics import INSTRUCTIONS, WORK
from runner.errors import RunnerError

# Of so many histories of an alert, the ones that changed most, the configurations are measured again.
MOST_AGAIN = 3
UNDECIDED = (Alert.State.WAITING, Alert.State.MEASURING)


class AlertPlan(BaseModel):
    """What of an alert is measured again: histories (ids) of configurations with the shares `found` at first.

    `revisions` (ids) lie around the change of all of them. Where `reason` is not "", nothing is measured; `is_counted` says that
    counts, which do not scatter, changed: nothing has to be. `others` are the alert's histories that runs say nothing of.
    """

    series: tuple[int, ...] = ()
    found: tuple[float, ...] = ()
    revisions: tuple[int, int] = (0, 0)
    reason: str = ""
    is_counted: bool = False
    others: int = 0


def plan_of(rule: AlertRule, wanted: list[WantedFinding]) -> AlertPlan:
    """What is measured again for what a rule found at one revision. One query."""
    if not rule.measures_again:
        return AlertPlan(reason="the rule asks for no second measurement")
    changes = [change for one in wanted for change in one.changes]
    if any(history.quantity in {WORK, INSTRUCTIONS} for _, history in changes):
        return AlertPlan(is_counted=True)
    rows = list_series(system=rule.system, only=Q(pk__in=[history.series_id for _, history in changes]))
    timed = {one.series_id: one for one in rows if one.kind == Series.SubjectKind.CONFIGURATION}
    own = [(key, history) for key, history in changes if history.series_id in timed]
    if not own:
        is_suite = any(one.kind == Series.SubjectKind.BENCHMARK for one in rows)
        reason = "its values were imported: benchmarks run where they came from"
        return AlertPlan(
            reason=reason if is_suite else "no whole run changed, and parts of it are not measured again"
        )
    first, largest = own[0]
    chosen: dict[str, tuple[int, float]] = {}
    for key, history in own:
        row = timed[history.series_id]
        is_same = (key.before, key.after) == (first.before, first.after)
        if is_same and history.last and row.workload == timed[largest.series_id].workload:
            chosen.setdefault(row.subject, (row.series_id, history.last.relative))
    series, found = zip(*list(chosen.values())[:MOST_AGAIN], strict=True)
    others = len(changes) - len(own)
    return AlertPlan(series=series, found=found, revisions=(first.before, first.after), others=others)


def begin_measuring(*, access: Access) -> None:
    """Queue the second measurement of each alert of a system that waits for one; tell at once what cannot be measured here."""
    waiting = Alert.objects.filter(rule__system=access.system, state=Alert.State.WAITING)
    for alert in waiting.select_related("rule__system").order_by("pk"):
        plan = AlertPlan.model_validate(alert.plan)
        if plan.is_counted:
            outcome = "Confirmed: it was counted, and counts do not scatter; nothing is measured again."
            _tell(alert, outcome, is_confirmed=True)
        elif plan.reason:
            _tell(alert, f"Not confirmed: {plan.reason}.")
        else:
            # Of two rules that ask for the same, one measurement tells both.
            same = Alert.objects.filter(
                rule__system=access.system, state=Alert.State.MEASURING, plan=alert.plan
            )
            job_id = same.filter(job__state__in=Job.ACTIVE).values_list("job_id", flat=True).first()
            try:
                if job_id is None:
                    rows = [get_series(system=access.system, series_id=one) for one in plan.series]
                    asked = [
                        change_request(access=access, series=row, revisions=plan.revisions) for row in rows
                    ]
                    names = tuple(dict.fromkeys(name for one in asked for name in one.configurations))
                    request = asked[0].model_copy(update={"configurations": names})
                    job_id = start_measuring(access=access, request=request)
            except (AccessError, Refused, RunnerError) as error:
                _tell(alert, f"Not confirmed: {str(error).rstrip('.')}.")
                continue
            left = Alert.objects.filter(pk=alert.pk, state=Alert.State.WAITING)
            left.update(state=Alert.State.MEASURING, job_id=job_id)


def undecided_due() -> Q:
    """The alerts whose measurement has ended in whatever way, or has taken too long."""
    ended = Q(state=Alert.State.MEASURING) & (
        Q(job=None) | Q(job__state__in=[Job.State.DONE, Job.State.FAILED, Job.State.CANCELLED])
    )
    late = Q(state__in=UNDECIDED, decide_by__lte=timezone.now())
    return Q(ended | late, rule__system__visible=True)


def decide_due() -> int:
    """Tell or withhold each alert whose measurement has ended or has taken too long; how many there were."""
    rows = Alert.objects.filter(undecided_due())
    due = list(rows.select_related("rule__system", "revision", "job").order_by("pk"))
    for alert in due:
        job, plan = alert.job, AlertPlan.model_validate(alert.plan)
        spoken = next((one.triage for one in findings_of(alert) if one.triage.said_by), None)
        if not alert.rule.is_on:
            _withhold(alert, "Told to nobody: the rule was turned off meanwhile.")
        elif spoken is not None:
            _withhold(alert, f"Told to nobody: {spoken.said_by} spoke of it meanwhile.")
        elif job is not None and job.state == Job.State.DONE:
            _judge(alert, plan, job)
        elif job is not None and job.state == Job.State.FAILED:
            _tell(alert, f"Not confirmed: the second measurement failed ({job.message.rstrip('.')}).")
        elif job is not None and job.state == Job.State.CANCELLED:
            _tell(alert, "Not confirmed: the second measurement was cancelled.")
        elif job is None and alert.state == Alert.State.MEASURING:
            _tell(alert, "Not confirmed: the second measurement was deleted.")
        else:
            if job is not None:
                cancel(job)
            limit = plural(settings.ALERT_CONFIRM_MINUTES, "minute")
            _tell(alert, f"Not confirmed: the second measurement took longer than {limit}.")
    return len(due)


def _judge(alert: Alert, plan: AlertPlan, job: Job) -> None:
    """What the runs of a measurement that is done say of an alert."""
    batch = Batch.objects.filter(pk=SubjectCheckpoint.model_validate(job.checkpoint).batch).first()
    results, lines = [], []
    try:
        rows = [get_series(system=alert.rule.system, series_id=one) for one in plan.series]
    except NotFound:
        rows = []
    for row, found in zip(rows, plan.found, strict=False):
        before, after = (_times(batch, row, revision) for revision in plan.revisions)
        result = measured_again(before, after, found=found, smallest=alert.rule.smallest)
        results.append(result)
        now = "too few runs" if result.is_short else percent(100 * result.size, signed=True)
        runs = f"{len(before)} and {len(after)} runs in turns"
        lines.append(f"  {row.label}: {percent(100 * found, signed=True)} at first, {now} then ({runs})")
    told = "\n".join(lines)
    elsewhere = any(row.environment_id not in own_environments(alert.rule.system) for row in rows)
    states = {one.state for one in results}
    if ConfirmationState.CONFIRMED in states:
        _tell(alert, f"Confirmed by a second measurement of both revisions:\n{told}", is_confirmed=True)
    elif any(one.is_short for one in results) or not results:
        _tell(alert, f"Not confirmed: too few runs of the second measurement came to their end.\n{told}")
    elif states != {ConfirmationState.REFUTED}:
        _tell(alert, f"Not confirmed: the runs of the second measurement scatter too much to tell.\n{told}")
    elif elsewhere:
        _tell(alert, f"Not confirmed: it was found on another machine, and is not there on this one.\n{told}")
    elif plan.others:
        many = plural(plan.others, "other history", "other histories")
        _tell(alert, f"Not confirmed: whole runs refute it, of {many} they say nothing.\n{told}")
    else:
        _withhold(alert, f"Told to nobody: a second measurement of both revisions refutes it:\n{told}")


def _times(batch: Batch | None, row: SeriesRow, revision: int) -> FloatArray:
    """The values (n,) of a history's runs at a revision in a batch, those that are valid and above 0. One query."""
    rows = Measurement.objects.filter(
        run__batch=batch,
        run__kind=Run.Kind.PLAIN,
        run__status=Run.Status.OK,
        run__invalid_reason="",
        run__configuration__identity=row.subject,
        run__revision=revision,
        metric=row.metric_id,
    )
    return np.array([one for one in rows.values_list("value", flat=True) if one > 0], dtype=float)


def _tell(alert: Alert, outcome: str, *, is_confirmed: bool = False) -> None:
    subject = alert.subject if is_confirmed else f"{alert.subject[:230]} (not confirmed)"
    with transaction.atomic():
        left = Alert.objects.filter(pk=alert.pk, state__in=UNDECIDED)
        if left.update(state=Alert.State.TOLD, outcome=outcome, subject=subject, is_confirmed=is_confirmed):
            new_deliveries(alert.rule, alert)


def _withhold(alert: Alert, outcome: str) -> None:
    left = Alert.objects.filter(pk=alert.pk, state__in=UNDECIDED)
    left.update(state=Alert.State.WITHHELD, outcome=outcome)


def time_limit() -> timedelta:
    """How long an alert waits for its second measurement."""
    return timedelta(minutes=settings.ALERT_CONFIRM_MINUTES)
