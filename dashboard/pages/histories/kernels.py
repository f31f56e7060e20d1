"""The kernel of a history: how well each predicts revisions left out, their bands side by side, and the choice."""

from typing import Any

import dash_mantine_components as dmc
from dash import ALL, Input, Output, State, ctx, html, no_update

from dashboard.access import Access, role_refusal
from dashboard.figures.numbers import count, fixed
from dashboard.pages import ids
from dashboard.pages.components.blocks import Content, Piece, action, attributes, card, help_tip
from dashboard.pages.components.saving import exact
from dashboard.pages.components.tables import Column, plain_table
from dashboard.pages.histories import ids as own
from dashboard.pages.histories.parts import chosen_series
from dashboard.pages.jobs import sends_job
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import lens_callback, system_callback
from dashboard.selectors.histories.kernels import (
    NAMES,
    ComparedKernel,
    KernelComparison,
    KernelRequest,
    kernel_title,
    newest_comparison,
)
from dashboard.selectors.histories.rows import BROWNIAN, SeriesRow
from dashboard.services.histories.kernel_jobs import choose_kernel, compare_kernels

_COLUMNS = (
    Column("name", "Kernel"),
    Column("score", "Log score, nats", kind="number"),
    Column("behind", "Behind the best", kind="number"),
    Column("length", "Length scale", kind="number"),
    Column("use", "", kind="number"),
)


def panel(access: Access) -> html.Section:
    """The table and the form; a callback fills the table in, and says when the button may be pressed."""
    sums = dmc.MultiSelect(
        id=own.ALSO,
        data=[{"value": str(kernel), "label": name} for kernel, name in NAMES.items()],
        value=[],
        placeholder="and the sum of …",
        size="xs",
        w=280,
        comboboxProps={"shadow": "md"},
        **attributes(aria_label="Kernels whose sum is compared too"),
    )
    compare = action(
        "Compare kernels",
        id_=own.COMPARE,
        look="quiet-button",
        refusal=role_refusal(access),
        disabled=True,
    )
    return card(
        "Kernel",
        html.Div(id=own.KERNELS),
        html.Div([compare, sums], className="kernel-form"),
        html.Div(id=own.COMPARED, role="status"),
        html.Div(id=own.USED, role="status"),
        more=help_tip(
            "How values of different revisions hang together. The log score is the mean log density of a measured revision "
            "given all the others, in nats: the larger, the better. What to measure next always goes by Brownian motion.",
            "explanation/histories",
        ),
        wide=True,
    )


@system_callback(
    Output(own.KERNELS, "children"),
    Output(own.COMPARE, "disabled"),
    Output(own.COMPARED, "children", allow_duplicate=True),
    Input(ids.LENS, "data"),
    Input(own.VERSION, "data"),
    prevent_initial_call="initial_duplicate",
)
def show_kernels(access: Access, lens: Lens, _version: str | None) -> tuple[Content, bool, Any]:
    """The kernels of the chosen history as far as they were compared, the best first.

    The message that a comparison was sent goes once none is under way.
    """
    series = chosen_series(access, lens)
    found, under_way = newest_comparison(access.system, series.series_id)
    refusal = role_refusal(access)
    is_disabled, message = under_way or bool(refusal), no_update if under_way else None
    shown: list[Piece] = []
    if found is None:
        words = (
            "Brownian motion, the default. Compare it with others: how well each predicts revisions left out."
        )
        said = html.P("Kernels are being compared …" if under_way else words, className="quiet")
        return said, is_disabled, message
    if found.data_version != series.data_version and series.kernel == BROWNIAN:
        shown.append(html.P("Measured since: compare again for scores of all revisions.", className="quiet"))
    table = plain_table(
        _COLUMNS,
        [_cells(kernel, found, series, refusal=refusal) for kernel in found.kernels],
        label="Kernels by how well they predict revisions left out",
    )
    drawn = [name for name in lens.settings.get("bands", "").split(",") if name in found.by_name]
    shown.append(dmc.CheckboxGroup(table, id=own.DRAWN, value=drawn, className="kernel-table"))
    over = f"Over {count(found.revisions)} measured revisions; ticked ones are drawn beside the history."
    faults = [f"{kernel_title(tuple(name.split('+')))}: {fault}" for name, fault in found.faults.items()]
    shown += [html.P(words, className="quiet") for words in (over, *faults)]
    return shown, is_disabled, message


def _cells(
    kernel: ComparedKernel, found: KernelComparison, series: SeriesRow, *, refusal: str
) -> dict[str, Content]:
    name, title = kernel.choice.name, kernel_title(kernel.choice.kernels)
    is_used = series.kernel.name == name
    use = html.Button(
        "used" if is_used else "Use",
        id={own.USE: name},
        type="button",
        className="quiet-button",
        title=refusal,
        disabled=is_used or bool(refusal),
        **attributes(aria_label=f"Use {title}"),
    )
    length = kernel.length_scale
    behind = found.kernels[0].log_score - kernel.log_score
    return {
        "name": dmc.Checkbox(value=name, label=title, size="xs"),
        "score": exact(fixed(kernel.log_score, 2), kernel.log_score),
        "behind": "–" if kernel is found.kernels[0] else exact(fixed(behind, 2), behind),
        "length": "–" if length is None else exact(f"{fixed(length, 1)} revisions", length, "revisions"),
        "use": use,
    }


@lens_callback(Input(own.DRAWN, "value"))
def draw(lens: Lens, drawn: list[str] | None) -> Lens:
    """Keep in the address which bands are drawn."""
    return lens.setting(bands=",".join(drawn or ()))


@sends_job(
    own.COMPARE,
    Output(own.COMPARED, "children"),
    also=State(own.ALSO, "value"),
    lens=State(ids.LENS, "data"),
)
def compare(access: Access, *, also: list[str] | None, lens: Lens) -> str:
    """Queue the comparison for the chosen history."""
    series_id = chosen_series(access, lens).series_id
    compare_kernels(access=access, request=KernelRequest(series_id=series_id, also=tuple(also or ())))
    return "Sent to the worker; the table follows."


@system_callback(
    Output(own.USED, "children"),
    Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
    Input({own.USE: ALL}, "n_clicks"),
    State(ids.LENS, "data"),
    prevent_initial_call=True,
)
def use(access: Access, _clicks: list[int | None], lens: Lens) -> tuple[Any, Any]:
    """Keep the kernel with the history; the page follows the system's version."""
    name = str(ctx.triggered_id[own.USE])
    series = chosen_series(access, lens)
    choose_kernel(access=access, series_id=series.series_id, name=name)
    return html.P(f"{kernel_title(tuple(name.split('+')))} is used from now on.", className="quiet"), name
