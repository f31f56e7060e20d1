"""What an analysis found, in words: how far it came, a finding per line, and what remains."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analytics.configurations.options import OptionSpace
from analytics.whitebox.evidence import AnalysisRun, DependencyEvidence
from analytics.whitebox.other_processes import work_elsewhere
from analytics.whitebox.result import WhiteBoxResult
from analytics.whitebox.uncounted_time import LITTLE, uncounted_time
from dashboard.figures.counts_words import LOOK_AT_TIME, UNMEASURED, elsewhere_text, uncounted_text
from dashboard.figures.numbers import plural
from dashboard.selectors.whitebox.analyses import checked_in_words, evidence_in_words
from dashboard.selectors.whitebox.rows import WhiteBoxDetail

# So many findings of one kind are listed; the pages and --json have all.
_LISTED = 8


def analysis_in_words(analysis: WhiteBoxDetail) -> str:
    """The end of an analysis that came to a result."""
    result, coverage, space = analysis.result, analysis.coverage, analysis.space
    counted = f"; {len(result.counted)} configurations counted" if result.counted else ""
    first = (
        f"{len(result.runs)} configurations traced, {coverage.regions} regions decide on options, "
        f"{coverage.seen} of {coverage.subspaces} subspaces seen{counted}"
    )
    if not result.runs:
        first = f"{len(result.counted)} configurations counted, {coverage.regions} regions depend on options"
    # What counts alone say is no news beside taints that nobody asked for.
    missed = (
        []
        if not result.runs
        else [
            f"{one.region} depends on {one.options[0]} too, as counts show: {evidence_in_words(one, space)}"
            for one in result.missed_dependencies
        ]
    )
    residual = [residual_in_words(one, space) for one in result.residual_variation]
    return "\n".join(
        [
            first,
            *effects_in_words(analysis),
            *_few(list(failures_in_words(result.failed)), "ways to fail"),
            *_compared(result),
            *(f"nothing reads the option {name}" for name in result.unread),
            *(f"no decision depends on the option {name}" for name in analysis.undecided),
            *_few(missed, "options that only counts show"),
            *_few(residual, "unexplained statements"),
            *uncounted_in_words(result),
            *_places(analysis),
            _remaining(analysis),
        ]
    )


def static_in_words(
    result: WhiteBoxResult, reached: Mapping[str, frozenset[str]], told: Mapping[str, Any]
) -> str:
    """The end of an analysis by source: the regions that options reach, and as the job has `told` what covers their subspaces."""
    many = len(result.options)
    every = sum(len(options) == many for options in reached.values())
    first = (
        f"by their source {len(reached):,} of {told['functions']:,} functions depend on options, {every:,} on all {many}; "
        f"{told['configurations']:,} of {told['valid']:,} valid configurations cover their subspaces"
    )
    return "\n".join([first, *(f"not read: {name}" for name in result.modules_not_rewritten)])


def reads_in_words(result: WhiteBoxResult, valid: int) -> str:
    """The end of a walk over the options that are read, of `valid` configurations."""
    made = len(result.counted)
    lines = [
        f"{made:,} of {valid:,} valid configurations run: no others differ in the options that they read"
    ]
    if result.ended != "complete":
        why = "the budget is used up; --budget sets it" if result.ended == "budget" else "the time is used up"
        lines = [
            f"{made:,} of {valid:,} valid configurations run, and others differ in what they read: {why}"
        ]
    lines += _few(list(failures_in_words(result.failed)), "ways to fail")
    lines += [f"nothing reads the option {name}" for name in result.never_read]
    return "\n".join(lines)


def effects_in_words(analysis: WhiteBoxDetail) -> Iterator[str]:
    """What counts prove, an option per line, the largest effect first; and how much of it they are thought to show."""
    largest = 0.0
    for name, own in analysis.option_effects if analysis.result.effects else ():
        if own:
            rest = len(own) - 1
            more = f", and {rest} more region{'s' if rest > 1 else ''}" if rest else ""
            what = "time" if analysis.weights else "counts"
            yield f"{name} changes {_percent(analysis.share(own[0]))} of all {what} in {own[0].region}{more}"
            largest = max(largest, analysis.share(own[0]))
        else:
            pairs = analysis.result.pairs.get(name, 0)
            yield f"{name} changes nothing that is counted, in {pairs} pairs of runs that differ in it alone"
    if largest > 1:
        # The mean is that of all runs, of which most may do little.
        yield "percent are of what a run does on average: an option whose runs do more than that changes more than 100 %"
    if analysis.result.checked is not None:
        yield checked_in_words(analysis.result.checked)
    elif analysis.result.recall is not None:
        known = _percent(analysis.result.recall)
        yield f"that is {known} of all pairs of a region and an option that changes its counts, as estimated"


def _percent(share: float) -> str:
    return f"{share:.1%}".replace("%", " %") if share >= 0.001 else "less than 0.1 %"


def failures_in_words(failed: Sequence[AnalysisRun]) -> Iterator[str]:
    """A line for each way to fail: of runs that failed alike at one place the first one, and the number of others."""
    ways: dict[tuple[str, str], list[AnalysisRun]] = {}
    for run in failed:
        ways.setdefault((run.status, run.place or run.message), []).append(run)
    for first, *others in ways.values():
        place = f" at {first.place}" if first.place else ""
        several = "s" if len(others) > 1 else ""
        more = f" (and {len(others)} more configuration{several})" if others else ""
        yield f"failed: {_levels(first.levels)}: {first.message}{place}{more}"


def _compared(result: WhiteBoxResult) -> Iterator[str]:
    """Whether tracing changed what the program does, as far as it prints or returns that."""
    pairs, changed = result.output_pairs, result.changed
    if changed:
        yield (
            f"printed or returned something else when traced, or never the same twice: {len(changed)} of "
            f"{len(pairs)} configurations, such as {_levels(changed[0])}"
        )
    elif pairs:
        returned = all(run.returned for pair in pairs for run in pair)
        what = "printed and returned" if returned else "printed"
        yield f"{what} the same, traced or not: {len(pairs)} of {len(pairs)} configurations"


def _levels(labels: Mapping[str, str]) -> str:
    return ",".join(f"{name}={label}" for name, label in labels.items())


def residual_in_words(one: DependencyEvidence, space: OptionSpace) -> str:
    """A statement whose counts differ inside of one subspace: on what else it may depend, and the two runs."""
    others = [name for name in one.options if name not in one.known]
    if not others:
        ways = f"depends on {', '.join(one.options)} in more ways than were seen"
    elif one.known:
        ways = f"may depend on more than {', '.join(one.known)} ({' or '.join(others)})"
    else:
        ways = f"may depend on {' or '.join(others)}"
    return f"a statement of {one.region} {ways}: {evidence_in_words(one, space)}"


def uncounted_in_words(result: WhiteBoxResult) -> Iterator[str]:
    """Which share of the time no counter sees, and what follows; nothing where nothing was counted."""
    if not any(run.succeeded for run in result.counted):
        return
    found = uncounted_time(result.counted)
    if found is None:
        yield f"{UNMEASURED}{f': {result.unsampled}' if result.unsampled else ''}; {LOOK_AT_TIME}"
        return
    yield f"not counted, measured in {plural(found.runs, 'run')}: {uncounted_text(found)}"
    if found.most >= LITTLE:
        yield LOOK_AT_TIME


def _places(analysis: WhiteBoxDetail) -> Iterator[str]:
    result = analysis.result
    for region, why in result.excluded.items():
        yield f"left out as option-parsing code: {region} ({why})"
    if result.split:
        yield _named("split pair by pair", result.split)
    if result.nondeterministic_regions:
        what = "counts differ from run to run, or under tracing, and prove nothing"
        yield _named(what, result.nondeterministic_regions)
    if others := work_elsewhere(result.counted):
        yield f"other processes work in {others.runs} of {others.of} configurations: {elsewhere_text(others)}"
    for package in result.unexecuted_packages:
        yield f"no function of {package} ran: regions holds names as they are imported"
    if result.modules_not_rewritten:
        yield _named("run as they are and not followed", result.modules_not_rewritten)
    calls = result.unfollowed_calls
    if calls:
        named = ", ".join(f"{name} ({count})" for name, count in calls[:5])
        yield f"not followed into {plural(len(calls), 'place')}; most often: {named}"


def _remaining(analysis: WhiteBoxDetail) -> str:
    """The last line: whether anything remains, and how to go on."""
    result = analysis.result
    left = [
        f"{count} {words}"
        for count, words in (
            (analysis.coverage.unseen, "subspaces unseen"),
            (len(result.residual_variation), "statements whose counts are not explained"),
        )
        if count
    ]
    if not left:
        return "nothing remains: every subspace was seen" + (
            ", and the counts agree" if result.counted else ""
        )
    why = {
        "complete": "no further valid configuration tells more",
        "budget": "the budget of configurations is used up; --budget sets it",
        "minutes": "the time is used up; --minutes sets it",
    }.get(result.ended, "the analysis has not ended")
    return f"remaining: {' and '.join(left)} ({why})"


def _few(lines: list[str], what: str) -> list[str]:
    more = len(lines) - _LISTED
    return lines if more <= 0 else [*lines[:_LISTED], f"and {more} more {what}: see --json"]


def _named(what: str, regions: Sequence[str]) -> str:
    more = len(regions) - _LISTED
    listed = ", ".join(regions[:_LISTED]) + (f" and {more} more" if more > 0 else "")
    return f"{what}: {listed}"
