"""The page of an analysis: what it found, starting one, and going on with one that ended early."""

import json
from typing import Any

import plotly.utils
import pytest
from dash import no_update

from dashboard.access import Principal, access_to, acting
from dashboard.models import Batch, Job, System
from dashboard.pages.lens import Lens
from dashboard.pages.measure import analyze
from dashboard.pages.measure import page as measure_page
from dashboard.pages.whitebox import findings
from dashboard.pages.whitebox import page as analysis_page
from dashboard.services.jobs.queueing import resume
from tests.dashboard.whitebox.stored import FOO, MAIN, stored_analysis

# Configurations that were only counted, by their B, and how that ended.
COUNTED_ONLY = (("off", "ok"), ("on", "failed"))


def text(component: Any) -> str:
    said = json.dumps(component, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False)
    return said.replace("\N{NO-BREAK SPACE}", " ")


def test_the_page_tells_who_reaches_what_and_what_was_not_seen(
    system: System, acting_alice: Principal
) -> None:
    stored_analysis(system)
    sentence, subtitle, _, body, _ = analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)
    assert sentence == "2 of 3 options decide in 2 regions of Small; C is read by nothing".replace(
        "3 options", "3\N{NO-BREAK SPACE}options"
    ).replace("2 regions", "2\N{NO-BREAK SPACE}regions")
    assert "4 of 5 subspaces seen" in text(subtitle)
    # Of what was analyzed elsewhere, only when it came here is known.
    assert "stored just now" in text(subtitle)
    said = text(body)
    for told in (
        FOO,
        MAIN,
        "A & !B",
        "Read by nothing",
        "ValueError: B is broken",
        "tiny.py:9",
        "re.compile",
    ):
        assert told in said
    assert "/app/s/small/regions/tiny%3Afoo?region=tiny%3Afoo&revision=1.0&option=B" in said


def test_a_long_list_of_regions_is_turned_to_its_end(
    system: System, acting_alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored_analysis(system)
    monkeypatch.setattr(findings, "MOST_REGIONS", 1)

    def shown(**lens: str) -> str:
        said = text(analysis_page.show(access_to(acting(), "small"), Lens.read(lens), None)[3])
        return said[said.index("Each formula") : said.index("Read by nothing")]

    first, last = shown(), shown(**{"from": "1"})
    assert "1 to 1 of 2 regions" in first
    assert "2 to 2 of 2 regions" in last
    assert (FOO in first, FOO in last) != (MAIN in first, MAIN in last)
    # An address from a longer list shows the last ones.
    assert shown(**{"from": "40"}) == last


def test_functions_are_filtered_by_the_option_that_reaches_them(
    system: System, acting_alice: Principal
) -> None:
    stored_analysis(system)
    said = text(analysis_page.show(access_to(acting(), "small"), Lens.read({"reached": "B"}), None)[3])
    assert "B decides in 1 region" in said
    assert MAIN not in said
    assert "C is in no decision" in text(
        analysis_page.show(access_to(acting(), "small"), Lens.read({"reached": "C"}), None)[3]
    )


def test_a_run_that_failed_when_it_only_counted_is_not_told_as_traced(
    system: System, acting_alice: Principal
) -> None:
    counted = [
        {"levels": {"A": "off", "B": b}, "status": how, "message": "", "place": "", "seconds": 0.1}
        for b, how in COUNTED_ONLY
    ]
    stored_analysis(system, counted=counted)
    subtitle = text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[1])
    assert "3 configurations traced in about 1 s, 2 counted" in subtitle
    Batch.objects.all().delete()
    stored_analysis(system)
    assert "counted" not in text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[1])


@pytest.mark.parametrize("kind", ["measure", "analyze"])
def test_what_is_shown_moves_with_the_state_of_each_job(
    system: System, acting_alice: Principal, kind: str
) -> None:
    job = Job.objects.create(kind=kind, title="Small", system=system, state="queued")
    queued = analysis_page.watch(access_to(acting(), "small"), None, None, None)[2]
    Job.objects.filter(pk=job.pk).update(state="paused")
    assert analysis_page.watch(access_to(acting(), "small"), None, None, queued)[2] not in (
        queued,
        no_update,
    )


def test_a_revision_that_was_not_analyzed_is_told_with_the_way_back(
    system: System, acting_alice: Principal
) -> None:
    stored_analysis(system)
    said = text(analysis_page.show(access_to(acting(), "small"), Lens.read({"revision": "9"}), None))
    assert "Revision 9 was not analyzed; analyzed were 1.0" in said
    assert "Clear the selection" in said


def test_without_a_subject_the_page_says_how_one_is_registered(
    system: System, acting_alice: Principal
) -> None:
    said = text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None))
    assert "Small was not analyzed yet" in said
    assert "manage.py register FOLDER --system small" in said


