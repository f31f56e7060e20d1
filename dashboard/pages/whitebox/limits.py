"""Cards of the limits of an analysis: subspaces, regions, counts and code that it did not reach."""

from collections.abc import Mapping, Sequence

from dash import html

from analytics.whitebox.other_processes import work_elsewhere
from analytics.whitebox.result import WhiteBoxResult
from analytics.whitebox.uncounted_time import LITTLE, uncounted_time
from dashboard.figures.counts_words import LOOK_AT_TIME, UNMEASURED, elsewhere_text, uncounted_text
from dashboard.figures.numbers import count, listing, plural, share
from dashboard.pages.addresses import APPROACHES, REGIONS, address
from dashboard.pages.components.blocks import Piece, card, code, failure_list, help_tip, link
from dashboard.pages.components.saving import exact
from dashboard.pages.components.tables import Column, folded_table, left_out
from dashboard.pages.components.text import sentence
from dashboard.pages.lens import Lens
from dashboard.selectors.whitebox.rows import RegionAnalysis, WhiteBoxDetail

_MOST_PLACES = 6
# Those and the folded ones.
_MOST_FOLDED = 200
_MOST_REGIONS = 20
_UNFOLLOWED_HELP = (
    "Code in C, and Python that is not among the subject's regions, is not followed inside: what goes in is taken to "
    "come out. What such code keeps for later is lost."
)
_LEFT_OUT_HELP = (
    "A region that checks many options one by one would ask for a run of every combination of them. The key include "
    "under [analysis] in subject.toml keeps it, exclude leaves out others."
)
_UNEXECUTED = "None of their functions was entered: regions in subject.toml holds names as they are imported."
_SOURCE_HELP = (
    "An older approach: a function may depend on the options whose names reach what it tests, or what decides that it is called. "
    "Names stand for all that is called so: it tells more than is true, and misses what goes by no name."
)
_READS_HELP = (
    "An older approach: what a run read of its options decides what it does, so configurations that agree on that are one. It "
    "counts nothing and follows no values."
)
_CHANGED = "Or never the same twice. What was found there may hold for traced runs only."
_NONDETERMINISTIC = (
    "They differ from run to run, or under tracing: a missed option would not be noticed there."
)
_ELSEWHERE = "A function that counts less there may do the same work in another process. The time of these is in the program region."
_UNCOUNTED_HELP = (
    "Counters are in the program's own code alone. What libraries do, and in Python long calls into C, takes time and counts "
    "nothing. Measured are the runs that differ from the first one in one option."
)
_UNSEEN = {
    "complete": "No further valid configuration leads there, or those that do could not be traced to their end.",
    "budget": "The analysis had used up its runs: one with more of them may get there.",
    "minutes": "The analysis had used up its time: one with more minutes may get there.",
}


def limit_cards(found: WhiteBoxDetail, slug: str, lens: Lens) -> list[Piece]:
    """One card for each limit that the analysis met; why subspaces were not seen is known once it has ended."""
    result, coverage = found.result, found.coverage
    uncounted = uncounted_card(result)
    pieces: list[Piece] = [uncounted] if uncounted else []
    if coverage.unseen and result.ended in _UNSEEN:
        title = f"{count(coverage.unseen)} of {plural(coverage.subspaces, 'subspace')} not seen"
        why = html.P(_UNSEEN[result.ended])
        pieces.append(card(title, why, html.P("What the regions do there is not known.")))
    if packages := result.unexecuted_packages:
        title = f"Nothing ran in {plural(len(packages), 'package')}"
        pieces.append(card(title, html.P(_UNEXECUTED), *name_list(packages)))
    if changed := result.changed:
        of = plural(len(result.output_pairs), "configuration")
        title = f"{count(len(changed))} of {of} printed or returned something else when traced"
        pieces.append(card(title, html.P(_CHANGED), *name_list([differing(one, found) for one in changed])))
    if excluded := [RegionAnalysis(found, key) for key in sorted(result.excluded)]:
        rows: list[list[Piece]] = []
        for one in excluded[:_MOST_REGIONS]:
            # The name leads to the region where anything was seen in it.
            name: Piece = code(one.key)
            reason = one.excluded_because
            if one.tainted:
                at = lens.but(region=one.key, revision=one.analysis.revision)
                name = link(name, address(slug, REGIONS, one.key, at))
                reason = f"{reason}: {', '.join(one.tainted)}"
            rows.append([name, html.Div(reason, className="quiet")])
        title = f"{plural(len(excluded), 'region')} left out: only parsing options"
        rest = left_out(len(excluded) - len(rows))
        tip = help_tip(_LEFT_OUT_HELP, "explanation/white-box")
        pieces.append(card(title, failure_list(rows), rest, more=tip))
    if regions := result.nondeterministic_regions:
        title = f"Counts prove nothing in {plural(len(regions), 'region')}"
        pieces.append(card(title, html.P(_NONDETERMINISTIC), *name_list(regions)))
    if others := work_elsewhere(result.counted):
        title = f"Other processes work in {count(others.runs)} of {plural(others.of, 'configuration')}"
        pieces.append(card(title, html.P(sentence(elsewhere_text(others))), html.P(_ELSEWHERE)))
    return [*pieces, _unfollowed(found)] if found.result.runs else pieces


