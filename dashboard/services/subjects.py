"""Registering subjects: the only programs that this machine may execute."""

import shlex
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from django.conf import settings
from django.db import transaction
from django.utils.text import slugify

from analytics.configurations.options import level_text
from dashboard.access import Access, Forbidden, NotFound, Permission, Principal, Refused
from dashboard.models import Level, Order, OrderPosition, Revision, Subject, System, SystemOption, Workload
from dashboard.services import audit
from dashboard.services.plain_lines import check_line
from runner.draft_trials import DraftReport, DraftTrials
from runner.revisions import host_link, list_branches, list_revisions
from runner.selections import SelectedConfiguration
from runner.source_revisions import SourceRevision
from runner.state import RunnerState, open_state
from runner.subject_files import load_subject
from runner.subjects import FolderRevisions, GitRevisions, ReleaseRevisions, SubjectDefinition


def runner_state() -> RunnerState:
    """Where the runner keeps environments and copies of subjects."""
    return open_state(settings.VAR / "runner", sandboxing=settings.SANDBOX)


def register_subject(*, principal: Principal, folder: Path, system_name: str = "") -> str:
    """Register the subject in `folder` for the system of its name, which is made if need be; returns its slug.

    Only the operator may: a subject is code execution. Registering again takes over what changed. Raises
    `runner.errors.SubjectInvalid` with every fault of its file, and `Refused` where it does not fit the system.
    """
    if principal.user_id is not None:
        raise Forbidden("subjects are registered by a command on the machine that measures them")
    subject = load_subject(folder)
    name = system_name or subject.name
    check_line(name, "the system's name")
    with transaction.atomic():
        system, _ = System.objects.get_or_create(
            slug=slugify(name)[:80] or "system", defaults={"name": name, "description": subject.description}
        )
        _fit_options(system, subject)
        for workload, parameters in subject.workloads.items():
            Workload.objects.update_or_create(
                system=system, name=workload, defaults={"parameters": parameters}
            )
        Subject.objects.filter(name=subject.name).exclude(system=system).delete()
        Subject.objects.update_or_create(
            system=system,
            defaults={
                "name": subject.name,
                "folder": str(subject.folder),
                "digest": subject.digest,
                "definition": _shown(subject),
            },
        )
        found = {"host_link": link} if (link := host_link(subject)) else {}
        System.objects.filter(pk=system.pk).update(visible=True, **found)
        audit.record(principal, "register subject", system.slug)
    return system.slug


def _shown(subject: SubjectDefinition) -> dict[str, Any]:
    """What the browser shows of a subject; never what it executes."""
    return {
        "description": subject.description,
        "options": {
            name: [level_text(level) for level in option.levels] for name, option in subject.options.items()
        },
        "workloads": list(subject.workloads),
        "order": order_name(subject),
        "timeout_seconds": subject.limits.timeout_seconds,
        "regions": list(subject.regions),
        # A command is timed as a whole.
        "can_profile": subject.entry.callable is not None,
        "counts": subject.counts,
        "counts_functions": subject.counts_functions,
        "can_analyze": bool(subject.regions) or subject.can_count_functions,
    }


def registered_subject(*, slug: str) -> SubjectDefinition:
    """The registered subject of a system, as its folder is now.

    Raises `NotFound` where none is registered, `Refused` where the folder is gone or differs from what was
    registered.
    """
    row = Subject.objects.filter(system__slug=slug).first()
    if row is None:
        raise NotFound(f"{slug!r} has no registered subject: run `manage.py register FOLDER` on this machine")
    if not Path(row.folder).is_dir():
        raise Refused(f"the folder of {row.name} is gone: register it again from where it is now")
    subject = load_subject(Path(row.folder))
    if subject.digest != row.digest:
        raise Refused(f"{row.name} has changed since it was registered: run `manage.py register` again")
    return subject


def store_revisions(*, access: Access, subject: SubjectDefinition) -> tuple[SourceRevision, ...]:
    """Ask where the revisions of the system's subject come from, store those that are new, and put all in order.

    Those of unmerged branches that the subject names come last, and stand in no order. Needs the role editor. Raises
    `runner.errors.RevisionsUnavailable` and `Forbidden`.
    """
    access.check(Permission.EDIT)
    system = access.system
    found = list_revisions(subject, runner_state())
    branches = list_branches(subject, runner_state(), found)
    with transaction.atomic():
        known = {row.name: row for row in Revision.objects.filter(system=system)}
        for revision in (*found, *branches):
            row = known.get(revision.identifier) or Revision(system=system, name=revision.identifier)
            row.commit = revision.identifier if isinstance(subject.revisions, GitRevisions) else ""
            row.message = revision.message
            row.author = revision.author
            row.released_at = revision.released_at or row.released_at
            row.content = revision.content
            row.changed_lines = revision.changed_lines
            row.branch, row.base = revision.branch, revision.base or row.base
            if isinstance(subject.revisions, GitRevisions):
                row.tags, row.released_in = " ".join(revision.names), revision.released_in
            row.save()
            known[revision.identifier] = row
        _take_tags_from_others(known.values(), (*found, *branches))
        order, _ = Order.objects.get_or_create(system=system, name=order_name(subject))
        listed = [known[revision.identifier].pk for revision in found]
        # Those in the order already that are not found any more stay in front.
        found_now = set(listed)
        held = order.positions.values_list("revision_id", "listed")
        places = [*(one for one in held if one[0] not in found_now), *((pk, True) for pk in listed)]
        order.positions.all().delete()
        OrderPosition.objects.bulk_create(
            OrderPosition(order=order, revision_id=pk, position=position, listed=was_listed)
            for position, (pk, was_listed) in enumerate(places)
        )
        ended = Revision.objects.filter(system=system).exclude(branch="")
        ended.exclude(name__in=[one.identifier for one in branches]).update(branch="")
    return (*found, *branches)


