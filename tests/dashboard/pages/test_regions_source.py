"""The source of a region as its page shows it, and its versions."""

import json
from dataclasses import replace
from typing import Any

import plotly.utils

from dashboard.pages.regions.source import MOST_LINES, source_view, versions_view
from dashboard.selectors.model_rows import ChosenConfiguration, Estimate
from dashboard.selectors.regions.rows import RegionDetail, RegionSource, SourceLine, VersionRow
from tests.dashboard.influences_samples import ANALYSIS, DEFAULT

VERSIONS = (
    VersionRow("0.9", "pkg/hot.py", 8, 10, changed=False, has_source=True),
    VersionRow("1.0", "pkg/hot.py", 10, 12, changed=True, has_source=True),
    VersionRow("1.1", "pkg/hot.py", 10, 12, changed=False, has_source=True),
)


def detail(*lines: SourceLine, program: bool = False) -> RegionDetail:
    source = (
        RegionSource(VERSIONS[1], lines, ChosenConfiguration("A", "", (("A", "on"),)), "MIT")
        if lines
        else None
    )
    return RegionDetail(
        model=ANALYSIS,
        base=DEFAULT,
        key="pkg.hot",
        name="Thing.hot(I)V",
        is_program=program,
        time=Estimate(0.03),
        share=0.3,
        terms=(),
        options=(),
        subspaces=(),
        versions=VERSIONS,
        source=source,
    )


def seen(found: RegionDetail) -> Any:
    return source_view(found, "small", "", None, {})


def text(component: Any) -> str:
    said = json.dumps(component, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False)
    return said.replace("\N{NO-BREAK SPACE}", " ")


def test_lines_lose_their_common_indentation_and_carry_their_time() -> None:
    said = text(
        seen(
            detail(
                SourceLine(10, "    def hot(a):", None),
                SourceLine(11, "        work()", 0.020),
                SourceLine(12, "", None),
                SourceLine(13, "        more()", 0.010),
            )
        )
    )
    assert '"def hot(a):"' in said
    assert '"    work()"' in said
    assert '"20.0 ms"' in said
    assert "Time of each line with A on: 30.0 ms in all" in said
    assert "Licence of this source" in said
    assert '"MIT"' in said
    assert said.count("--heat") == 2


def test_the_hottest_line_is_the_hottest() -> None:
    said = text(seen(detail(SourceLine(1, "a", 0.020), SourceLine(2, "b", 0.010))))
    assert said.index('"--heat": "46%"') < said.index('"--heat": "23%"')


def test_a_long_function_is_cut_and_says_so() -> None:
    said = text(seen(detail(*(SourceLine(n, "x", None) for n in range(MOST_LINES + 7)))))
    assert "7 more lines are not shown" in said
    assert "No line was seen by the profiler" in said


def test_without_source_the_page_says_what_is_known() -> None:
    said = text(seen(detail()))
    assert "No source in these data" in said
    assert "Thing.hot" in said
    assert "(I)V" in said
    assert "Not one function" in text(seen(detail(program=True)))


def steps(component: Any) -> dict[str, Any]:
    """The buttons of a component that step to a neighbour, by their direction."""
    found = {}
    for child in component._traverse():
        properties = child.to_plotly_json()["props"] if hasattr(child, "to_plotly_json") else {}
        if "data-step" in properties:
            found[properties["data-step"]] = properties
    return found


def test_versions_lead_to_their_revisions_and_to_the_neighbours() -> None:
    shown = versions_view(VERSIONS, "1.0")
    assert "3 revisions, 2 different bodies" in text(shown)
    neighbours = steps(shown)
    assert json.loads(neighbours["previous"]["data-lens"]) == {"revision": "0.9"}
    assert json.loads(neighbours["next"]["data-lens"]) == {"revision": "1.1"}
    assert versions_view((), "1.0") is None


def test_revisions_of_one_body_stand_in_one_row() -> None:
    shown = text(versions_view(VERSIONS, "1.0"))
    assert shown.count('"Tr"') == 3
    same = tuple(replace(one, changed=False) for one in VERSIONS)
    alone = text(versions_view(same, "1.0"))
    assert "3 revisions, always the same body" in alone
    assert '"Tr"' not in alone


def test_the_ends_have_no_neighbour() -> None:
    assert steps(versions_view(VERSIONS, "0.9"))["previous"]["disabled"]
    assert steps(versions_view(VERSIONS, "1.1"))["next"]["disabled"]
