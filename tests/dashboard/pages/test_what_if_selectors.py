"""What a configuration would take, the best single changes, and the best there is: in rows and in the terminal."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from dashboard.access import NotFound, Principal, access_to
from dashboard.models import PerformanceModel, System
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.what_if import recommendations, what_if


def printed(*arguments: str) -> str:
    """What a command prints to standard output."""
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def as_json(*arguments: str) -> Any:
    """What a command prints as JSON."""
    return json.loads(printed(*arguments, "--json"))


def test_a_configuration_is_predicted_beside_what_was_measured(
    measured: PerformanceModel, operator: Principal
) -> None:
    told = what_if(access=access_to(operator, "small"), selection=Selection(compared="A*B"))
    assert told.found.target_time is not None
    assert told.found.target_time.value == pytest.approx(0.0803, abs=1e-6)
    assert told.found.target_time.margin is not None
    assert told.found.target_measured == pytest.approx(0.080)
    assert told.violated is None


def test_without_a_comparison_it_is_the_configuration_that_the_page_opens_with(
    measured: PerformanceModel,
    operator: Principal,
) -> None:
    told = what_if(access=access_to(operator, "small"), selection=Selection())
    assert told.found.target is not None
    assert told.found.target.name == "default"
    assert told.found.terms == ()


def test_single_changes_come_the_best_first_with_what_they_add(
    measured: PerformanceModel, operator: Principal
) -> None:
    told = what_if(access=access_to(operator, "small"), selection=Selection(compared="A*B"))
    assert [(one.change.option, one.key) for one in told.better] == [("A", "B"), ("B", "A")]
    assert [one.difference.value for one in told.better] == pytest.approx([-0.0401, -0.0301], abs=1e-6)
    assert (told.tried, told.forbidden) == (2, 0)


def test_the_best_and_the_worst_are_those_of_all_combinations(
    measured: PerformanceModel, operator: Principal
) -> None:
    best, worst = recommendations(access=access_to(operator, "small"), selection=Selection())
    assert best is not None
    assert worst is not None
    assert best.configuration.name == "default"
    assert best.measured == pytest.approx(0.040)
    assert worst.configuration.key == "all"


def test_fixed_options_keep_their_level(measured: PerformanceModel, operator: Principal) -> None:
    best, _ = recommendations(
        access=access_to(operator, "small"), selection=Selection(compared="A*B"), fixed=["A"]
    )
    assert best is not None
    assert best.configuration.key == "A"
    with pytest.raises(NotFound, match="no option is called 'C': fix one of A, B"):
        recommendations(access=access_to(operator, "small"), selection=Selection(), fixed=["C"])


def test_where_more_is_better_the_best_is_the_largest(
    measured: PerformanceModel, operator: Principal
) -> None:
    type(measured.region_metric).objects.update(better="higher")
    best, worst = recommendations(access=access_to(operator, "small"), selection=Selection())
    assert best is not None
    assert worst is not None
    assert (best.configuration.key, worst.configuration.name) == ("all", "default")


def test_constraints_hold_for_what_is_recommended(
    measured: PerformanceModel, operator: Principal, modelled: System
) -> None:
    """A and B exclude each other."""
    _, worst = recommendations(access=access_to(operator, "small"), selection=Selection())
    assert worst is not None
    assert worst.configuration.key == "A"
    told = what_if(access=access_to(operator, "small"), selection=Selection(compared="A"))
    assert [one.change.option for one in told.better] == ["A"]
    assert (told.tried, told.forbidden) == (1, 1)


def test_a_violation_stands_at_the_options_that_take_part(
    measured: PerformanceModel, operator: Principal, modelled: System
) -> None:
    told = what_if(access=access_to(operator, "small"), selection=Selection(compared="A*B"))
    assert told.violated is not None
    words = ("A and B exclude each other",)
    assert dict(told.violated.by_option) == {"A": words, "B": words}


def test_predict_prints_the_interval_and_what_was_measured(measured: PerformanceModel) -> None:
    lines = printed("predict", "small", "A=on,B=on", "default").splitlines()
    assert lines[0].startswith("Small ")
    assert "A=on,B=on  80.3 ± " in lines[1].replace("\N{NO-BREAK SPACE}", " ")
    assert "measured 80.0" in lines[1]
    told = as_json("predict", "small", "A=on,B=on")
    assert told["predictions"][0]["configuration"] == {"A": "on", "B": "on"}
    assert told["predictions"][0]["predicted"] == pytest.approx(0.0803, abs=1e-6)
    assert told["regret"] is not None


def test_predict_names_what_is_violated(measured: PerformanceModel, modelled: System) -> None:
    assert "not valid: A and B exclude each other" in printed("predict", "small", "A=on,B=on")
    assert as_json("predict", "small", "A=on,B=on")["predictions"][0]["violated"] == [
        "A and B exclude each other"
    ]


def test_best_names_both_ends_and_single_changes(measured: PerformanceModel) -> None:
    told = as_json("best", "small", "--from", "A=on,B=on", "--fix", "B")
    assert told["best"]["configuration"] == {"B": "on"}
    assert told["worst"]["configuration"] == {"A": "on", "B": "on"}
    assert told["best"]["proven"]
    assert told["fixed"] == ["B"]
    assert [one["option"] for one in told["single_changes"]] == ["A", "B"]
    text = printed("best", "small")
    assert "best   default" in text
    assert "worst  A=on,B=on" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("predict", "small", "C=on"), "no option is called 'C'"),
        (("predict", "small", "A=maybe"), "option A has no level 'maybe'; its levels are off, on"),
        (("best", "small", "--fix", "C"), "no option is called 'C'"),
        (("best", "small", "--metric", "memory"), "no model for metric memory"),
        (("best", "nothing"), "nothing"),
    ],
)
def test_what_is_not_there_is_refused_with_a_word(
    measured: PerformanceModel, arguments: tuple[str, ...], said: str
) -> None:
    with pytest.raises(CommandError, match=said) as error:
        printed(*arguments)
    assert error.value.returncode == 2


def test_the_front_of_two_metrics_leaves_out_what_is_worse_in_both(remembered: PerformanceModel) -> None:
    """A is slower and smaller; B costs memory for nothing."""
    told = as_json("best", "small", "--metric", "time", "--against", "memory")
    assert [one["configuration"] for one in told["front"]] == [{}, {"A": "on"}]
    assert [one["predicted"][1] for one in told["front"]] == pytest.approx([100.0, 50.0])
    text = printed("best", "small", "--metric", "time", "--against", "memory", "--from", "B=on", "--fix", "B")
    assert "2 configurations, none better in both" in text
    assert "A=on,B=on" in text


def test_a_metric_is_not_held_against_itself(remembered: PerformanceModel) -> None:
    with pytest.raises(CommandError, match="'time' is the metric itself"):
        printed("best", "small", "--metric", "time", "--against", "time")
