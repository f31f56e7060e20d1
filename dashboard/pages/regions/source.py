"""The source of a region with the time of its lines, and its versions over the revisions."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import dedent

from dash import html

from dashboard.figures.influences_words import at_text, region_text
from dashboard.figures.numbers import number, scale_for
from dashboard.pages.components import Piece, attributes, chip, empty_state
from dashboard.pages.components.tables import Column, plain_table
from dashboard.pages.components.text import plural
from dashboard.pages.influences.controls import choice
from dashboard.pages.regions.chips import decision_chips, outcome_counts
from dashboard.pages.regions.partition import not_analyzed
from dashboard.selectors.counts import OutcomeCount
from dashboard.selectors.regions.rows import RegionDetail, RegionSource, SourceLine, VersionRow
from dashboard.selectors.whitebox.rows import RegionAnalysis

MOST_LINES = 600
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
    if source is None:
        return _no_source(detail)
    version = source.version
    place = f"{version.file}, lines {version.first_line} to {version.last_line}"
    timed = [line.time for line in source.lines if line.time]
    head: list[Piece] = [html.H2(place, className="source-place")]
    head.append(html.P(_said(source, timed, detail.model.unit), className="figure-axes"))
    texts = dedent("\n".join(line.text for line in source.lines[:MOST_LINES])).split("\n")
    lines = [replace(line, text=text) for line, text in zip(source.lines, texts, strict=False)]
    decisions = detail.traced.decisions_by_line if detail.traced else {}
    unit = detail.model.unit
    table = html.Div(
        [
            _line(
                line,
                before,
                decision_chips(decisions.get(line.number, ()), option=option, line=here),
                outcome_counts(outcomes.get(line.number, ()), at_text(detail.base)),
                is_here=line.number == here,
                hottest=max(timed, default=0.0),
                unit=unit,
            )
            for line, before in zip(lines, (None, *lines), strict=False)
        ],
        className="source",
        tabIndex=0,
        **attributes(role="region", aria_label=f"Source of {region_text(detail.name)}"),
    )
    cut = len(source.lines) - len(lines)
    more = [html.P(f"{cut} more lines are not shown.", className="figure-axes")] if cut else []
    return html.Section(
        [*head, table, *more, decisions_note(detail.traced, slug), *_licence(source)], className="card"
    )


def versions_view(versions: Sequence[VersionRow], revision: str) -> Piece:
    """The revisions that hold the region; `[` and `]` go to the neighbours."""
    if not versions:
        return None
    columns = (
        Column("revision", "revision"),
        Column("place", "file and lines", kind="code"),
        Column("body", "body"),
    )
    rows = [
        {
            "revision": choice(one.revision, {"revision": one.revision}, pressed=one.revision == revision),
            "place": f"{one.file}:{one.first_line}-{one.last_line}",
            "body": "changed" if one.changed else "",
        }
        for one in reversed(versions)
    ]
    bodies = 1 + sum(one.changed for one in versions)
    title = "1 revision"
    if len(versions) > 1:
        different = f"{bodies} different bodies" if bodies > 1 else "always the same body"
        title = f"{plural(len(versions), 'revision')}, {different}"
    head = html.Div(
        [
            html.H2(title, className="card-title"),
            html.Div(_neighbours([one.revision for one in versions], revision), className="choices"),
        ],
        className="card-head",
    )
    return html.Section([head, html.Div(plain_table(columns, rows), className="versions")], className="card")


def _neighbours(revisions: Sequence[str], revision: str) -> list[Piece]:
    """Buttons for the revision before and after."""
    at = revisions.index(revision) if revision in revisions else 0

    def go(place: int, text: str, step: str) -> html.Button:
        known = 0 <= place < len(revisions)
        change = {"revision": revisions[place] if known else revision}
        return html.Button(
            text,
            type="button",
            className="quiet-button",
            disabled=not known,
            **attributes(data_step=step, data_lens=json.dumps(change), aria_label=f"{step} revision"),
        )

    return [go(at - 1, "[ before", "previous"), go(at + 1, "after ]", "next")]


def _said(source: RegionSource, timed: Sequence[float], unit: str) -> str:
    if not timed:
        return "No line was seen by the profiler in this revision."
    total = number(sum(timed), None, unit)
    return f"Time of each line {at_text(source.configuration)}: {total} in all, the median over its runs."


def _line(
    line: SourceLine,
    before: SourceLine | None,
    chips: html.Span | None,
    counts: html.Span | None,
    *,
    is_here: bool,
    hottest: float,
    unit: str,
) -> html.Div:
    """A line with the chips and counts of its decisions.

    A feature that it belongs to is named where the line before does not belong to it.
    """
    part = (line.time or 0.0) / hottest if hottest else 0.0
    time = number(line.time, None, unit, scale=scale_for([hottest], unit)) if line.time else ""
    looks = {
        "source-line": True,
        "source-line-features": bool(line.features),
        "source-line-here": is_here,
    }
    return html.Div(
        [
            html.Span(str(line.number), className="source-number"),
            html.Span(time, className="source-time"),
            html.Code(line.text or " ", className="source-text"),
            html.Span([chips, counts], className="source-notes") if chips or counts else None,
            *_features(line, before),
        ],
        className=" ".join(name for name, holds in looks.items() if holds),
        style={"--heat": f"{part * _DEEPEST:.0f}%"} if part else {},
    )


def _features(line: SourceLine, before: SourceLine | None) -> list[Piece]:
    known = before.features if before else ()
    begun = [feature for feature in line.features if feature not in known]
    words = "the feature model says that these lines belong to the feature {}"
    chips: list[Piece] = [chip(f"belongs to {one}", title=words.format(one)) for one in begun]
    return [html.Span(chips, className="source-features")] if chips else []


def decisions_note(traced: RegionAnalysis | None, slug: str) -> html.P:
    """What the chips mean, or why there are none."""
    if traced is None:
        return not_analyzed(slug)
    runs = plural(len(traced.analysis.result.traced), "traced configuration")
    if not traced.options:
        said: list[Piece] = [f"No option was seen in any decision of this region, in all {runs}."]
    else:
        said = [
            html.Span("A", className="chip chip-option chip-key"),
            " is in the value that is tested; ",
            html.Span("A", className="chip chip-option chip-under chip-key"),
            " decides whether the line is reached. Press one to see how it gets there.",
        ]
    return html.P(said, className="source-decisions")


def _licence(source: RegionSource) -> list[Piece]:
    if not source.licence:
        return []
    text = html.Pre(source.licence, className="source-licence")
    return [html.Details([html.Summary("Licence of this source"), text], className="figure-axes")]


def _no_source(detail: RegionDetail) -> Piece:
    if detail.is_program:
        text = "The program region is all time that lies in no other region: it has no source of its own."
        return empty_state("Not one function", text)
    text = (
        "These measurements came without source text. Measure the program as a subject to see the time of each line "
        "here."
    )
    owner, _, types = detail.name.partition("(")
    facts: list[Piece] = [chip(owner)]
    if types:
        facts.append(chip("(" + types))
    return empty_state("No source in these data", text, html.Div(facts, className="chips"))
