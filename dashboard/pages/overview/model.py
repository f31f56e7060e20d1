"""The model's part of an overview: the formula, the top influences, how good it is; and which options reach regions."""

from collections.abc import Sequence

from dash import html

from dashboard.access import Access
from dashboard.figures.influences_words import at_text, configuration_text, is_time, quantity_text
from dashboard.figures.numbers import GAP, count, fixed, listing, number, percent, plural, scale_for, share
from dashboard.pages.addresses import ANALYSIS, INFLUENCES, OPTIONS, address
from dashboard.pages.components.blocks import Content, Piece, card, facts, help_tip, link
from dashboard.pages.components.terms import bars, formula, option_link, term_name
from dashboard.pages.components.text import sentence
from dashboard.pages.influences.parts import kind_text, left_out_text
from dashboard.pages.lens import Lens
from dashboard.selectors.model_rows import TermRow
from dashboard.selectors.overview import ModelSummary
from dashboard.selectors.whitebox.analyses import white_box_detail

_IN_FORMULA = 8
_IN_BARS = 8
_OPTIONS = 6  # that are named
_QUALITY_HELP = (
    "How far predictions lie from what was measured; whether what is predicted to be faster is faster (1: in the same "
    "order); and how much slower the configuration that the model recommends is than the best measured one."
)


def formula_card(slug: str, summary: ModelSummary, lens: Lens) -> html.Section:
    """The model as a formula whose terms lead to the influences."""
    found, model = summary.influences, summary.model
    shown = _largest(found.terms, _IN_FORMULA)
    scale = scale_for([found.base_time.value, *(term.influence.value for term in shown)], model.unit)
    tip = help_tip(
        f"The {quantity_text(model)} {at_text(found.base)}, and what changing options adds to it. "
        "Select a term to see it beside all others and in which regions it arises.",
        "explanation/trust#influences",
    )
    said, whole = [_accuracy_words(summary)], summary.default_measured
    if whole is not None and not model.is_learned and not found.base.differences:
        # Why the formula begins with another number than the sentence above it, where it does.
        both = scale_for((found.base_time.value, whole), model.unit)
        summed, measured = (
            number(one, None, model.unit, scale=both) for one in (found.base_time.value, whole)
        )
        if summed != measured:
            said.append(
                f"T adds up what was measured inside the regions: {summed} by default. The {measured} above are whole "
                "runs, measured from end to end without a profiler."
            )
    lines = [piece for line in said for piece in (html.Br(), line)][1:]
    note = html.P(lines, className="formula-note")
    terms = sorted(shown, key=lambda term: (term.degree, -abs(term.influence.value)))
    symbol = "T" if is_time(model) else quantity_text(model)
    told = formula(
        slug, found.base_time, terms, scale, rest=_rest(found.terms, shown), lens=lens, symbol=symbol
    )
    return html.Section(
        [told, html.Div([note, tip], className="formula-foot")], className="card formula-card"
    )


def influences_card(slug: str, summary: ModelSummary, lens: Lens) -> html.Section:
    """The largest influences as bars, and what they show as a sentence."""
    found, model = summary.influences, summary.model
    shown, quantity = _largest(found.terms, _IN_BARS), quantity_text(model)
    scale = scale_for([term.influence.value for term in shown], model.unit)
    more = link(f"All {count(len(found.terms))}", address(slug, INFLUENCES, lens=lens))
    if not shown and found.undetermined:
        lacking = plural(found.undetermined, "term")
        told = f"Nothing is known of {lacking} yet: configurations that tell them were not measured here."
        return card("Largest influences", html.P(told), more=more)
    if not shown:
        told = f"No option is known to change the {quantity}."
        return card("Largest influences", html.P(told), more=more)
    rows = bars(slug, shown, scale, model.unit, lens, lower_is_better=model.lower_is_better)
    unit = f"in {scale.unit}" if scale.unit else f"on {quantity}, unknown unit"
    text = configuration_text(found.base)
    base = "the default" if text == "default" else text
    line = "; the line is its 95 % interval" if _has_intervals(summary) else ""
    axes = html.P(f"Influence {unit}, relative to {base}{line}", className="figure-axes")
    first, among = shown[0], plural(len(found.terms), "term")
    saves = "saves" if is_time(model) else "takes away"
    verb = "adds" if first.influence.value > 0 else saves
    size = number(abs(first.influence.value), first.influence.margin, model.unit)
    told = f"{term_name(first)} {verb} most, {size}"
    if _has_intervals(summary):
        sure = sum(term.influence.is_significant for term in found.terms)
        # Each interval is one of many: of terms that are all zero so many would look as if they were not.
        chance = round(0.05 * sum(term.influence.low is not None for term in found.terms))
        told += f"; {count(sure)} of {among} have a 95 % interval without zero"
        told += f" (about {count(chance)} would by chance, were all zero)" if chance else ""
    else:
        told += f", of {among}; without repetitions none has an interval"
    names = dict.fromkeys(change.option for term in shown for change in term.changes)
    ways = [piece for name in names for piece in (" ", option_link(slug, name, lens))]
    every = link("all options", address(slug, OPTIONS, lens=lens), quiet=True)
    each = html.P(["More of each option:", *ways, " or ", every], className="card-note")
    return card(told, axes, rows, each, more=more, wide=True)


