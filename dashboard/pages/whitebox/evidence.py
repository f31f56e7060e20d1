"""What speaks against an analysis: dependencies that taints missed and counts prove, and times that scatter."""

from collections.abc import Sequence

from dash import html

from analytics.configurations.options import OptionSpace
from analytics.whitebox.evidence import DependencyEvidence
from dashboard.access import Access
from dashboard.figures.numbers import fixed, listing, number, plural
from dashboard.pages.addresses import REGIONS, address
from dashboard.pages.components.blocks import Piece, card, help_tip, link
from dashboard.pages.components.saving import exact
from dashboard.pages.components.tables import Column, folded_table, left_out, plain_table
from dashboard.pages.lens import Lens
from dashboard.selectors.whitebox.analyses import LIMIT, Spread, evidence_in_words, subspace_spread
from dashboard.selectors.whitebox.rows import WhiteBoxDetail

_MOST = 6
# Those and the folded ones.
_MOST_FOLDED = 60
_MOST_SPREAD = 20
_MOST_NAMES = 6
_UNEXPLAINED = (
    "Two runs that agree in all that is known of the statement count differently: it depends on at least one of the "
    "options in which they differ, and no run that was made tells which."
)
_ADDED = "Two runs that differ in the added option alone count differently: the region depends on it, too."
_COUNTS_HELP = (
    "How often a line runs has no noise. Where two configurations differ in that, but in no option that the statement "
    "is known to depend on, one is missing: what counts prove is added, what remains is listed with its evidence."
)
_SPREAD_HELP = (
    "All runs of one subspace should take the same time. Where their standard deviation exceeds their mean, an option "
    "may have been missed; in regions of few milliseconds it may be the profiler's own grain."
)


def evidence_cards(found: WhiteBoxDetail, access: Access, lens: Lens) -> list[Piece]:
    """The cards; none of counts where no run of the analysis counted anything that speaks against it."""
    pieces: list[Piece] = []
    if residual := found.result.residual_variation:
        title = f"{plural(len(residual), 'statement')} may depend on more"
        pieces.append(_counted(title, found, access.slug, lens, added=False))
    if (missed := found.result.missed_dependencies) and found.result.runs:
        title = f"Counts added {plural(len(missed), 'dependency', 'dependencies')} that taints missed"
        pieces.append(_counted(title, found, access.slug, lens, added=True))
    spread = subspace_spread(system=access.system, revision=found.revision)
    if spread is not None and spread.checked:
        pieces.append(_spread(spread, access.slug, lens))
    return pieces


def dependency_words(one: DependencyEvidence, space: OptionSpace) -> str:
    """`a statement may depend on more than A (C or D): line 27: ...`: the evidence of counts on one region in words."""
    evidence = evidence_in_words(one, space)
    if len(one.options) == 1:
        return f"counts added {one.options[0]}: {evidence}"
    others = f" ({' or '.join(one.options)})" if one.options else ""
    known = f"more than {listing(one.known, most=6)}" if one.known else "options"
    return f"a statement may depend on {known}{others}: {evidence}"


def _counted(title: str, found: WhiteBoxDetail, slug: str, lens: Lens, *, added: bool) -> html.Section:
    """A row for each region: with all options that were `added`, or what its first unexplained statement differs in."""
    by_region: dict[str, list[DependencyEvidence]] = {}
    for one in found.result.missed_dependencies if added else found.result.residual_variation:
        by_region.setdefault(one.region, []).append(one)

    def options(own: Sequence[DependencyEvidence]) -> str:
        named = dict.fromkeys(name for one in own for name in one.options) if added else own[0].options
        return listing(tuple(named), most=_MOST_NAMES) or "–"

    def evidence(own: Sequence[DependencyEvidence]) -> list[Piece]:
        more = html.Span(f"; {plural(len(own) - 1, 'more difference')}", className="quiet")
        return [evidence_in_words(own[0], found.space), more if len(own) > 1 else None]

    known = Column(
        "known", "known of the statement", of=lambda own: listing(own[0].known, most=_MOST_NAMES) or "–"
    )
    table = folded_table(
        [
            Column("region", "region", kind="code", of=lambda own: _region_link(own[0].region, slug, lens)),
            *([] if added else [known]),
            Column("options", "added" if added else "differ in", of=options),
            Column("evidence", "evidence", of=evidence),
        ],
        list(by_region.values()),
        label=title,
        shown=_MOST,
        folded=_MOST_FOLDED,
        summary=plural(len(by_region) - _MOST, "more region"),
        remedy="see the page of each region",
    )
    said = html.P(_ADDED if added else _UNEXPLAINED)
    tip = help_tip(_COUNTS_HELP, "explanation/white-box")
    return card(title, said, html.Div(table, className="evidence"), more=tip, wide=True)


def _region_link(region: str, slug: str, lens: Lens) -> html.A:
    return link(region, address(slug, REGIONS, region, lens.but(region=region)))


def _spread(spread: Spread, slug: str, lens: Lens) -> html.Section:
    tip = help_tip(_SPREAD_HELP, "explanation/white-box")
    many = plural(spread.checked, "measured subspace")
    if not spread.wide:
        said = f"In none of {many} do the runs scatter by more than their mean (CV > {LIMIT:g})."
        return card("Times agree within subspaces", html.P(said), more=tip)

    columns = (
        Column("region", "region", kind="code", of=lambda one: _region_link(one.region, slug, lens)),
        Column("words", "subspace"),
        Column(
            "mean",
            "mean time",
            kind="number",
            of=lambda one: exact(number(one.mean, None, spread.unit), one.mean, spread.unit),
        ),
        Column(
            "variation", "CV", kind="number", of=lambda one: exact(fixed(one.variation, 1), one.variation)
        ),
        Column("runs", "runs", kind="number"),
    )
    rows = spread.wide[:_MOST_SPREAD]
    title = f"Times scatter in {len(spread.wide)} of {many} (CV > {LIMIT:g})"
    rest = left_out(len(spread.wide) - _MOST_SPREAD)
    return card(title, plain_table(columns, rows, label=title), rest, more=tip, wide=True)
