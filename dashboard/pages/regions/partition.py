"""The partition on the page of a region: its subspaces as formulas, their times, and how to read them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dash import html

from analytics.configurations.formulas import Literal, parse
from analytics.configurations.formulas import words as in_words
from analytics.configurations.operations import Operation, atoms
from analytics.configurations.options import OptionSpace
from dashboard.figures.histories_words import revision_text
from dashboard.figures.numbers import listing, number, plural, scale_for, share
from dashboard.pages.components.blocks import Piece, card, code, help_tip
from dashboard.pages.components.saving import exact
from dashboard.pages.components.tables import Column, left_out, plain_table
from dashboard.pages.components.text import sentence
from dashboard.pages.regions.chips import option_chip
from dashboard.pages.whitebox.evidence import dependency_words
from dashboard.selectors.regions.rows import RegionDetail
from dashboard.selectors.whitebox.rows import RegionAnalysis

MOST_ROWS = 24
_MOST_EVIDENCE = 8
# Of a region that was split into pairs of options.
_MOST_PARTS = 10
_HELP = (
    "A partition puts configurations together that take the same path through the region. & is “and”, ! is “not”. It "
    "says where options may matter: several subspaces may still take the same time."
)
_LEFT_OUT = (
    "Its decisions make no subspaces and ask for no runs; how options get to them is known all the same. "
    "The key include under [analysis] in subject.toml keeps it."
)


def partition_card(found: RegionAnalysis, measured: RegionDetail | None, option: str) -> html.Section:
    """The region's partition, with its times where it was measured and with what counts tell against it."""
    times = measured.times_of_formulas if measured else {}
    unit = measured.model.unit if measured else "s"
    tip = help_tip(_HELP, "explanation/white-box")
    analysis = found.analysis
    how = "traced" if analysis.result.runs else "counted"
    foot = html.P(
        f"From {plural(len(analysis.result.explored), f'{how} configuration')} of {revision_text(analysis.revision)}, "
        f"workload {analysis.workload}",
        className="card-note",
    )
    never = None
    if found.unreached:
        runs = plural(len(analysis.result.explored), f"{how} run")
        verb = "reached" if analysis.result.runs else "changed"
        chips = _chips(f"never {verb}, in all {runs}, by", found.unreached, option, under=True)
        never = html.Div(chips, className="chips partition-never")
    words = [dependency_words(one, analysis.space) for one in found.evidence[:_MOST_EVIDENCE]]
    evidence: list[Piece] = [html.P(sentence(line), className="quiet") for line in words]
    evidence.append(left_out(len(found.evidence) - len(words)))
    if found.excluded_because:
        why = html.P(f"Why: {found.excluded_because}. {_LEFT_OUT}")
        return card("Left out: it only parses options", why, never, foot, more=tip)
    if not found.partitions:
        seen = "was seen in any of its decisions" if analysis.result.runs else "changes what is counted in it"
        text = html.P(f"No option {seen}: all configurations take the same path.")
        return card("One path for all configurations", text, *evidence, never, foot, more=tip)
    reached = _chips("reached by", found.tainted, option, under=False)
    reached += _chips(
        "as counts show, also by" if found.tainted else "changed by", found.counted, option, under=True
    )
    evidence = [*_proved(found), *evidence]
    return card(
        partition_title(found),
        html.Div(reached, className="chips partition-options"),
        *_parts(found, times, unit, option),
        html.Div(evidence, className="partition-notes"),
        never,
        foot,
        more=tip,
    )


def partition_title(found: RegionAnalysis) -> str:
    """`4 subspaces over A and B`; of a region that was split `3 partitions over A, B and C`: their subspaces overlap."""
    several = len(found.partitions) > 1
    size = f"{len(found.partitions)} partitions" if several else plural(found.subspaces, "subspace")
    return f"{size} over {listing((*found.tainted, *found.counted), most=6)}"


def _proved(found: RegionAnalysis) -> list[Piece]:
    """What counts prove of the region, the largest effect first, and what only taints speak for."""
    effects, analysis = found.effects, found.analysis
    if not analysis.result.effects:
        return []
    sizes = [f"{one.option} ({share(analysis.share(one))})" for one in effects]
    said = f"Counts prove that it changes with {listing(sizes, most=8)}; in brackets, by how much of all that the program does."
    pieces: list[Piece] = [html.P(said if sizes else "No option changes what is counted here.")]
    if found.possible:
        pairs = min(analysis.result.pairs.get(name, 0) for name in found.possible)
        may = f"May, by taints alone: {listing(found.possible, most=8)}; no count changed in {pairs} pairs of runs or more."
        pieces.append(html.P(may, className="quiet"))
    if found.refuted:
        pairs = min(found.refuted.values())
        listed = listing(tuple(found.refuted), most=8)
        refuted = f"Refuted: {listed}. Seen in its decisions, but no count changed in {pairs} pairs of runs or more in which it worked."
        pieces.append(html.P(refuted, className="quiet"))
    return pieces


