"""Frozen comparisons: of two revisions, of workloads and of approaches; and the findings of all histories."""

import math

from dashboard.access import Access, Refused
from dashboard.figures.approaches import cost_figure
from dashboard.figures.approaches_words import TIME, axes_text, cost_for, judged, kind_text, notes
from dashboard.figures.approaches_words import finding as evaluation_finding
from dashboard.figures.histories_words import FILTERED, certain, revision_text
from dashboard.figures.numbers import count, plural
from dashboard.figures.two_revisions import MOST as MOST_DRAWN
from dashboard.figures.two_revisions import changes_figure
from dashboard.figures.two_revisions_words import TOLD, sentence, subtitle
from dashboard.figures.workload_words import VERDICTS, rate_text, term_finding, term_words, workloads_sentence
from dashboard.figures.workloads import term_workloads_figure
from dashboard.selectors.evaluations import chosen_evaluation
from dashboard.selectors.history_list.findings import found_changes
from dashboard.selectors.history_list.rows import HistoryQuery
from dashboard.selectors.reports import Cell, FrozenView
from dashboard.selectors.two_revisions.choosing import chosen_pair
from dashboard.selectors.two_revisions.compared import compare_revisions
from dashboard.selectors.workloads import choose_context, compare_workloads
from dashboard.services.reports.history_views import BETWEEN
from dashboard.services.reports.sections import Lens, section, selection_of

# A report is read by people: what comes after is in the explorer, and the report says how much that is.
_MOST_ROWS = 500
_DIFFERENCE_COLUMNS = (
    *("series", "what", "workload", "environment", "unit", "before", "after"),
    *("difference", "95 % from", "to", "change (%)", "95 % from (%)", "to (%)"),
)
_APPROACH_COLUMNS = (
    *("learner", "sampling", "error (%)", "least (%)", "largest (%)", "rank correlation", "regret (%)"),
    *("configurations", "each once (s)", "all runs (s)", "training (s)", "readable"),
)
_FINDING_COLUMNS = (
    *("on", "between", "and", "first of its histories", "change (%)", "± (%)", "certainty"),
    *("histories", "state", "owner", "note", "link", "environment"),
)


def freeze_two_revisions(access: Access, lens: Lens) -> FrozenView:
    """What differs between the two revisions of the lens, else between the last two. Raises `NotFound`."""
    before, after = chosen_pair(
        system=access.system, before=lens.get("since", ""), after=lens.get("revision", "")
    )
    found = compare_revisions(system=access.system, before=before, after=after)
    rows = found.shown(told="differs", kind=lens.get("kind", ""), text=lens.get("find", ""))
    drawn = [row for row in rows if row.relative is not None]
    said = subtitle(found)
    if len(drawn) > MOST_DRAWN:
        said += f". The figure shows the first {MOST_DRAWN} of {count(len(drawn))}"
    part = section(
        sentence(found),
        f"{said}.{_left_out(len(rows))}",
        "",
        _DIFFERENCE_COLUMNS,
        [
            (
                row.series.label,
                f"{row.series.kind}, {row.series.measure}",
                row.series.workload,
                row.series.environment,
                row.series.unit,
                *(None if one is None else one.value for one in (row.before, row.after)),
                *(row.absolute, row.absolute_low, row.absolute_high),
                *map(_percent, (row.relative, row.low, row.high)),
            )
            for row in rows[:_MOST_ROWS]
        ],
        figure=changes_figure(drawn) if drawn else None,
    )
    told = ", ".join(
        f"{count(found.counts[one])} {words}" for one, words in TOLD.items() if found.counts.get(one)
    )
    facts = (("before", found.before.name), ("after", found.after.name), ("series", told))
    return FrozenView(part.finding, facts, (part,))


