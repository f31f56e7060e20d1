"""The source of a region with the time of its lines, and its versions over the revisions."""

from collections.abc import Mapping, Sequence
from textwrap import dedent

from dash import html

from dashboard.figures.influences_words import at_text, region_text
from dashboard.figures.numbers import number, plural, scale_for
from dashboard.pages.addresses import ANALYSIS, address
from dashboard.pages.components.blocks import (
    Piece,
    attributes,
    card,
    chip,
    empty_state,
    lens_button,
    link,
    neighbour_buttons,
)
from dashboard.pages.components.source_difference import difference_view
from dashboard.pages.components.tables import Column, not_shown, plain_table
from dashboard.pages.regions.chips import changed_decisions, decision_chips, outcome_counts
from dashboard.selectors.counts import OutcomeCount
from dashboard.selectors.explanations.sources import SourceDifference
from dashboard.selectors.regions.rows import RegionDetail, RegionSource, VersionRow
from dashboard.selectors.whitebox.rows import RegionAnalysis

MOST_LINES = 600
_FEATURE = "the feature model says that these lines belong to the feature {}"
_DEEPEST = 46  # percent of the colour of heat behind the hottest line


def source_view(
    detail: RegionDetail,
    slug: str,
    option: str,
    here: int | None,
    outcomes: Mapping[int, Sequence[OutcomeCount]],
) -> Piece:
    """The source with a gutter of heat and chips of options; where the data hold none, what they tell instead.

    `option` is the one whose chain is shown, `here` the line that it leads to, `outcomes` what was counted by line.
    """
    source = detail.source
    if source is None and detail.is_program:
        text = "The program region is all time that lies in no other region: it has no source of its own."
        return empty_state("Not one function", text)
    if source is None:
        text = (
            "These measurements came without source text. Measure the program as a subject to see the time of each "
            "line here."
        )
        owner, _, types = detail.name.partition("(")
        names = [chip(owner), chip("(" + types) if types else None]
        return empty_state("No source in these data", text, html.Div(names, className="chips"))
    version, timed = source.version, [line.time for line in source.lines if line.time]
    told = "No line was seen by the profiler in this revision."
    if timed:
        total = number(sum(timed), None, detail.model.unit)
        told = f"Time of each line {at_text(source.configuration)}: {total} in all, shared out as its runs spent it."
    place = f"{version.file}, lines {version.first_line} to {version.last_line}"
    shown = _lines(detail, source, option, here, outcomes)
    named = attributes(role="region", aria_label=f"Source of {region_text(detail.name)}")
    licence = [html.Summary("Licence of this source"), html.Pre(source.licence, className="source-licence")]
    return html.Section(
        [
            html.H2(place, className="source-place"),
            html.P(told, className="figure-axes"),
            html.Div(shown, className="source", tabIndex=0, **named),
            not_shown(len(source.lines) - len(shown), "more line"),
            _decisions_note(detail.traced, slug),
            html.Details(licence, className="figure-axes") if source.licence else None,
        ],
        className="card",
    )


def _lines(
    detail: RegionDetail,
    source: RegionSource,
    option: str,
    here: int | None,
    outcomes: Mapping[int, Sequence[OutcomeCount]],
) -> list[html.Div]:
    """The lines without their common indentation; a feature is named on the first of its lines."""
    texts = dedent("\n".join(line.text for line in source.lines[:MOST_LINES])).split("\n")
    decisions = changed_decisions(detail.traced.decisions_by_line if detail.traced else {}, here)
    hottest = max((line.time for line in source.lines if line.time), default=0.0)
    scale = scale_for([hottest], detail.model.unit)
    shown = []
    before: tuple[str, ...] = ()
    for line, text in zip(source.lines, texts, strict=False):
        chips = decision_chips(decisions.get(line.number, ()), option=option, line=here)
        counts = outcome_counts(outcomes.get(line.number, ()), at_text(detail.base))
        begun = [feature for feature in line.features if feature not in before]
        before = line.features
        shown.append(
            source_line(
                line.number,
                text,
                [chips, counts],
                is_here=line.number == here,
                time=number(line.time, scale=scale) if line.time else "",
                heat=line.time / hottest if line.time else 0.0,
                features=[chip(f"belongs to {one}", title=_FEATURE.format(one)) for one in begun],
                is_feature=bool(line.features),
            )
        )
    return shown


