"""What the page of a region shows of an analysis: chips, the chain, the partition, and what is not known."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import plotly.utils
import pytest

from analytics.configurations.options import Option, OptionSpace
from dashboard.access import NotFound, Principal, access_to, acting, current_principal
from dashboard.models import PerformanceModel, Region, System
from dashboard.pages.lens import Lens
from dashboard.pages.regions import page as regions_page
from dashboard.pages.regions.partition import reading
from dashboard.pages.regions.region import show_region
from dashboard.pages.regions.source import source_view
from dashboard.pages.regions.traced import show_traced
from dashboard.selectors.regions.rows import SourceLine
from dashboard.selectors.whitebox.analyses import region_analysis
from tests.dashboard.pages.test_regions_source import detail
from tests.dashboard.whitebox.stored import FOO, MAIN, WITHOUT_STEPS, stored_analysis
from tests.people import Person


def text(component: Any) -> str:
    said = json.dumps(component, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False)
    return said.replace("\N{NO-BREAK SPACE}", " ")


@pytest.fixture
def acting_alice(alice: Person) -> Iterator[Principal]:
    """Alice's request."""
    token = current_principal.set(alice.principal)
    yield alice.principal
    current_principal.reset(token)


def buttons(component: Any) -> list[dict[str, Any]]:
    """The changes of the lens that a component's buttons make, in their order."""
    found = []
    for child in component._traverse():
        properties = child.to_plotly_json()["props"] if hasattr(child, "to_plotly_json") else {}
        if "data-lens" in properties:
            found.append(json.loads(properties["data-lens"]))
    return found


def test_lines_that_decide_carry_the_options_that_lead_to_their_chains(
    system: System, acting_alice: Principal
) -> None:
    stored_analysis(system)
    traced = region_analysis(system=system, region=FOO)
    found = replace(
        detail(SourceLine(7, "def foo(x):", None), SourceLine(8, "    if x:", 0.01)), traced=traced
    )
    shown = source_view(found, "small", "A", 8, {})
    assert buttons(shown) == [{"option": "B", "line": "8"}, {"option": "A", "line": "8"}]
    said = text(shown)
    assert said.count("source-line-here") == 1
    assert said.count('"aria-pressed": "true"') == 1
    assert "A decides whether this line is reached" in said


def test_a_revision_that_was_not_analyzed_says_so_and_leads_to_where_it_can_be() -> None:
    said = text(source_view(detail(SourceLine(1, "a", None)), "small", "", None, {}))
    assert "this revision was not analyzed" in said
    assert '"/app/s/small/analysis"' in said


def test_the_chain_leads_to_its_lines_and_ends_at_the_decision(
    system: System, acting_alice: Principal
) -> None:
    stored_analysis(system)
    chain, *_ = show_traced(access_to(acting(), "small"), Lens.read({"option": "B", "line": "8"}), FOO)
    said = text(chain)
    assert '"B"' in said
    assert "in 3 steps" in said
    assert "/app/s/small/regions/tiny%3Amain?region=tiny%3Amain&revision=1.0&option=B&line=2" in said
    assert "decides: if" in said
    assert "is not known" not in said
    assert "earlier release" not in said
    stored_analysis(system, sites=WITHOUT_STEPS)
    chain, *_ = show_traced(access_to(acting(), "small"), Lens.read({"option": "B", "line": "8"}), FOO)
    assert "is read to here is not known" in text(chain)
    assert "made by an earlier release" in text(chain)
    assert "Analyze again" in text(chain)


def test_an_option_that_never_reaches_a_region_is_told_with_the_number_of_traced_runs(
    system: System, acting_alice: Principal
) -> None:
    stored_analysis(system)
    chain, partition, _ = show_traced(access_to(acting(), "small"), Lens.read({"option": "C"}), FOO)
    assert "In all 2 traced configurations, C was in no decision of this region" in text(chain)
    assert "never reached, in all 2 traced runs, by" in text(partition)
    assert all(f'"{words}"' in text(partition) for words in ("A off", "A on and B off", "A on and B on"))
    unknown, *_ = show_traced(access_to(acting(), "small"), Lens.read({"option": "Z"}), FOO)
    assert "there is no option 'Z'" in text(unknown).replace("There", "there")


def test_a_partition_is_read_aloud() -> None:
    def told(*formulas: str) -> list[str]:
        return reading(formulas, OptionSpace(tuple(Option(name, (False, True)) for name in "ABC")))

    assert told("!A", "A & !B", "A & B") == ["B does not matter with A off."]
    assert told("!A & !C", "!A & C", "A & !C", "A & C") == [
        "A and C matter everywhere here, and may interact."
    ]
    assert told("!A", "A") == ["A alone decides here."]
    assert told("A | B", "!A & !B") == []


def test_subspaces_come_with_the_times_of_the_model(
    measured: PerformanceModel, acting_alice: Principal
) -> None:
    Region.objects.filter(key="pkg.hot").update(key=MAIN)
    stored_analysis(measured.system, partitions={MAIN: [["!A & !B", "!A & B", "A & !B", "A & B"]]})
    said = text(show_region(access_to(acting(), "small"), Lens.read({}), None, MAIN)[-1])
    assert '"time, ms"' in said
    assert '"40.2"' in said


def test_subspaces_of_another_partition_than_the_figures_have_times_too(
    measured: PerformanceModel, acting_alice: Principal
) -> None:
    """Three of four configurations are in the first one: `not measured` would be untrue."""
    Region.objects.filter(key="pkg.hot").update(key=MAIN)
    stored_analysis(measured.system, partitions={MAIN: [["!A | !B", "A & B"]]})
    said = text(show_region(access_to(acting(), "small"), Lens.read({}), None, MAIN)[-1])
    assert "not measured" not in said
    assert '"40.2"' in said


def test_of_several_partitions_that_of_the_options_that_change_most_stands_first(
    system: System, acting_alice: Principal
) -> None:
    effects = [
        {"region": FOO, "option": name, "moved": moved, "differing": 1}
        for name, moved in (("A", 1), ("B", 8))
    ]
    stored_analysis(system, partitions={FOO: [["!A", "A"], ["!B", "B"]]}, effects=effects, work={FOO: 10})
    _, partition, _ = show_traced(access_to(acting(), "small"), Lens.read({}), FOO)
    assert "This is the one of B." in text(partition)


def test_a_region_that_was_neither_measured_nor_traced_is_not_there(
    measured: PerformanceModel, acting_alice: Principal
) -> None:
    with pytest.raises(NotFound, match="foo"):
        regions_page.layout(access_to(acting(), "small"), FOO, Lens())


def test_a_region_without_times_shows_what_was_traced(system: System, acting_alice: Principal) -> None:
    stored_analysis(system)
    said = text(regions_page.layout(access_to(acting(), "small"), FOO, Lens()))
    assert "2 options reach foo; its time is not known yet" in said
    lines = text(show_traced(access_to(acting(), "small"), Lens.read({}), FOO)[2])
    assert '"if x:"' in lines
    assert '"8"' in lines
