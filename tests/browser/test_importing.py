"""A person brings data in by the browser."""

import json
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.pictures import Camera

ROWS = "".join(
    f"{version};{fast};{level};{time}\n"
    for version, change in (("1.9", 0), ("1.10", 2))
    for fast, level, time in (
        ("on", 3, f"{10 + change},5"),
        ("on", 9, "21,25"),
        ("off", 3, "30,5"),
        ("off", 9, "44,0"),
    )
)


def test_a_table_becomes_a_system(page: Page, tmp_path: Path, camera: Camera) -> None:
    table = tmp_path / "measurements.csv"
    table.write_text("version;fast;level;duration\n" + ROWS)
    page.goto("/app/")
    page.get_by_role("link", name="Import data").click()
    expect(page.get_by_role("heading", name="Import data")).to_be_visible()
    camera.every_look(page, "import-choose")
    page.get_by_role("button", name="File", exact=True).set_input_files(table)
    page.get_by_role("textbox", name="System").fill("From a table")
    page.get_by_role("button", name="Upload").click()

    expect(page.get_by_role("alert")).to_contain_text("duration: time needs its unit")
    camera.every_look(page, "import-unit-missing")
    page.get_by_label("Unit of duration").fill("ms")
    page.get_by_role("button", name="Check again").click()
    expect(page.get_by_text("times in ms are stored in seconds")).to_be_visible()
    camera.every_look(page, "import-mapping")
    page.get_by_role("button", name="Import", exact=True).click()

    expect(page.get_by_role("link", name="Open From a table")).to_be_visible()
    camera.every_look(page, "import-done")
    page.get_by_role("link", name="Open From a table").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("From a table")
    camera.every_look(page, "import-system")


def test_a_trace_shows_the_time_of_an_interaction(page: Page, tmp_path: Path, camera: Camera) -> None:
    steps = [("foo", "B", 0, 1), ("bar", "B", 1, 2), ("bar", "E", 3, 2), ("foo", "E", 4, 1)]
    events = [
        {"name": name, "cat": "Feature", "ph": phase, "ts": at, "pid": 1, "tid": 1, "args": {"ID": identity}}
        for name, phase, at, identity in steps
    ]
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps(events))
    page.goto("/import/")
    page.get_by_text("Trace Event Format").click()
    page.get_by_role("button", name="File", exact=True).set_input_files(trace)
    page.get_by_role("textbox", name="System").fill("From a trace")
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("alert")).to_contain_text("Give “Time unit”")
    camera.every_look(page, "import-trace")
    page.get_by_role("textbox", name="Time unit").fill("s")
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_role("link", name="Open From a trace").click()
    page.goto("/app/s/from-a-trace/influences")
    expect(page.locator(".figure-row").filter(has_text="bar × foo")).to_be_visible()
    camera.every_look(page, "import-trace-influences")
    page.goto("/app/s/from-a-trace/regions")
    expect(page.get_by_text("bar*foo").first).to_be_visible()
    camera.every_look(page, "import-trace-regions")
