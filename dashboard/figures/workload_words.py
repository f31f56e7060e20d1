"""Workloads in words: factors, what is told of a term, and the sentences of the page."""

import math

from dashboard.figures.influences_words import TIMES, change_name
from dashboard.figures.numbers import GAP, fixed, listing, number, plural
from dashboard.selectors.model_rows import Estimate
from dashboard.selectors.workload_rows import (
    BorrowedInfluence,
    ComparedWorkloads,
    FactorsInWorkloads,
    WorkloadContext,
    WorkloadTerm,
    WorkloadVerdict,
)

# What stands beside a term; the sign tells it without the words.
SIGNS: dict[WorkloadVerdict, str] = {"reverses": "⇄", "differs": "≠", "alike": "=", "nothing": "·"}
VERDICTS: dict[WorkloadVerdict, str] = {
    "reverses": "costs in one, saves in another",
    "differs": "differs",
    "alike": "the same in all",
    "nothing": "nothing beyond noise",
}
LEFT_OUT = {
    "coarse": "left out: the steps of its clock are more than 5 % of its usual value",
    "zero": "left out: it has values of zero or less, which have no factor",
    "missing": "left out: too few of the configurations were measured in it",
}
# Up to a factor of two a change is told in percent.
_DOUBLE = math.log(2.0)


def factor_text(logarithm: float, *, beside: float = 0.0) -> str:
    """A factor by its natural logarithm: `+30 %`, `−4.1 %`; beyond two, or beside such a one, `× 12`, `÷ 3.5`."""
    if max(abs(logarithm), abs(beside)) > _DOUBLE:
        sign = "×" if logarithm > 0 else "÷"
        size = abs(logarithm)
        return f"{sign}{GAP}{number(math.exp(size), unit='') if size < 16 else 'over 9 million'}"
    part = 100 * math.expm1(logarithm)
    return f"{fixed(part, 0 if abs(part) >= 9.5 else 1, signed=True)}{GAP}%"


def interval_words(low: float, high: float) -> str:
    """`+2.0 % to +4.1 %`; both ends in the same way, `÷ 1.10 to × 3.5`."""
    return f"{factor_text(low, beside=high)} to {factor_text(high, beside=low)}"


def estimate_words(estimate: Estimate) -> str:
    """The factor with its 95 % interval: `+3.0 % (+2.0 % to +4.1 %)`."""
    if estimate.low is None or estimate.high is None:
        return factor_text(estimate.value)
    # Value and ends in the same way.
    value = factor_text(estimate.value, beside=max(estimate.low, estimate.high, key=abs))
    return f"{value} ({interval_words(estimate.low, estimate.high)})"


def spread_text(logarithm: float) -> str:
    """A standard deviation of logarithms as the factor that workloads usually differ by: `8.3 %`, `× 2.4`."""
    return factor_text(logarithm).removeprefix("+")


def term_words(term: WorkloadTerm | BorrowedInfluence) -> str:
    """`threads × gif`, `mode=fast`."""
    return TIMES.join(map(change_name, term.changes))


def context_text(context: WorkloadContext) -> str:
    """Where it was measured: metric, revision and environment."""
    clock = "" if context.clock in ("none", "") else f" ({context.clock})"
    return f"{context.quantity}{clock} · {context.revision} · environment {context.environment}"


def workloads_sentence(found: ComparedWorkloads, name: str) -> str:
    """What the page found, in one sentence."""
    differing, reversing = found.told("reverses", "differs"), found.told("reverses")
    count = plural(len(found.compared), "workload")
    if not found.terms:
        return f"{name} has too few configurations in common to compare {count}"
    if not differing:
        return f"No influence on {name} differs between {count} beyond noise"
    terms = plural(len(found.terms), "influence")
    said = f"{len(differing)} of {terms} on {name} {'differs' if len(differing) == 1 else 'differ'} between {count}"
    if reversing:
        names = listing([term_words(one) for one in reversing], 2)
        said += f"; {names} {'costs' if len(reversing) == 1 else 'cost'} in some and {'saves' if len(reversing) == 1 else 'save'} in others"
    return said


def workloads_subtitle(found: ComparedWorkloads) -> str:
    """What that stands on."""
    parts = [
        context_text(found.context),
        f"{plural(found.configurations, 'configuration')} measured in all {len(found.compared)}",
    ]
    if found.without:
        parts.append(f"{plural(found.without, 'other')} not in all")
    return " · ".join(parts)


def rate_text(found: ComparedWorkloads) -> str:
    """How often a difference is told where there is none."""
    return (
        f"Of influences that are the same everywhere at most {fixed(100 * found.rate, 0)}{GAP}% are told as differing. "
        "What is told as the same may still differ by less than noise shows: see the interval of its usual difference."
    )


def term_finding(term: WorkloadTerm, workloads: list[str]) -> str:
    """One term over the workloads, as the title of its figure."""
    values = [one.value for one in term.effects]
    least, most = values.index(min(values)), values.index(max(values))
    ends = f"from {factor_text(values[least])} in {workloads[least]} to {factor_text(values[most])} in {workloads[most]}"
    name = term_words(term)
    if term.told == "nothing":
        return f"{name} has no influence beyond noise over these workloads"
    if term.told == "alike":
        return f"{name} makes {estimate_words(term.mean)} in all workloads, as far as noise tells"
    return f"{name} ranges {ends}"


def best_over_text(found: FactorsInWorkloads) -> str:
    """How far the configuration that is best over all workloads is from the best one of each."""
    if not found.most:
        return f"the best one in each of {plural(len(found.rows), 'workload')}"
    usual = f"usually {factor_text(found.typical)}" if found.typical else "usually the same"
    return f"{usual} against the best one of a workload, at most {factor_text(found.most)} in {found.worst}"


def factors_finding(found: FactorsInWorkloads, base: str) -> str:
    """In how many workloads a configuration takes more than its base, and in how many less."""
    count = plural(len(found.rows), "workload")
    factors = [row.factor for row in found.rows if row.factor is not None]
    if not factors:
        return f"Not known in {count}: one of its levels was not measured there"
    if found.is_base:
        return f"Set an option to see what it makes in each of {count}"
    more, less = ("slower", "faster") if found.context.quantity == "time" else ("more", "less")
    sure = [one.value for one in factors if not one.may_be_zero]
    told = {
        more: sum(value > 0 for value in sure),
        less: sum(value < 0 for value in sure),
        "unclear": sum(one.may_be_zero for one in factors),
        "the same": sure.count(0.0),
    }
    parts = [f"{word} in {times}" for word, times in told.items() if times]
    # Of measured values nobody says here how sure they are.
    how = "Against" if any(one.margin is not None for one in factors) else "Measured against"
    return f"{how} {base}, {listing(parts, 4)} of {count}"