@pytest.mark.django_db(transaction=True)
def test_one_button_starts_an_analysis_and_the_page_then_waits_for_it(
    tiny: str, sent: list[int], acting_operator: Principal
) -> None:
    assert '"analysis-start"' in text(analysis_page.show(access_to(acting(), tiny), Lens.read({}), None))
    assert "Those that the analysis traced" not in text(
        measure_page.layout(access_to(acting_operator, tiny), "", Lens())
    )
    assert "on workload small, at most 100 traced runs and 30 minutes" in text(
        analysis_page.show(access_to(acting(), tiny), Lens.read({}), None)
    )
    told, wake, _ = analysis_page.start(access_to(acting(), tiny))
    assert told is None
    assert isinstance(wake, str)
    job = Job.objects.get(kind="analyze")
    assert sent == [job.pk]
    assert (job.parameters["workload"], job.parameters["budget"], job.parameters["minutes"]) == (
        "small",
        100,
        30,
    )
    shown, resting, _ = analysis_page.watch(access_to(acting(), tiny), None, None, None)
    assert not resting
    assert "measure-cancel" in text(shown)
    assert analysis_page.show(access_to(acting(), tiny), Lens.read({}), None)[3] is None


def test_the_form_says_at_its_fields_what_is_wrong(tiny: str, acting_operator: Principal) -> None:
    good = {
        "workload": "small",
        "revision": None,
        "budget": 5,
        "minutes": "",
        "published": False,
        "counts_only": False,
        "reads": False,
        "static": False,
    }

    def errors(**values: Any) -> dict[str, str]:
        return {
            name: said
            for name, said in analyze.start(access_to(acting_operator, tiny), 1, good | values)[2].items()
            if said
        }

    assert "whole number" in errors(budget="")["budget"]
    both = analyze.start(access_to(acting_operator, tiny), 1, good | {"reads": True, "published": True})
    assert "leave out the others" in str(both[0])
    older = analyze.start(access_to(acting_operator, tiny), 1, good | {"reads": True, "static": True})
    assert "one older approach at a time" in str(older[0])
    assert "0 configurations" in errors(budget=0)["budget"]
    assert "too few" in errors(minutes=0)["minutes"]
    assert "no workload 'x'" in errors(workload="x")["workload"]
    assert errors(revision="nowhere")["revision"]
    assert not Job.objects.exists()
    assert "/app/s/tiny/analysis" in text(analyze.start(access_to(acting_operator, tiny), 1, good)[0])
    assert Job.objects.get().parameters["minutes"] is None
    analyze.start(access_to(acting_operator, tiny), 1, good | {"published": True})
    assert [job.parameters["published"] for job in Job.objects.order_by("pk")] == [False, True]


def test_nothing_is_asked_of_the_server_while_a_job_is_paused(
    system: System, acting_alice: Principal
) -> None:
    job = Job.objects.create(kind="analyze", title="Analyze Small", system=system, state="queued")
    assert analysis_page.watch(access_to(acting(), "small"), None, None, None)[1] is False
    Job.objects.filter(pk=job.pk).update(state="paused")
    shown, resting, _ = analysis_page.watch(access_to(acting(), "small"), None, None, None)
    assert "Analyze Small" in text(shown)
    assert resting is True


def test_another_analysis_is_offered_beside_the_first_one_only(
    system: System, acting_alice: Principal
) -> None:
    assert analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[4] is None
    stored_analysis(system)
    assert "New analysis" in text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[4])


def test_what_a_list_leaves_out_is_counted(system: System, acting_alice: Principal) -> None:
    stored_analysis(system, unfollowed={f"code {number}": 1 for number in range(300)})
    said = text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[3])
    assert "294 more" in said
    assert "and 100 more" in said


@pytest.mark.django_db(transaction=True)
def test_an_analysis_that_was_cancelled_goes_on_from_where_it_stood(
    tiny: str, sent: list[int], acting_operator: Principal
) -> None:
    system = System.objects.get(slug=tiny)
    job = Job.objects.create(kind="analyze", title="Analyze Tiny", system=system, state=Job.State.CANCELLED)
    assert "Go on" not in text(analysis_page.watch(access_to(acting(), tiny), None, None, None)[0])
    Job.objects.update(checkpoint={"traced": 3})
    said = text(analysis_page.watch(access_to(acting(), tiny), None, None, None)[0])
    assert "Go on" in said
    assert '"does": "resume"' in said
    resume(principal=acting_operator, job_id=job.pk)
    assert Job.objects.get().state == Job.State.QUEUED
    assert sent == [job.pk]
