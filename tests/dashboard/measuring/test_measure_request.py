"""What the form says, as a request and in words."""

import pytest

from dashboard.pages.components.text import about
from dashboard.pages.measure.request import in_words, request_of
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
    "repetitions": 5,
    "workload": "regular",
    "profile": True,
    "counts": False,
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


def test_a_preview_is_a_product() -> None:
    preview = PlanPreview(
        configurations=4, revisions=1, repetitions=3, runs=12, new_revisions=0, seconds=None
    )
    said = in_words(preview).replace("\N{NO-BREAK SPACE}", " ")
    assert said == "4 configurations × 1 revision × 3 repetitions = 12 runs"
