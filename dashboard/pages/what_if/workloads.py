"""The card of What-if that shows a configuration in each workload, and which one is best over all of them."""

from dash import html

from dashboard.figures.influences_words import configuration_text
from dashboard.figures.numbers import plural
from dashboard.figures.workload_words import best_over_text, factor_text, factors_finding, interval_words
from dashboard.pages.addresses import WORKLOADS, address
from dashboard.pages.components.blocks import Content, Piece, card, help_tip, lens_button, link
from dashboard.pages.components.saving import exact
from dashboard.pages.components.tables import Column, folded_table
from dashboard.pages.lens import Lens
from dashboard.selectors.model_rows import ChosenConfiguration, Influences
from dashboard.selectors.workload_rows import FactorInWorkload, FactorsInWorkloads

_SHOWN, _FOLDED = 8, 200
_HELP = (
    "What this configuration takes by the one it is compared with, in each workload: as measured where both were measured in all, else "
    "told by the terms that workloads share, with the 95 % interval of what would be measured. A measured factor has no interval: how "
    "much runs scatter is not told here. The best are the best of the measured configurations: of many, the best one is likely too good."
)


def workloads_card(found: FactorsInWorkloads, chosen: Influences, lens: Lens) -> html.Section:
    """A row for each workload, and the best configuration over all of them as a button."""
    base, here = configuration_text(chosen.base), "" if chosen.target is None else chosen.target.key
    columns = (
        Column("name", "workload", kind="code"),
        *(() if found.is_base else [Column("factor", f"against {base}", kind="number")]),
        Column("best", "best measured"),
    )
    table = folded_table(
        columns,
        [_cells(row, here) for row in found.rows],
        label="This configuration in each workload",
        shown=_SHOWN,
        folded=_FOLDED,
        summary=f"{len(found.rows) - _SHOWN} more",
        revision=found.context.revision,
    )
    count = f"Best over all workloads, of {plural(found.configurations, 'measured configuration')}: "
    over: list[Piece] = [
        count,
        _take(found.best, here),
        html.Span(f" {best_over_text(found)}", className="quiet"),
    ]
    return card(
        factors_finding(found, base),
        html.P(over),
        *table,
        more=html.Span(
            [
                help_tip(_HELP, "explanation/workloads#a-configuration-in-each-workload"),
                link("Workloads", address(chosen.model.system, WORKLOADS, lens=lens)),
            ]
        ),
        look="card over-workloads",
    )


def _take(configuration: ChosenConfiguration, here: str) -> Piece:
    text, key = configuration_text(configuration), configuration.key
    return lens_button(text, {"compared": key}, pressed=key == here)


def _cells(row: FactorInWorkload, here: str) -> dict[str, Content]:
    """A workload: the factor, pale where it may be none, and the best configuration there as a button."""
    told: Content = "not known"
    if (factor := row.factor) is not None:
        interval = "measured"
        if factor.low is not None and factor.high is not None:
            interval = interval_words(factor.low, factor.high)
        look = "uncertain" if factor.may_be_zero else ""
        said = html.Span([factor_text(factor.value), html.Div(interval, className="quiet")], className=look)
        told = exact(said, factor.value, "log")
    return {"name": row.name, "factor": told, "best": _take(row.best, here)}
