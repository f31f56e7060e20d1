"""What an analysis found, in words: how far it came, a finding per line, and what remains."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dashboard.access import Principal
from dashboard.selectors.jobs import JobDetail
from dashboard.selectors.whitebox.missed import CountEvidence, counted_dependencies
from dashboard.selectors.whitebox.unfollowed import left_alone

# So many findings of one kind are listed; the pages and --json have all.
_LISTED = 8


def analysis_in_words(detail: JobDetail) -> str:
    """The end of an analysis that came to a result."""
    found = detail.result
    seen = found["subspaces"] - found["unseen"]
    counted = f"; {found['counted']} configurations counted" if found["counted"] else ""
    first = (
        f"{found['configurations']} configurations traced, {found['regions']} regions decide on options, "
        f"{seen} of {found['subspaces']} subspaces seen{counted}"
    )
    dependencies = counted_dependencies(principal=Principal.operator(), slug=detail.row.system_slug)
    return "\n".join(
        [
            first,
            *_few(list(failures_in_words(found["failed"])), "ways to fail"),
            *_compared(found),
            *_options(found),
            *_few([_missed(one) for one in dependencies.missed], "options that only counts show"),
            *_few([unexplained_in_words(one) for one in dependencies.unexplained], "unexplained statements"),
            *_places(found),
            _remaining(found),
        ]
    )


def failures_in_words(failed: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The runs that failed; those that ended in one way at one place are told once, by the first of them."""
    ways: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for run in failed:
        ways.setdefault((run["status"], run["place"] or run["message"]), []).append(run)
    for first, *others in ways.values():
        place = f" at {first['place']}" if first["place"] else ""
        several = "s" if len(others) > 1 else ""
        more = f" (and {len(others)} more configuration{several})" if others else ""
        yield f"failed: {_levels(first['levels'])}: {first['message']}{place}{more}"


def _compared(found: Mapping[str, Any]) -> Iterator[str]:
    """Whether tracing changed what the program does, as far as it prints or returns that."""
    number, changed = found["compared"], found["changed"]
    if changed:
        yield (
            f"printed or returned something else when traced, or never the same twice: {len(changed)} of {number} "
            f"configurations, such as {_levels(changed[0])}"
        )
    elif number:
        what = "printed and returned" if found.get("returned") else "printed"
        yield f"{what} the same, traced or not: {number} of {number} configurations"


def _levels(labels: Mapping[str, str]) -> str:
    return ",".join(f"{name}={label}" for name, label in labels.items())


def _options(found: Mapping[str, Any]) -> Iterator[str]:
    for name in found["unread"]:
        yield f"nothing reads the option {name}"
    for name in found["undecided"]:
        if name not in found["unread"]:
            yield f"no decision depends on the option {name}"


def _missed(one: CountEvidence) -> str:
    return f"{one.region} depends on {one.options[0]} too, as counts show: {one.evidence}"


def unexplained_in_words(one: CountEvidence) -> str:
    """A statement whose counts differ inside of one subspace: on what else it may depend, and the two runs."""
    others = [name for name in one.options if name not in one.known]
    if not others:
        ways = f"depends on {', '.join(one.options)} in more ways than were seen"
    elif one.known:
        ways = f"may depend on more than {', '.join(one.known)} ({' or '.join(others)})"
    else:
        ways = f"may depend on {' or '.join(others)}"
    return f"a statement of {one.region} {ways}: {one.evidence}"


def _places(found: Mapping[str, Any]) -> Iterator[str]:
    for region, why in found.get("excluded", {}).items():
        yield f"left out as option-parsing code: {region} ({why})"
    if found["split"]:
        yield _named("split pair by pair", found["split"])
    if found["unsteady"]:
        yield _named("counts differ from run to run, or under tracing, and prove nothing", found["unsteady"])
    for package in found.get("idle", ()):
        yield f"no function of {package} ran: regions holds names as they are imported"
    modules = left_alone(found["unfollowed"])
    if modules:
        yield _named("run as they are and not followed", modules)
    calls = {name: count for name, count in found["unfollowed"].items() if name not in modules}
    if calls:
        most = sorted(calls.items(), key=lambda one: (-one[1], one[0]))[:5]
        named = ", ".join(f"{name} ({count})" for name, count in most)
        yield f"not followed into {len(calls)} places; most often: {named}"


def _remaining(found: Mapping[str, Any]) -> str:
    """The last line: whether anything remains, and how to go on."""
    left = [
        f"{count} {words}"
        for count, words in (
            (found["unseen"], "subspaces unseen"),
            (len(found["unexplained"]), "statements whose counts are not explained"),
        )
        if count
    ]
    if not left:
        return "nothing remains: every subspace was seen" + (
            ", and the counts agree" if found["counted"] else ""
        )
    why = {
        "complete": "no further valid configuration tells more",
        "budget": "the budget of configurations is used up; --budget sets it",
        "minutes": "the time is used up; --minutes sets it",
    }[found["ended"]]
    return f"remaining: {' and '.join(left)} ({why})"


def _few(lines: list[str], what: str) -> list[str]:
    more = len(lines) - _LISTED
    return lines if more <= 0 else [*lines[:_LISTED], f"and {more} more {what}: see --json"]


def _named(what: str, regions: list[str]) -> str:
    more = len(regions) - _LISTED
    listed = ", ".join(regions[:_LISTED]) + (f" and {more} more" if more > 0 else "")
    return f"{what}: {listed}"
