"""What a group of tests came to, read from pytest's own report, and the closing lines of a run."""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

# With CI=true nothing else may be skipped.
MAY_BE_ABSENT = re.compile(r"reference data|shared/data|interpreter", re.IGNORECASE)
# Continuous integration keeps the last 25 lines or so of a failed run: this many failures leave room for the counts.
MOST_NAMED = 12


@dataclass(frozen=True, slots=True)
class Outcome:
    """Counts of one group; `unavailable` says why it did not run at all."""

    group: str
    exit_code: int = 0
    passed: int = 0
    failed: int = 0
    skips: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    # Versions of other interpreters that tests ran on.
    interpreters: tuple[str, ...] = ()
    # The tests that failed: each a node id and what the error says.
    failures: tuple[str, ...] = ()
    unavailable: str = ""

    @property
    def skipped(self) -> int:
        """How many tests were skipped."""
        return self.skips.total()

    def problem(self, *, strict: bool) -> str:
        """Why the group counts as failed, or nothing; `strict` as in CI, where everything must run."""
        if self.unavailable:
            return f"not run: {self.unavailable}" if strict else ""
        forbidden = [reason for reason in self.skips if not MAY_BE_ABSENT.search(reason)]
        if self.failed:
            return f"{self.failed} failed"
        if self.passed + self.skipped == 0:
            return f"no test ran (pytest ended with {self.exit_code})"
        if self.exit_code:
            return f"pytest ended with {self.exit_code}"
        return f"skipped in CI: {'; '.join(forbidden)}" if strict and forbidden else ""


def read_report(group: str, report: Path, exit_code: int, seconds: float) -> Outcome:
    """The outcome of a pytest run by its JUnit report; one that wrote none, or half of one, has failed."""
    try:
        root = ET.parse(report).getroot()  # noqa: S314 -- pytest wrote it a moment ago
    except (OSError, ET.ParseError):
        return Outcome(group=group, exit_code=exit_code or 1, seconds=seconds)
    passed = failed = 0
    skips: Counter[str] = Counter()
    failures: dict[str, None] = {}
    for case in root.iter("testcase"):
        skip = case.find("skipped")
        wrong = [one for kind in ("failure", "error") if (one := case.find(kind)) is not None]
        if wrong:
            failed += 1
            failures |= dict.fromkeys(_failure(case, one.get("message", "")) for one in wrong)
        elif skip is not None and skip.get("type") != "pytest.xfail":
            skips[skip.get("message", "")] += 1
        else:
            passed += 1
    told = {one.get("value", "") for one in root.iter("property") if one.get("name") == "interpreter"}
    return Outcome(group, exit_code, passed, failed, skips, seconds, tuple(sorted(told)), tuple(failures))


def _failure(case: ET.Element, message: str) -> str:
    """The node id and the error in one line: what was raised, and below it the last that was said of it."""
    place = case.get("file") or case.get("classname") or "?"
    said = [line.strip()[:160] for line in message.splitlines() if line.strip()] or ["no message"]
    return f"{place}::{case.get('name')}: {' ... '.join(dict.fromkeys((said[0], said[-1])))}"


def closing_lines(outcomes: list[Outcome], *, strict: bool) -> list[str]:
    """A line per group, one for other interpreters, one per reason of a skip and per failed test, and the totals."""
    lines = [""]
    for outcome in outcomes:
        problem = outcome.problem(strict=strict)
        state = "FAILED" if problem else "not run" if outcome.unavailable else "passed"
        counts = f"{outcome.passed} passed, {outcome.failed} failed, {outcome.skipped} skipped"
        why = f"  {problem or outcome.unavailable}" if problem or outcome.unavailable else ""
        lines.append(f"{outcome.group:<11} {state:<8} {counts} in {outcome.seconds:.0f} s{why}")
    for outcome in outcomes:
        if outcome.interpreters:
            lines.append(
                f"{outcome.group}: the probe's tests ran on Python {', '.join(outcome.interpreters)} as well"
            )
        lines += [
            f"skipped in {outcome.group}: {count} x {why}" for why, count in outcome.skips.most_common()
        ]
    failures = [
        f"FAILED in {outcome.group}: {failure}" for outcome in outcomes for failure in outcome.failures
    ]
    lines += failures[:MOST_NAMED]
    if len(failures) > MOST_NAMED:
        lines.append(f"and {len(failures) - MOST_NAMED} further failures, named above")
    totals = [sum(getattr(outcome, name) for outcome in outcomes) for name in ("passed", "failed", "skipped")]
    return [*lines, "{} passed, {} failed, {} skipped".format(*totals)]
