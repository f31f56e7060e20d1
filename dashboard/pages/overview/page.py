"""The overview of one system: what it costs and why, what was measured, how good the model is."""

from dash import html

from dashboard.access import Access, Permission
from dashboard.figures.influences_words import amount_text, at_text, range_text
from dashboard.figures.numbers import GAP, estimate_text, listing, number, plural, scale_for, share
from dashboard.pages import feature_model
from dashboard.pages.components.blocks import Piece, cards, command, empty_state, import_link, page
from dashboard.pages.false_alarms import alarms_card
from dashboard.pages.history_list import overview as suite_overview
from dashboard.pages.influences.parts import doubt_note
from dashboard.pages.lens import Lens
from dashboard.pages.overview import history as overview_history
from dashboard.pages.overview import measured as overview_measured
from dashboard.pages.overview import metrics as overview_metrics
from dashboard.pages.overview import model as overview_model
from dashboard.selectors.histories.history import main_history
from dashboard.selectors.histories.rows import History
from dashboard.selectors.history_list.stored import suite
from dashboard.selectors.model_rows import Estimate
from dashboard.selectors.overview import ModelSummary, Overview, model_summary, overview


def layout(access: Access, _key: str, lens: Lens) -> html.Article:
    """The overview of the system at this place."""
    system, counts = access.system, overview(access.system)
    if not counts.measured.runs:
        if (found := suite(system)) is not None:
            return suite_overview.layout(access, found, lens)
        valid = feature_model.overview_cards(access, lens)
        valid = [*overview_model.analysis_cards(access, lens), *valid]
        nothing = empty_state(
            "Nothing measured yet",
            f"{system.name} is known with {plural(counts.options, 'option')}, but no run of it was stored. "
            "Measure it, or import what was measured elsewhere.",
            command(f".venv/bin/python manage.py measure {system.slug}"),
        )
        return page(system.name, system.description or None, nothing, cards(*valid))
    summary = model_summary(system)
    history = main_history(system=system)
    small: list[Piece] = [
        *([overview_model.influences_card(access.slug, summary, lens)] if summary else []),
        *([overview_model.accuracy_card(summary)] if summary else []),
        *overview_model.analysis_cards(access, lens),
        overview_measured.measured_card(counts, summary),
        *([overview_history.history_card(access, history, lens)] if history else []),
        alarms_card(access),
        *overview_metrics.metrics_card(access),
        *overview_measured.running_cards(access),
        overview_measured.environment_card(counts),
        *feature_model.overview_cards(access, lens),
    ]
    return page(
        sentence(system.name, counts, summary, history),
        overview_measured.subtitle(system.description, counts, summary),
        *([doubt_note(summary.influences)] if summary else []),
        *([overview_model.formula_card(access.slug, summary, lens)] if summary else []),
        overview_measured.next_strip(system.slug, summary, history, lens, measured=counts.measured),
        cards(*small),
        actions=[import_link(system.name)] if access.allows(Permission.EDIT) else [],
    )


def sentence(name: str, counts: Overview, summary: ModelSummary | None, history: History | None) -> str:
    """What the system costs and why, as far as it is known."""
    if summary is None:
        return _without_model(name, counts, history)
    model = summary.model
    unit, values = model.unit, summary.measured.values
    if not len(values):
        told = amount_text(name, model, summary.influences.base_time)
        parts = [f"{told} {at_text(summary.influences.base)}"]
    else:
        low, high = float(values.min()), float(values.max())
        scale = scale_for([high], unit)
        between = number(high, unit=unit, scale=scale)
        if len(values) > 1:
            between = f"{number(low, unit=unit, scale=scale).partition(GAP)[0]} to {between}"
        over = f"over {plural(len(values), 'measured configuration')}"
        if summary.default_measured is not None:
            ranging = (
                f", {between} {over}" if len(values) > 1 else ", the only configuration measured end to end"
            )
            parts = [f"{amount_text(name, model, Estimate(summary.default_measured))} by default{ranging}"]
        else:
            # The model's value holds the profiler's overhead: it stands beside the range, not in it.
            told = estimate_text(summary.influences.base_time, unit)
            said = range_text(name, model, between)
            parts = [f"{said} {over} (the model: {told} {at_text(summary.influences.base)})"]
    if summary.explained:
        verb = "explains" if len(summary.explained) == 1 else "explain"
        explained = share(max(summary.explained.values()))
        parts.append(f"; {listing(list(summary.explained))} {verb} {explained} of the variation")
    return "".join(parts)


def _without_model(name: str, counts: Overview, history: History | None) -> str:
    measured = counts.measured
    if history is not None:
        return overview_history.history_sentence(name, history)
    if measured.failed and not measured.configurations:
        return f"All {plural(measured.failed, 'run')} of {name} failed"
    if counts.only is not None:
        value, unit, what = counts.only
        takes = f"{number(value, unit=unit)} of {what}"
        return f"{name} was measured in one configuration: {takes}; what changes that is not known yet"
    configurations = plural(measured.configurations, "configuration")
    return f"{name} was measured end to end in {configurations}; where the time goes is not known yet"
