"""The views that can be frozen as a report: each from its selectors and figures, as they are at this moment."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import plotly.graph_objects as go

from dashboard.access import Access, Refused
from dashboard.figures.histories import axis_title, history_figure
from dashboard.figures.histories_drifts import drift_interval, slowly_text
from dashboard.figures.histories_words import (
    certain,
    finding,
    interval,
    power_text,
    scale_of,
)
from dashboard.figures.influences import term_regions_figure, terms_figure
from dashboard.figures.influences_words import (
    amount_text,
    at_text,
    comparison_finding,
    configuration_text,
    influences_finding,
    regions_finding,
    term_text,
)
from dashboard.figures.numbers import number
from dashboard.figures.regions import subspaces_figure
from dashboard.figures.waterfall import waterfall_figure
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.rows import History
from dashboard.selectors.histories.series import find_series
from dashboard.selectors.histories.triaged import changes_by_hand, triage_of_history
from dashboard.selectors.influences import influences, term_regions
from dashboard.selectors.model_rows import (
    ModelIdentity,
    Selection,
    TermFilter,
    TermRow,
    sensible_threshold,
)
from dashboard.selectors.regions.measured import region
from dashboard.selectors.reports import Cell, FrozenView, ReportSection
from dashboard.selectors.what_if import what_if
from dashboard.services.reports.what_ifs import frozen_what_if

Lens = Mapping[str, str]
# A star stands for the unit of the metric.
_TERM_COLUMNS = ("term", "influence*", "95 % from*", "to*", "regions")


def freeze_view(*, access: Access, view: str, lens: Lens) -> FrozenView:
    """What the view shows now for what the lens selects (the names of an address's query string).

    Raises `Refused` for a view that cannot be frozen, `NotFound` where the selection has nothing to show.
    """
    if view not in VIEWS:
        raise Refused(f"the view {view!r} cannot be frozen: choose one of {', '.join(VIEWS)}")
    return VIEWS[view](access, lens)


def _freeze_influences(access: Access, lens: Lens) -> FrozenView:
    selection = selection_of(lens)
    found = influences(system=access.system, selection=selection)
    if found.target is None:
        told = [term for term in found.terms if not term.influence.may_be_zero]
        threshold = sensible_threshold(told)
        shown = TermFilter(threshold).shown(told)
        title, figure = influences_finding(shown, found.model), terms_figure(shown, found.model)
        least = f" of at least {number(threshold, None, found.model.unit)}" if threshold else ""
        said = f"Influences relative to {configuration_text(found.base)}; significant terms{least}."
    else:
        shown = found.terms
        title, figure = comparison_finding(found), waterfall_figure(found)
        said = f"Steps from {configuration_text(found.base)} to {configuration_text(found.target)}."
    unit = found.model.unit
    first = _section(title, said, unit, _TERM_COLUMNS, _term_rows(shown), figure=figure)
    kept = frozen_what_if(access=access, selection=selection)
    if kept is None:
        said += " The model is too large to go along for a what-if."
    sections = [replace(first, explanation=said, what_if=kept)]
    if shown:
        of_term = term_regions(
            system=access.system, selection=selection, term=lens.get("term") or shown[0].key
        )
        parts = [
            (row.key, row.influence.value, row.influence.low, row.influence.high, row.share)
            for row in (*of_term.regions, *([of_term.outside] if of_term.outside else []))
        ]
        columns = ("region", "influence*", "95 % from*", "to*", "share of the term")
        arises, drawn = f"Where {term_text(of_term.term)} arises.", term_regions_figure(of_term)
        sections.append(_section(regions_finding(of_term), arises, unit, columns, parts, figure=drawn))
    quality = found.quality
    error = "" if quality.error is None else f"{quality.error:.1f} % on {quality.checked} configurations"
    facts = _facts(found.model, [("error of the model", error)] if error else [])
    return FrozenView(title, facts, tuple(sections))


def _freeze_what_if(access: Access, lens: Lens) -> FrozenView:
    """The configuration of the page What-if: its prediction, and the steps that lead there."""
    told = what_if(access=access, selection=selection_of(lens))
    target, predicted = told.found.target, told.found.target_time
    if told.violated is not None or target is None or predicted is None:
        raise Refused("This configuration is not valid: take the nearest valid one, then freeze it.")
    frozen = _freeze_influences(access, lens if told.found.terms else {**lens, "compared": ""})
    said = amount_text(told.found.model.system_name, told.found.model, predicted)
    return replace(frozen, title=f"{said} {at_text(target)}")


def _freeze_region(access: Access, lens: Lens) -> FrozenView:
    key = lens.get("region", "")
    if not key:
        raise Refused("Select a region first: open one from the page of regions.")
    found = region(system=access.system, selection=selection_of(lens), key=key)
    unit = found.model.unit
    runs = [
        (subspace.words, subspace.time, run.time)
        for subspace in found.subspaces
        for run in subspace.repetitions
    ]
    time = number(found.time.value, found.time.margin, unit)
    title = f"{found.name} takes {time} at {configuration_text(found.base)}"
    said = "Each repetition by subspace, and what the model takes."
    columns = ("subspace", "model*", "measured*")
    sections = (
        _section(title, said, unit, columns, runs, figure=subspaces_figure(found)),
        _section("The region's own terms", "", unit, _TERM_COLUMNS, _term_rows(found.terms)),
    )
    return FrozenView(title, _facts(found.model, [("region", found.key)]), sections)


def _freeze_history(access: Access, lens: Lens) -> FrozenView:
    series = find_series(system=access.system, series_id=lens.get("series", ""), term=lens.get("term", ""))
    found = get_history(system=access.system, series_id=series.series_id)
    facts = (
        ("history of", series.label),
        ("workload", series.workload),
        ("environment", series.environment),
        ("revisions", f"{len(found.points)} of {len(found.order.revisions)} measured"),
    )
    scale, title, unit = scale_of(found), finding(found), found.series.unit
    measured = {point.position: point for point in found.points}
    names = found.order.names
    rows = [
        (
            names[row.position],
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
    curve = _section(title, said, unit, columns, rows, figure=history_figure(found))
    return FrozenView(title, facts, (curve, _changes_section(access, found)))


def _changes_section(access: Access, found: History) -> ReportSection:
    """The changes of a history, each with what people said of it."""
    scale = scale_of(found)
    steps: list[tuple[Cell, ...]] = []
    for one, (_, triage) in zip(found.changes, triage_of_history(access.system, found), strict=True):
        told = f"{interval(one, scale)}, {certain(one.certainty, is_candidate=one.is_candidate)}"
        said = (triage.state, triage.owner, triage.note, triage.link)
        steps.append((one.before.name, one.after.name, one.size, told, *said))
    heading = f"{len(steps)} change{'s' if len(steps) != 1 else ''} of 2 % or more"
    for _, triage in changes_by_hand(access.system, found):
        before, after = triage.placed or ("", "")
        said = (triage.state, triage.owner, triage.note, triage.link)
        steps.append((before, after, None, f"set by hand by {triage.placed_by}", *said))
    if (drift := found.drift) is not None:
        heading += ", and a slow drift"
        told = f"{slowly_text(drift.first.released_at, drift.last.released_at)}; {drift_interval(drift, found.series, scale)}, "
        told += certain(drift.certainty, is_candidate=drift.is_candidate)
        steps.append((drift.first.name, drift.last.name, drift.size, told, "", "", "", ""))
    return _section(
        heading,
        power_text(found) or "Each lies after the first and not after the second revision.",
        found.series.unit,
        ("after", "by", "size*", "in words", "state", "owner", "note", "link"),
        steps,
    )


VIEWS: Mapping[str, Callable[[Access, Lens], FrozenView]] = {
    "influences": _freeze_influences,
    "what-if": _freeze_what_if,
    "regions": _freeze_region,
    "histories": _freeze_history,
}


def selection_of(lens: Lens) -> Selection:
    """What a lens selects of a model."""
    names = ("revision", "workload", "environment", "base", "compared", "metric", "model")
    return Selection(**{name: lens.get(name, "") for name in names})


def _section(
    title: str,
    explanation: str,
    unit: str,
    columns: Sequence[str],
    rows: Sequence[tuple[Cell, ...]],
    *,
    figure: go.Figure | None = None,
) -> ReportSection:
    """A section; a star in a column's head becomes the unit."""
    heads = tuple(column.replace("*", f" ({unit})") for column in columns)
    # A figure with its template written out, so that it draws the same in years.
    whole = {} if figure is None else json.loads(figure.to_json())
    stored = {name: whole[name] for name in ("data", "layout") if name in whole} or None
    return ReportSection(title, explanation, heads, tuple(rows), stored)


def _term_rows(terms: Sequence[TermRow]) -> list[tuple[Cell, ...]]:
    return [
        (term_text(term), term.influence.value, term.influence.low, term.influence.high, term.regions)
        for term in terms
    ]


def _facts(analysis: ModelIdentity, more: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return (
        ("revision", analysis.revision),
        ("workload", analysis.workload),
        ("environment", analysis.environment),
        *([("model", "hybrid (extension)")] if analysis.is_hybrid else []),
        ("measured", f"{analysis.configurations} configurations, {analysis.repetitions} repetitions"),
        *more,
    )
