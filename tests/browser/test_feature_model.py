"""A feature model in the browser: its page, and a configuration that it forbids."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pictures import Camera
from tests.browser.server import Server
from tests.dashboard.importers import comprex_sample
from tests.dashboard.importers.feature_model_sample import model, option, write

OPTIONAL = "<optional>True</optional>"


def place(first: int, last: int) -> str:
    """A location in the file of the sample."""
    return (
        f"<locations><sourceRange><path>src/toy/Main.java</path><start><line>{first}</line><column>1</column></start>"
        f"<end><line>{last}</line><column>20</column></end></sourceRange></locations>"
    )


def alternative(name: str, other: str) -> str:
    return option(
        name, "<parent>C</parent>", f"<excludedOptions><options>{other}</options></excludedOptions>"
    )


@pytest.fixture(scope="module", autouse=True)
def _modelled(server: Server, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Three options of which A excludes B."""
    folder: Path = tmp_path_factory.mktemp("modelled")
    bundle = comprex_sample.as_folder(folder / "toy", comprex_sample.files())
    server.command("import", "comprex", str(bundle), "--system", "Modelled")
    content = model(
        option("A", OPTIONAL, place(10, 14)),
        option("B", OPTIONAL, place(12, 20)),
        option("C", "<parent>root</parent>"),
        alternative("C_fast", "C_slow"),
        alternative("C_slow", "C_fast"),
        boolean="<constraint>!A | !B</constraint>",
    )
    server.command("import", "feature-model", str(write(folder, content)), "--system", "Modelled")


def test_the_overview_leads_to_the_feature_model(page: Page, camera: Camera) -> None:
    # With and without the last slash it is the same page.
    page.goto("/app/s/modelled")
    expect(page.get_by_role("link", name="Overview")).to_have_attribute("aria-current", "page")
    page.goto("/app/s/modelled/")
    page.get_by_role("link", name="Feature model").click()
    expect(page).to_have_url(re.compile("/app/s/modelled/feature-model"))
    expect(page.get_by_role("heading", level=1)).to_contain_text(
        "6 configurations of Modelled are valid, of 8"
    )
    expect(page.get_by_text("!A | !B")).to_be_visible()
    camera.every_look(page, "feature-model")


def test_a_forbidden_base_is_told_and_a_valid_one_offered(page: Page, camera: Camera) -> None:
    page.goto("/app/s/modelled/influences?base=all")
    note = page.locator(".violation")
    expect(note).to_contain_text("The base is not valid by the feature model: it violates !A | !B")
    camera.every_look(page, "influences-not-valid")
    note.get_by_role("button", name="with A at off").click()
    expect(page).to_have_url(re.compile(r"base=B\*C"))
    expect(note).to_have_count(0)


def test_a_system_without_a_model_says_what_would_be_here(
    page: Page, server: Server, tmp_path: Path, camera: Camera
) -> None:
    bundle = comprex_sample.as_folder(tmp_path / "toy", comprex_sample.files())
    server.command("import", "comprex", str(bundle), "--system", "Plain")
    page.goto("/app/s/plain/feature-model")
    expect(page.get_by_text("Every combination of levels counts as valid")).to_be_visible()
    camera.every_look(page, "feature-model-empty")
