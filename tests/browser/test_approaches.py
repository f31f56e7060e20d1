"""Approaches are evaluated from the browser: a job with progress, then the figure, the table and another cost."""

import itertools
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pictures import Camera
from tests.browser.server import Server

# Until the worker has trained every learner on every sampling.
_PATIENCE = 240_000


@pytest.fixture
def measured(server: Server, tmp_path: Path) -> str:
    """The address of the page of approaches of a system with all 64 configurations of six options."""
    rows = [";".join([*(f"o{number}" for number in range(6)), "revision", "performance"])]
    for on in itertools.product((0, 1), repeat=6):
        seconds = 10 + 5 * on[0] + 3 * on[1] + 20 * on[0] * on[1]
        rows.append(";".join([*map(str, on), "1.0", str(seconds)]))
    file = tmp_path / "measurements.csv"
    file.write_text("\n".join(rows) + "\n")
    server.command("import", "spl-conqueror", str(file), "--system", "Compared", "--unit", "performance=s")
    return "/app/s/compared/approaches"


def test_approaches_are_evaluated_and_looked_at(page: Page, measured: str, camera: Camera) -> None:
    page.goto(measured)
    sentence = page.get_by_role("heading", level=1)
    expect(sentence).to_have_text("No approaches were evaluated yet")
    expect(page.get_by_text("manage.py approaches compared")).to_be_visible()
    camera.every_look(page, "approaches-none")

    page.get_by_label("Sizes of random samples").fill("20, many")
    page.get_by_role("button", name="Evaluate approaches").click()
    expect(page.get_by_text("Give whole numbers separated by commas")).to_be_visible()
    page.get_by_label("Sizes of random samples").fill("20")
    page.get_by_label("Test sets").fill("2")
    page.get_by_role("button", name="Evaluate approaches").click()
    expect(page.get_by_text("Sent to the worker; the result arrives here.")).to_be_visible()

    expect(sentence).to_contain_text("errs least", timeout=_PATIENCE)
    expect(page.locator("#approaches-graph .scatterlayer .point").first).to_be_attached()
    expect(page.locator("#approaches-table").get_by_text("random forest").first).to_be_visible()
    page.get_by_text("configurations", exact=True).first.click()
    expect(page).to_have_url(re.compile("cost=configurations"))
    expect(page.locator("#approaches-graph .xtitle")).to_have_text("measured configurations (log)")
    camera.every_look(page, "approaches")
