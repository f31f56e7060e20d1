"""The model's part of an overview: the formula, the top influences, how good it is."""

from collections.abc import Sequence

from dash import html

from dashboard.figures.influences_words import at_text, configuration_text, is_time, quantity_text
from dashboard.figures.numbers import DisplayScale, count, number, percent, scale_for
from dashboard.pages.addresses import INFLUENCES, address
from dashboard.pages.components import Piece, card, facts, help_tip, link
from dashboard.pages.components.terms import bars, formula, term_name
from dashboard.pages.components.text import plural
from dashboard.pages.influences.parts import kind_text, left_out_text
from dashboard.pages.lens import Lens
from dashboard.selectors.model_rows import TermRow
from dashboard.selectors.overview.rows import ModelSummary

_IN_FORMULA = 8
_IN_BARS = 8


def formula_card(slug: str, summary: ModelSummary, lens: Lens) -> html.Section:
    """The model as a formula whose terms lead to the influences."""
    shown = _largest(summary.terms, _IN_FORMULA)
    scale = scale_for(
        [summary.base_time.value, *(term.influence.value for term in shown)], summary.model.unit
    )
    head = html.Div(
        [
            html.P([_accuracy_words(summary), *_two_sums(summary)], className="formula-note"),
            help_tip(
                f"The {quantity_text(summary.model)} {at_text(summary.base)}, and what changing options adds to it. "
                "Select a term to see it beside all others and in which regions it arises.",
                "explanation/influence-models",
            ),
        ],
        className="formula-foot",
    )
    terms = sorted(shown, key=lambda term: (term.degree, -abs(term.influence.value)))
    rest = len(summary.terms) - len(shown)
    symbol = "T" if is_time(summary.model) else quantity_text(summary.model)
    return html.Section(
        [formula(slug, summary.base_time, terms, scale, rest=rest, lens=lens, symbol=symbol), head],
        className="card formula-card",
    )


def _two_sums(summary: ModelSummary) -> list[Piece]:
    """Why the formula begins with another number than the sentence above it, where it does."""
    whole = summary.range.default if summary.range is not None else None
    if whole is None or summary.model.is_learned or summary.base.differences:
        return []
    unit = summary.model.unit
    scale = scale_for([whole, summary.base_time.value], unit)
    summed, measured = (number(value, None, unit, scale=scale) for value in (summary.base_time.value, whole))
    if summed == measured:
        return []
    said = (
        f"T adds up what was measured inside the regions: {summed} by default. The {measured} above are whole runs, "
        "measured from end to end without a profiler."
    )
    return [html.Br(), said]


def cards_of(slug: str, summary: ModelSummary, lens: Lens) -> list[Piece]:
    """The small cards of a model: the top influences and how good it is."""
    return [_influences_card(slug, summary, lens), _accuracy_card(summary)]


def _influences_card(slug: str, summary: ModelSummary, lens: Lens) -> html.Section:
    shown = _largest(summary.terms, _IN_BARS)
    scale = scale_for([term.influence.value for term in shown], summary.model.unit)
    more = link(f"All {count(len(summary.terms))}", address(slug, INFLUENCES, lens=lens))
    if not shown:
        return card(
            "Largest influences", html.P(f"No option changes the {quantity_text(summary.model)}."), more=more
        )
    rows = bars(slug, shown, scale, summary.model.unit, lens, lower_is_better=summary.model.lower_is_better)
    return card(_finding(shown, summary), _axes(scale, summary), rows, more=more, wide=True)


def _finding(shown: Sequence[TermRow], summary: ModelSummary) -> str:
    """What the bars show, as a sentence."""
    first = shown[0]
    saves = "saves" if is_time(summary.model) else "takes away"
    verb = "adds" if first.influence.value > 0 else saves
    size = number(abs(first.influence.value), first.influence.error, summary.model.unit)
    among = plural(len(summary.terms), "term")
    if not _has_intervals(summary):
        return (
            f"{term_name(first)} {verb} most, {size}, of {among}; without repetitions none is surely not zero"
        )
    sure = sum(term.influence.is_significant for term in summary.terms)
    return f"{term_name(first)} {verb} most, {size}; {count(sure)} of {among} are surely not zero"


def _has_intervals(summary: ModelSummary) -> bool:
    return any(term.influence.low is not None for term in summary.terms)


def _axes(scale: DisplayScale, summary: ModelSummary) -> html.P:
    unit = f"in {scale.unit}" if scale.unit else f"on {quantity_text(summary.model)}, unknown unit"
    text = configuration_text(summary.base)
    base = "the default" if text == "default" else text
    line = "; the line is its 95 % interval" if _has_intervals(summary) else ""
    return html.P(f"Influence {unit}, relative to {base}{line}", className="figure-axes")


def _accuracy_card(summary: ModelSummary) -> html.Section:
    rows: list[tuple[Piece, Piece]] = [("Mean error", percent(summary.error))]
    if summary.corrected_error is not None:
        spread = f" ± {percent(summary.corrected_sd)}" if summary.corrected_sd else ""
        corrected = (
            f"{percent(summary.corrected_error).removesuffix('%').strip()}{spread}" if spread else None
        )
        rows.append(("Corrected for profiling", corrected or percent(summary.corrected_error)))
    may_be_zero = count(sum(term.influence.may_be_zero for term in summary.terms))
    rows += [
        ("Configurations checked", count(summary.checked)),
        ("Terms", count(len(summary.terms))),
        ("May be zero", may_be_zero if _has_intervals(summary) or not summary.terms else "not known"),
    ]
    note = (
        [html.P(f"{summary.error_reason[:1].upper()}{summary.error_reason[1:]}.")]
        if summary.error_reason
        else []
    )
    return card("How good the model is", facts(rows), *note)


def _accuracy_words(summary: ModelSummary) -> str:
    if summary.error is None:
        return "No configuration was measured end to end to check this model against."
    words = f"Mean error {percent(summary.error)}"
    if summary.corrected_error is not None:
        words += f", {percent(summary.corrected_error)} without the profiler's overhead,"
    checked = plural(summary.checked, "configuration")
    if summary.left_out:
        return f"{words} {left_out_text(summary.model, summary.checked)} · {kind_text(summary.model)}"
    # A model that is checked on what it was made from has not been put to a test of prediction: say so.
    if summary.checked <= summary.model.configurations:
        return f"{words} on the same {checked}, measured without the profiler"
    return f"{words} on {checked} measured end to end"


def _largest(terms: Sequence[TermRow], most: int) -> list[TermRow]:
    """The largest terms but those whose interval holds zero."""
    return [term for term in terms if not term.influence.may_be_zero and term.influence.value][:most]