def freeze_workloads(access: Access, lens: Lens) -> FrozenView:
    """How influences differ between workloads, and the term of the lens in each of them. Raises `NotFound`."""
    context, _ = choose_context(access.system, selection_of(lens))
    found = compare_workloads(system=access.system, context=context)
    if not found.terms:
        raise Refused(
            "The same configurations must be measured in at least two workloads, four of them or more."
        )
    names = [one.name for one in found.compared]
    term = next((one for one in found.terms if one.key == lens.get("term")), found.terms[0])
    title = workloads_sentence(found, access.system.name)
    factor = f"Factors by which {context.quantity} changes"
    every = section(
        title,
        f"{rate_text(found)} {factor}, one column for each workload.{_left_out(len(found.terms))}",
        "",
        ("influence of", "between workloads", *names),
        [
            (term_words(one), VERDICTS[one.told], *(_factor(effect.value) for effect in one.effects))
            for one in found.terms[:_MOST_ROWS]
        ],
    )
    chosen = section(
        term_finding(term, names),
        f"{factor}, with intervals that hold for all workloads at once.",
        "",
        ("workload", "factor", "95 % from", "to"),
        [
            (name, _factor(one.value), _factor(one.low), _factor(one.high))
            for name, one in zip(names, term.effects, strict=True)
        ],
        figure=term_workloads_figure(term, names, lower_is_better=context.lower_is_better),
    )
    facts = (
        ("revision", context.revision),
        ("environment", context.environment),
        ("measured", f"{count(found.configurations)} configurations in {plural(len(names), 'workload')}"),
    )
    return FrozenView(title, facts, (every, chosen))


def freeze_approaches(access: Access, lens: Lens) -> FrozenView:
    """The evaluation of approaches that the lens names, else the newest. Raises `Refused` without any."""
    view = chosen_evaluation(access.system, lens.get("comparison", ""))
    if view is None:
        raise Refused("No approaches were evaluated yet: start an evaluation on the page Approaches first.")
    cost = cost_for(view, lens.get("cost", TIME))
    rows = [
        (
            row.learner_title,
            f"{row.sampling_title}{' (seen)' if row.seen else ''}",
            row.error,
            min(row.errors),
            max(row.errors),
            row.rank_correlation,
            row.regret,
            row.configurations,
            row.seconds_once,
            row.machine_seconds,
            row.training_seconds,
            kind_text(row),
        )
        for row in judged(view)
    ]
    said = " ".join(f"{one.rstrip('.')}." for one in (axes_text(view, cost), *notes(view)))
    part = section(
        evaluation_finding(view), said, "", _APPROACH_COLUMNS, rows, figure=cost_figure(view, cost)
    )
    measured = f"{count(view.evaluation.measured)} of {count(view.evaluation.valid)} configurations"
    facts = (("evaluated on", view.title), ("environment", view.environment), ("measured", measured))
    return FrozenView(part.finding, facts, (part,))


def freeze_findings(access: Access, lens: Lens) -> FrozenView:
    """The findings of all histories that are told, newest first, and how many are not told for which reason."""
    query = HistoryQuery(text=lens.get("find", ""), state=lens.get("state", ""), size=_MOST_ROWS, shown=1)
    found = found_changes(access.system, query)
    many = plural(found.total, "finding") if found.total else "No finding"
    said = BETWEEN
    if filtered := [f"{count(n)} {FILTERED.get(why, why)}" for why, n, _ in found.filtered if n]:
        said += f" Not told: {', '.join(filtered)}."
    if found.unfitted:
        said += f" Not searched yet: {plural(found.unfitted, 'history', 'histories')}."
    cells: list[tuple[Cell, ...]] = []
    for one in (*found.told, *found.by_hand):
        first, triage = one.shown[0], one.triage
        sized: tuple[Cell, ...] = (None, None, "set by hand")
        if (change := first.last) is not None:
            told = (
                ""
                if change.certainty is None
                else certain(change.certainty, is_candidate=change.is_candidate)
            )
            sized = (_percent(change.relative), _percent(change.error), told)
        said_of_it = (triage.state, triage.owner, triage.note, triage.link)
        on = "" if one.at is None else f"{one.at:%Y-%m-%d}"
        ends = (revision_text(one.before), revision_text(one.after))
        cells.append((on, *ends, first.label, *sized, one.histories, *said_of_it, first.environment))
    part = section(
        f"{many} in the histories of {access.system.name}",
        said + _left_out(found.total),
        "",
        _FINDING_COLUMNS,
        cells,
    )
    return FrozenView(part.finding, (), (part,))


def _left_out(rows: int) -> str:
    """How many rows a report leaves out; "" where it has all."""
    return f" The table has the first {_MOST_ROWS} of {count(rows)}." if rows > _MOST_ROWS else ""


def _factor(logarithm: float | None) -> float | None:
    return None if logarithm is None else math.exp(logarithm)


def _percent(part: float | None) -> float | None:
    return None if part is None else 100 * part
