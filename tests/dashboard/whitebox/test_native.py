"""A program in C: which option changes what in which function, by counts of a build with counters, and where it stands."""

import shutil
from pathlib import Path

import pytest

from analytics.whitebox.uncounted_time import uncounted_time
from dashboard.access import Principal, access_to
from dashboard.figures.counts_words import LOOK_AT_TIME, UNMEASURED
from dashboard.job_kinds import KINDS
from dashboard.management.analysis_output import analysis_in_words
from dashboard.models import CountedRun, CountSites, Job, Measurement, Region, RegionVersion, System
from dashboard.pages.influences.parts import kind_text
from dashboard.pages.lens import Lens
from dashboard.pages.measure import analyze as analyze_panel
from dashboard.pages.regions import traced
from dashboard.selectors.counts import counted_runs, line_outcomes, pack_sites
from dashboard.selectors.hybrid_inputs import counted_contexts
from dashboard.selectors.influences import influences, term_regions
from dashboard.selectors.measuring.status import subject_of
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.what_if import what_if
from dashboard.selectors.whitebox.analyses import is_modelled, region_analysis, white_box_detail
from dashboard.services.jobs.context import StopRequest
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.measuring import MeasuringRequest, start_measuring
from dashboard.services.measuring.plans import RequestInvalid
from dashboard.services.performance_models.hybrid import learn_hybrid
from dashboard.services.subjects import register_subject
from dashboard.services.whitebox.analyzing import AnalyzingRequest, start_analyzing
from runner import uncounted

pytestmark = [
    pytest.mark.once,
    pytest.mark.database,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not (shutil.which("gcc") and shutil.which("gcov")), reason="gcc is not installed"),
]
TOML = """
name = "Packer"
revisions = { source = "folder", path = "program" }
[options.fast]
levels = [false, true]
arguments = { on = ["-f"] }
[options.check]
levels = [false, true]
arguments = { on = ["-c"] }
[options.quiet]
levels = [false, true]
arguments = { on = ["-q"] }
[install]
commands = [["cc", "-O2", "packer.c", "-o", "packer"]]
[entry]
command = ["{source}/packer", "{options}"]
"""
PROGRAM = """#include <stdio.h>
#include <string.h>

static int search(int at, int fast)
{
    int best = 0;
    for (int back = 1; back <= (fast ? 4 : 32); back++)
        if ((at ^ back) % 7 > best)
            best = back;
    return best;
}

static int sum(int check, int value)
{
    return check ? check * 31 + value : 0;
}

int main(int count, char **words)
{
    int fast = 0, check = 0, quiet = 0, total = 0;
    for (int i = 1; i < count; i++) {
        fast |= !strcmp(words[i], "-f");
        check |= !strcmp(words[i], "-c");
        quiet |= !strcmp(words[i], "-q");
    }
    for (int at = 0; at < 50; at++)
        total += search(at, fast) + sum(check, at);
    return quiet && total < 0;
}
"""


def register(folder: Path, operator: Principal, *, toml: str = TOML, program: str = PROGRAM) -> str:
    """The slug of the packer."""
    (folder / "program").mkdir(parents=True, exist_ok=True)
    (folder / "program" / "packer.c").write_text(program, encoding="utf-8")
    (folder / "subject.toml").write_text(toml, encoding="utf-8")
    return register_subject(principal=operator, folder=folder)


def done(job_id: int, outcome: JobOutcome = JobOutcome.DONE) -> Job:
    """A job that has run."""
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is outcome
    return Job.objects.get(pk=job_id)


def test_an_analysis_counts_which_option_changes_which_function_of_a_command(
    machine: Path, sent: list[int], tmp_path: Path, operator: Principal
) -> None:
    """Nothing has to be said for it in subject.toml; its functions are stored with their lines and source."""
    slug = register(tmp_path / "packer", operator)
    access = access_to(operator, slug)
    job = done(start_analyzing(access=access, request=AnalyzingRequest()))
    system = System.objects.get(slug=slug)
    found = white_box_detail(system=system)
    assert found is not None
    assert (found.result.ended, found.result.runs, found.result.nondeterministic) == ("complete", (), ())
    pairs = {(one.region, one.option) for one in found.result.effects}
    assert pairs == {
        ("packer.c:search", "fast"),
        ("packer.c:sum", "check"),
        *(("packer.c:main", name) for name in ("fast", "check", "quiet")),
    }
    assert found.option_effects[0][0] == "fast"
    said = analysis_in_words(found)
    assert "of all counts in packer.c:search" in said
    assert job.result is not None
    assert job.result["ended"] == "complete"
    version = RegionVersion.objects.select_related("source").get(region__key="packer.c:search")
    assert (version.file, version.first_line, version.last_line) == ("packer.c", 4, 11)
    assert version.source is not None
    assert version.source.text.startswith("static int search(int at, int fast)\n{")
    assert set(Region.objects.values_list("name", flat=True)) == {"main", "search", "sum"}
    outcomes = line_outcomes(
        system=system, region="packer.c:search", revision=found.revision, workload="regular", levels={}
    )
    # Each of 50 searches turns 32 times, or 4 times.
    assert {(one.count, one.low, one.high) for one in outcomes[7]} >= {(1600, 200, 1600)}
    shown = region_analysis(system=system, region="packer.c:search")
    assert shown is not None
    assert "search" in str(traced.layout(shown, access, "packer.c:search", Lens()))
    assert not is_modelled(system=system, revision=found.revision)
    request = MeasuringRequest(configurations=("analysis",), repetitions=1)
    done(start_measuring(access=access, request=request))
    assert is_modelled(system=system, revision=found.revision)


