"""The model's part of an overview: the formula, the top influences, how good it is."""

from collections.abc import Sequence

from dash import html

from dashboard.figures.influences_words import at_text, configuration_text, is_time, quantity_text
from dashboard.figures.numbers import Scale, count, number, percent, scale_for
from dashboard.pages.addresses import INFLUENCES, address
from dashboard.pages.components import Piece, card, facts, help_tip, link
from dashboard.pages.components.terms import bars, formula, term_name
from dashboard.pages.components.text import plural
from dashboard.pages.influences.parts import kind_text, left_out_text
from dashboard.pages.lens import Lens
from dashboard.selectors.model_rows import Term
from dashboard.selectors.overview.rows import ModelSummary

_IN_FORMULA = 8
_IN_BARS = 8


def formula_card(slug: str, model: ModelSummary, lens: Lens) -> html.Section:
    """The model as a formula whose terms lead to the influences."""
    shown = _largest(model.terms, _IN_FORMULA)
    scale = scale_for([model.base_time.value, *(term.influence.value for term in shown)], model.analysis.unit)
    head = html.Div(
        [
            html.P([_accuracy_words(model), *_two_sums(model)], className="formula-note"),
            help_tip(
                f"The {quantity_text(model.analysis)} {at_text(model.base)}, and what changing options adds to it. "
                "Select a term to see it beside all others and in which regions it arises.",
                "explanation/influence-models",
            ),
        ],
        className="formula-foot",
    )
    terms = sorted(shown, key=lambda term: (term.degree, -abs(term.influence.value)))
    rest = len(model.terms) - len(shown)
    symbol = "T" if is_time(model.analysis) else quantity_text(model.analysis)
    return html.Section(
        [formula(slug, model.base_time, terms, scale, rest=rest, lens=lens, symbol=symbol), head],
        className="card formula-card",
    )


def _two_sums(model: ModelSummary) -> list[Piece]:
    """Why the formula begins with another number than the sentence above it, where it does."""
    whole = model.range.default if model.range is not None else None
    if whole is None or model.analysis.is_learned or model.base.differences:
        return []
    unit = model.analysis.unit
    scale = scale_for([whole, model.base_time.value], unit)
    summed, measured = (number(value, None, unit, scale=scale) for value in (model.base_time.value, whole))
    if summed == measured:
        return []
    said = (
        f"T adds up what was measured inside the regions: {summed} by default. The {measured} above are whole runs, "
        "measured from end to end without a profiler."
    )
    return [html.Br(), said]


def cards_of(slug: str, model: ModelSummary, lens: Lens) -> list[Piece]:
    """The small cards of a model: the top influences and how good it is."""
    return [_influences_card(slug, model, lens), _accuracy_card(model)]


def _influences_card(slug: str, model: ModelSummary, lens: Lens) -> html.Section:
    shown = _largest(model.terms, _IN_BARS)
    scale = scale_for([term.influence.value for term in shown], model.analysis.unit)
    more = link(f"All {count(len(model.terms))}", address(slug, INFLUENCES, lens=lens))
    if not shown:
        return card(
            "Largest influences", html.P(f"No option changes the {quantity_text(model.analysis)}."), more=more
        )
    rows = bars(slug, shown, scale, model.analysis.unit, lens, lower_is_better=model.analysis.lower_is_better)
    return card(_finding(shown, model), _axes(scale, model), rows, more=more, wide=True)


def _finding(shown: Sequence[Term], model: ModelSummary) -> str:
    """What the bars show, as a sentence."""
    first = shown[0]
    saves = "saves" if is_time(model.analysis) else "takes away"
    verb = "adds" if first.influence.value > 0 else saves
    size = number(abs(first.influence.value), first.influence.error, model.analysis.unit)
    among = plural(len(model.terms), "term")
    if not _has_intervals(model):
        return (
            f"{term_name(first)} {verb} most, {size}, of {among}; without repetitions none is surely not zero"
        )
    sure = sum(term.influence.is_told_from_zero for term in model.terms)
    return f"{term_name(first)} {verb} most, {size}; {count(sure)} of {among} are surely not zero"


def _has_intervals(model: ModelSummary) -> bool:
    return any(term.influence.low is not None for term in model.terms)


def _axes(scale: Scale, model: ModelSummary) -> html.P:
    unit = f"in {scale.unit}" if scale.unit else f"on {quantity_text(model.analysis)}, unknown unit"
    text = configuration_text(model.base)
    base = "the default" if text == "default" else text
    line = "; the line is its 95 % interval" if _has_intervals(model) else ""
    return html.P(f"Influence {unit}, relative to {base}{line}", className="figure-axes")


def _accuracy_card(model: ModelSummary) -> html.Section:
    rows: list[tuple[Piece, Piece]] = [("Mean error", percent(model.error))]
    if model.corrected_error is not None:
        spread = f" ± {percent(model.corrected_sd)}" if model.corrected_sd else ""
        corrected = f"{percent(model.corrected_error).removesuffix('%').strip()}{spread}" if spread else None
        rows.append(("Corrected for profiling", corrected or percent(model.corrected_error)))
    may_be_zero = count(sum(term.influence.may_be_zero for term in model.terms))
    rows += [
        ("Configurations checked", count(model.checked)),
        ("Terms", count(len(model.terms))),
        ("May be zero", may_be_zero if _has_intervals(model) or not model.terms else "not known"),
    ]
    note = (
        [html.P(f"{model.error_reason[:1].upper()}{model.error_reason[1:]}.")] if model.error_reason else []
    )
    return card("How good the model is", facts(rows), *note)


def _accuracy_words(model: ModelSummary) -> str:
    if model.error is None:
        return "No configuration was measured end to end to check this model against."
    words = f"Mean error {percent(model.error)}"
    if model.corrected_error is not None:
        words += f", {percent(model.corrected_error)} without the profiler's overhead,"
    checked = plural(model.checked, "configuration")
    if model.left_out:
        return f"{words} {left_out_text(model.analysis, model.checked)} · {kind_text(model.analysis)}"
    # A model that is checked on what it was made from has not been put to a test of prediction: say so.
    if model.checked <= model.analysis.configurations:
        return f"{words} on the same {checked}, measured without the profiler"
    return f"{words} on {checked} measured end to end"


def _largest(terms: Sequence[Term], most: int) -> list[Term]:
    """The largest terms but those whose interval holds zero."""
    return [term for term in terms if not term.influence.may_be_zero and term.influence.value][:most]
