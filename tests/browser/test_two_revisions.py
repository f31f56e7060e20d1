"""A person asks what differs between two revisions of a suite of benchmarks."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.pictures import Camera
from tests.browser.server import Server
from tests.dashboard.importers import asv_sample as sample


def test_two_revisions_stand_side_by_side(page: Page, server: Server, tmp_path: Path, camera: Camera) -> None:
    folder = sample.write(sample.stepped(), tmp_path / "results")
    server.command("import", "asv", str(folder), "--system", "Two of a suite")
    before, after = (commit[:10] for commit in sample.COMMITS[8:10])
    page.goto(f"/app/s/two-of-a-suite/compare?since={before}&revision={after}")
    title = page.get_by_role("heading", level=1)
    expect(title).to_contain_text(f"between {before} and {after}")
    expect(page.locator("#two-rows")).to_contain_text("size=1000")
    camera.every_look(page, "two-revisions")

    page.get_by_role("button", name="Swap before and after").click()
    expect(page).to_have_url(re.compile(f"revision={before}&since={after}"))
    expect(title).to_contain_text(f"between {after} and {before}")
    page.get_by_role("textbox", name="Find series by words").fill("no such series")
    expect(page.locator("#two-rows")).to_contain_text("No series fits what is chosen.")
    page.get_by_role("textbox", name="Find series by words").fill("size=1000")
    expect(page.locator("#two-rows")).to_contain_text("size=1000")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
    assert Path(download.value.path()).read_text().startswith("kind,series,measure,unit")
