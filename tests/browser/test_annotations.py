"""A person notes that the benchmark was changed: the step there is told no more."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.pictures import Camera
from tests.browser.server import Server
from tests.dashboard.importers import asv_sample as sample


def test_a_changed_benchmark_is_noted_at_its_revision(
    page: Page, server: Server, tmp_path: Path, camera: Camera
) -> None:
    folder = sample.write(sample.stepped(), tmp_path / "results")
    server.command("import", "asv", str(folder), "--system", "Suite with notes")
    page.goto("/app/s/suite-with-notes/histories?state=all")
    page.locator("#suite-findings").get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("slower")
    page.get_by_text("Add an annotation").click()
    page.get_by_role("textbox", name="At the revision").fill(sample.COMMITS[4][:8])
    page.get_by_role("textbox", name="Text").fill("Python 3.11")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#history-noted")).to_contain_text("Python 3.11")
    expect(page.locator("#history-graph .legend")).to_contain_text("note")

    page.locator("#history-note-kind").click()
    page.get_by_role("option", name="benchmark changed").click()
    page.get_by_role("textbox", name="At the revision").fill(sample.COMMITS[9][:8])
    page.get_by_role("textbox", name="Text").fill("ten times the input")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#history-noted")).to_contain_text("ten times the input")
    expect(page.get_by_role("heading", level=1)).not_to_contain_text("slower")
    expect(page.locator("#history-changes")).not_to_contain_text("100")
    camera.every_look(page, "annotations")
    page.get_by_role("button", name="Remove").last.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("slower")