def uncounted_card(result: WhiteBoxResult) -> html.Section | None:
    """Which share of the time no counter sees, as measured in the runs, or why that is not known; None where nothing was counted."""
    if not any(run.succeeded for run in result.counted):
        return None
    tip = help_tip(_UNCOUNTED_HELP, "explanation/white-box#what-is-not-counted")
    found = uncounted_time(result.counted)
    if found is None:
        why = f": {result.unsampled}" if result.unsampled else ""
        said = sentence(f"{UNMEASURED}{why}")
        return card("Not counted: unknown", html.P(said), html.P(sentence(LOOK_AT_TIME)), more=tip)
    measured = f"Measured in {plural(found.runs, 'run')}: {uncounted_text(found)}."
    if found.most < LITTLE:
        return card(f"Not counted: less than {share(LITTLE)} of the time", html.P(measured), more=tip)
    title = f"Not counted: up to {share(found.most)} of the time"
    return card(title, html.P(measured), html.P(sentence(LOOK_AT_TIME)), more=tip)


def reads_card(result: WhiteBoxResult, slug: str, *, revision: str, workload: str) -> html.Section:
    """What a walk by the options that are read has run (SPLat), and where it stands beside other approaches."""
    made = plural(len(result.counted), "configuration")
    said = {
        "complete": "No other valid configuration differs in the options that the program reads.",
        "budget": "Others differ in what they read: it had used up its runs.",
        "minutes": "Others differ in what they read: it had used up its time.",
    }.get(result.ended, "It has not ended.")
    unread: list[Piece] = []
    if names := result.never_read:
        unread = [html.P("Read by none of these runs:"), *name_list(names)]
    way = link("Compare it with other approaches", address(slug, APPROACHES), quiet=True)
    foot = html.P(f"At {revision}, workload {workload}", className="card-note")
    title = f"By options read (SPLat): {made} run"
    tip = help_tip(_READS_HELP, "explanation/approaches#splat")
    return card(title, html.P(said), *unread, html.Div(way, className="links"), foot, more=tip)


def source_card(
    result: WhiteBoxResult, reached: Mapping[str, frozenset[str]], slug: str, *, revision: str
) -> html.Section:
    """What the source alone tells (ConfigCrusher), and where it stands beside other approaches."""
    many = len(result.options)
    every = sum(len(options) == many for options in reached.values())
    said = f"{plural(len(reached), 'function')} may depend on options, {count(every)} of them on all {many}."
    untouched = [name for name in result.options if not any(name in options for options in reached.values())]
    unread: list[Piece] = []
    if untouched:
        unread += [html.P("In the way of no function:"), *name_list(untouched)]
    if names := result.modules_not_rewritten:
        unread += [html.P("Could not be read:"), *name_list(names)]
    ranked = sorted(reached, key=lambda name: (-len(reached[name]), name))
    which = folded_table(
        [Column("name", "function", kind="code"), Column("options", "options")],
        [{"name": name, "options": ", ".join(sorted(reached[name]))} for name in ranked],
        label="Functions and the options that may reach them",
        shown=_MOST_PLACES,
        folded=_MOST_FOLDED,
        summary=f"{count(len(ranked) - _MOST_PLACES)} more",
    )
    way = link("Compare it with other approaches", address(slug, APPROACHES), quiet=True)
    return card(
        f"By source alone (ConfigCrusher): {plural(len(reached), 'function')}",
        html.P(said),
        *(which if ranked else ()),
        *unread,
        html.Div(way, className="links"),
        html.P(f"At {revision}; nothing was run", className="card-note"),
        more=help_tip(_SOURCE_HELP, "explanation/approaches#configcrusher"),
    )


def differing(levels: Mapping[str, str], found: WhiteBoxDetail) -> str:
    """A configuration by what differs from the default: `A=on B=off`."""
    return " ".join(f"{name}={label}" for name, label in found.space.differing(levels).items()) or "default"


def name_list(names: Sequence[str], most: int = _MOST_REGIONS) -> list[Piece]:
    """At most so many names side by side, and how many are left out."""
    return [
        html.Div([code(name) for name in names[:most]], className="name-list"),
        left_out(len(names) - most),
    ]


def _unfollowed(found: WhiteBoxDetail) -> html.Section:
    cut = (
        html.P("Steps were left out for want of space: chains may begin too late.")
        if found.result.cut
        else None
    )
    if not found.result.unfollowed:
        said = "Every value with an option's taint stayed in code that is followed."
        return card("Not followed: nothing", html.P(said), cut)
    modules, calls = found.result.modules_not_rewritten, found.result.unfollowed_calls
    content: list[Piece] = []
    if calls:
        content += folded_table(
            [Column("name", "code", kind="code"), Column("count", "times", kind="number")],
            [{"name": name, "count": exact(count(number), number)} for name, number in calls],
            label="Code that was not followed",
            shown=_MOST_PLACES,
            folded=_MOST_FOLDED,
            summary=f"{count(len(calls) - _MOST_PLACES)} more",
        )
    if modules:
        content += [html.P("Modules that could not be rewritten run as they are:"), *name_list(modules)]
    counted = (
        plural(len(calls), "place") if calls else "",
        plural(len(modules), "module") if modules else "",
    )
    title = f"Not followed into {listing([words for words in counted if words])}"
    return card(title, *content, cut, more=help_tip(_UNFOLLOWED_HELP, "explanation/white-box"))
