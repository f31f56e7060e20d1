"""What was measured end to end is read by statements that join each table once."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.models import Metric, Revision, System
from dashboard.selectors.configurations import options_of
from dashboard.selectors.end_to_end import end_to_end, end_to_end_runs
from dashboard.selectors.measured_systems import evaluation_contexts
from dashboard.services.identities import CurveContext
from dashboard.services.metrics import seconds
from dashboard.services.performance_models.curves import read_values
from tests.dashboard.measuring.stored import measure_everything

pytestmark = pytest.mark.django_db


def _values(system: System) -> Any:
    run = end_to_end_runs(system)[0]
    where = CurveContext(run.workload_id, run.environment_id, seconds(Metric.Clock.CPU).pk)
    return read_values(system, where)[0]


def _medians(system: System) -> Any:
    return end_to_end(end_to_end_runs(system), seconds(Metric.Clock.CPU).pk, options_of(system)).values.size


@pytest.mark.parametrize("read", [_values, _medians, evaluation_contexts])
def test_runs_are_joined_once(system: System, read: Callable[[System], Any]) -> None:
    """Joined twice, PostgreSQL nests both where it has not counted the tables yet: a read takes the cube of its runs."""
    measure_everything(system, [Revision.objects.get(system=system)])
    with CaptureQueriesContext(connection) as made:
        assert read(system)
    joined = [len(re.findall(r'(?:FROM|JOIN) "dashboard_run"', query["sql"])) for query in made]
    assert max(joined) == 1
