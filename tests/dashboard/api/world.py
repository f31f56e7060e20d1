"""Two systems alike in everything, measured over revisions, with all that operations of the API are asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from dashboard.access import Access, Principal, access_to
from dashboard.models import Alert, Job, Membership, Report, Run, System, TriageEntry
from dashboard.selectors.histories.series import find_series
from dashboard.selectors.history_list.findings import found_changes, named_changes
from dashboard.selectors.history_list.rows import HistoryQuery
from dashboard.selectors.reports import FrozenView
from dashboard.services.alerts.rules import RuleWords, write_rule
from dashboard.services.annotations import annotate
from dashboard.services.histories.fits import fit_system
from dashboard.services.imports.importing import import_file
from dashboard.services.machines.registry import register_machine
from dashboard.services.triage import TriageWords, triage_changes
from tests.people import Person, create_person

REVISIONS = tuple(f"r{number}" for number in range(8))
MAPPING = ("A=option", "revision=revision", "time=metric:time:s")
OWN, FOREIGN = "mine", "theirs"


@dataclass(frozen=True)
class World:
    """What stands in addresses, of the own system and of one of others; and the people of the own one.

    Charlie is a member of neither; Dora is the admin of the other one.
    """

    own: Mapping[str, str]
    foreign: Mapping[str, str]
    alice: Person
    bob: Person
    vera: Person
    charlie: Person
    dora: Person


def table(revisions: Sequence[str] = REVISIONS, step: float = 3.0) -> str:
    """A CSV file: T = 10 + 5 A seconds, `step` more from the fifth revision on, two runs of each."""
    lines = ["A,revision,time"]
    for number, revision in enumerate(revisions):
        for on in (0, 1):
            for run in range(2):
                time = 10.0 + 5.0 * on + step * (number >= 4) + 0.01 * ((run * 7 + number * 3) % 5)
                lines.append(f"{'on' if on else 'off'},{revision},{time:.4f}")
    return "\n".join(lines) + "\n"


def measure(name: str, folder: Path) -> Access:
    """The system of that name with the table imported, and its histories fitted."""
    file = folder / f"{name}.csv"
    file.write_text(table(), encoding="utf-8")
    operator = Principal.operator()
    given = {"map": MAPPING}
    import_file(principal=operator, format_name="csv", path=file, system_name=name, given=given)
    access = access_to(operator, name)
    fit_system(access=access)
    return access


def furnish(access: Access) -> None:
    """A report, a job, an annotation, and a rule that told what changed, of a system."""
    view = FrozenView(f"Terms of {access.slug}", (), ())
    Report.objects.create(
        system=access.system, title=view.title, view="terms", payload=view.as_payload(), data_version=1
    )
    Job.objects.create(
        system=access.system, kind="fit histories", title=f"Fit {access.slug}", state=Job.State.PAUSED
    )
    annotate(access=access, kind="machine", first=REVISIONS[2], text="something")
    words = RuleWords(f"slower {access.slug}", webhook=f"https://{access.slug}.example.org/s3cret")
    rule = write_rule(access=access, words=words, opened_at="https://perf.example.org/")
    revision = access.system.revisions.get(name=REVISIONS[4])
    rule.known.update(alert=Alert.objects.create(rule=rule, revision=revision, subject="slower"))
    (finding,) = found_changes(access.system, HistoryQuery()).told
    named = named_changes(access.system, HistoryQuery(), finding.key, beside=False)
    triage_changes(access=access, changes=named, words=TriageWords(state="acknowledged"))


def places(system: System) -> dict[str, str]:
    """What stands in the addresses of operations, of one system."""
    (finding,) = found_changes(system, HistoryQuery()).told
    first = {name: getattr(system, name).first() for name in ("reports", "jobs", "annotations")}
    return {
        "system": system.slug,
        "rule": str(system.alert_rules.get().pk),
        "alert": str(Alert.objects.get(rule__system=system).pk),
        "series": str(find_series(system=system).series_id),
        "report": str(first["reports"].pk),
        "job": str(first["jobs"].pk),
        "annotation": str(first["annotations"].pk),
        "finding": finding.key,
        "change": finding.key,
        "action": str(TriageEntry.objects.filter(change__system=system)[0].action),
        "run": str(Run.objects.filter(batch__system=system).order_by("pk")[0].pk),
    }


def people() -> dict[str, Person]:
    """The members of both systems, and a stranger."""
    roles = {
        "alice": (OWN, Membership.Role.ADMIN),
        "bob": (OWN, Membership.Role.EDITOR),
        "vera": (OWN, Membership.Role.VIEWER),
        "dora": (FOREIGN, Membership.Role.ADMIN),
    }
    found = {name: create_person(name) for name in (*roles, "charlie")}
    for name, (slug, role) in roles.items():
        system = System.objects.get(slug=slug)
        Membership.objects.create(system=system, user=found[name].user, role=role)
    return found


def machines(people: Mapping[str, Person]) -> tuple[dict[str, str], dict[str, str]]:
    """A machine of bob and one of dora, each with a job of its own system that it holds: what stands in addresses and heads."""
    found = []
    for name, slug in (("bob", OWN), ("dora", FOREIGN)):
        system = System.objects.get(slug=slug)
        machine, secret = register_machine(principal=people[name].principal, name=f"rack {slug}")
        machine.subjects.create(
            system=system, digest="1" * 64, environment=slug, environment_name=f"rack of {slug}"
        )
        claim = f"machine:{machine.pk}:1:{slug}"
        Job.objects.create(
            kind="measure",
            system=system,
            created_by=people[name].user,
            title=f"Measure {slug}",
            environment=slug,
            state=Job.State.RUNNING,
            owner=claim,
            attempt=1,
            # It stands longer than the tests of a module take.
            lease_expires_at=timezone.now() + timedelta(days=1),
        )
        found.append({"machine": str(machine.pk), "secret": secret, "claim": claim})
    return found[0], found[1]