def _has_intervals(summary: ModelSummary) -> bool:
    return any(term.influence.low is not None for term in summary.influences.terms)


def accuracy_card(summary: ModelSummary) -> html.Section:
    """How good the model is, as far as that was checked."""
    found, terms = summary.report.accuracy, summary.influences.terms
    rows: list[tuple[Piece, Piece]] = [("Mean error", percent(found.quality.error))]
    if found.mape_corrected_mean is not None:
        corrected = percent(found.mape_corrected_mean)
        if found.mape_corrected_sd:
            corrected += f", sd {percent(found.mape_corrected_sd)}"
        rows.append(("Corrected for profiling", corrected))
    quality = found.quality
    if quality.rank_correlation is not None:
        rows.append(("Rank correlation", fixed(quality.rank_correlation, 2)))
    if quality.regret is not None:
        rows.append(("Regret of its choice", percent(quality.regret)))
    may_be_zero = count(sum(term.influence.may_be_zero for term in terms))
    rows += [
        ("Configurations checked", count(found.quality.checked)),
        ("Terms", count(len(terms))),
        ("May be zero", may_be_zero if _has_intervals(summary) or not terms else "not known"),
    ]
    reason = summary.report.reasons.get("mape_original", "")
    note = html.P(sentence(reason)) if reason else None
    tip = help_tip(_QUALITY_HELP, "explanation/trust#how-good-a-choice-by-the-model-is")
    return card("How good the model is", facts(rows), note, more=tip)


def analysis_cards(access: Access, lens: Lens) -> list[Piece]:
    """The card of a system that was analyzed; none of others."""
    found = white_box_detail(system=access.system)
    if found is None:
        return []
    notes: list[Piece] = []
    effects = [(name, own) for name, own in found.option_effects if own]
    rows: list[tuple[Content, Content]]
    if effects:
        deciding = [name for name, _ in effects]
        changed = {one.region for _, own in effects for one in own}
        title = f"{plural(len(deciding), 'option')} change{'s' * (len(deciding) == 1)} {plural(len(changed), 'region')}"
        rows = [
            (option_link(access.slug, name, lens), f"up to {share(found.share(own[0]))}")
            for name, own in effects[:_OPTIONS]
        ]
        notes.append(
            html.P(
                f"The most that each changes in one region, of all that the runs of the analysis do, on workload {found.workload}. "
                "Counts see every region that runs, also where the profiler saw no time.",
                className="card-note",
            )
        )
    else:
        reached = {name: sum(name in row.options for row in found.regions) for name in found.result.options}
        deciding = sorted((name for name in reached if reached[name]), key=lambda name: -reached[name])
        verb = "depends" if len(found.regions) == 1 else "depend"
        title = f"{plural(len(found.regions), 'region')} {verb} on {plural(len(deciding), 'option')}"
        rows = [
            (option_link(access.slug, name, lens), plural(reached[name], "region"))
            for name in deciding[:_OPTIONS]
        ]
    if len(deciding) > _OPTIONS:
        rows.append((plural(len(deciding) - _OPTIONS, "more option"), ""))
    unread = found.result.unread
    if unread:
        verb = "is" if len(unread) == 1 else "are"
        notes.append(html.P(f"{listing(unread)} {verb} read by nothing.", className="card-note"))
    return [
        card(title, facts(rows), *notes, more=link("Analysis", address(access.slug, ANALYSIS, lens=lens)))
    ]


def _accuracy_words(summary: ModelSummary) -> str:
    found, model = summary.report.accuracy, summary.model
    if found.quality.error is None:
        return "No configuration was measured end to end to check this model against."
    words = f"Mean error {percent(found.quality.error)}"
    if found.mape_corrected_mean is not None:
        words += f", {percent(found.mape_corrected_mean)} without the profiler's overhead,"
    checked = plural(found.quality.checked, "configuration")
    if model.is_learned:
        return f"{words} {left_out_text(model, found.quality.checked)} · {kind_text(model)}"
    # A model that is checked on what it was made from has not been put to a test of prediction: say so.
    if found.quality.checked <= model.configurations:
        return f"{words} on the same {checked}, measured without the profiler"
    return f"{words} on {checked} measured end to end"


def _largest(terms: Sequence[TermRow], most: int) -> list[TermRow]:
    """The largest terms but those whose interval holds zero."""
    return [term for term in terms if not term.influence.may_be_zero and term.influence.value][:most]


def _rest(terms: Sequence[TermRow], shown: Sequence[TermRow]) -> str:
    """What the formula leaves out. What may be zero is not called smaller: its value may be larger, and so is its interval."""
    uncertain = sum(term.influence.may_be_zero for term in terms)
    smaller = len(terms) - len(shown) - uncertain
    parts = [plural(smaller, f"smaller{GAP}term")] if smaller else []
    if uncertain:
        many = count(uncertain) if smaller else plural(uncertain, "term")
        parts.append(f"{many} that may be zero")
    return " and ".join(parts)
