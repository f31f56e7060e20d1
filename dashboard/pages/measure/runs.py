"""The runs of the chosen cell: what they took, what they printed, marking them invalid and restoring them."""

import secrets
from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, State, ctx, html, no_update

from dashboard.access import Access, AccessError, Refused, role_refusal
from dashboard.figures.histories_words import revision_text
from dashboard.figures.machine_words import machine_text, strain_text
from dashboard.figures.numbers import number, percent, plural
from dashboard.pages import ids
from dashboard.pages.components.blocks import Content, Piece, action, attributes, card, code
from dashboard.pages.components.saving import exact
from dashboard.pages.components.tables import Column, not_shown, plain_table
from dashboard.pages.lens import Lens
from dashboard.pages.measure import ids as own
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.runs import RunFilter, RunRow, list_runs
from dashboard.services.run_validity import mark_invalid, restore


def output_of(message: Piece, output: str) -> html.Details:
    """What a failure says, opening on the end of what was printed."""
    return html.Details([html.Summary(message), html.Pre(output, className="log output", tabIndex=0)])


def _machine(row: RunRow) -> Content:
    """How much longer the reference runs beside a run took than usual, "+3.1 %", and what else the machine did."""
    slower = "–" if row.slower is None else exact(percent(100 * row.slower, signed=True), row.slower, "share")
    strain = strain_text(row.strain)
    return [slower, html.Div(strain, className="uncertain")] if strain else slower


def _outcome_and_machine(row: RunRow) -> Content:
    """What came of a run, and the state of the machine that made it, folded."""
    told = machine_text(row.machine, row.phases, row.sandbox)
    outcome = html.Div(_outcome(row))
    if not told:
        return outcome
    return [outcome, html.Details([html.Summary("the machine"), html.P(told)], className="quiet")]


def _outcome(row: RunRow) -> Content:
    if row.invalid_reason:
        by = f" ({row.invalidated_by})" if row.invalidated_by else ""
        return html.Span(f"invalid: {row.invalid_reason}{by}", className="uncertain")
    if row.status == "ok":
        note = [html.Div(row.message, className="uncertain")] if row.message else []
        return [" and ".join(row.kinds), *note]
    failed = html.Span(f"{row.status}: {row.message}", className="warn")
    return output_of(failed, row.output) if row.output else failed


_COLUMNS = (
    Column(
        "tick",
        "",
        of=lambda row: dmc.Checkbox(
            value=" ".join(map(str, row.run_ids)),
            size="xs",
            **attributes(aria_label=f"run {row.run_ids[0]}, repetition {row.repetition}"),
        ),
    ),
    Column("configuration", "configuration", kind="code"),
    Column("revision", "revision", kind="code", of=lambda row: revision_text(row.revision)),
    Column("repetition", "repetition", kind="number"),
    Column("state", "what came of it", of=_outcome_and_machine),
    Column(
        "wall", "wall", kind="number", of=lambda row: exact(number(row.wall_seconds), row.wall_seconds, "s")
    ),
    Column("cpu", "CPU", kind="number", of=lambda row: exact(number(row.cpu_seconds), row.cpu_seconds, "s")),
    Column("machine", "machine", kind="number", of=_machine),
    Column(
        "started", "started", of=lambda row: f"{row.started_at:%Y-%m-%d %H:%M:%S}" if row.started_at else "–"
    ),
)


@system_callback(Output(own.RUNS, "children"), Input(ids.LENS, "data"), Input(own.VERSION, "data"))
def show(access: Access, lens: Lens, _version: str | None) -> Content:
    """The runs of the chosen configuration at the chosen revision; nothing where none is chosen."""
    wanted = RunFilter(revision=lens.revision, configuration=lens.settings.get("configuration", ""))
    if not wanted.asks:
        return None
    rows, total = list_runs(access=access, wanted=wanted)
    if not rows:
        return card("Runs", html.P("Nothing was run here yet.", className="quiet"))
    title: list[Piece] = ["Runs"]
    if wanted.configuration:
        title += [" of ", code(rows[0].configuration)]
    if wanted.revision:
        title += [" at ", code(revision_text(rows[0].revision))]
    refusal = role_refusal(access)
    known = {
        "configuration": bool(wanted.configuration),
        "revision": bool(wanted.revision),
        "tick": bool(refusal),
    }
    columns = [column for column in _COLUMNS if not known.get(column.field)]
    table = plain_table(columns, rows, label="Runs")
    shown = sum(len(row.run_ids) for row in rows)
    rest = not_shown(total - shown, "older run", look="quiet")
    choice = dmc.CheckboxGroup(id=own.RUN_CHOICE, value=[], children=[table, rest])
    if refusal:
        return card(title, choice, html.P(refusal, className="quiet"))
    tools = [
        dmc.TextInput(
            id=own.REASON, placeholder="Why they must not count", **attributes(aria_label="Reason")
        ),
        action("Mark invalid", id_=own.INVALIDATE, look="quiet-button"),
        action("Restore", id_=own.RESTORE, look="quiet-button"),
    ]
    return card(title, choice, html.Div(tools, className="run-tools"))


@system_callback(
    Output(own.MARKED, "children"),
    Output(own.REASON, "error"),
    Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
    Input(own.INVALIDATE, "n_clicks"),
    Input(own.RESTORE, "n_clicks"),
    State(own.RUN_CHOICE, "value"),
    State(own.REASON, "value"),
    prevent_initial_call=True,
)
def mark(
    access: Access,
    _invalidate: int | None,
    _restore: int | None,
    choice: list[str] | None,
    reason: str | None,
) -> tuple[Any, Any, Any]:
    """Mark the ticked runs invalid, or restore them."""
    ids_ = [int(pk) for ticked in choice or () for pk in ticked.split()]
    try:
        if ctx.triggered_id == own.RESTORE:
            changed = restore(access=access, run_ids=ids_)
            message = f"{plural(changed, 'run')} restored: figures count them again."
        else:
            changed = mark_invalid(access=access, run_ids=ids_, reason=reason or "")
            message = (
                f"{plural(changed, 'run')} marked invalid: no figure counts them. Restore takes it back."
            )
    except (Refused, AccessError) as error:
        return None, str(error), no_update
    return html.P(message, className="quiet"), "", secrets.token_hex(4)
