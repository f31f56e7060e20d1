"""Evaluating approaches: what is read, stored, refused and told."""

import json
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from analytics.evaluation import ApproachRow, ApproachSettings, sampling_title
from dashboard.access import Forbidden, NotFound, Permission, Principal, Refused, access_to
from dashboard.celery import app
from dashboard.figures.approaches_words import notes
from dashboard.job_kinds import KINDS
from dashboard.models import Job, Measurement, ModelEvaluation, Run, System
from dashboard.selectors.evaluations import (
    active_evaluations,
    chosen_evaluation,
    evaluation_titles,
    find_evaluation,
)
from dashboard.selectors.measured_systems import evaluation_contexts, find_context
from dashboard.services import data_versions
from dashboard.services.evaluation import ApproachRequest, start_evaluation
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.reports.views import freeze_view
from studies.evaluation.approach_jobs import evaluate
from studies.evaluation.measured_systems import measured_system
from tests.people import Person

QUICK = ApproachRequest(
    settings=ApproachSettings(
        samplings=("feature-wise",), sizes=(20,), learners=("linear", "stepwise"), seeds=2, test=20
    )
)


def test_an_evaluation_is_stored_and_read_back_as_it_was(wide: System, operator: Principal) -> None:
    told: list[float] = []
    key = evaluate(access_to(operator, "small"), QUICK, report=lambda share, _: told.append(share))
    view = find_evaluation(access_to(operator, "small").system, key)
    assert chosen_evaluation(access_to(operator, "small").system, "") == view
    assert view.settings == QUICK.settings
    assert (view.evaluation.measured, view.evaluation.valid, view.evaluation.test) == (64, 64, 20)
    assert [(row.sampling_title, row.learner_title) for row in view.evaluation.rows] == [
        ("20 at random", "linear"),
        ("20 at random", "stepwise with interactions"),
        ("feature-wise", "linear"),
        ("feature-wise", "stepwise with interactions"),
    ]
    alone = view.evaluation.rows[2]
    assert (alone.configurations, alone.executions, len(alone.errors)) == (6, 12, 2)
    assert alone.seconds_once == 15 + 13 + 4 * 10
    assert alone.machine_seconds == 2 * (15 + 13 + 4 * 10)
    assert told == sorted(told)
    assert told[-1] == 1.0
    (part,) = freeze_view(access=access_to(operator, "small"), view="approaches", lens={}).sections
    errors = {row.error for row in view.evaluation.rows if row.error is not None}
    assert {row[2] for row in part.rows} == errors
    assert part.figure is not None


def test_the_same_settings_again_take_the_place_of_the_old_rows(wide: System, operator: Principal) -> None:
    evaluate(access_to(operator, "small"), QUICK)
    data_versions.bump(system=wide)
    old = chosen_evaluation(access_to(operator, "small").system, "")
    assert old is not None
    assert not old.is_current
    evaluate(access_to(operator, "small"), QUICK)
    new = chosen_evaluation(access_to(operator, "small").system, str(old.evaluation_id))
    assert new is not None
    assert new.is_current


def test_invalid_runs_and_values_of_zero_do_not_count(wide: System, operator: Principal) -> None:
    Run.objects.filter(configuration__identity=f"{63:064d}").update(invalid_reason="disturbed")
    Measurement.objects.filter(run__configuration__identity=f"{62:064d}").update(value=0.0)
    place = find_context(access_to(operator, "small").system)
    measured, left_out = measured_system(wide, place)
    assert (place.configurations, len(measured.values), left_out) == (63, 62, 1)


def test_a_place_is_found_by_metric_and_revision(wide: System, operator: Principal) -> None:
    (only,) = evaluation_contexts(access_to(operator, "small").system)
    for metric in ("", "time", "time:wall"):
        assert find_context(access_to(operator, "small").system, metric=metric, revision="1.0") == only
    with pytest.raises(NotFound, match=r"no metric 'memory' .* metrics are time:wall; revisions 1\.0"):
        find_context(access_to(operator, "small").system, metric="memory")


def test_a_system_without_measurements_is_refused(system: System, operator: Principal) -> None:
    with pytest.raises(NotFound, match="no end-to-end measurements of more than one configuration"):
        evaluate(access_to(operator, "small"), QUICK)


