"""The links of an analysis say the same with each name kept once as they did with each site, and no file says more than it may."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from analytics.whitebox.evidence import StepFlow
from analytics.whitebox.result import WhiteBoxResult
from analytics.whitebox.step_flows import StepFlows, joined_links

EMPTY = WhiteBoxResult.of_options(("A", "B", "C")).as_json()
NAMES = st.sampled_from(["", "m:f 1:4:if", "m:f 2:4:call", "m:g 7", "m:h 7:0:assignment", "m:größe 9"])
OPTIONS = st.lists(st.sampled_from("ABC"), unique=True).map(lambda names: tuple(sorted(names)))
LINKS = st.builds(
    StepFlow, NAMES, NAMES, NAMES, OPTIONS, st.lists(NAMES, max_size=3).map(tuple), st.booleans()
)
OF_SITES = st.lists(st.lists(LINKS, max_size=5).map(tuple), max_size=5)


def site(line: int) -> dict[str, Any]:
    """A step of m:f on a line of its own."""
    words = {"region": "m:f", "file": "m.py", "kind": "assignment", "text": "a = b", "writes": "m:f:a"}
    return {**words, "line": line, "column": 4, "reads": ["b"], "data": ["A"]}


def as_before(links: Sequence[Sequence[StepFlow]]) -> dict[str, Any]:
    """A result with links as earlier releases wrote it: those of a site with the site, defaults left out."""
    sites = [
        {**site(line), "earlier": [_as_before(one) for one in own]} if own else site(line)
        for line, own in enumerate(links, 1)
    ]
    return {**EMPTY, "sites": sites}


def _as_before(one: StepFlow) -> dict[str, Any]:
    return {name: value for name, value in asdict(one).items() if value or name not in {"calls", "decided"}}


def read(words: dict[str, Any]) -> WhiteBoxResult:
    return WhiteBoxResult.model_validate_json(json.dumps(words))


def links_of(result: WhiteBoxResult) -> list[tuple[StepFlow, ...]]:
    return [result.flows.to(at) for at in range(len(result.sites))]


@given(OF_SITES)
def test_what_earlier_releases_wrote_with_each_site_is_kept_link_by_link(
    links: list[tuple[StepFlow, ...]],
) -> None:
    old = read(as_before(links))
    assert links_of(old) == links
    written = old.as_json()
    assert not any("earlier" in one for one in written["sites"])
    again = read(written)
    assert (again, again.as_json()) == (old, written)
    assert links_of(again) == links


@given(OF_SITES)
def test_each_name_group_and_way_is_kept_once(links: list[tuple[StepFlow, ...]]) -> None:
    flows = StepFlows.of(links)
    ways = [tuple(way) for way in flows.calls]
    for table in (flows.names, flows.options, ways):
        assert len(set(table)) == len(table)
    assert len(flows) == sum(map(len, links))


@given(OF_SITES, OF_SITES)
def test_links_of_two_runs_are_joined_site_by_site(
    first: list[tuple[StepFlow, ...]], second: list[tuple[StepFlow, ...]]
) -> None:
    joined = read(as_before(first)).with_run(read(as_before(second)))
    shorter = min(len(first), len(second))
    both = [joined_links(*pair) for pair in zip(first, second, strict=False)]
    assert links_of(joined) == [*both, *first[shorter:], *second[shorter:]]
    assert [one.line for one in joined.sites] == list(range(1, len(joined.sites) + 1))


def test_of_the_same_step_each_option_is_told_once_by_the_calls_that_were_seen_first() -> None:
    seen = StepFlow("m:g 7", "m:f 1:4:if", "", ("A",), calls=("m:f 2:4:call",))
    later = StepFlow("m:g 7", "m:f 1:4:if", "", ("A", "B"))
    decided = StepFlow("m:g 7", "m:f 1:4:if", "", ("A",), decided=True)
    left = StepFlow("m:g 7", "m:f 1:4:if", "", ("B",))
    assert joined_links([decided, seen], [later, seen]) == (seen, left, decided)


def test_a_result_without_links_is_written_as_it_was() -> None:
    words = as_before([(), ()])
    assert not read(words).flows
    assert read(words).as_json() == words
    assert links_of(read(words)) == [(), ()]


ONE = StepFlows.of([[StepFlow("m:g 7", "", "", ("A",), calls=("m:f 2:4:call",))]]).model_dump(mode="json")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"places": [3]}, "a position points at nothing"),
        ({"calls": [[3]]}, "a position points at nothing"),
        ({"groups": [1]}, "a position points at nothing"),
        ({"routes": [1]}, "a position points at nothing"),
        ({"decided": [2]}, "a position points at nothing"),
        ({"callers": []}, "not as many entries as `ends`"),
        ({"ends": [0]}, "not as many entries as `ends`"),
        ({"ends": [2, 1]}, "does not ascend"),
        ({"ends": [0, 1, 1]}, "sites that are none"),
        ({"called": [-1]}, "greater than or equal to 0"),
        ({"called": [2**32]}, "less than or equal to 4294967295"),
        ({"called": ["0"]}, "valid integer"),
    ],
)
def test_links_that_cannot_be_are_refused(changes: dict[str, Any], told: str) -> None:
    words = as_before([(), ()])
    assert read({**words, "flows": ONE}).flows
    with pytest.raises(ValidationError, match=told):
        read({**words, "flows": {**ONE, **changes}})


def test_links_that_stand_in_both_forms_are_refused() -> None:
    words = as_before([(StepFlow("", "", "", ("A",)),)])
    with pytest.raises(ValidationError, match="and with the sites"):
        read({**words, "flows": ONE})
