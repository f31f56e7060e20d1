"""Frozen histories: of one series, its band, what was measured and its changes."""

from dashboard.access import Access
from dashboard.figures.histories import axis_title, history_figure
from dashboard.figures.histories_drifts import drift_interval, slowly_text
from dashboard.figures.histories_words import (
    certain,
    finding,
    interval,
    power_text,
    revision_text,
    revision_title,
    scale_of,
)
from dashboard.figures.numbers import GAP, plural
from dashboard.figures.release_words import released_text
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.rows import History
from dashboard.selectors.histories.series import find_series
from dashboard.selectors.histories.triaged import changes_by_hand, triage_of_history
from dashboard.selectors.reports import Cell, FrozenView, ReportSection
from dashboard.services.reports.sections import Lens, section

# Where a change lies that a table names by two revisions.
BETWEEN = "At the first of its two revisions each has not happened yet, at the second it has."


def freeze_history(access: Access, lens: Lens) -> FrozenView:
    """The history of one series: its band, what was measured, and its changes."""
    series = find_series(system=access.system, series_id=lens.get("series", ""), term=lens.get("term", ""))
    found = get_history(system=access.system, series_id=series.series_id)
    facts = (
        ("history of", series.label),
        ("workload", series.workload),
        ("environment", series.environment),
        ("revisions", f"{len(found.points)} of {len(found.order.revisions)} measured"),
    )
    return FrozenView(finding(found), facts, history_sections(access, found))


def history_sections(access: Access, found: History) -> tuple[ReportSection, ReportSection]:
    """A history's figure with its numbers, and its changes with what people said of each."""
    scale, title, unit = scale_of(found), finding(found), found.series.unit
    measured = {point.position: point for point in found.points}
    titles = {one.position: revision_title(one.name, one.message) for one in found.order.revisions}
    rows = [
        (
            titles[row.position],
            measured[row.position].median if row.position in measured else None,
            measured[row.position].n if row.position in measured else 0,
            row.estimate,
            row.lower_95,
            row.upper_95,
        )
        for row in found.band
    ]
    said = f"{axis_title(found, scale)} by revision; band of 50 and 95 % certainty."
    columns = ("revision", "measured*", "runs", "estimate*", "95 % from*", "to*")
    curve = section(title, said, unit, columns, rows, figure=history_figure(found))
    return curve, _changes_section(access, found)


def _changes_section(access: Access, found: History) -> ReportSection:
    """The changes of a history, each with what people said of it."""
    scale = scale_of(found)
    steps: list[tuple[Cell, ...]] = []
    for one, (_, triage) in zip(found.changes, triage_of_history(access.system, found), strict=True):
        told = f"{interval(one, scale)}, {certain(one.certainty, is_candidate=one.is_candidate)}"
        told = ", ".join(filter(None, [told, released_text(one.released_in, one.after.name)]))
        said = (triage.state, triage.owner, triage.note, triage.link)
        steps.append((*map(revision_text, (one.before.name, one.after.name)), told, one.size, *said))
    # Of a term, whose value may be zero, the least change that is told is a share of another one's.
    of = f"2{GAP}% of what the default configuration takes" if found.series.kind == "term" else f"2{GAP}%"
    heading = f"{plural(len(steps), 'change')} of {of} or more"
    for _, triage in changes_by_hand(access.system, found):
        ends = map(revision_text, triage.placed or ("", ""))
        said = (triage.state, triage.owner, triage.note, triage.link)
        steps.append((*ends, f"set by hand by {triage.placed_by}", None, *said))
    if (drift := found.drift) is not None:
        heading += ", and a slow drift"
        told = f"{slowly_text(drift.first.released_at, drift.last.released_at)}; {drift_interval(drift, found.series, scale)}, "
        told += certain(drift.certainty, is_candidate=drift.is_candidate)
        ends = map(revision_text, (drift.first.name, drift.last.name))
        steps.append((*ends, told, drift.size, "", "", "", ""))
    return section(
        heading,
        power_text(found) or BETWEEN,
        found.series.unit,
        ("between", "and", "change", "size*", "state", "owner", "note", "link"),
        steps,
    )
