"""The functions whose source differs between two revisions, those first that moved most, and the difference of a chosen one."""

from dash import Input, Output, html

from dashboard.access import Access, NotFound
from dashboard.figures.histories_words import revision_text
from dashboard.figures.numbers import plural, scale_for
from dashboard.figures.step_words import BODIES, amount_text
from dashboard.pages import ids
from dashboard.pages.components.blocks import Content, Piece, card, lens_button
from dashboard.pages.components.source_difference import difference_view
from dashboard.pages.components.tables import Column, not_shown, plain_table
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.pages.two_revisions import ids as own
from dashboard.selectors.explanations.explained import explain_step
from dashboard.selectors.explanations.rows import CHANGED, ExplainedStep, StepRegion
from dashboard.selectors.explanations.sources import SourceChange, changed_sources, source_difference
from dashboard.selectors.two_revisions.choosing import chosen_pair
from dashboard.selectors.two_revisions.compared import compare_revisions

_SOURCE = "source"
_MOST = 40


@system_callback(Output(own.SOURCES, "children"), Input(ids.LENS, "data"))
def show_sources(access: Access, lens: Lens) -> Content:
    """The card of the functions whose source differs; none where no source is stored of one of the two revisions."""
    system = access.system
    try:
        before, after = chosen_pair(system=system, before=lens.since, after=lens.revision)
    except NotFound:
        return None
    changed = changed_sources(system=system, before=before, after=after)
    if changed is None:
        return None
    if not any(one.body == CHANGED for one in changed):
        return card(
            "Functions whose source differs", html.P("None of those that ran.", className="quiet"), wide=True
        )
    step = _largest_step(access, before, after)
    chosen = lens.settings.get(_SOURCE, "")
    pieces: list[Piece] = [_table(changed, step, chosen)]
    if chosen:
        try:
            found = source_difference(system=system, key=chosen, before=before, after=after)
            pieces += [html.H3(html.Code(chosen), className="source-heading"), difference_view(found)]
        except NotFound as error:
            pieces.append(html.P(str(error), className="quiet"))
    n = sum(one.body == CHANGED for one in changed)
    between = f"{revision_text(before)} and {revision_text(after)}"
    title = f"The source of {plural(n, 'function')} differs between {between}"
    return card(title, *pieces, wide=True)


def _largest_step(access: Access, before: str, after: str) -> ExplainedStep | None:
    """What the configuration that differs most took more, by function; None where none was measured at both."""
    try:
        compared = compare_revisions(system=access.system, before=before, after=after)
        series = next(
            (
                one.series
                for one in compared.rows
                if one.series.kind == "configuration" and one.before and one.after
            ),
            None,
        )
        if series is None:
            return None
        return explain_step(system=access.system, series=series, before=before, after=after)
    except NotFound:
        return None


def _table(changed: tuple[SourceChange, ...], step: ExplainedStep | None, chosen: str) -> html.Div:
    moved: dict[str, StepRegion] = {one.key: one for one in step.regions} if step else {}
    # What a profiler sees of a short function is chance: one that was seen once only is told where it surely moved.
    least = {key: one.part.at_least for key, one in moved.items()}
    told = [one for one in changed if one.body == CHANGED or least.get(one.key)]
    shown = sorted(told, key=lambda one: (-least.get(one.key, 0.0), not one.has_source))[:_MOST]
    amounts = [moved[one.key].part.amount for one in shown if one.key in moved]
    scale = scale_for(amounts, step.series.unit if step else "s")
    columns = [
        Column("name", "Function", of=lambda one: _name(one, chosen)),
        Column("body", "Source", of=lambda one: BODIES[one.body].removeprefix("body ")),
        Column("file", "File", kind="code"),
    ]
    if step is not None:
        amount = Column(
            "moved",
            f"Time moved, {step.series.label}",
            kind="number",
            of=lambda one: amount_text(moved[one.key].part, scale) if one.key in moved else "–",
        )
        columns.insert(2, amount)
    others = len(changed) - len(told)
    words = f"{plural(others, 'more', 'more')} were seen at only one of both: new, gone, or too short to be sampled."
    return html.Div(
        [
            plain_table(columns, shown, label="Functions whose source differs"),
            not_shown(len(told) - len(shown), "more function"),
            html.P(words, className="quiet") if others else None,
        ]
    )


def _name(one: SourceChange, chosen: str) -> Piece:
    """The name of a function, which shows what changed in it where both texts are stored."""
    name = html.Code(one.name)
    if not one.has_source:
        return name
    is_chosen = one.key == chosen
    change = {_SOURCE: None if is_chosen else one.key}
    return lens_button(name, change, look="quiet-button", pressed=is_chosen, title="Show what changed")
