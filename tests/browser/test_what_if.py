"""A person sets options by hand: what that would take, what a constraint forbids, and the way back to what is valid."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pictures import Camera
from tests.browser.server import Server
from tests.browser.test_feature_model import OPTIONAL, alternative
from tests.dashboard.importers import comprex_sample
from tests.dashboard.importers.feature_model_sample import model, option, write


@pytest.fixture(scope="module", autouse=True)
def _supposed(server: Server, tmp_path_factory: pytest.TempPathFactory) -> None:
    """T = 4 - 0.5 A + 2 A*B + 4 B*C seconds; A excludes B."""
    folder = tmp_path_factory.mktemp("supposed")
    bundle = comprex_sample.as_folder(folder / "toy", comprex_sample.files())
    server.command("import", "comprex", str(bundle), "--system", "Supposed")
    content = model(
        option("A", OPTIONAL),
        option("B", OPTIONAL),
        option("C", "<parent>root</parent>"),
        alternative("C_fast", "C_slow"),
        alternative("C_slow", "C_fast"),
        boolean="<constraint>!A | !B</constraint>",
    )
    server.command("import", "feature-model", str(write(folder, content)), "--system", "Supposed")


def test_options_are_set_a_constraint_is_broken_and_mended(page: Page, camera: Camera) -> None:
    page.goto("/app/s/supposed/what-if")
    steps, sentence = page.locator("#what-if-steps"), page.get_by_role("heading", level=1)
    expect(steps).to_contain_text("Nothing differs from default")
    expect(steps.locator(".figure-graph")).to_be_hidden()
    camera.every_look(page, "what-if-default")

    # C slows only what B makes run.
    page.get_by_role("button", name="C: slow").click()
    expect(steps).to_contain_text("C slow makes no difference to default")
    page.get_by_role("button", name="C: fast").click()
    expect(steps).to_contain_text("Nothing differs from default")

    page.get_by_role("button", name="A: on").click()
    expect(sentence).to_contain_text("Supposed takes 3.50")
    expect(page.locator("#what-if-prediction")).to_contain_text("95 % interval")
    expect(steps.locator(".bars .point").first).to_be_attached()
    camera.every_look(page, "what-if")

    page.get_by_role("button", name="B: on").click()
    expect(sentence).to_have_text("Supposed is not valid with A on, B on")
    violated = page.get_by_role("alert").filter(has_text="Violates: !A | !B")
    expect(violated).to_have_count(2)
    expect(page.locator("#what-if-better")).to_contain_text("Gains are told from a valid configuration")
    expect(steps).to_contain_text("take the nearest valid one")
    expect(steps.get_by_role("button", name="Table")).to_be_hidden()
    camera.every_look(page, "what-if-not-valid")

    page.get_by_role("button", name="with A at off").click()
    expect(page).to_have_url(re.compile(r"compared=B(&|$)"))
    expect(sentence).to_contain_text("Supposed takes 4.00")
    expect(violated).to_have_count(0)


def test_a_scenario_that_is_kept_stands_beside_the_others_at_once(page: Page) -> None:
    """The card went on saying "None yet" until the page was loaded anew."""
    page.goto("/app/s/supposed/what-if")
    kept = page.locator("#what-if-scenarios")
    expect(kept).to_contain_text("None yet")
    page.get_by_role("button", name="A: on").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Supposed takes 3.50")
    page.get_by_role("button", name="Save this view").click()
    dialog = page.get_by_role("dialog", name="Save this view")
    dialog.get_by_label("Name").fill("With A")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_contain_text("Saved as")
    page.keyboard.press("Escape")
    expect(kept).to_contain_text("1 kept scenario")
    expect(kept.get_by_role("link", name="With A")).to_be_visible()
