"""Which commits a search asks about first: by what they touch, and by the time that is spent there."""

import pytest

from dashboard.models import Configuration, Metric, Region, RegionMeasurement, RegionVersion, Run, System
from dashboard.selectors.regions.sources import time_shares
from dashboard.services.metrics import seconds
from dashboard.services.tracking.tracked_series import CodeVersion, step_weights
from runner.source_revisions import SourceRevision
from tests.dashboard.measuring.stored import add_batch, add_revisions, add_run

VERSIONS = [
    CodeVersion(at, (SourceRevision(f"r{at}", None, "", changed_lines=4 if at else None),)) for at in range(4)
]
# The second commit touches a function that hardly runs, the third a comment, the fourth one that takes the time.
TOUCHED = [
    frozenset[tuple[str, str]](),
    frozenset({("src/tool/code.py", "cold")}),
    frozenset[tuple[str, str]](),
    frozenset({("src/tool/code.py", "hot"), ("other/code.py", "cold")}),
]
PROFILE = {("tool/code.py", "hot"): 0.8, ("tool/code.py", "cold"): 0.01}


def test_commits_weigh_by_the_time_spent_in_the_functions_that_they_touch() -> None:
    weights = step_weights(VERSIONS, TOUCHED, PROFILE)
    assert weights[3] / weights[2] == pytest.approx(0.85 / 0.05)
    assert weights[1] / weights[2] == pytest.approx(0.06 / 0.05)


def test_without_a_profile_code_outweighs_comments_and_without_git_lines_tell() -> None:
    unprofiled = step_weights(VERSIONS, TOUCHED, {})
    assert unprofiled[[1, 3]] == pytest.approx(21 * unprofiled[2])
    assert step_weights(VERSIONS, None, PROFILE)[1:] == pytest.approx(1.0)


def test_a_file_that_is_not_told_apart_counts_with_all_of_its_time() -> None:
    """As one that another Python wrote."""
    whole = [frozenset[tuple[str, str]](), frozenset({("tool/code.py", "")}), TOUCHED[1], TOUCHED[3]]
    weights = step_weights(VERSIONS, whole, PROFILE)
    assert weights[1] / weights[3] == pytest.approx(0.86 / 0.85)


def test_shares_are_those_of_the_newest_profiles_of_the_workload(system: System) -> None:
    """Time outside of all functions is a part of the whole."""
    (revision,) = add_revisions(system, ["1.0"])
    configuration = Configuration.objects.filter(system=system)[0]
    add_run(add_batch(system), configuration, revision, value=1.0, region_value=1.0)
    run = Run.objects.get(kind=Run.Kind.PROFILED)
    region = Region.objects.create(system=system, key="tool.code:hot", name="hot")
    RegionVersion.objects.create(region=region, revision=revision, file="tool/code.py")
    RegionMeasurement.objects.create(run=run, region=region, metric=seconds(Metric.Clock.CPU), value=3.0)
    assert time_shares(system=system, workload=run.workload.name) == {("tool/code.py", "hot"): 0.75}
    assert time_shares(system=system, workload="another") == {}
