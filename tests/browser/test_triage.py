"""A person works through the changes of a suite with the keyboard alone."""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.pictures import Camera
from tests.browser.server import Server
from tests.dashboard.importers import asv_sample as sample


def _say_more(page: Page, camera: Camera) -> None:
    page.keyboard.press("o")
    dialog = page.locator("#triage-dialog")
    expect(dialog.get_by_label("Note")).to_be_visible()
    dialog.get_by_label("Note").fill("The new sort: agreed")
    expect(dialog.get_by_role("heading")).to_contain_text(re.compile("What became of .+ at "))
    # Escape closes the list that is open, and not the dialog with what was typed.
    owner = dialog.get_by_role("textbox", name="Owner")
    owner.click()
    expect(dialog.get_by_role("option", name="admin")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog.get_by_role("option", name="admin")).to_be_hidden()
    expect(dialog.get_by_label("Note")).to_have_value("The new sort: agreed")
    expect(dialog).to_be_visible()
    dialog.get_by_role("textbox", name="Link").fill("javascript:alert(1)")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_contain_text("begin it with https://")
    dialog.get_by_role("textbox", name="Link").fill("https://example.org/issues/7")
    camera.every_look(page, "triage-dialog")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()


def _set_on_the_page_of_its_history(page: Page, camera: Camera) -> None:
    page.goto("/app/s/suite-to-work-on/histories?state=all")
    page.locator("#suite-findings").get_by_role("link").first.click()
    own = page.locator("#history-changes [data-triage-key] > summary")
    expect(own).to_have_text("noise")
    own.focus()
    page.keyboard.press("r")
    expect(own).to_have_text("new")
    expect(own).to_be_focused()
    camera.every_look(page, "triage-history")


# A list that is drawn anew loses the focused row for a moment, however late that is.
_DRAW_ANEW = """async () => {
    const row = document.querySelector("#suite-findings [data-triage-key]").closest("tr");
    const list = row.parentNode;
    row.remove();
    await new Promise((resolve) => setTimeout(resolve, 100));
    list.prepend(row);
}"""


def _focus_stays_where_it_is(page: Page, state: Locator) -> None:
    for _ in range(2):
        page.evaluate(_DRAW_ANEW)
        expect(state).to_be_focused()
    words = page.get_by_label("Find histories by words")
    words.focus()
    page.evaluate(_DRAW_ANEW)
    expect(words).to_be_focused()
    state.focus()


def _arrows_go_through_the_menu(page: Page, state: Locator, camera: Camera) -> None:
    camera.every_look(page, "triage-menu")
    lines = page.locator("[data-menu][open] .menu-item")
    state.focus()
    page.keyboard.press("ArrowDown")
    expect(lines.first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(lines.nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(state).to_be_focused()


def test_changes_are_worked_through_by_keyboard(
    page: Page, server: Server, tmp_path: Path, camera: Camera
) -> None:
    folder = sample.write(sample.stepped(), tmp_path / "results")
    server.command("import", "asv", str(folder), "--system", "Suite to work on")
    page.goto("/app/s/suite-to-work-on/histories")
    findings = page.locator("#suite-findings")
    state = findings.locator("[data-triage-key] > summary").first
    expect(state).to_have_text("new")

    page.keyboard.press("j")
    expect(state).to_be_focused()
    page.keyboard.press("a")
    expect(page.locator("#triage-said")).to_have_text("2 changes set to acknowledged.")
    expect(state).to_have_text("acknowledged")
    expect(state).to_be_focused()
    camera.every_look(page, "triage-acknowledged")

    _say_more(page, camera)
    expect(findings).to_contain_text("The new sort: agreed")
    expect(state).to_be_focused()

    page.keyboard.press("e")
    expect(findings).to_contain_text("None is left of 1 finding.")
    expect(page.locator("#suite-finding-states")).to_contain_text("Not shown: 1 expected.")
    camera.every_look(page, "triage-done")
    page.keyboard.press("u")
    expect(page.locator("#triage-said")).to_have_text("Taken back: 2 changes.")
    expect(state).to_have_text("acknowledged")
    expect(state).to_be_focused()
    _focus_stays_where_it_is(page, state)

    page.keyboard.press("e")
    page.get_by_role("button", name="Show expected: 1 finding").click()
    expect(page).to_have_url(re.compile("state=expected"))
    expect(state).to_have_text("expected")
    page.reload()
    expect(state).to_have_text("expected")
    state.click()
    _arrows_go_through_the_menu(page, state, camera)
    page.get_by_role("button", name="noise").first.click()
    expect(page.locator("#triage-said")).to_have_text("2 changes set to noise.")
    _set_on_the_page_of_its_history(page, camera)
