"""What every test may ask for: people with their roles, a small system, the reference data."""

import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import TransactionTestCase
from hypothesis import settings as hypothesis_settings
from whitenoise.middleware import WhiteNoiseMiddleware

from dashboard.access import Principal
from dashboard.models import (
    Configuration,
    Environment,
    Level,
    Membership,
    Revision,
    System,
    SystemOption,
    Workload,
)
from runner import interpreters
from runner.state import locked, readable_folder
from tests.emptying import empty
from tests.killed import pytest_configure
from tests.people import Person, create_person
from tests.standing import standing
from tools.migrated import copy_to
from tools.suite import DATABASE, INTERPRETERS

__all__ = ["pytest_configure", "standing"]

ROOT = Path(__file__).resolve().parent.parent

# Deadlines measure the machine, not the code. CI tries the same examples each time, so that it fails for a cause.
hypothesis_settings.register_profile("default", deadline=None)
hypothesis_settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True, database=None)
hypothesis_settings.load_profile("ci" if os.environ.get("CI") == "true" else "default")

# What takes longest in each group, begun first: begun last, one of them would keep all cores but one idle.
LONGEST = (
    "tests/browser/test_for_everyone.py",
    "tests/browser/test_make_demo.py",
    "tests/dashboard/alerts/test_confirmation.py",
    "tests/dashboard/evaluating/test_evaluate.py",
    "tests/dashboard/jobs/test_serve.py",
    "tests/dashboard/machines/test_measuring_elsewhere.py",
    "tests/dashboard/measuring/test_counted_tracking.py",
    "tests/dashboard/measuring/test_killed.py",
    "tests/dashboard/measuring/test_tracking.py",
    "tests/dashboard/operations/test_rebuilding.py",
    "tests/dashboard/whitebox/test_analyzing.py",
    "tests/dashboard/whitebox/test_migration.py",
    "tests/deployment/test_deployment_files.py",
    "tests/probe/test_driver.py",
    "tests/runner/test_bad_programs.py",
    "tests/runner/test_environments.py",
    "tests/runner/test_hostile_builds.py",
    "tests/studies/evaluation/test_evaluation.py",
    "tests/tools/test_suite.py",
)
# Of processor time, in a single test without what its fixtures make.
MOST_SECONDS = 30.0
_DATABASE_FIXTURES = {"db", "transactional_db", "django_db_reset_sequences", "django_db_serialized_rollback"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark by its folder or its fixtures what belongs to a group with a database or a browser.

    Where several processes share the tests, long files come first, then those of many tests.

    Raises `pytest.UsageError` for a test with a database where its groups would not look.
    """

    @cache
    def lies(path: Path, *places: str) -> bool:
        return any(path.is_relative_to(ROOT / place) for place in places)

    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if lies(item.path, "tests/browser"):
            item.add_marker(pytest.mark.browser)
        elif fixtures & _DATABASE_FIXTURES or item.get_closest_marker("django_db"):
            item.add_marker(pytest.mark.database)
        if item.get_closest_marker("database") and not lies(item.path, *DATABASE):
            raise pytest.UsageError(f"{item.nodeid} has a database: see DATABASE in tools/suite.py")
    if hasattr(config, "workerinput"):
        sizes = Counter(item.path for item in items)
        longest = {ROOT / name for name in LONGEST}
        items.sort(key=lambda item: (item.path not in longest, -sizes[item.path]))


def _processor_seconds() -> float:
    """What this process and the children that it has waited for have used so far."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail a test that uses more than `MOST_SECONDS` of processor time, unless it is marked `slow` with the reason.

    Processor time, because the machine may be busy with something else; what waits for ever ends elsewhere.
    """
    before = _processor_seconds()
    yield
    spent = _processor_seconds() - before
    if spent > MOST_SECONDS and item.get_closest_marker("slow") is None:
        pytest.fail(
            f"{spent:.0f} s of processor time, at most {MOST_SECONDS:.0f} s: make it quicker, or mark it `slow` and say why"
        )


@pytest.fixture(scope="session", autouse=True)
def _any_core() -> Iterator[None]:
    """Programs run on whichever core is free: all on the one to measure on, those of several tests would wait there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("runner.executions.measuring_core", lambda: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _emptied_of_what_was_written() -> Iterator[None]:
    """A test that commits leaves an empty database, without the time that Django takes for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _: empty())
        yield


@pytest.fixture(scope="session", autouse=True)
def _static_files_found_once() -> Iterator[None]:
    """Each client of a test begins the application anew, which looks for all static files: they stay as they are."""
    found: dict[str, Any] = {}
    find = WhiteNoiseMiddleware.add_files_from_finders

    def known(middleware: WhiteNoiseMiddleware) -> None:
        if not found:
            find(middleware)
            found.update(middleware.files)
        middleware.files.update(found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", known)
        yield


@pytest.fixture(scope="session", autouse=True)
def _interpreter_copied_once() -> Iterator[None]:
    """Each folder for measuring has links to the files that the run copied first, where our interpreter lies in a closed folder.

    They are thousands: two seconds of processor time for each process of the suite, and longer on a busy disk.
    """
    copy, kept = interpreters._copy, os.environ.get(INTERPRETERS)

    def linked(installed: Any, prefix: Path, libraries: Sequence[Path], place: Path) -> None:
        first = readable_folder(Path(str(kept))) / place.name
        made = first.with_suffix(".made")
        with locked(first):
            if not made.exists():
                copy(installed, prefix, libraries, first)
                made.touch()
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(first, place, symlinks=True, copy_function=os.link)

    with pytest.MonkeyPatch.context() as patch:
        if kept:
            patch.setattr(interpreters, "_copy", linked)
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> Iterator[None]:
    """Each process begins with a copy of the database that the run migrated, if it did; Django then finds nothing to do.

    For PostgreSQL the setting `TEMPLATE` does the same (`tests/settings.py`).
    """
    creation: Any = connection.creation
    make = creation._create_test_db

    def copied(*given: Any, **named: Any) -> str:
        name = str(make(*given, **named))
        copy_to(Path(name))
        return name

    with pytest.MonkeyPatch.context() as patch:
        if connection.vendor == "sqlite":
            patch.setattr(creation, "_create_test_db", copied)
        yield


@pytest.fixture
def system(db: None) -> System:
    """A visible system `small`: options `A` and `B` (off, on), all four configurations, one of each of the rest."""
    small = System.objects.create(slug="small", name="Small", visible=True)
    options = SystemOption.objects.bulk_create(
        SystemOption(system=small, name=name, position=position) for position, name in enumerate(("A", "B"))
    )
    Level.objects.bulk_create(
        Level(option=option, position=position, value=bool(position), label=label)
        for option in options
        for position, label in enumerate(("off", "on"))
    )
    Configuration.objects.bulk_create(
        Configuration(system=small, name=f"c{number}", identity=f"{number:064d}", assignments=assignments)
        for number, assignments in enumerate(({}, {"A": "on"}, {"B": "on"}, {"A": "on", "B": "on"}))
    )
    Revision.objects.create(system=small, name="1.0")
    Workload.objects.create(system=small, name="regular")
    Environment.objects.create(digest="0" * 64, name="test machine")
    return small


def _member(system: System, name: str, role: Membership.Role) -> Person:
    person = create_person(name)
    Membership.objects.create(system=system, user=person.user, role=role)
    return person


@pytest.fixture
def alice(system: System) -> Person:
    """The admin of `system`."""
    return _member(system, "alice", Membership.Role.ADMIN)


@pytest.fixture
def bob(system: System) -> Person:
    """Alice's team-mate: an editor of `system`."""
    return _member(system, "bob", Membership.Role.EDITOR)


@pytest.fixture
def vera(system: System) -> Person:
    """A viewer of `system`."""
    return _member(system, "vera", Membership.Role.VIEWER)


@pytest.fixture
def charlie(db: None) -> Person:
    """The stranger: an account that is a member of nothing."""
    return create_person("charlie")


@pytest.fixture
def operator() -> Principal:
    """The person at the command line."""
    return Principal.operator()


@pytest.fixture(scope="session")
def reference_data() -> Path:
    """The folder of measurements published by others, beside the project; the test is skipped without it."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("reference data is absent: ../shared/data, beside the project's folder")
    return folder


@pytest.fixture(scope="session")
def redis_url() -> str:
    """The address of the group's own Redis database; the test is skipped where no server was named."""
    url = os.environ.get("PERFATLAS_TEST_REDIS_URL", "")
    if not url:
        pytest.skip("no Redis was named: `make test` starts one, or set PERFATLAS_TEST_REDIS_URL")
    return url
