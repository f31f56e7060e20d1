"""What speaks for and against an analysis on its pages: counts, scattering times, regions by options."""

import json
from dataclasses import replace
from typing import Any

import plotly.utils
import pytest

from dashboard.access import Principal, access_to, acting
from dashboard.management.analysis_output import analysis_in_words
from dashboard.models import (
    Configuration,
    CountedRun,
    CountSites,
    Environment,
    PerformanceModel,
    Region,
    RegionMeasurement,
    RegionPartition,
    System,
)
from dashboard.pages.influences.term import panel_of
from dashboard.pages.lens import Lens
from dashboard.pages.overview import page as overview_page
from dashboard.pages.regions import page as regions_page
from dashboard.pages.regions.chips import outcome_counts
from dashboard.pages.regions.tables import regions_table
from dashboard.pages.regions.traced import show_traced
from dashboard.pages.whitebox import page as analysis_page
from dashboard.selectors.counts import OutcomeCount, line_outcomes, pack_counts, pack_sites
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.regions.measured import regions
from dashboard.selectors.regions.rows import filtered
from dashboard.selectors.whitebox.analyses import subspace_spread, white_box_detail
from tests.dashboard.whitebox.stored import FOO, MAIN, stored_analysis


def text(component: Any) -> str:
    said = json.dumps(component, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False)
    return said.replace("\N{NO-BREAK SPACE}", " ")


@pytest.fixture
def partitioned(measured: PerformanceModel) -> PerformanceModel:
    """The measured system, with the partition A of its region, which is `tiny:main`."""
    Region.objects.filter(key="pkg.hot").update(key=MAIN)
    PerformanceModel.objects.update(kind=PerformanceModel.Kind.PARTITIONED)
    RegionMeasurement.objects.filter(region__key=MAIN, value__lt=0.001).update(value=0.001)
    formulas = {True: ["True"], False: ["!A", "A"]}
    for region in Region.objects.all():
        RegionPartition.objects.create(model=measured, region=region, formulas=formulas[region.is_program])
    stored_analysis(measured.system)
    return PerformanceModel.objects.get()


def difference(*options: str) -> dict[str, Any]:
    """What an analysis stores of two runs of foo whose counts differ."""
    return {
        "region": FOO,
        "options": list(options),
        "known": ["A", "B"],
        "line": 8,
        "column": 4,
        "kind": "if",
        "counts": [2, 5],
        "levels": [{"A": "on", "B": "off"}, {"A": "on", "B": "on"}],
    }


def test_what_counts_prove_and_what_remains_is_told_with_its_evidence(
    system: System, acting_alice: Principal
) -> None:
    stored_analysis(system, missed=[difference("C")], unexplained=[difference("C", "D")])
    said = text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[3])
    assert "1 statement may depend on more" in said
    assert "known of the statement" in said
    assert "Counts added 1 dependency that taints missed" in said
    assert "line 8: 2 times true with A, 5 with A + B" in said
    partition = text(show_traced(access_to(acting(), "small"), Lens.read({}), FOO)[1])
    assert "A statement may depend on more than A and B (C or D): line 8" in partition
    assert "Counts added C: line 8" in partition


def test_times_within_subspaces_agree_or_are_told(
    partitioned: PerformanceModel, acting_alice: Principal
) -> None:
    """With A on, B adds to what the partition takes for one path: 10 and 40 ms are no CV above 1."""
    spread = subspace_spread(system=System.objects.get(slug="small"), revision="1.0")
    assert spread is not None
    assert spread.wide == ()
    assert "Times agree within subspaces" in text(
        analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[3]
    )
    late = RegionMeasurement.objects.filter(region__key=MAIN).order_by("-value").first()
    assert late is not None
    late.value = 3.0
    late.save()
    PerformanceModel.objects.update(data_version=partitioned.data_version + 1)
    told = subspace_spread(system=System.objects.get(slug="small"), revision="1.0")
    assert told is not None
    assert [(one.region, one.words, one.runs) for one in told.wide] == [(MAIN, "A on", 6)]
    assert "Times scatter in 1 of" in text(
        analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[3]
    )


def test_without_a_model_of_these_partitions_no_times_are_checked(
    measured: PerformanceModel, operator: Principal
) -> None:
    assert subspace_spread(system=System.objects.get(slug="small"), revision="1.0") is None


def test_regions_tell_who_reaches_them_and_are_filtered_by_it(
    partitioned: PerformanceModel, acting_alice: Principal
) -> None:
    found = regions(system=access_to(acting_alice, "small").system, selection=Selection())
    rows = {row.key: (row.reached, row.partitions) for row in found.regions}
    assert rows == {MAIN: (("A",), (("!A", "A"),)), "(program)": ((), ())}
    assert [row.key for row in filtered(found.regions, reached="A")] == [MAIN]
    assert filtered(found.regions, reached="B") == ()
    said = text(
        regions_page.show_regions(access_to(acting_alice, "small"), Lens.read({"reached": "A"}), None)
    )
    assert '"!A  |  A"' in said
    assert "1 of 1 region" in said
    # The formulas of several partitions together are none: configurations are in one of each.
    split = [replace(row, partitions=(("!A", "A"), ("!B", "B"))) for row in found.regions if row.reached]
    assert "split into 2 pairs of options" in text(regions_table(found, split))
    assert "!B" not in text(regions_table(found, split))
    # Of some regions there is none, though others have one.
    without = [replace(row, partitions=()) for row in found.regions]
    assert "split into" not in text(regions_table(found, [*found.regions, *without]))


