"""The false-alarm rate of a system: kept, checked, told, and what it does to histories and their stored fits."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from dashboard.access import Forbidden, Principal, Refused, access_to
from dashboard.models import AuditEntry, Batch, HistoryFit, Job, Revision, Series, System
from dashboard.pages.false_alarms import alarms_card, save
from dashboard.selectors.histories.curves import load_curves
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.series import list_series, searched_together
from dashboard.services.false_alarm_rate import set_false_alarm_rate
from dashboard.services.histories.fits import chunks_to_fit, fit_system
from dashboard.services.imports.importing import import_file
from tests.dashboard.importers import asv_sample as sample
from tests.people import Person

pytestmark = pytest.mark.usefixtures("sent")


@pytest.fixture
def sorting(db: None, operator: Principal, tmp_path: Path) -> System:
    """A small suite, fitted."""
    path = sample.write(sample.stepped(), tmp_path)
    import_file(principal=operator, format_name="asv", path=path, system_name="Sorting")
    fit_system(access=access_to(operator, "sorting"))
    return System.objects.get(slug="sorting")


def test_another_rate_puts_every_stored_fit_out_of_date_and_queues_them(
    sorting: System, operator: Principal
) -> None:
    assert chunks_to_fit(system=sorting) == []
    job = set_false_alarm_rate(access=access_to(operator, "sorting"), percent=0.1)
    assert list(Job.objects.values_list("pk", "kind")) == [(job, "fit histories")]
    fitted = sum(map(len, chunks_to_fit(system=System.objects.get(slug="sorting"))))
    assert fitted == HistoryFit.objects.filter(series__system=sorting).count() > 0
    assert AuditEntry.objects.get(action="set false-alarm rate").details == {"from": "1 %", "to": "0.1 %"}


def test_the_same_rate_makes_nothing_anew(sorting: System, operator: Principal) -> None:
    version = System.objects.get(pk=sorting.pk).data_version
    assert set_false_alarm_rate(access=access_to(operator, "sorting"), percent=1.0) is None
    assert System.objects.get(pk=sorting.pk).data_version == version


@pytest.mark.parametrize("percent", [0.0, -1.0, 21.0, float("nan"), float("inf")])
def test_what_is_no_rate_is_refused(system: System, alice: Person, percent: float) -> None:
    with pytest.raises(Refused, match="is no false-alarm rate: write a number from"):
        set_false_alarm_rate(access=access_to(alice.principal, system.slug), percent=percent)


def test_a_viewer_sees_the_rate_and_may_not_set_it(system: System, vera: Person) -> None:
    access = access_to(vera.principal, system.slug)
    assert "Save" not in str(alarms_card(access))
    with pytest.raises(Forbidden):
        set_false_alarm_rate(access=access, percent=2.0)


def test_what_is_wrong_with_a_rate_stands_at_its_field(system: System, bob: Person) -> None:
    access = access_to(bob.principal, system.slug)
    assert save(access, 1, "")[1] == "Write a number, such as 1."
    assert save(access, 1, 50.0)[1].startswith("50 % is no false-alarm rate")
    said, error, *_ = save(access, 1, 0.5)
    assert (said, error) == (
        "In a year of history, at most 0.5\N{NO-BREAK SPACE}% of histories without a change may tell one as a fact.",
        "",
    )


def test_the_command_tells_and_sets_it(sorting: System) -> None:
    out = StringIO()
    call_command("alarms", "sorting", "--rate", "0.5%", stdout=out, stderr=StringIO())
    told = "In a year of history, at most 0.5 % of suites without a change may tell one anywhere as a fact.\n"
    assert out.getvalue().replace("\N{NO-BREAK SPACE}", " ") == told
    with pytest.raises(CommandError, match="no false-alarm rate"):
        call_command("alarms", "sorting", "--rate", "100")
    with pytest.raises(CommandError, match="'much' is no percentage"):
        call_command("alarms", "sorting", "--rate", "much")


def test_a_bundle_carries_the_rate(sorting: System, operator: Principal, tmp_path: Path) -> None:
    set_false_alarm_rate(access=access_to(operator, "sorting"), percent=3.0)
    path = tmp_path / "bundle.zip"
    call_command("export", "sorting", path, stdout=StringIO(), stderr=StringIO())
    import_file(principal=operator, format_name="bundle", path=path, system_name="Elsewhere")
    assert System.objects.get(slug="elsewhere").false_alarm_rate == pytest.approx(0.03)


def test_a_history_of_five_years_has_five_times_the_rate(batch: Batch, system: System) -> None:
    def rates() -> set[float]:
        order = ordered_revisions(system=system)
        curves = load_curves(system, list_series(system=system), order)
        return {round(one.false_alarm_rate, 4) for one in curves.values()}

    assert rates() == {0.01}
    started = datetime(2020, 1, 1, tzinfo=UTC)
    for years, name in ((0, "1"), (5, "6")):
        released = started + timedelta(days=365.25 * years)
        Revision.objects.filter(system=system, name=name).update(released_at=released)
    assert rates() == {0.049}


def test_a_suite_is_searched_together_and_other_histories_one_by_one(batch: Batch, sorting: System) -> None:
    histories = Series.objects.filter(system=sorting).count()
    assert histories <= searched_together(sorting) < 2 * histories
    assert searched_together(batch.system) == 1
    order = ordered_revisions(system=sorting)
    (curve, *_) = load_curves(sorting, list_series(system=sorting), order).values()
    alone, among = replace(curve, suite=1).changes(), replace(curve, suite=10**30).changes()
    assert [one.is_candidate for one in among.changes] == [True] * len(alone.changes)
