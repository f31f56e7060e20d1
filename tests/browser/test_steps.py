"""A person asks what a change is made of, and reads what changed in the function that moved."""

import re

from playwright.sync_api import Page, expect

from tests.browser.pictures import Camera


def test_a_change_leads_to_the_lines_that_made_it(demo_page: Page, camera: Camera) -> None:
    page = demo_page
    page.goto("/app/s/markdown/histories?term=codehilite*smarty")
    card = page.locator("#history-explained")
    expect(card).to_contain_text("What the change")
    # At the change of 3.3.4 it is asked for; what was chosen is in the address.
    page.get_by_role("button", name="What is the change at 3.3.4 made of?").click()
    expect(page).to_have_url(re.compile(r"step=3\.3\.4"))
    expect(card).to_contain_text("What the change 3.3.3 → 3.3.4 is made of")
    expect(card).to_contain_text("not in any measured region")
    expect(card.get_by_role("row").filter(has_text="RawHtmlPostprocessor.run")).to_contain_text(
        "body changed"
    )
    camera.every_look(page, "step")

    card.get_by_role("link", name="RawHtmlPostprocessor.run").click()
    versions = page.locator("#region-versions")
    expect(versions).to_contain_text("What changed in its source")
    expect(versions.get_by_role("region", name=re.compile("^Source of"))).to_contain_text("substitute_match")

    page.goto("/app/s/markdown/compare?since=3.3.3&revision=3.3.4")
    sources = page.locator("#two-sources")
    sources.get_by_role("button", name="RawHtmlPostprocessor.run").click()
    expect(sources).to_contain_text("16 changed lines from 3.3.3 to 3.3.4")
    camera.every_look(page, "source-difference")
