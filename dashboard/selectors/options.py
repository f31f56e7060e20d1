"""One option: what it adds alone and with others, the functions where it does so, its way into one of them, and since when."""

from collections.abc import Sequence
from contextlib import suppress

from analytics.configurations.identities import key_options
from analytics.whitebox.propagation import Chain, Propagation
from dashboard.access import Access, NotFound
from dashboard.models import System
from dashboard.selectors.configurations import options_of
from dashboard.selectors.histories.compared import term_histories
from dashboard.selectors.histories.rows import History
from dashboard.selectors.influences import influences
from dashboard.selectors.model_rows import (
    Influences,
    OptionLevels,
    Selection,
    TermRegions,
)
from dashboard.selectors.option_rows import OptionFunction, OptionTerms, SystemOptions
from dashboard.selectors.performance_models import NoInfluenceModel, model_choices
from dashboard.selectors.whitebox.analyses import newest_detail, seen_region
from dashboard.selectors.whitebox.rows import RegionAnalysis, WhiteBoxDetail

# So many functions are asked for the way of an option, the ones that it changes most first.
_ASKED = 60


def system_options(*, access: Access, selection: Selection) -> SystemOptions:
    """Every option with its terms relative to the selected base; without a model as far as an analysis tells.

    Raises `NotFound` for a selection that no model has, unless its revision was analyzed.
    """
    system = access.system
    found: Influences | None = None
    analyzed = newest_detail(system, selection.revision) if selection.revision else None
    try:
        found = influences(system=system, selection=selection)
    except NoInfluenceModel:
        pass
    except NotFound:
        if analyzed is None:
            raise
    if analyzed is None and found is not None:
        analyzed = newest_detail(system, found.model.revision)
    analysis = analyzed or newest_detail(system, "")
    effects = {} if analysis is None else dict(analysis.option_effects)
    rows, space = [], options_of(system).options if found is None else ()
    described = dict(system.options.values_list("name", "description")) if space else {}
    known = [
        OptionLevels(one.name, tuple(map(one.text, range(len(one.levels)))), described.get(one.name, ""))
        for one in space
    ]
    for option in known if found is None else found.options:
        terms = [
            one
            for one in (() if found is None else found.terms)
            if any(change.option == option.name for change in one.changes)
        ]
        own = effects.get(option.name, ())
        rows.append(
            OptionTerms(
                option,
                alone=tuple(one for one in terms if one.degree == 1),
                together=tuple(one for one in terms if one.degree > 1),
                counted=analysis.share(own[0]) if analysis and own else None,
                counted_in=own[0].region if own else "",
            )
        )
    rows.sort(key=lambda row: (-row.size, -(row.counted or 0.0), row.option.name))
    return SystemOptions(found, analysis, tuple(rows))


def option_functions(
    option: str, term: TermRegions | None, analysis: WhiteBoxDetail | None
) -> tuple[tuple[OptionFunction, ...], tuple[str, ...]]:
    """The functions whose time or counts an option moves, the most first, and those that it only may reach, by key.

    Time comes from the regions of a term of the option, counts from an analysis. No query.
    """
    reached: dict[str, RegionAnalysis] = {}
    counted: dict[str, float] = {}
    if analysis is not None:
        reached = {row.key: row for row in analysis.regions if option in row.options}
        own = dict(analysis.option_effects).get(option, ())
        counted = {one.region: analysis.share(one) for one in reversed(own)}
    rows = []
    for one in () if term is None else term.regions:
        if one.influence.may_be_zero and one.key not in counted:
            continue
        rows.append(
            OptionFunction(
                one.key,
                one.name,
                one.influence,
                one.share,
                counted.pop(one.key, None),
                reached=one.key in reached and option in reached[one.key].tainted,
                has_page=one.has_page,
            )
        )
    rows += [
        OptionFunction(
            key,
            key.partition(":")[2] or key,
            None,
            None,
            part,
            reached=key in reached and option in reached[key].tainted,
        )
        for key, part in sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    ]
    moved = {row.key for row in rows}
    return tuple(rows), tuple(key for key in reached if key not in moved)


def way_into(
    option: str, functions: Sequence[str], analysis: WhiteBoxDetail
) -> tuple[RegionAnalysis, tuple[Chain, ...]] | None:
    """The chains to decisions in the first of these functions that one leads to from the read; else in the first with any.

    None where the option was not followed, or seen in no decision of them. No query.
    """
    if option not in analysis.result.options:
        return None
    ways, rest = Propagation(analysis.result), None
    for key in functions[:_ASKED]:
        chains = ways.chains(option, key)
        if chains and chains[0].from_read:
            return seen_region(analysis, key), chains
        rest = rest or (chains and (key, chains)) or None
    return None if rest is None else (seen_region(analysis, rest[0]), rest[1])


def option_histories(*, system: System, selection: Selection, option: str) -> tuple[History, ...]:
    """The histories of the option's terms by one metric, the option alone first, then what changed most; empty where none is known.

    Of a selection that names no workload they are those of the workload that its model is of.
    """
    workload = selection.workload
    if not workload:
        with suppress(NotFound):
            workload, _ = model_choices(system=system, selection=selection)["workload"]
    found = term_histories(
        system=system,
        metric=selection.metric,
        option=option,
        workload=workload,
        environment=selection.environment,
    )
    return tuple(sorted(found, key=lambda one: len(key_options(one.series.subject)) > 1))