def test_regions_without_times_lead_to_what_was_found(system: System, acting_alice: Principal) -> None:
    stored_analysis(system)
    said = text(regions_page.layout(access_to(acting(), "small"), "", Lens()))
    assert "2 regions analyzed, not measured yet" in said
    assert '"/app/s/small/analysis"' in said


def test_the_overview_counts_the_regions_that_each_option_reaches(
    measured: PerformanceModel, acting_alice: Principal
) -> None:
    stored_analysis(measured.system)
    said = text(overview_page.layout(access_to(acting(), "small"), "", Lens()))
    assert "2 regions depend on 2 options" in said
    assert "C is read by nothing" in said


def test_lines_tell_how_often_they_went_each_way(measured: PerformanceModel, operator: Principal) -> None:
    place = {"batch": measured.batch, "revision": measured.revision}
    sites = [(MAIN, 3, 4, "if"), (MAIN, 3, 4, "else"), (FOO, 8, 4, "turn")]
    CountSites.objects.create(**place, sites=pack_sites(sites))
    for assignments, counts in (({}, {1: 1}), ({"A": "on"}, {0: 1, 2: 20})):
        CountedRun.objects.create(
            **place,
            configuration=Configuration.objects.get(assignments=assignments),
            workload=measured.workload,
            environment=Environment.objects.get(),
            counts=pack_counts(counts),
        )

    def told(region: str, **levels: str) -> dict[int, tuple[OutcomeCount, ...]]:
        return line_outcomes(
            system=measured.system, region=region, revision="1.0", workload="regular", levels=levels
        )

    assert told(MAIN)[3] == (OutcomeCount("false", 1, 0, 1, 2), OutcomeCount("true", 0, 0, 1, 2))
    assert told(FOO, A="on") == {8: (OutcomeCount("turn", 20, 0, 20, 2),)}
    assert told(FOO, B="on")[8][0].count is None
    assert "20 turns" in text(outcome_counts(told(FOO, A="on")[8], "with A on"))
    assert "0 to 20 turns" in text(outcome_counts(told(FOO, B="on")[8], "with B on"))
    assert "Over 2 counted configurations: turn 0 to 20" in text(outcome_counts(told(FOO)[8], "by default"))
    CountedRun.objects.all().delete()
    assert told(MAIN) == {}


def test_numbers_of_regions_are_the_same_wherever_they_stand(
    measured: PerformanceModel, acting_alice: Principal
) -> None:
    """Dependent regions by the analysis, measured regions by the model; the program region is none of them."""
    stored_analysis(measured.system)
    access = access_to(acting_alice, "small")
    overview = text(overview_page.layout(access, "", Lens()))
    analysis = white_box_detail(system=measured.system)
    assert analysis is not None
    assert len(analysis.regions) == analysis.coverage.regions == 2
    assert "2 regions depend on 2 options" in overview
    assert "decide in 2 regions of Small" in text(analysis_page.show(access, Lens(), None)[0])
    assert "2 regions decide on options" in analysis_in_words(analysis)
    found = regions(system=measured.system, selection=Selection())
    assert len(found.measured) == found.model.regions == 1


def test_a_term_leads_to_the_way_of_each_of_its_options(
    measured: PerformanceModel, acting_alice: Principal
) -> None:
    """To the largest region that the analysis saw it reach; where nothing was analyzed, to the analysis."""
    Region.objects.filter(key="pkg.hot").update(key=FOO, name="foo")
    access = access_to(acting(), "small")
    assert "Analyze the program, to see why" in text(panel_of(access, Lens(), "A", None))
    stored_analysis(measured.system)
    said = text(panel_of(access, Lens(), "A*B", None))
    assert "How A gets to foo" in said
    assert "How B gets to foo" in said
    assert "option=B" in said


def test_the_overview_ranks_options_by_what_counts_prove(
    measured: PerformanceModel, acting_alice: Principal
) -> None:
    effects = [
        {"region": MAIN, "option": "A", "moved": 4, "differing": 1},
        {"region": FOO, "option": "B", "moved": 10, "differing": 2},
    ]
    stored_analysis(measured.system, effects=effects, work={MAIN: 20, FOO: 20})
    said = text(overview_page.layout(access_to(acting(), "small"), "", Lens()))
    assert "2 options change 2 regions" in said
    assert said.index("up to 25 %") < said.index("up to 10 %")
