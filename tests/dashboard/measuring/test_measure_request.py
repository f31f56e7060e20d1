"""What the form says, as a request and in words."""

import pytest

from dashboard.pages.components.text import about
from dashboard.pages.measure.request import in_words, request_of
from dashboard.pages.measure.start import unfold
from dashboard.selectors.job_columns import MeasuringRequest
from dashboard.services.measuring.plans import PlanPreview, RequestInvalid

_VALUES: dict[str, object] = {
    "configurations": "default",
    "analysis": None,
    "options": [],
    "written": None,
    "revisions": "latest",
    "every": 5,
    "first": "1.0",
    "last": "3.0",
    "chosen": [],
    "repeating": "fixed",
    "most": 10,
    "half_width": 2,
    "repetitions": 5,
    "workload": "regular",
    "profile": True,
    "counts": False,
    "environment": "",
}


def _request(**values: object) -> MeasuringRequest:
    return request_of(_VALUES | values)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"configurations": "default"}, ("default",)),
        ({"configurations": "pair-wise"}, ("pair-wise",)),
        ({"configurations": "analysis"}, ("analysis",)),
        ({"configurations": "analysis", "analysis": "2.0"}, ("analysis=2.0",)),
        ({"configurations": "over", "options": ["a", "b"]}, ("only=a,b",)),
        ({"configurations": "written", "written": "default\n\n a=on,b=off \n"}, ("default", "a=on,b=off")),
    ],
)
def test_configurations_become_words_of_a_selection(
    values: dict[str, object], words: tuple[str, ...]
) -> None:
    """The same words as in the terminal."""
    assert _request(**values).configurations == words


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"revisions": "latest"}, ("latest",)),
        ({"revisions": "all"}, ("all",)),
        ({"revisions": "every", "every": 3}, ("every=3",)),
        ({"revisions": "range"}, ("1.0..3.0",)),
        ({"revisions": "chosen", "chosen": ["1.0", "2.0"]}, ("1.0", "2.0")),
    ],
)
def test_revisions_become_words_of_a_selection(values: dict[str, object], words: tuple[str, ...]) -> None:
    """The same words as in the terminal."""
    assert _request(**values).revisions == words


def test_runs_that_only_count_are_told_apart() -> None:
    said = in_words(PlanPreview(4, 2, 3, 24, 0, None, countings=8)).replace("\N{NO-BREAK SPACE}", " ")
    assert said.endswith("= 24 runs, and 8 that count")


def test_counting_is_asked_for_or_not_and_the_subject_decides_until_somebody_says() -> None:
    assert [_request(counts=said).counts for said in (True, False, None)] == [True, False, None]


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("configurations", {"configurations": "over", "options": None}),
        ("configurations", {"configurations": "written", "written": " \n"}),
        ("revisions", {"revisions": "every", "every": ""}),
        ("revisions", {"revisions": "every", "every": 0}),
        ("revisions", {"revisions": "range", "first": None}),
        ("revisions", {"revisions": "chosen", "chosen": []}),
        ("repetitions", {"repetitions": ""}),
        ("repetitions", {"repetitions": 2.5}),
        ("repetitions", {"repetitions": None}),
        ("most", {"repeating": "needed", "most": ""}),
        ("most", {"repeating": "needed", "most": 2}),
        ("half_width", {"repeating": "needed", "half_width": ""}),
        ("half_width", {"repeating": "needed", "half_width": 0}),
    ],
)
def test_an_empty_input_is_told_at_its_field(field: str, values: dict[str, object]) -> None:
    """In words that say what to do."""
    with pytest.raises(RequestInvalid) as refused:
        _request(**values)
    assert refused.value.field == field


def test_the_rest_is_passed_on() -> None:
    request = _request(repetitions=3, workload="small", profile=False)
    assert (request.repetitions, request.workload, request.profile) == (3, "small", False)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(None, "not known"), (0.2, "about 1 s"), (59.5, "about 60 s"), (90, "about 2 min"), (7201, "about 2 h")],
)
def test_a_time_is_told_roughly(seconds: float | None, words: str) -> None:
    assert words in about(seconds).replace("\N{NO-BREAK SPACE}", " ")


def test_repetitions_as_needed_are_two_numbers_and_a_width() -> None:
    request = _request(repeating="needed", most=8, half_width=1.5)
    assert (request.repetitions, request.half_width) == ((3, 8), 0.015)


@pytest.mark.parametrize(("expected", "end"), [(50, "; about 50 expected"), (None, "")])
def test_a_preview_as_needed_has_bounds_and_what_is_expected(expected: int | None, end: str) -> None:
    preview = PlanPreview(12, 1, 10, 120, 0, None, least=3, expected=expected)
    said = in_words(preview).replace("\N{NO-BREAK SPACE}", " ")
    assert said == f"12 configurations × 1 revision × 3 to 10 repetitions: between 36 and 120 runs{end}"


def test_a_preview_is_a_product() -> None:
    preview = PlanPreview(
        configurations=4, revisions=1, repetitions=3, runs=12, new_revisions=0, seconds=None
    )
    said = in_words(preview).replace("\N{NO-BREAK SPACE}", " ")
    assert said == "4 configurations × 1 revision × 3 repetitions = 12 runs"


def test_inputs_unfold_below_the_choices_that_need_them() -> None:
    rest, fixed = ("none", "none"), ("none", "block")
    assert unfold("over", "latest", "") == ("none", "block", "none", "none", "none", "none", *rest)
    assert unfold("written", "range", "") == ("none", "none", "block", "none", "flex", "none", *rest)
    assert unfold("default", "every", "needed") == (
        "none",
        "none",
        "none",
        "block",
        "none",
        "none",
        "flex",
        "none",
    )
    assert unfold("analysis", "all", "fixed") == ("block", "none", "none", "none", "none", "none", *fixed)
