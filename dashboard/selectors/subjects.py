"""Registered subjects to read: what can be measured on this machine, and by whom."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from dashboard.access import Permission, Principal, permission_of, require
from dashboard.models import Configuration, Revision, Series, Subject
from dashboard.selectors.histories.rows import SeriesRow


@dataclass(frozen=True, slots=True)
class Measurable:
    """Whether a principal can have a system measured here, and why not.

    `options` maps an option to its levels in words, the reference first; `assignments` a configuration's identity to
    what it differs in.
    """

    allowed: bool
    reason: str
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    workloads: tuple[str, ...] = ()
    revisions: tuple[str, ...] = ()
    assignments: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def words_for(self, series: SeriesRow) -> tuple[str, ...]:
        """The selection of configurations that a series needs at every revision."""
        if series.kind == Series.SubjectKind.TERM:
            names = [unquote(part.partition("=")[0]) for part in series.subject.split("*")]
            return (f"only={','.join(names)}",)
        assigned = self.assignments.get(series.subject, {})
        return (",".join(f"{name}={label}" for name, label in assigned.items()) or "default",)


def measurable(*, principal: Principal, slug: str) -> Measurable:
    """What of a system can be measured here. Constant number of queries. Raises `NotFound`."""
    system = require(principal, slug)
    subject = Subject.objects.filter(system=system).first()
    if subject is None:
        return Measurable(
            allowed=False,
            reason="No subject is registered on this machine: run `manage.py register FOLDER` there.",
        )
    granted = permission_of(principal, system)
    may_edit = granted is not None and granted.value >= Permission.EDIT.value
    places = Revision.objects.filter(
        system=system, positions__order__name=subject.definition["order"], positions__listed=True
    )
    return Measurable(
        allowed=may_edit,
        reason="" if may_edit else "Measuring needs the role editor.",
        options={name: tuple(levels) for name, levels in subject.definition["options"].items()},
        workloads=tuple(subject.definition["workloads"]),
        revisions=tuple(places.order_by("positions__position").values_list("name", flat=True)),
        assignments=dict(Configuration.objects.filter(system=system).values_list("identity", "assignments")),
    )
