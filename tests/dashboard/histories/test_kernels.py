"""Kernels of a history are compared by a job, one is kept with it, and its page and its band follow."""

import pytest

from dashboard.access import Access, Forbidden, NotFound, Permission, Principal, access_to
from dashboard.job_kinds import KINDS
from dashboard.models import Job, Membership, Series, System
from dashboard.pages.histories import kernels as page
from dashboard.pages.histories import page as histories
from dashboard.pages.lens import Lens
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.kernels import KernelComparison, KernelRequest, newest_comparison
from dashboard.selectors.histories.next_revisions import propose
from dashboard.selectors.histories.series import find_series, get_series
from dashboard.services.histories.kernel_jobs import choose_kernel, compare_kernels
from dashboard.services.jobs.running import run_job
from tests.people import Person

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.database,
    # paramz, below GPy, computes both branches of a softplus and keeps the finite one.
    pytest.mark.filterwarnings("ignore:overflow encountered in expm1:RuntimeWarning"),
]


@pytest.fixture
def access(measured: Person) -> Access:
    """The operator's access to the small system."""
    return access_to(Principal.operator(), "small", Permission.EDIT)


@pytest.fixture
def comparison(access: Access) -> KernelComparison:
    """The comparison for the default configuration, with a sum of one's own."""
    series = find_series(system=access.system)
    request = KernelRequest(series_id=series.series_id, also=("linear", "brownian"))
    run_job(job_id=compare_kernels(access=access, request=request), kinds=KINDS)
    job = Job.objects.get(kind=KernelRequest.kind)
    assert job.state == Job.State.DONE, job.error
    found, under_way = newest_comparison(access.system, series.series_id)
    assert found is not None
    assert not under_way
    return found


def test_every_kernel_is_compared_and_the_best_comes_first(comparison: KernelComparison) -> None:
    names = set(comparison.by_name)
    assert {"brownian", "matern32", "matern52", "rbf", "exponential", "linear"} <= names
    assert {"rbf+linear", "exponential+linear", "brownian+linear"} <= names
    scores = [one.log_score for one in comparison.kernels]
    assert scores == sorted(scores, reverse=True)
    assert comparison.by_name["linear"].length_scale is None
    assert comparison.by_name["rbf"].length_scale is not None
    assert len(comparison.by_name["rbf"].band) == 6
    assert comparison.faults == {}


def test_the_chosen_kernel_is_kept_and_the_band_follows(access: Access, comparison: KernelComparison) -> None:
    series = find_series(system=access.system)
    before = get_history(system=access.system, series_id=series.series_id)
    best = propose(system=access.system, series_id=series.series_id)
    choose_kernel(access=access, series_id=series.series_id, name="rbf+linear")
    after = get_history(system=access.system, series_id=series.series_id)
    assert after.series.kernel.kernels == ("rbf", "linear")
    assert after.series.data_version == series.data_version + 1, "stored fits are out of date"
    drawn = comparison.by_name["rbf+linear"].band
    assert [row.lower_95 for row in after.band] == pytest.approx([row.lower_95 for row in drawn])
    assert after.band != before.band
    assert propose(system=access.system, series_id=series.series_id).rows == best.rows, "by Brownian motion"
    choose_kernel(access=access, series_id=series.series_id, name="brownian")
    assert Series.objects.get(pk=series.series_id).kernel == {}
    assert get_history(system=access.system, series_id=series.series_id).band == before.band


def test_a_kernel_that_was_not_compared_is_refused(access: Access) -> None:
    series = find_series(system=access.system)
    with pytest.raises(NotFound, match="compare the kernels first"):
        choose_kernel(access=access, series_id=series.series_id, name="rbf")
    with pytest.raises(NotFound, match="no kernel 'cubic'"):
        compare_kernels(access=access, request=KernelRequest(series_id=series.series_id, also=("cubic",)))


def test_a_viewer_sees_the_table_and_chooses_nothing(
    measured: Person, system: System, comparison: KernelComparison
) -> None:
    Membership.objects.filter(system=system, user=measured.user).update(role=Membership.Role.VIEWER)
    own = access_to(measured.principal, "small")
    series = find_series(system=own.system)
    with pytest.raises(Forbidden):
        choose_kernel(access=own, series_id=series.series_id, name="rbf")
    shown, disabled, message = page.show_kernels(own, Lens(), "0")
    assert disabled
    assert message is None, "that a comparison was sent is no news any more"
    assert "Matérn 3/2" in str(shown)


def test_ticked_kernels_are_drawn_beside_the_history(access: Access, comparison: KernelComparison) -> None:
    lens = Lens(settings={"bands": "rbf,matern32"})
    names = [trace.name for trace in histories.show(access, lens, None, "0")[4].data]
    assert names.count("RBF") == names.count("Matérn 3/2") == 3
    assert page.draw(lens, ["rbf"]).data()["bands"] == "rbf"
    series = get_series(system=access.system, series_id=find_series(system=access.system).series_id)
    assert series.kernel.name == "brownian"