LIBRARY = """#include <stdlib.h>
#include <string.h>

static int data[65536];
static volatile int table[1000];

static int search(int turns)
{
    int found = 0;
    for (int at = 0; at < turns; at++)
        if (table[at % 1000] == at % 7)
            found++;
    return found;
}

int main(int count, char **words)
{
    int total = search(10000000);
    if (count > 1 && !strcmp(words[1], "-f"))
        for (int at = 0; at < 40; at++) {
            memset(data, at, sizeof data);
            qsort(data, 65536, sizeof(int), (int (*)(const void *, const void *))memcmp);
        }
    return total < 0;
}
"""


@pytest.mark.skipif(not shutil.which("perf"), reason="perf is not installed")
def test_time_in_libraries_is_measured_and_told_with_the_option_that_asks_for_it(
    machine: Path, sent: list[int], tmp_path: Path, operator: Principal
) -> None:
    slug = register(tmp_path / "packer", operator, program=LIBRARY)
    done(start_analyzing(access=access_to(operator, slug), request=AnalyzingRequest()))
    found = white_box_detail(system=System.objects.get(slug=slug))
    assert found is not None
    if found.result.unsampled:
        pytest.skip(found.result.unsampled)
    told = uncounted_time(found.result.counted)
    assert told is not None
    # Those that differ from the first run in one option.
    assert told.runs == 4
    assert (told.least < 0.1, told.most > 0.3, told.level) == (True, True, ("fast", "on"))
    assert told.places[0][0].startswith("libc")
    assert "most where fast is on" in analysis_in_words(found)
    assert LOOK_AT_TIME in analysis_in_words(found)


def test_where_nothing_can_be_sampled_the_analysis_says_why(
    machine: Path, sent: list[int], tmp_path: Path, operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uncounted, "SEARCH_PATH", str(tmp_path))
    slug = register(tmp_path / "packer", operator)
    done(start_analyzing(access=access_to(operator, slug), request=AnalyzingRequest()))
    found = white_box_detail(system=System.objects.get(slug=slug))
    assert found is not None
    assert f"{UNMEASURED}: perf is not installed; {LOOK_AT_TIME}" in analysis_in_words(found)


# Built by gcc, run by processes; an analysis of the same program is asked of both databases above.
def test_measuring_counts_functions_where_the_subject_asks_for_them(
    machine: Path, sent: list[int], tmp_path: Path, operator: Principal
) -> None:
    slug = register(tmp_path / "packer", operator, toml=f'{TOML}[counts]\ntool = "gcov"\n')
    access = access_to(operator, slug)
    subject = subject_of(access=access)
    assert subject is not None
    assert (subject.counts, subject.counts_functions, subject.can_analyze) == (True, True, True)
    assert "built once more, by gcc" in str(analyze_panel.panel(subject, ""))
    request = MeasuringRequest(configurations=("all",), repetitions=1)
    done(start_measuring(access=access, request=request, look_again=True))
    assert CountedRun.objects.count() == 8
    work = Measurement.objects.filter(metric__quantity="work", metric__unit="counts")
    assert work.count() == 8
    assert Measurement.objects.filter(metric__quantity="time", metric__clock="cpu").count() == 8
    system = System.objects.get(slug=slug)
    counted = counted_runs(
        system=system, revision=CountedRun.objects.all()[0].revision.name, workload="regular"
    )
    assert len(counted.configurations) == 8
    # What hybrid models are learned from: of times, and of counts alone.
    told = [(one.quantity, one.configurations) for one in counted_contexts(system)]
    assert told == [("time", 8), ("work", 8)]
    done(start_measuring(access=access, request=MeasuringRequest(metric="work"), look_again=True))
    assert work.count() == 9
    with pytest.raises(RequestInvalid, match="instructions is not counted of Packer: write work"):
        start_measuring(access=access, request=MeasuringRequest(metric="instructions"))


