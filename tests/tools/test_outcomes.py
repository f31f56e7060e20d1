"""What counts as a failed group, and what the last lines of a run say."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

from tools.outcomes import Outcome, closing_lines, read_report

REPORT = """<?xml version="1.0"?><testsuites><testsuite name="pytest">
<testcase name="a"/><testcase name="b"/>
<testcase name="c"><failure message="no"/></testcase>
<testcase name="d"><error message="setup"/></testcase>
<testcase name="e"><skipped type="pytest.skip" message="reference data is absent"/></testcase>
<testcase name="f"><skipped type="pytest.skip" message="reference data is absent"/></testcase>
<testcase name="g"><skipped type="pytest.xfail" message=""/></testcase>
</testsuite></testsuites>"""


def test_a_report_is_counted(tmp_path: Path) -> None:
    """Errors are failures; what was expected to fail and did has passed; skips are kept by reason."""
    report = tmp_path / "group.xml"
    report.write_text(REPORT)
    outcome = read_report("pure", report, exit_code=1, seconds=2.0)
    assert (outcome.passed, outcome.failed, outcome.skipped) == (3, 2, 2)
    assert outcome.skips == {"reference data is absent": 2}


def test_each_failed_test_is_named_at_the_end_with_what_its_error_says(tmp_path: Path) -> None:
    """By pytest's own report: the lines above are the first that continuous integration forgets."""
    place = tmp_path / "test_failing.py"
    place.write_text(
        "import pytest\n\n@pytest.fixture\ndef broken():\n    raise OSError('no disk')\n\n"
        "def test_setting_up(broken):\n    pass\n\n"
        "@pytest.mark.parametrize('size', [3])\ndef test_growing(size):\n"
        "    raise RuntimeError('stopped:\\nTraceback\\nKeyError: 7')\n"
    )
    report = tmp_path / "group.xml"
    options = [
        "-p",
        "no:randomly",
        "-p",
        "no:django",
        "-p",
        "no:dash",
        "-o",
        "junit_family=xunit1",
        f"--junit-xml={report}",
    ]
    command = [sys.executable, "-m", "pytest", "-q", *options, place.name]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 1
    lines = closing_lines([read_report("pure", report, exit_code=1, seconds=2.0)], strict=False)
    failed = [line for line in lines if line.startswith("FAILED in pure: ")]
    assert failed == [
        'FAILED in pure: test_failing.py::test_setting_up: failed on setup with "OSError: no disk"',
        "FAILED in pure: test_failing.py::test_growing[3]: RuntimeError: stopped: ... KeyError: 7",
    ]


def test_many_failures_leave_room_for_the_counts() -> None:
    """The last 25 lines hold the line of each group as well."""
    outcome = Outcome(group="pure", failed=40, failures=tuple(f"test_a.py::test_{n}: no" for n in range(40)))
    lines = closing_lines([outcome, Outcome(group="redis", passed=1)], strict=False)
    assert any(line.startswith("pure ") for line in lines[-25:])
    assert "and 28 further failures, named above" in lines
    assert lines[-1] == "1 passed, 40 failed, 0 skipped"


def test_interpreters_that_tests_ran_on_are_said(tmp_path: Path) -> None:
    """Each once, in order, whichever test names it."""
    report = tmp_path / "group.xml"
    cases = "".join(
        f'<testcase name="{version}"><properties><property name="interpreter" value="{version}"/></properties></testcase>'
        for version in ("3.13.0", "3.12.1")
    )
    report.write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    outcome = read_report("pure", report, exit_code=0, seconds=2.0)
    assert "pure: the probe's tests ran on Python 3.12.1, 3.13.0 as well" in closing_lines(
        [outcome], strict=False
    )


def test_a_run_that_wrote_no_report_has_failed(tmp_path: Path) -> None:
    """Whatever exit code it claims."""
    outcome = read_report("pure", tmp_path / "absent.xml", exit_code=0, seconds=0.0)
    assert outcome.problem(strict=False)


def test_a_run_that_wrote_half_a_report_has_failed(tmp_path: Path) -> None:
    """As one does that was killed."""
    report = tmp_path / "group.xml"
    report.write_text(REPORT[:200])
    outcome = read_report("pure", report, exit_code=-9, seconds=2.0)
    assert (outcome.exit_code, outcome.passed) == (-9, 0)
    assert outcome.problem(strict=False)


def test_a_missing_group_fails_in_ci_only() -> None:
    """Elsewhere it is named."""
    outcome = Outcome(group="redis", unavailable="redis-server is not installed")
    assert outcome.problem(strict=False) == ""
    assert outcome.problem(strict=True) == "not run: redis-server is not installed"
    assert (
        "redis       not run  0 passed, 0 failed, 0 skipped in 0 s  redis-server is not installed"
        in closing_lines([outcome], strict=False)
    )


def test_a_group_without_tests_fails_everywhere() -> None:
    """A mark that matches nothing is a mistake."""
    assert "no test ran" in Outcome(group="redis", exit_code=5).problem(strict=False)


def test_a_crash_after_passing_tests_fails() -> None:
    """Pytest's exit code counts, too."""
    assert Outcome(group="pure", exit_code=3, passed=9).problem(strict=False) == "pytest ended with 3"


def test_only_reference_data_and_interpreters_may_be_skipped_in_ci() -> None:
    """Anything else has to be there."""
    allowed = Counter({"reference data is absent: ../shared/data": 3, "no interpreter of Python 3.13": 1})
    assert Outcome(group="pure", passed=1, skips=allowed).problem(strict=True) == ""
    other = Outcome(group="pure", passed=1, skips=Counter({"no browser is installed": 1}))
    assert other.problem(strict=True) == "skipped in CI: no browser is installed"
    assert other.problem(strict=False) == ""


def test_the_last_line_adds_up() -> None:
    """It is the plain line that machines look for; reasons stand above it."""
    first = Outcome(group="pure", passed=2, skips=Counter({"reference data is absent": 3}))
    lines = closing_lines([first, Outcome(group="redis", passed=1, failed=1)], strict=False)
    assert lines[-1] == "3 passed, 1 failed, 3 skipped"
    assert "skipped in pure: 3 x reference data is absent" in lines
