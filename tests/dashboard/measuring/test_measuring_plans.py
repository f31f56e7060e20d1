"""A measurement is counted and estimated before it starts; what is wrong is told at its field."""

from datetime import timedelta
from pathlib import Path

import pytest

from dashboard.access import Forbidden, NotFound, Principal, Refused, access_to
from dashboard.models import Configuration, CountedRun, Environment, Job, Membership, Revision, System
from dashboard.pages.false_alarms import alarms_card
from dashboard.selectors.runs import estimate_seconds
from dashboard.services.measuring import MeasuringRequest, start_measuring
from dashboard.services.measuring.plans import RequestInvalid, RevisionsNotListed, preview_measuring
from dashboard.services.subjects import register_subject
from tests.dashboard.measuring.stored import BEGAN, add_batch, add_run
from tests.dashboard.measuring.tiny import TOML, write_subject
from tests.people import Person, create_person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


@pytest.mark.parametrize(
    ("configurations", "count"),
    [
        (("default",), 1),
        (("feature-wise",), 4),
        (("only=fast",), 2),
        (("all",), 5),
        (("plackett-burman",), 5),
        (("distance=3",), 3),
        (("diversified-distance=9",), 5),
        (("default", "fast=on"), 2),
    ],
)
def test_a_preview_counts_runs(
    tiny: str, operator: Principal, configurations: tuple[str, ...], count: int
) -> None:
    """Valid configurations times revisions times repetitions; nothing is started."""
    request = MeasuringRequest(configurations=configurations, repetitions=3)
    preview = preview_measuring(access=access_to(operator, tiny), request=request)
    assert (preview.configurations, preview.revisions, preview.runs) == (count, 1, 3 * count)
    assert (preview.new_revisions, preview.seconds) == (1, None)
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("field", "request_"),
    [
        ("configurations", MeasuringRequest(configurations=("slow=on",))),
        ("configurations", MeasuringRequest(configurations=("mode=broken,fast=on",))),
        ("revisions", MeasuringRequest(revisions=("9.9",))),
        ("revisions", MeasuringRequest(revisions=())),
        ("repetitions", MeasuringRequest(repetitions=0)),
        ("repetitions", MeasuringRequest(repetitions=(2, 10))),
        ("repetitions", MeasuringRequest(repetitions=(5, 4))),
        ("half_width", MeasuringRequest(repetitions=(3, 5), half_width=0.0)),
        ("workload", MeasuringRequest(workload="huge")),
    ],
)
def test_what_is_wrong_is_told_at_its_field(
    tiny: str, operator: Principal, field: str, request_: MeasuringRequest
) -> None:
    """The same before and at the start."""
    with pytest.raises(RequestInvalid) as previewed:
        preview_measuring(access=access_to(operator, tiny), request=request_)
    with pytest.raises(RequestInvalid) as started:
        start_measuring(access=access_to(operator, tiny), request=request_)
    assert previewed.value.field == started.value.field == field
    assert not Job.objects.exists()


def test_more_runs_than_anybody_waits_for_are_a_slip(tiny: str, operator: Principal) -> None:
    with pytest.raises(Refused, match="select fewer"):
        start_measuring(access=access_to(operator, tiny), request=MeasuringRequest(repetitions=100_001))


