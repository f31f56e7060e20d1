"""A person looks for what became slower in a suite of benchmarks."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.pictures import Camera
from tests.browser.server import Server
from tests.dashboard.importers import asv_sample as sample


def test_a_suite_leads_from_what_became_slower_to_its_step(
    page: Page, server: Server, tmp_path: Path, camera: Camera
) -> None:
    folder = sample.write(sample.stepped(), tmp_path / "results")
    server.command("import", "asv", str(folder), "--system", "Suite of sorts")
    page.goto("/app/s/suite-of-sorts")
    expect(page.get_by_role("heading", name="Findings, newest first")).to_be_visible()
    camera.every_look(page, "suite-overview")

    page.get_by_role("link", name="All histories").first.click()
    expect(page.locator("#suite-rows")).to_contain_text("time_sort(kind=int, size=1000)")
    page.get_by_role("textbox", name="Find histories by words").fill("sort size=10")
    expect(page).to_have_url(re.compile(r"find=sort"))
    page.get_by_role("textbox", name="Find histories by words").fill("peakmem")
    expect(page.locator("#suite-rows")).not_to_contain_text("time_sort")
    page.get_by_role("textbox", name="Find histories by words").fill("kind=int size=1000")
    expect(page.locator("#suite-rows")).to_contain_text("size=1000")
    camera.every_look(page, "suite-found")

    page.locator("#suite-rows").get_by_role("link", name=re.compile("size=1000")).first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("slower")
    before, after = (commit[:10] for commit in sample.COMMITS[8:10])
    expect(page.locator("#history-changes")).to_contain_text(f"{before} → {after}")
    camera.every_look(page, "suite-history")
    page.get_by_role("link", name="All histories").click()
    expect(page.locator("#suite-rows")).to_be_visible()


def test_the_false_alarm_rate_is_set_where_it_is_told(
    page: Page, server: Server, tmp_path: Path, camera: Camera
) -> None:
    folder = sample.write(sample.stepped(), tmp_path / "results")
    server.command("import", "asv", str(folder), "--system", "Suite with a rate")
    page.goto("/app/s/suite-with-a-rate")
    told = page.locator("#alarms-said")
    expect(told).to_contain_text(re.compile(r"at most 1\s% of suites"))
    page.get_by_text("Set the rate").click()
    field = page.get_by_role("textbox", name="Per series and year of history")
    field.fill("50")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("50 % is no false-alarm rate")).to_be_visible()
    camera.every_look(page, "false-alarms-refused")
    field.fill("0.5")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(told).to_contain_text(re.compile(r"at most 0\.5\s% of suites"))
    expect(page.locator("#alarms-saved")).to_contain_text("Saved")
    page.reload()
    expect(told).to_contain_text(re.compile(r"at most 0\.5\s% of suites"))