def _take_tags_from_others(rows: Iterable[Revision], found: Sequence[SourceRevision]) -> None:
    """Take tags of the revisions `found` away from those that had them before and are not found any more: a tag names one commit."""
    names = {name for one in found for name in one.names}
    there = {one.identifier for one in found}
    for row in rows:
        if row.name not in there and names.intersection(row.tags.split()):
            row.tags = " ".join(name for name in row.tags.split() if name not in names)
            row.save(update_fields=["tags"])


def stored_revisions(
    *, slug: str, subject: SubjectDefinition, ids: Collection[int] = ()
) -> tuple[SourceRevision, ...]:
    """The revisions as they were listed last, in their order, and behind them those of unmerged branches; nobody outside is asked. For services.

    Revisions that only imports brought are left out: what is built is named by the subject's own source.
    With `ids` only those with these primary keys. A folder has no list: it is looked at as it is now.
    """
    if isinstance(subject.revisions, FolderRevisions):
        found = list_revisions(subject, runner_state())
        wanted = set(Revision.objects.filter(system__slug=slug, pk__in=ids).values_list("name", flat=True))
        return tuple(one for one in found if not ids or one.identifier in wanted)
    places = OrderPosition.objects.filter(
        order__system__slug=slug, order__name=order_name(subject), listed=True
    )
    branches = Revision.objects.filter(system__slug=slug).exclude(branch="")
    if ids:
        places, branches = places.filter(revision_id__in=ids), branches.filter(pk__in=ids)
    listed = [place.revision for place in places.select_related("revision").order_by("position")]
    return tuple(
        SourceRevision(
            row.name,
            row.released_at,
            row.message,
            content=row.content,
            changed_lines=row.changed_lines,
            names=tuple(row.tags.split()),
            branch=row.branch,
            base=row.base if row.branch else "",
            released_in=row.released_in,
        )
        for row in (*listed, *branches.order_by("-released_at", "pk"))
    )


def order_name(subject: SubjectDefinition) -> str:
    """The name of the order that a subject's revisions stand in."""
    source = subject.revisions
    if isinstance(source, GitRevisions):
        return source.history
    return "releases" if isinstance(source, ReleaseRevisions) else "states"


def _fit_options(system: System, subject: SubjectDefinition) -> None:
    """Add the subject's options and levels to the system's; refuse a changed reference level."""
    known = {option.name: option for option in system.options.prefetch_related("levels")}
    for name, option in subject.options.items():
        labels = {level_text(level): level for level in option.levels}
        reference = level_text(option.reference_level)
        row = known.get(name)
        if row is None:
            row = SystemOption.objects.create(
                system=system, name=name, position=len(known), description=option.description
            )
            known[name] = row
            wanted = [reference, *(label for label in labels if label != reference)]
            stored: list[str] = []
        else:
            stored = [level.label for level in row.levels.all()]
            if stored and stored[0] != reference:
                raise Refused(
                    f"option {name}: its reference level is {reference!r} in {subject.folder.name}/subject.toml, "
                    f"but {stored[0]!r} in the system {system.slug!r}: change `reference`, or use another name"
                )
            wanted = [label for label in labels if label not in stored]
        Level.objects.bulk_create(
            Level(option=row, position=position, value=labels[label], label=label)
            for position, label in enumerate(wanted, start=len(stored))
        )


def assignments_of(configuration: SelectedConfiguration, subject: SubjectDefinition) -> dict[str, str]:
    """What a configuration differs in from the reference: {option: label of its level}, by name."""
    return {
        name: level_text(level)
        for name, level in sorted(configuration.levels)
        if level != subject.options[name].reference_level
    }


def slug_of_subject(name: str) -> str:
    """The slug of the system whose registered subject is called `name`, or which is itself called so.

    Raises `NotFound` naming those that exist.
    """
    rows = Subject.objects.select_related("system")
    for row in rows:
        if name in {row.name, row.system.slug, row.system.name}:
            return row.system.slug
    known = ", ".join(sorted(row.name for row in rows)) or "none"
    raise NotFound(f"no folder and no registered subject is called {name!r}; registered are: {known}")


def draft_subject(
    *,
    principal: Principal,
    folder: Path,
    way: Literal["command", "package", "repository"],
    what: str,
    given: Path | None = None,
    said: Callable[[str], None],
) -> DraftReport:
    """Write a new subject into `folder`, tried in runs; `what` is a command line, a package's name or a git address.

    Only the operator may: it runs what is named. `given` is an input of the person's own. Raises `Refused` where the folder holds
    something, and `runner.errors.RunnerError` where the program cannot be run; then nothing is left in the folder.
    """
    if principal.user_id is not None:
        raise Forbidden("subjects are begun by a command on the machine that measures them")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Refused(f"{folder} is there and not empty: name a new folder")
    if given is not None and not given.is_file():
        raise Refused(f"{given} is no file: name one that the program reads")
    words = shlex.split(what)
    if not words:
        raise Refused("nothing is named: give a command line, a package or an address")
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    trials = DraftTrials(folder.resolve(), runner_state(), said)
    try:
        if way == "command":
            return trials.command(words, given)
        return (trials.package if way == "package" else trials.repository)(what, given)
    except BaseException:
        for path in folder.iterdir():
            path.unlink()
        if made:
            folder.rmdir()
        raise