def _parts(found: RegionAnalysis, times: Mapping[str, float | None], unit: str, option: str) -> list[Piece]:
    """The partition and how to read it; of a region that was split, first the pairs with the chosen option."""
    space = found.analysis.space
    if len(found.partitions) == 1:
        (part,) = found.partitions
        notes: list[Piece] = [html.P(line) for line in reading(part, space)]
        return [_table(part, space, times, unit), html.Div(notes, className="partition-notes")]

    moved = {one.option: found.analysis.share(one) for one in found.effects}

    def unlike(part: Sequence[str]) -> tuple[bool, bool, float]:
        names = _options_of(part)
        # Of those alike the options that change most: what moves the region's time stands first.
        return (
            bool(option) and option not in names,
            not names <= moved.keys(),
            -sum(moved.get(one, 0.0) for one in names),
        )

    first, *others = sorted(found.partitions, key=unlike)
    said = html.P(
        f"Together its options make too many subspaces, so it has {len(found.partitions)} partitions of a few options each. "
        f"This is the one of {listing(_in_order(first, space), most=4)}."
    )
    more = [(part, formula) for part in others[:_MOST_PARTS] for formula in part[:MOST_ROWS]]
    over = Column("over", "of", kind="code", of=lambda one: ", ".join(_in_order(one[0], space)))
    folds = [
        html.Summary(f"{plural(len(others), 'other partition')}"),
        plain_table([over, *_columns(more, times, unit, space, lambda one: one[1])], more, label="Others"),
        left_out(len(others) - _MOST_PARTS, "choose an option to see its pairs"),
    ]
    return [said, _table(first, space, times, unit), html.Details(folds, className="more")]


def _options_of(part: Sequence[str]) -> set[str]:
    return {one.option for formula in part for one in atoms(parse(formula))}


def _in_order(part: Sequence[str], space: OptionSpace) -> tuple[str, ...]:
    names = _options_of(part)
    return tuple(one.name for one in space.options if one.name in names)


def reading(subspaces: Sequence[str], space: OptionSpace) -> list[str]:
    """How to read a partition of these formulas: where an option matters only under another one, and which may interact.

    Nothing where a formula is no plain conjunction: only in these an option that is left out does not matter.
    """
    formulas = [parse(one) for one in subspaces]
    if len(formulas) < 2:
        return []
    for formula in formulas:
        parts = formula.parts if isinstance(formula, Operation) and formula.operator == "&" else (formula,)
        for part in parts:
            inner = part.parts[0] if isinstance(part, Operation) and part.operator == "!" else part
            if not isinstance(inner, Literal):
                return []
    names = list(dict.fromkeys(one.option for formula in formulas for one in atoms(formula)))
    said = []
    free = []
    for name in names:
        without = [
            in_words(formula, space)
            for formula in formulas
            if all(one.option != name for one in atoms(formula))
        ]
        if without:
            said.append(f"{name} does not matter with {listing(without)}.")
        else:
            free.append(name)
    if len(free) > 1:
        said.insert(0, f"{listing(free, most=6)} matter everywhere here, and may interact.")
    elif len(free) == 1 and len(names) == 1:
        said.insert(0, f"{free[0]} alone decides here.")
    return said


def _table(part: Sequence[str], space: OptionSpace, times: Mapping[str, float | None], unit: str) -> html.Div:
    shown = part[:MOST_ROWS]
    table = plain_table(_columns(shown, times, unit, space, lambda one: one), shown, label="Subspaces")
    return html.Div([table, left_out(len(part) - MOST_ROWS)])


def _columns(
    rows: Sequence[Any],
    times: Mapping[str, float | None],
    unit: str,
    space: OptionSpace,
    formula_of: Callable[[Any], str],
) -> list[Column]:
    """Formula, words, and the time where one of the rows was measured; `formula_of` tells the formula of a row."""
    measured = {one: time for row in rows if (time := times.get(one := formula_of(row))) is not None}
    scale = scale_for(measured.values(), unit)

    def taken(row: Any) -> Any:
        time = measured.get(formula_of(row))
        # The column's head has the unit.
        return "not measured" if time is None else exact(number(time, scale=scale.bare), time * scale.factor)

    return [
        Column("formula", "formula", kind="code", of=lambda row: code(formula_of(row))),
        Column("words", "in words", of=lambda row: in_words(parse(formula_of(row)), space)),
        *([Column("time", "time", scale.unit, "number", of=taken)] if measured else []),
    ]


def _chips(label: str, names: Sequence[str], option: str, *, under: bool) -> list[Piece]:
    """Options behind a label; nothing without any. `option` is the one whose chain is shown."""
    if not names:
        return []
    chips = (option_chip(name, line=None, under=under, pressed=name == option) for name in names)
    return [html.Span(label, className="control-label"), *chips]
