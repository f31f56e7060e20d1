"""A person has the next revisions measured from the page of histories, and watches the band become narrow."""

import fcntl
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dashboard.services.jobs.machine_lock import lock_path
from runner.state import open_state
from tests.browser.pictures import Camera
from tests.browser.server import Server
from tests.dashboard.measuring.stepper import COMMITS, STEP, commit_of, write_stepper

# Until the worker has measured: it may be waiting for the machine.
_PATIENCE = 240_000


@contextmanager
def _machine_taken() -> Iterator[None]:
    """As if somebody else measured on this machine: a job waits."""
    with lock_path().open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture
def history(server: Server, tmp_path: Path) -> Iterator[str]:
    """The address of the history of Stepper, measured at its first and its last commit."""
    folder = write_stepper(tmp_path / "stepper")
    server.command("register", str(folder))
    ends = (commit_of(folder, 0), commit_of(folder, COMMITS - 1))
    server.command("measure", "stepper", "--revisions", *ends, "--repetitions", "1")
    yield "/app/s/stepper/histories"
    # Where the server's folder is closed to the subject's user, the runner's state lies elsewhere.
    shutil.rmtree(open_state(server.var / "runner").root, ignore_errors=True)


def test_the_next_revision_is_measured_from_its_history(page: Page, history: str, camera: Camera) -> None:
    """It is paused and resumed, and its result arrives without a reload."""
    page.goto(history)
    known = page.locator("#history-subtitle")
    expect(known).to_contain_text(f"2 of {COMMITS} revisions measured")
    page.evaluate("window.sameDocument = true")
    offer = page.locator("#history-offer")
    expect(offer).to_contain_text(re.compile(r"unmeasured revisions between \w{10} and \w{10}"))
    offer.get_by_role("checkbox", checked=True).first.wait_for()
    while offer.get_by_role("checkbox", checked=True).count() > 1:
        offer.get_by_role("checkbox", checked=True).last.uncheck()
    with _machine_taken():
        offer.get_by_role("button", name="Measure 1 revision").click()
        card = page.locator("#history-active .active-job")
        card.get_by_role("button", name="Pause").click()
        expect(card).to_contain_text("paused at")
    camera.every_look(page, "history-paused")
    card.get_by_role("button", name="Resume").click()
    expect(known).to_contain_text(f"3 of {COMMITS} revisions measured", timeout=_PATIENCE)
    expect(card).to_have_count(0)
    assert page.evaluate("window.sameDocument")

    page.get_by_text("Take this list away").click()
    expect(page.locator("#history-export")).to_contain_text("git log --no-walk=unsorted --oneline")
    page.get_by_role("link", name="All histories").click()
    rows = page.locator("#suite-rows")
    expect(rows.get_by_role("link", name="default")).to_have_count(2)
    camera.every_look(page, "histories-all")
    rows.get_by_role("link", name="default").first.click()
    expect(known).to_contain_text(f"3 of {COMMITS} revisions measured")


def test_the_revisions_of_a_change_are_measured_again_with_one_click(
    page: Page, server: Server, tmp_path: Path, camera: Camera
) -> None:
    """What it comes to is said at the button; runs arrive without a reload, and the fits are made anew."""
    folder = write_stepper(tmp_path / "again")
    definition = folder / "subject.toml"
    definition.write_text(definition.read_text().replace('"Stepper"', '"Again"'))
    server.command("register", str(folder))
    around = [commit_of(folder, number) for number in range(STEP - 2, STEP + 2)]
    server.command("measure", "again", "--revisions", *around, "--repetitions", "2", "--no-profile")
    page.goto("/app/s/again/histories")
    changes = page.locator("#history-changes")
    expect(changes).to_contain_text(re.compile(r"20\sruns in turns, about"))
    camera.every_look(page, "change-again")
    changes.get_by_role("button", name="Measure these two again").click()
    expect(page.locator("#history-again-said")).to_contain_text("Sent to the worker")
    expect(page.locator("#history-active .active-job")).to_contain_text("Measure Again again")
    expect(page.locator("#history-active .active-job")).to_have_count(0, timeout=_PATIENCE)
    page.get_by_role("button", name="Table").first.click()
    expect(page.locator("#history-table")).to_contain_text("12")
    shutil.rmtree(open_state(server.var / "runner").root, ignore_errors=True)
