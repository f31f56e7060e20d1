"""A program is measured from the browser; what failed is read, set aside and restored; the system is deleted."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from runner.state import open_state
from tests.browser.pictures import Camera
from tests.browser.server import Server
from tests.dashboard.measuring.tiny import write_subject

# Until the worker has measured: it may be waiting for the machine.
_PATIENCE = 240_000


@pytest.fixture
def tiny(server: Server, tmp_path: Path) -> Iterator[str]:
    """The address of the page of measuring Tiny, which is registered."""
    server.command("register", str(write_subject(tmp_path / "tiny")))
    yield "/app/s/tiny/measure"
    # Where the server's folder is closed to the subject's user, the runner's state lies elsewhere.
    shutil.rmtree(open_state(server.var / "runner").root, ignore_errors=True)


def _choose(page: Page, field: str, choice: str) -> None:
    page.get_by_role("textbox", name=field, exact=True).click()
    page.get_by_role("option", name=choice, exact=True).click()


def _fill_in(page: Page, configurations: str, repetitions: int) -> None:
    _choose(page, "Configurations", "Written out")
    page.get_by_label("Configurations, one a line").fill(configurations)
    _choose(page, "Repetitions", "A fixed number")
    page.get_by_label("How many repetitions").fill(str(repetitions))


def test_a_program_is_measured_and_deleted_from_the_browser(
    page: Page, tiny: str, server: Server, camera: Camera
) -> None:
    """Nothing is reloaded on the way: the plan fills, failures arrive, figures follow what is marked."""
    page.goto(tiny)
    expect(page.get_by_role("heading", level=1)).to_have_text("Tiny was not measured yet")
    _fill_in(page, "default\nmode=odd", 2)
    expect(page.get_by_text("option mode has no level 'odd'")).to_be_visible()
    page.get_by_label("Configurations, one a line").fill("default\nmode=broken")
    expect(page.get_by_text("2 configurations × 1 revision × 2 repetitions = 4 runs")).to_be_visible()
    page.get_by_role("button", name="Start measuring").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    sentence = page.get_by_role("heading", level=1)
    # On a busy machine one may have been disturbed and made again.
    ended = re.compile(r"^\s*4\s+runs of Tiny, 2 of them failed(, 1 more set aside)?; nothing runs now\s*$")
    expect(sentence).to_have_text(ended, timeout=_PATIENCE)
    expect(page.get_by_text("1 cell measured, 1 failed")).to_be_visible()
    # A press on a cell keeps it in the address.
    cells = page.locator("#plan .nsewdrag").first
    cells.hover(position={"x": 12, "y": 10})
    expect(page.locator("#plan .hovertext")).to_be_attached()
    cells.click(position={"x": 12, "y": 10})
    expect(page).to_have_url(re.compile("configuration="))
    page.goto(tiny)
    # The job's own log says the same until it is gone.
    failures = page.locator("#measure-failures")
    failures.get_by_text("failed: ValueError: the mode is broken").click()
    expect(failures.get_by_text("about to fail")).to_be_visible()
    camera.every_look(page, "measure")
    _set_a_run_aside(page)
    _delete(page)


def _set_a_run_aside(page: Page) -> None:
    page.get_by_role("button", name="mode = broken").click()
    runs = page.locator("#measure-runs")
    runs.get_by_role("checkbox").first.check()
    runs.get_by_role("button", name="Mark invalid").click()
    expect(runs.get_by_text("say why")).to_be_visible()
    runs.get_by_label("Reason").fill("the disk was full")
    runs.get_by_role("button", name="Mark invalid").click()
    expect(runs.get_by_text("invalid: the disk was full")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_contain_text("1 of them failed")
    runs.get_by_role("checkbox").first.check()
    runs.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("2 of them failed")


def _delete(page: Page) -> None:
    page.get_by_text("Delete Tiny").click()
    page.get_by_role("button", name="See what goes with it").click()
    typed = page.get_by_label("Address of the system")
    typed.fill("tin")
    page.get_by_role("button", name="Delete for good").click()
    expect(page.locator("#measure-delete-typed-error")).to_have_text("type tiny to delete it for good")
    typed.fill("tiny")
    page.get_by_role("button", name="Delete for good").click()
    expect(page).to_have_url("/app/")
    expect(page.get_by_role("heading", name="Tiny")).to_have_count(0)
