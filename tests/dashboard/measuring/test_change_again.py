"""Both revisions around a change are measured again from the page of its history, and the fits follow."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from analytics.changepoints import Undecided
from dashboard.access import Access, Principal, Refused, access_to
from dashboard.figures.histories_words import scale_of
from dashboard.job_kinds import KINDS
from dashboard.models import Job, OrderPosition, Run
from dashboard.pages.addresses import pair_address
from dashboard.pages.histories import change_measurement
from dashboard.pages.histories.change_measurement import ChangePreview
from dashboard.pages.lens import Lens
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.rows import History
from dashboard.selectors.histories.series import find_series
from dashboard.selectors.histories.triaged import TriagedHistory
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.measuring import MeasuringRequest, plans, start_measuring
from dashboard.services.measuring.plans import change_request
from dashboard.services.subjects import register_subject
from tests.dashboard.measuring.stepper import STEP, commit_of, write_stepper

pytestmark = [
    pytest.mark.database,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("machine", "sent"),
]


@pytest.fixture
def changed(
    tmp_path: Path,
    operator: Principal,
    monkeypatch: pytest.MonkeyPatch,
) -> Access:
    """Stepper, measured at the two commits before its step and the two from it on."""
    monkeypatch.setattr(plans, "RUNS_AGAIN", 3)
    folder = write_stepper(tmp_path / "stepper")
    access = access_to(operator, register_subject(principal=operator, folder=folder))
    commits = tuple(commit_of(folder, number) for number in range(STEP - 2, STEP + 2))
    request = MeasuringRequest(revisions=commits, repetitions=2, profile=False, counts=False)
    run_job(job_id=start_measuring(access=access, request=request), kinds=KINDS)
    return access


def history_of(access: Access) -> History:
    series = find_series(system=access.system)
    return get_history(system=access.system, series_id=series.series_id)


def test_one_click_measures_both_revisions_in_turns_and_queues_the_fits(
    changed: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = history_of(changed)
    (change,) = history.changes
    offer = change_measurement.again_offer(changed, history)
    assert (offer.words.partition(",")[0].replace("\N{NO-BREAK SPACE}", " "), offer.refusal) == (
        "6 runs in turns",
        "",
    )
    button: Any = change_measurement.again_button(change, offer)
    monkeypatch.setattr(change_measurement, "ctx", SimpleNamespace(triggered_id=button.children[0].id))
    said, *_ = change_measurement.measure_again(changed, lens=Lens())
    assert "Sent to the worker" in str(said)
    job = Job.objects.latest("pk")
    assert job.title == "Measure Stepper again: 1 configuration × 2 revisions × 3 repetitions"
    assert run_job(job_id=job.pk, kinds=KINDS) is JobOutcome.DONE
    made = Run.objects.filter(batch__source=f"job {job.pk}").order_by("pk")
    names = list(made.values_list("revision__name", flat=True))
    assert [set(pair) for pair in zip(names[::2], names[1::2], strict=True)] == [
        {change.before.name, change.after.name}
    ] * 3
    assert Job.objects.filter(kind="fit histories", system=changed.system).exists()
    again_at = {point.revision: point.n for point in history_of(changed).points}
    assert again_at[change.before.name] == again_at[change.after.name] == 5


def test_what_may_be_an_outlier_is_measured_again_by_one_click(changed: Access) -> None:
    """Where every revision was measured nothing is left beside it that could decide."""
    history = history_of(changed)
    second = history.points[1].position
    odd = replace(history, changes=(), undecided=(Undecided(second, second, 0.35),))
    told = TriagedHistory((), ())
    said = str(change_measurement.changes_with_buttons(changed, odd, scale_of(odd), {}, told))
    assert "differs from its neighbours: measure it again to decide" in said
    assert "Measure it and the one beside it again" in said
    ids = {place.position: place.revision_id for place in history.order.revisions}
    pair = {"before": ids[history.points[0].position], "after": ids[second]}
    assert str(pair)[1:-1] in said
    first = history.points[0].position
    without_second = (history.points[0], *history.points[2:])
    gap = replace(odd, points=without_second, undecided=(Undecided(first, first, 0.35),))
    said = str(change_measurement.changes_with_buttons(changed, gap, scale_of(gap), {}, told))
    assert "measure a revision beside it to decide" in said


def test_where_a_history_is_too_short_it_leads_to_the_comparison_of_the_last_two(changed: Access) -> None:
    """That page may tell a difference: it compares two revisions by their repetitions alone."""
    short = replace(history_of(changed), changes=(), enough_data=False)
    said = str(
        change_measurement.changes_with_buttons(changed, short, scale_of(short), {}, TriagedHistory((), ()))
    )
    assert "Too few measurements to claim or deny any change." in said
    before, after = (point.revision for point in short.measured[-2:])
    assert pair_address(changed.slug, before, after) in said


def test_what_cannot_be_measured_here_says_what_is_missing(changed: Access) -> None:
    history = history_of(changed)
    benchmark = replace(history.series, kind="benchmark")
    with pytest.raises(Refused, match="benchmark runs where they came from"):
        change_request(access=changed, series=benchmark, revisions=(1, 2))
    # As after an import: who presses has them listed.
    OrderPosition.objects.update(listed=False)
    asked = change_measurement.again_offer(changed, history)
    assert asked == ChangePreview("Both in turns; the source is asked for its revisions first.")
    assert change_measurement.again_button(history.changes[0], asked) is not None
    OrderPosition.objects.update(listed=True)
    Job.objects.update(checkpoint={})
    assert change_measurement.again_offer(changed, history).words.endswith(
        "runs made here are a history of their own."
    )
    changed.system.subject.delete()
    offer = change_measurement.again_offer(access_to(changed.principal, changed.slug), history)
    assert (offer.words, offer.refusal[:24]) == ("", "No subject is registered")
    assert change_measurement.again_button(history.changes[0], offer) is None
