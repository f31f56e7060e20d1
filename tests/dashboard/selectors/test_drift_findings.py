"""A slow drift is stored with the fit of its history and told in the list of findings, with how long it took."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from plotly.utils import PlotlyJSONEncoder

from dashboard.access import Principal, access_to
from dashboard.models import Configuration, HistoryFit, System
from dashboard.pages.history_list.findings import findings_content
from dashboard.pages.history_list.overview import sentence
from dashboard.pages.history_list.words import own_place
from dashboard.selectors.history_list.findings import found_changes
from dashboard.selectors.history_list.rows import (
    BenchmarkSuite,
    FoundChanges,
    HistoryQuery,
    ListedChange,
    ListedFinding,
    ListedHistory,
)
from dashboard.services.histories.fits import fit_system
from tests.dashboard.measuring.stored import add_batch, add_revisions, add_run, settle


def findings(system: System, operator: Principal, rise: float) -> FoundChanges:
    """The findings of a configuration that became slower by that share over 60 revisions, one a week."""
    rng = np.random.default_rng(8)
    revisions = add_revisions(system, [f"r{at}" for at in range(60)])
    batch = add_batch(system)
    default = Configuration.objects.get(system=system, assignments={})
    for at, revision in enumerate(revisions):
        revision.released_at = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(weeks=at)
        revision.save()
        noise = float(np.exp(0.005 * rng.normal()))
        add_run(batch, default, revision, value=(1.0 + rise * at / 59) * noise)
    # Findings are kept by it.
    System.objects.filter(pk=system.pk).update(data_version=200 + round(100 * rise))
    settle([batch])
    access = access_to(operator, system.slug)
    fit_system(access=access)
    return found_changes(access.system, HistoryQuery())


@pytest.mark.django_db
def test_a_slow_drift_is_a_finding_with_its_months(system: System, operator: Principal) -> None:
    found = findings(system, operator, 0.1)
    told = found.told[0]
    assert (told.verdict, told.before, told.after) == ("told", "r0", "r59")
    change = told.shown[0].last
    assert change is not None
    assert change.is_slow
    assert change.error is not None
    assert abs(change.relative - 0.1) < change.error < 0.05
    content = json.dumps(
        findings_content(found, access_to(operator, system.slug)), cls=PlotlyJSONEncoder, ensure_ascii=False
    )
    text = content.replace("\N{NO-BREAK SPACE}", " ")
    assert text[text.find("Slowly") :].startswith("Slowly over 14 months: no step explains it")


@pytest.mark.django_db
def test_a_steady_history_has_no_drift(system: System, operator: Principal) -> None:
    found = findings(system, operator, 0.0)
    assert (found.total, found.filtered) == (0, ())
    assert {bytes(packed) for packed in HistoryFit.objects.values_list("packed_drift", flat=True)} == {b""}


def test_the_overview_says_that_it_became_slower_slowly() -> None:
    at = datetime(2025, 1, 1, tzinfo=UTC)
    change = ListedChange("r0", "r59", at, 0.1, True, 0.99, False, 0.01, True)
    row = ListedHistory(1, "sort", "oak", "", "time", "s", last=change)
    found = FoundChanges((ListedFinding("told", "r0", "r59", at, 1, (row,)),), 1, (), 0)
    suite = BenchmarkSuite(1, 1, 1, 60, (), 0, 0, found)
    assert "of Sorts slowly became slower until r59" in sentence("Sorts", suite)


def test_a_history_that_alone_places_its_step_elsewhere_says_where() -> None:
    """Else the row and the page of the history would name different revisions without a word."""
    change = ListedChange("3.11", "3.11.1", None, -0.07, False, 0.99, False)
    finding = ListedFinding("told", "3.10.1", "3.10.3", None, 3, ())
    assert own_place(change, finding) == "By itself: 3.11 → 3.11.1"
    assert own_place(change, replace(finding, before="3.11", after="3.11.1")) == ""