def test_the_time_is_estimated_from_start_to_start(tiny: str, operator: Principal) -> None:
    """Runs of the same workload tell; a pause between two batches does not."""
    system = System.objects.get(slug=tiny)
    system.workloads.exclude(name="regular").delete()
    revision = Revision.objects.get(system=system)
    configuration = Configuration.objects.create(system=system, identity="0" * 64)
    Environment.objects.create(digest="0" * 64, name="test machine")
    for profile in (True, False):
        batch = add_batch(system, manifest={"profile": profile})
        for repetition, second in enumerate((0, 2, 4, 5) if profile else (9000, 9001)):
            at = BEGAN.replace(hour=1 + second // 3600, minute=second % 3600 // 60, second=second % 60)
            add_run(batch, configuration, revision, repetition=repetition, started_at=at)
    assert estimate_seconds(system=system, workload="regular", profile=True, runs=1) == 2
    assert estimate_seconds(system=system, workload="regular", profile=False, runs=1, countings=1) == 2
    assert estimate_seconds(system=system, workload="small", profile=True, runs=1) is None
    preview = preview_measuring(access=access_to(operator, tiny), request=MeasuringRequest(repetitions=4))
    assert (preview.new_revisions, preview.seconds) == (0, 8.0)


@pytest.mark.parametrize(
    ("repetitions", "told"),
    [((1, 2, 1, 2, 1, 2), (2, 3)), ((1, 1, 1, 1), (2.5, 2.5))],
)
def test_runs_that_count_are_in_the_estimate(
    tiny: str, operator: Principal, tmp_path: Path, repetitions: tuple[int, ...], told: tuple[float, float]
) -> None:
    """A run takes 2 s; after its first repetition a configuration is counted, in 3 s more."""
    toml = TOML.replace("counts = false\n", "")
    register_subject(principal=operator, folder=write_subject(tmp_path / "tiny", toml=toml))
    system = System.objects.get(slug=tiny)
    system.workloads.exclude(name="regular").delete()
    revision = Revision.objects.get(system=system)
    environment = Environment.objects.create(digest="0" * 64, name="test machine")
    batch = add_batch(system, manifest={"profile": True})
    at = BEGAN
    for number, repetition in enumerate(repetitions):
        configuration = Configuration.objects.create(system=system, identity=f"{number:064d}")
        add_run(batch, configuration, revision, repetition=repetition, started_at=at)
        at += timedelta(seconds=5 if repetition == 1 else 2)
    CountedRun.objects.create(
        batch=batch,
        revision=revision,
        configuration=Configuration.objects.all()[0],
        workload=system.workloads.get(name="regular"),
        environment=environment,
        counts=b"",
    )
    run, counting = told
    for runs, countings, expected in ((1, 0, run), (0, 1, counting)):
        found = estimate_seconds(
            system=system, workload="regular", profile=True, runs=runs, countings=countings
        )
        assert found == expected
    for counts, seconds in ((False, 4 * run), (None, 4 * run + counting)):
        request = MeasuringRequest(repetitions=4, counts=counts)
        preview = preview_measuring(access=access_to(operator, tiny), request=request)
        assert (preview.seconds, preview.countings) == (seconds, 0 if counts is False else 1)


def test_a_job_knows_its_plan(tiny: str, operator: Principal, sent: list[int]) -> None:
    """What the grid shows before the first result: configurations as they differ from the reference."""
    request = MeasuringRequest(configurations=("only=fast",), repetitions=2, profile=False)
    job = Job.objects.get(pk=start_measuring(access=access_to(operator, tiny), request=request))
    assert job.title == "Measure Tiny: 2 configurations × 1 revision × 2 repetitions"
    assert job.parameters["planned"] == [{}, {"fast": "on"}]
    assert job.parameters["revision_ids"] == [Revision.objects.get().pk]
    assert (job.queue, job.state) == ("measure", "queued")


def test_an_id_that_is_no_revision_of_the_subject_is_refused(tiny: str, operator: Principal) -> None:
    """Neither one that was imported nor one of another system."""
    system = System.objects.get(slug=tiny)
    own = Revision.objects.get(system=system)
    imported = Revision.objects.create(system=system, name="imported")
    request = MeasuringRequest(revision_ids=(own.pk, imported.pk))
    with pytest.raises(RequestInvalid, match="are not those of the subject"):
        start_measuring(access=access_to(operator, tiny), request=request)


def test_a_folder_that_changed_or_went_is_told(tiny: str, operator: Principal, tmp_path: Path) -> None:
    write_subject(tmp_path / "tiny", entry="def run(options, workload): ...\n")
    with pytest.raises(Refused, match="register"):
        preview_measuring(access=access_to(operator, tiny), request=MeasuringRequest())
    (tmp_path / "tiny").rename(tmp_path / "elsewhere")
    with pytest.raises(Refused, match="gone"):
        preview_measuring(access=access_to(operator, tiny), request=MeasuringRequest())


def test_revisions_that_were_never_listed_are_no_fault_of_the_form(
    operator: Principal, tmp_path: Path
) -> None:
    """A preview asks nobody outside; a start does."""
    toml = TOML.replace('source = "folder"\npath = "program"', 'source = "git"\nrepository = "program"')
    slug = register_subject(principal=operator, folder=write_subject(tmp_path / "tiny", toml=toml))
    access = access_to(operator, slug)
    with pytest.raises(RevisionsNotListed, match="the start asks its source"):
        preview_measuring(access=access, request=MeasuringRequest())
    card = str(alarms_card(access))
    assert "Measure a revision against itself" in card
    assert "The source is asked for its revisions first." in card


def test_viewers_see_what_it_would_come_to_and_start_nothing(tiny: str, charlie: Person) -> None:
    """Strangers learn nothing at all."""
    vera = create_person("vera")
    Membership.objects.create(system=System.objects.get(), user=vera.user, role=Membership.Role.VIEWER)
    assert preview_measuring(access=access_to(vera.principal, tiny), request=MeasuringRequest()).runs == 5
    with pytest.raises(Forbidden):
        start_measuring(access=access_to(vera.principal, tiny), request=MeasuringRequest())
    with pytest.raises(NotFound):
        preview_measuring(access=access_to(charlie.principal, tiny), request=MeasuringRequest())
    with pytest.raises(NotFound):
        start_measuring(access=access_to(charlie.principal, tiny), request=MeasuringRequest())


def test_a_system_without_a_subject_says_how_to_get_one(
    system: System, machine: Path, operator: Principal
) -> None:
    with pytest.raises(NotFound, match="has no registered subject"):
        start_measuring(access=access_to(operator, "small"), request=MeasuringRequest())