def test_what_cannot_be_analyzed_says_what_to_do(
    machine: Path, sent: list[int], tmp_path: Path, operator: Principal
) -> None:
    slug = register(tmp_path / "packer", operator)
    access = access_to(operator, slug)
    with pytest.raises(RequestInvalid, match="Packer is a command, and commands are not traced"):
        start_analyzing(access=access, request=AnalyzingRequest(published=True))
    register(tmp_path / "packer", operator, program=PROGRAM.replace("return best", "return worst"))
    failed = done(start_analyzing(access=access, request=AnalyzingRequest()), JobOutcome.FAILED)
    assert failed.state == "failed"
    assert "cannot be built with counters: cc -O2 packer.c -o packer ended with exit code 1" in failed.message
    register(
        tmp_path / "packer", operator, toml=TOML.replace('[["cc", "-O2", "packer.c", "-o", "packer"]]', "[]")
    )
    with pytest.raises(RequestInvalid, match="a command that is not built: write under install"):
        start_analyzing(access=access, request=AnalyzingRequest())


def test_counts_of_instructions_do_not_mix_with_those_of_functions(
    machine: Path, sent: list[int], tmp_path: Path, operator: Principal
) -> None:
    """The newest run says in which units counts are compared."""
    slug = register(tmp_path / "packer", operator, toml=f'{TOML}[counts]\ntool = "gcov"\n')
    access = access_to(operator, slug)
    request = MeasuringRequest(configurations=("only=fast",), metric="work")
    for _ in range(2):
        done(start_measuring(access=access, request=request, look_again=True))
    first, second = CountSites.objects.order_by("pk")
    CountSites.objects.filter(pk=first.pk).update(
        sites=pack_sites([("packer.c:main", 0, 0, "instruction")] * 99)
    )
    system, revision = System.objects.get(slug=slug), second.revision.name
    kinds = {site[-1] for site in counted_runs(system=system, revision=revision, workload="regular").sites}
    assert kinds == {"call", "branch"}


# Likewise.
def test_influences_of_a_command_are_learned_from_its_counts_down_to_functions(
    machine: Path, sent: list[int], tmp_path: Path, operator: Principal
) -> None:
    """An analysis is enough: nothing is timed. With times beside the counts, the same command learns those."""
    slug = register(tmp_path / "packer", operator, toml=f'{TOML}[counts]\ntool = "gcov"\n')
    access = access_to(operator, slug)
    done(start_analyzing(access=access, request=AnalyzingRequest()))
    (place,) = counted_contexts(access.system)
    assert (place.quantity, place.clock, place.configurations) == ("work", "count", 8)
    model, learned = learn_hybrid(access=access)
    assert (model.total_metric.quantity, learned.configurations) == ("work", 8)
    found = influences(system=access.system, selection=Selection())
    assert (found.model.kind, found.model.quantity, found.model.unit) == ("hybrid", "work", "counts")
    assert "from counts alone, no time" in kind_text(found.model)
    terms = {term.key: term.influence.value for term in found.terms}
    counted = counted_runs(system=access.system, revision=found.model.revision, workload="regular")
    totals = dict(zip(map(tuple, counted.configurations.tolist()), counted.counts.sum(axis=1), strict=True))
    # Counts have no noise: what an option adds is what two runs differ by.
    assert terms["fast"] == pytest.approx(float(totals[1, 0, 0] - totals[0, 0, 0]))
    assert found.base_time.value == pytest.approx(float(totals[0, 0, 0]))
    assert found.base_measured == totals[0, 0, 0]
    where = term_regions(system=access.system, selection=Selection(), term="fast")
    largest = where.regions[0]
    assert (largest.key, largest.has_page) == ("packer.c:search", True)
    assert sum(one.influence.value for one in where.regions) == pytest.approx(terms["fast"])
    told = what_if(access=access, selection=Selection(base="fast"))
    assert told.found.base_time.value == pytest.approx(float(totals[1, 0, 0]))
    # Once they are timed, the hybrid of times comes first.
    done(start_measuring(access=access, request=MeasuringRequest(configurations=("all",), repetitions=1)))
    assert learn_hybrid(access=access)[0].total_metric.quantity == "time"
    assert learn_hybrid(access=access, metric="work")[0].pk == model.pk
