"""A branch beside the revision that it left, as the client tells it: words, exit codes, one comment."""

from typing import Any

import pytest

from perfatlas.command import DONE, FAILED
from perfatlas.summary import MARKER
from tests.perfatlas.conftest import FakeServer


def difference(relative: float, *, confirmed: bool = True, label: str = "pack") -> dict[str, Any]:
    """One series of two revisions as the API tells it."""
    ends = {"relative": relative, "low": relative - 0.02, "high": relative + 0.02}
    told = {"is_worse": relative > 0, "is_confirmed": confirmed}
    return {"series": {"label": label, "quantity": "time", "clock": "cpu"}, **ends, **told}


def comparison(*rows: dict[str, Any], middle: float | None = None) -> dict[str, Any]:
    """An unmerged revision beside its base."""
    sides = {"before": {"name": "r3", "base": ""}, "after": {"name": "feature", "base": "r3"}}
    return {"total": len(rows), "rows": list(rows), **sides, "middle": middle}


@pytest.mark.parametrize(
    ("found", "fail_on", "code"),
    [
        (comparison(), "possible", DONE),
        (comparison(difference(0.3)), "never", DONE),
        (comparison(difference(0.3)), "confirmed", FAILED),
        (comparison(difference(-0.3)), "possible", DONE),
        (comparison(difference(0.3, confirmed=False)), "confirmed", DONE),
        (comparison(difference(0.3, confirmed=False)), "possible", FAILED),
    ],
)
def test_a_branch_fails_on_what_surely_is_worse_than_its_base(
    server: FakeServer, found: dict[str, Any], fail_on: str, code: int
) -> None:
    server.answers["/systems/small/comparison"] = [(200, found)]
    assert server.run("compare", "--system", "small", "--revision", "feature", "--fail-on", fail_on) == code
    assert "after=feature" in server.asked[-1][1]


def test_what_differs_on_a_branch_is_told_in_lines_and_as_one_comment(server: FakeServer) -> None:
    command = ("compare", "--system", "small", "--revision", "feature")
    found = comparison(
        difference(-0.2), difference(0.3), difference(0.1, confirmed=False, label="@x | y"), middle=0.03
    )
    server.answers["/systems/small/comparison"] = [(200, found), (200, found), (200, comparison())]
    server.run(*command)
    assert server.printed.pop().splitlines() == [
        "\N{MINUS SIGN}20.0 % (\N{MINUS SIGN}22.0 to \N{MINUS SIGN}18.0 %) pack (CPU time)",
        "+30.0 % (28.0 to 32.0 %) pack (CPU time)",
        "+10.0 % (8.0 to 12.0 %) @x | y (CPU time), may be noise",
    ]
    server.run(*command, "--markdown")
    text = server.printed.pop()
    assert text.startswith(MARKER.format(system="Small"))
    assert (
        "at feature**, compared with r3, which its branch left: 2 series are worse, 1 series is better"
        in text
    )
    assert "| +30.0 % | 28.0 to 32.0 % | pack (CPU time) | confirmed |" in text
    assert "@x" not in text
    assert "The middle of all differences of times is +3.0 %" in text
    assert "/app/s/small/compare?since=r3&revision=feature)" in text
    assert server.run(*command, "--markdown") == DONE
    assert server.printed == []
