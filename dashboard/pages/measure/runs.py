"""The runs of the chosen cell: what they took, what they printed, marking them invalid and restoring them."""

import secrets
from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, State, callback, ctx, html, no_update

from dashboard.access import AccessError, acting
from dashboard.figures.numbers import number
from dashboard.pages import ids
from dashboard.pages.components import Content, Piece, attributes, card, code
from dashboard.pages.components.tables import Column, plain_table
from dashboard.pages.components.text import plural
from dashboard.pages.lens import Lens
from dashboard.pages.measure import ids as own
from dashboard.selectors.measuring import measuring
from dashboard.selectors.runs import list_runs
from dashboard.selectors.runs.rows import RunFilter, RunList, RunRow
from dashboard.services.run_validity import RunValidityError, mark_invalid, restore

_COLUMNS = (
    Column("tick", ""),
    Column("configuration", "configuration", kind="code"),
    Column("revision", "revision", kind="code"),
    Column("repetition", "repetition", kind="number"),
    Column("state", "what came of it"),
    Column("wall", "wall", kind="number"),
    Column("cpu", "CPU", kind="number"),
    Column("started", "started"),
)


@callback(
    Output(own.RUNS, "children"),
    Input(ids.LENS, "data"),
    Input(own.VERSION, "data"),
    State(ids.SLUG, "data"),
)
def show(data: dict[str, str] | None, _version: str | None, slug: str) -> Content:
    """The runs of the chosen configuration at the chosen revision; nothing where none is chosen."""
    lens = Lens.read(data)
    wanted = RunFilter(revision=lens.revision, configuration=lens.settings.get("configuration", ""))
    if not wanted.asks:
        return None
    principal = acting()
    found = list_runs(principal=principal, slug=slug, wanted=wanted)
    may_edit = measuring(principal=principal, slug=slug).may_edit
    if not found.rows:
        return card("Runs", html.P("Nothing was run here yet.", className="quiet"))
    tools: list[Piece] = (
        _tools() if may_edit else [html.P("Marking runs needs the role editor.", className="quiet")]
    )
    return card(_title(found, wanted), _table(found, wanted, may_edit=may_edit), *tools)


def _title(found: RunList, wanted: RunFilter) -> list[Piece]:
    first = found.rows[0]
    title: list[Piece] = ["Runs"]
    if wanted.configuration:
        title += [" of ", code(first.configuration)]
    if wanted.revision:
        title += [" at ", code(first.revision)]
    return title


def _table(found: RunList, wanted: RunFilter, *, may_edit: bool) -> dmc.CheckboxGroup:
    known = {
        "configuration": bool(wanted.configuration),
        "revision": bool(wanted.revision),
        "tick": not may_edit,
    }
    columns = [column for column in _COLUMNS if not known.get(column.field)]
    table = plain_table(columns, [_row(row) for row in found.rows], label="Runs")
    shown = sum(len(row.run_ids) for row in found.rows)
    rest = html.P(f"{found.total - shown} older runs are not shown.", className="quiet")
    return dmc.CheckboxGroup(
        id=own.RUN_CHOICE, value=[], children=[table, rest if shown < found.total else None]
    )


def _row(row: RunRow) -> dict[str, Content]:
    name = f"run {row.run_ids[0]}, repetition {row.repetition}"
    return {
        "tick": dmc.Checkbox(value=" ".join(map(str, row.run_ids)), size="xs", **attributes(aria_label=name)),
        "configuration": row.configuration,
        "revision": row.revision,
        "repetition": row.repetition,
        "state": _state(row),
        "wall": number(row.wall_seconds),
        "cpu": number(row.cpu_seconds),
        "started": f"{row.started_at:%Y-%m-%d %H:%M:%S}" if row.started_at else "–",
    }


def _state(row: RunRow) -> list[Piece]:
    kinds = " and ".join(row.kinds)
    if row.invalid_reason:
        by = f" ({row.invalidated_by})" if row.invalidated_by else ""
        return [html.Span(f"invalid: {row.invalid_reason}{by}", className="uncertain")]
    if row.status == "ok":
        return [kinds, html.Div(row.message, className="uncertain")] if row.message else [kinds]
    told: Piece = html.Span(f"{row.status}: {row.message}", className="warn")
    return [output_of(told, row.output) if row.output else told]


def output_of(told: Piece, output: str) -> html.Details:
    """What a failure says, opening on the end of what was printed."""
    return html.Details([html.Summary(told), html.Pre(output, className="log output", tabIndex=0)])


def _tools() -> list[Piece]:
    reason = dmc.TextInput(
        id=own.REASON, placeholder="Why they must not count", **attributes(aria_label="Reason")
    )
    buttons = [
        html.Button("Mark invalid", id=own.INVALIDATE, type="button", className="quiet-button"),
        html.Button("Restore", id=own.RESTORE, type="button", className="quiet-button"),
    ]
    return [html.Div([reason, *buttons], className="run-tools")]


@callback(
    Output(own.MARKED, "children"),
    Output(own.REASON, "error"),
    Output(own.CHANGED, "data", allow_duplicate=True),
    Input(own.INVALIDATE, "n_clicks"),
    Input(own.RESTORE, "n_clicks"),
    State(own.RUN_CHOICE, "value"),
    State(own.REASON, "value"),
    State(ids.SLUG, "data"),
    prevent_initial_call=True,
)
def mark(
    invalidate: int | None, restoring: int | None, choice: list[str] | None, reason: str | None, slug: str
) -> tuple[Any, Any, Any]:
    """Mark the ticked runs invalid, or restore them."""
    if not (invalidate or restoring):
        return no_update, no_update, no_update
    ids_ = [int(pk) for ticked in choice or () for pk in ticked.split()]
    try:
        if ctx.triggered_id == own.RESTORE:
            changed = restore(principal=acting(), slug=slug, run_ids=ids_)
            told = f"{plural(changed, 'run')} restored: figures count them again."
        else:
            changed = mark_invalid(principal=acting(), slug=slug, run_ids=ids_, reason=reason or "")
            told = f"{plural(changed, 'run')} marked invalid: no figure counts them. Restore takes it back."
    except (RunValidityError, AccessError) as error:
        return None, str(error), no_update
    return html.P(told, className="quiet"), "", secrets.token_hex(4)
