"""Noting something at revisions, and taking that away; a changed benchmark has its histories searched anew."""

from django.db import transaction

from dashboard.access import Access, NotFound, Permission, Refused
from dashboard.models import Annotation, Series, System
from dashboard.selectors.histories.order_rows import OrderedRevisions, RevisionPlace
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.series import stored_series
from dashboard.services import audit, data_versions
from dashboard.services.histories.fit_jobs import queue_fits
from dashboard.services.plain_lines import check_line
from dashboard.services.triage import checked_link

LONGEST_TEXT = 200


def annotate(
    *,
    access: Access,
    kind: str,
    first: str,
    last: str = "",
    text: str,
    link: str = "",
    series_id: int | None = None,
) -> int:
    """Note something at a revision, or up to a `last` one, of all histories or of one series; returns its id.

    Revisions are given by name, or by so much of the beginning as tells them from others. Where the benchmark was changed the
    histories begin a new level, and their fits are queued. Needs the role editor. Raises `Refused` for words that cannot be
    kept, `NotFound` for an unknown series, and `Forbidden`.
    """
    access.check(Permission.EDIT)
    system, text = access.system, text.strip()
    if kind not in Annotation.Kind.values:
        raise Refused(f"{kind!r} is no kind of annotation: choose one of {', '.join(Annotation.Kind.values)}")
    if not text:
        raise Refused("say what there is to know at this revision, in a few words")
    if len(text) > LONGEST_TEXT:
        raise Refused(f"the text has {len(text)} characters: at most {LONGEST_TEXT} are kept")
    check_line(text, "the text")
    order = ordered_revisions(system=system)
    begins = _named(order, first)
    ends = _named(order, last) if last.strip() else begins
    if ends.position < begins.position:
        raise Refused(f"{ends.name} comes before {begins.name}: give the earlier one first")
    with transaction.atomic():
        row = Annotation.objects.create(
            system=system,
            kind=kind,
            first_id=begins.revision_id,
            last_id=ends.revision_id if ends != begins else None,
            series_identity=stored_series(system, series_id).identity if series_id is not None else "",
            text=text,
            link=checked_link(link),
            author=access.principal.name,
        )
        audit.record(access.principal, "annotate", access.slug, kind=kind, at=begins.name, text=text)
        _begin_anew(system, row)
    queue_fits(access=access)
    return row.pk


def remove_annotation(*, access: Access, annotation_id: int) -> None:
    """Take an annotation away. Needs the role editor. Raises `NotFound` and `Forbidden`."""
    access.check(Permission.EDIT)
    with transaction.atomic():
        row = Annotation.objects.filter(system=access.system, pk=annotation_id).first()
        if row is None:
            raise NotFound("there is no such annotation")
        row.delete()
        audit.record(access.principal, "remove annotation", access.slug, kind=row.kind, text=row.text)
        _begin_anew(access.system, row)
    queue_fits(access=access)


def _begin_anew(system: System, row: Annotation) -> None:
    """Put the fits of the histories out of date that a changed benchmark concerns."""
    if row.kind != Annotation.Kind.BENCHMARK:
        return
    series = Series.objects.filter(system=system)
    if row.series_identity:
        series = series.filter(identity=row.series_identity)
    data_versions.bump(system=system, series=list(series.values_list("pk", flat=True)))
    system.refresh_from_db()


def _named(order: OrderedRevisions, name: str) -> RevisionPlace:
    """The revision of that name, or the only one that begins so. Raises `Refused`."""
    wanted = name.strip()
    found = [place for place in order.revisions if wanted and place.name.startswith(wanted)]
    exact = [place for place in found if place.name == wanted]
    if len(exact or found) != 1:
        some = f": {len(found)} begin so" if found else ""
        raise Refused(
            f"there is no revision {wanted!r} in the order {order.name!r}{some}; choose one in the figure"
        )
    return (exact or found)[0]