def source_line(
    number_: int,
    text: str,
    notes: Sequence[Piece],
    *,
    is_here: bool,
    time: str = "",
    heat: float = 0.0,
    features: Sequence[Piece] = (),
    is_feature: bool = False,
) -> html.Div:
    """A line of source with what is to be said of its decisions and of the features that begin there.

    `heat` is its part of the hottest line's time.
    """
    looks = {"source-line": True, "source-line-features": is_feature, "source-line-here": is_here}
    return html.Div(
        [
            html.Span(str(number_), className="source-number"),
            html.Span(time, className="source-time"),
            html.Code(text or " ", className="source-text"),
            html.Span(list(notes), className="source-notes") if any(notes) else None,
            html.Span(list(features), className="source-features") if features else None,
        ],
        className=" ".join(name for name, holds in looks.items() if holds),
        style={"--heat": f"{heat * _DEEPEST:.0f}%"} if heat else {},
    )


def versions_view(
    versions: Sequence[VersionRow], revision: str, difference: SourceDifference | None = None
) -> Piece:
    """The bodies that a region had, each with its revisions, and the `difference` to the body before the chosen one's.

    `[` and `]` go to the neighbours.
    """
    if not versions:
        return None
    bodies: list[list[VersionRow]] = []
    for one in versions:
        if one.changed or not bodies:
            bodies.append([])
        bodies[-1].append(one)

    def chooser(body: Sequence[VersionRow]) -> html.Span:
        ends = dict.fromkeys([body[0].revision, body[-1].revision])
        buttons: list[Piece] = [lens_button(one, {"revision": one}, pressed=one == revision) for one in ends]
        return html.Span([buttons[0], *([" to ", buttons[1]] if len(buttons) > 1 else [])])

    columns = (
        Column("revision", "same body in", of=chooser),
        Column("count", "revisions", kind="number", of=lambda body: str(len(body))),
        Column(
            "place",
            "file and lines",
            kind="code",
            of=lambda body: f"{body[-1].file}:{body[-1].first_line}-{body[-1].last_line}",
        ),
    )
    title = "1 revision"
    if len(versions) > 1:
        different = f"{len(bodies)} different bodies" if len(bodies) > 1 else "always the same body"
        title = f"{plural(len(versions), 'revision')}, {different}"
    steps = neighbour_buttons([one.revision for one in versions], revision, ("← earlier", "later →"))
    table: Piece = html.Div(plain_table(columns, bodies[::-1]), className="versions")
    changed = (
        [html.H3("What changed in its source", className="card-title"), difference_view(difference)]
        if difference
        else []
    )
    return card(
        title, table if len(bodies) > 1 else None, *changed, more=html.Div(list(steps), className="choices")
    )


def _decisions_note(traced: RegionAnalysis | None, slug: str) -> html.P:
    """What the chips mean, or why there are none."""
    if traced is None:
        missing = "Which options reach which decision is not known: this revision was not analyzed. "
        analyze = link("Analyze it", address(slug, ANALYSIS))
        return html.P([missing, analyze], className="source-decisions")
    runs = plural(len(traced.analysis.result.traced), "traced configuration")
    if not traced.tainted:
        said: list[Piece] = [f"No option was seen in any decision of this region, in all {runs}."]
    else:
        said = [
            html.Span("A", className="chip chip-option chip-key"),
            " is in the value that is tested; ",
            html.Span("A", className="chip chip-option chip-under chip-key"),
            " decides whether the line is reached. Press one to see how it gets there.",
            " Of decisions one below the other under the same options only the first has chips.",
        ]
    return html.P(said, className="source-decisions")