def test_a_viewer_reads_and_an_editor_evaluates(
    wide: System, vera: Person, bob: Person, charlie: Person
) -> None:
    assert access_to(bob.principal, "small").allows(Permission.EDIT)
    assert not access_to(vera.principal, "small").allows(Permission.EDIT)
    with pytest.raises(Forbidden):
        start_evaluation(access_to(vera.principal, "small"), QUICK)
    with pytest.raises(NotFound):
        evaluation_titles(access_to(charlie.principal, "small").system)
    evaluate(access_to(bob.principal, "small"), QUICK)
    assert len(evaluation_titles(access_to(vera.principal, "small").system)) == 1


# The heartbeat looks at the job from another connection: it must be committed.
@pytest.mark.django_db(transaction=True)
def test_a_job_evaluates_and_is_seen_while_it_is_active(
    wide: System, bob: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "send_task", lambda *_, **__: None)
    job_id = start_evaluation(access_to(bob.principal, "small"), QUICK)
    (active,) = active_evaluations(access_to(bob.principal, "small"))
    assert active.id == job_id
    assert run_job(job_id=job_id, kinds=KINDS) is JobOutcome.DONE
    assert active_evaluations(access_to(bob.principal, "small")) == ()
    assert Job.objects.get(pk=job_id).result == {"comparison": ModelEvaluation.objects.get().pk}


def test_unknown_names_are_refused_before_anything_is_queued(wide: System, operator: Principal) -> None:
    wrong = ApproachRequest(settings=ApproachSettings(learners=("oracle",)))
    with pytest.raises(Refused, match="no learner is called 'oracle'"):
        start_evaluation(access_to(operator, "small"), wrong)
    assert not Job.objects.exists()


def _run(*arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("approaches", "small", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


SHORT = (
    "--seeds",
    "2",
    "--test",
    "20",
    "--sizes",
    "20,40",
    "--samplings",
    "pair-wise",
    "--learners",
    "linear",
)


def test_the_command_prints_a_table_and_tells_its_progress_apart(wide: System) -> None:
    out, err = _run(*SHORT)
    assert "Small 1.0, regular: wall time, test machine" in out
    assert "64 of 64 configurations measured" in out
    assert "pair-wise     linear" in out
    assert "terms ≥ 140 ms" in out
    assert "100%" in err
    assert "100%" not in out


def test_the_command_prints_json_for_machines(wide: System) -> None:
    out, _ = _run(*SHORT, "--json")
    rows = json.loads(out)["comparison"]["rows"]
    assert {row["sampling"] for row in rows} == {"random-20", "random-40", "pair-wise"}
    assert all(row["median"] is not None for row in rows)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--sizes", "many"), "--sizes 'many': give numbers separated by commas"),
        (("--learners", "oracle"), "no learner is called 'oracle'"),
        (("--samplings", "random-0"), "no sampling is called 'random-0'"),
        (("--test", "64"), "64 test configurations of 64 measured ones"),
        (("--revision", "9.9"), "at revision '9.9'"),
    ],
)
def test_bad_input_ends_the_command_with_2(wide: System, arguments: tuple[str, ...], words: str) -> None:
    with pytest.raises(CommandError, match=words) as refused:
        _run(*arguments)
    assert refused.value.returncode == 2
    assert not ModelEvaluation.objects.exists()


def test_approaches_have_words() -> None:
    assert sampling_title("random-200") == "200 at random"
    assert sampling_title("t-wise-3") == "3-wise"
    row = ApproachRow("profiled", "composed-corrected", True, True, 1, 0)
    assert row.learner_title == "composed of regions, corrected"


def test_evaluations_are_listed_by_name_without_their_rows(wide: System, operator: Principal) -> None:
    evaluate(access_to(operator, "small"), QUICK)
    with CaptureQueriesContext(connection) as asked:
        (title,) = evaluation_titles(access_to(operator, "small").system).values()
    assert title == "1.0, regular: wall time; 20 at random; 2 test sets of 20"
    listing = asked.captured_queries[-1]["sql"]
    assert ', "dashboard_modelevaluation"."payload"' not in listing


def test_options_that_never_varied_are_told(wide: System, operator: Principal) -> None:
    off = [str(number).zfill(64) for number in range(64) if number >> 5 & 1]
    Run.objects.filter(configuration__identity__in=off).update(invalid_reason="disturbed")
    evaluate(
        access_to(operator, "small"), QUICK.model_copy(update={"settings": replace(QUICK.settings, test=10)})
    )
    view = chosen_evaluation(access_to(operator, "small").system, "")
    assert view is not None
    assert (view.evaluation.measured, view.evaluation.valid) == (32, 32)
    assert notes(view)[0] == "Never varied in what was measured, so held fixed: o5 off."
    assert [row.wanted for row in view.evaluation.rows if row.sampling == "feature-wise"] == [5, 5]
