"""Where the other histories of a system changed: a revision that moved one of them often moves more."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber

from dashboard.models import Series, System
from dashboard.selectors.histories.codes import Bracket
from dashboard.selectors.histories.fits import changes
from dashboard.selectors.histories.rows import SeriesContext
from dashboard.selectors.histories.series import OrderedRevisions, measured_points

# Other histories that are looked at: more of them tell little more, and each costs a search.
_LOOKED_AT = 24
# A few more are found: those of the history itself, in all versions of a benchmark, are passed over.
_FOUND = _LOOKED_AT + 2

# Kind, environment and metric of the histories that may tell of each other.
Group = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class SiblingSeries:
    """A history that may tell of others, and the brackets of its changes."""

    subject: str
    workload_id: int
    brackets: tuple[Bracket, ...]


SiblingChanges = Mapping[Group, Sequence[SiblingSeries]]


def group_of(own: SeriesContext) -> Group:
    """The group whose histories may tell of this one: configurations, for a benchmark benchmarks."""
    benchmark = Series.SubjectKind.BENCHMARK.value
    kind = benchmark if own.kind == benchmark else Series.SubjectKind.CONFIGURATION.value
    return kind, own.environment_id, own.metric_id


def sibling_series(system: System, groups: Collection[Group], order: OrderedRevisions) -> SiblingChanges:
    """The witnesses of each group, with the brackets of their changes as places of the order's line.

    Two queries. For selectors and services, behind their check.
    """
    wanted = Q(pk__in=())
    for kind, environment, metric in groups:
        wanted |= Q(subject_kind=kind, environment_id=environment, metric_id=metric)
    alike = [F("subject_kind"), F("environment_id"), F("metric_id")]
    rows = list(
        Series.objects.filter(wanted, system=system)
        .annotate(number=Window(RowNumber(), partition_by=alike, order_by="pk"))
        .filter(number__lte=_FOUND)
        .order_by("pk")
        .values_list("subject_kind", "environment_id", "metric_id", "pk", "subject", "workload_id")
    )
    points = measured_points(system, [pk for _, _, _, pk, *_ in rows], order)
    line = order.line
    found: dict[Group, list[SiblingSeries]] = {}
    for kind, environment, metric, pk, subject, workload in rows:
        if points[pk]:
            moved = changes(points[pk], None, line).changes
            brackets = tuple((one.bracket_before, one.bracket_after) for one in moved)
            found.setdefault((kind, environment, metric), []).append(
                SiblingSeries(subject, workload, brackets)
            )
    return found


def sibling_changes(own: SeriesContext, told: SiblingChanges) -> tuple[Bracket, ...]:
    """The brackets of what changed other histories than this one: no history is its own witness."""
    here = (own.subject, own.workload_id)
    others = [one for one in told.get(group_of(own), ()) if (one.subject, one.workload_id) != here]
    return tuple(bracket for one in others[:_LOOKED_AT] for bracket in one.brackets)
