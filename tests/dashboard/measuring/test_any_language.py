"""A subject in any language: a command is timed as a whole, and its options' influences are told from that."""

from pathlib import Path

import pytest

from dashboard.access import Principal, access_to, acting, current_principal
from dashboard.job_kinds import KINDS
from dashboard.models import Region, Run
from dashboard.pages.lens import Lens
from dashboard.pages.overview import page as overview
from dashboard.selectors.accuracy import report_accuracy
from dashboard.selectors.influences import influences, term_regions
from dashboard.selectors.measuring.status import subject_of
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.regions.measured import regions
from dashboard.services.jobs.context import StopRequest
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.measuring import MeasuringRequest, start_measuring
from dashboard.services.subjects import register_subject

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]

_TOML = """
name = "Shell"
[revisions]
source = "folder"
[options.big]
levels = [false, true]
arguments = { on = ["--big"], off = [] }
[options.level]
levels = [1, 5, 9]
arguments = ["--level={level}"]
[workloads.regular]
[entry]
command = ["sh", "{subject}/work.sh", "{options}"]
"""


def test_influences_are_told_without_any_profile(
    machine: Path, sent: list[int], tmp_path: Path, operator: Principal
) -> None:
    """Measured feature by feature, so that interactions are unknown: pages say so and show the rest."""
    folder = tmp_path / "shell"
    folder.mkdir()
    (folder / "subject.toml").write_text(_TOML, encoding="utf-8")
    (folder / "work.sh").write_text('echo "$@"\n', encoding="utf-8")
    slug = register_subject(principal=operator, folder=folder)
    request = MeasuringRequest(configurations=("feature-wise",), repetitions=1)
    job_id = start_measuring(access=access_to(operator, slug), request=request, look_again=True)
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is JobOutcome.DONE
    assert set(Run.objects.values_list("kind", "status")) == {("plain", "ok")}
    subject = subject_of(access=access_to(operator, slug))
    assert subject is not None
    assert not subject.can_profile
    assert Region.objects.get().is_program
    found = influences(system=access_to(operator, slug).system, selection=Selection())
    assert {term.key for term in found.terms} == {"big", "level=5", "level=9"}
    assert found.undetermined == 2
    assert found.quality.error is None
    shares = term_regions(system=access_to(operator, slug).system, selection=Selection(), term="big")
    assert shares.outside is not None
    assert len(regions(system=access_to(operator, slug).system, selection=Selection()).regions) == 1
    report = report_accuracy(access_to(operator, slug).system)
    assert report.accuracy.quality.error is None
    assert report.reasons["mape_original"] == "the model is made of the end-to-end times"
    token = current_principal.set(operator)
    try:
        assert "by default" in str(overview.layout(access_to(acting(), slug), "", Lens()))
    finally:
        current_principal.reset(token)
