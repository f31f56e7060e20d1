"""From a system to all that is known of one option, and on to its functions, its chain and its releases."""

import re

from playwright.sync_api import Page, expect

from tests.browser.pictures import Camera


def test_one_option_is_told_on_one_page(demo_page: Page, camera: Camera) -> None:
    page = demo_page
    page.goto("/app/s/markdown/")
    page.get_by_role("link", name="Options", exact=True).click()
    sentence = page.get_by_role("heading", level=1)
    expect(sentence).to_contain_text("options change the CPU time of Markdown; codehilite costs")
    camera.every_look(page, "options")
    page.locator(".plain-table").get_by_role("link", name="codehilite").first.click()
    expect(sentence).to_contain_text("codehilite costs")
    functions, way = page.locator("#option-functions"), page.get_by_role("region", name="Chain")
    expect(functions.get_by_role("link", name="iter_entry_points").first).to_be_visible()
    expect(way.get_by_role("heading")).to_contain_text("codehilite gets to line")
    expect(page.locator("#option-history")).to_contain_text("The influence of codehilite")
    camera.every_look(page, "option")

    # All of it in one report.
    page.get_by_role("link", name="Share as report").click()
    page.get_by_role("button", name="Freeze as report").click()
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Open it").click()
    report = opened.value
    for part in ("Where codehilite matters", "codehilite gets to line", "The influence of codehilite"):
        expect(report.get_by_role("heading", level=2).filter(has_text=part).first).to_be_visible()
    camera.every_look(report, "option-report")
    report.close()
    page.go_back()
    expect(functions.get_by_role("link", name="iter_entry_points").first).to_be_visible()

    # Another term, and its functions.
    page.locator("#option-terms-rows button").filter(has_text="fenced_code").first.press("Enter")
    expect(functions).to_contain_text("fenced_code × codehilite [off → on], by function")
    expect(page).to_have_url(re.compile("term=fenced_code"))
    page.locator("#option-together").get_by_role("link", name="fenced_code").click()
    expect(sentence).to_contain_text("Alone fenced_code has no influence that is surely not zero")
    page.go_back()
    page.locator("#option-history").get_by_role("link", name=re.compile("→")).first.click()
    expect(page).to_have_url(re.compile("/compare"))


def test_an_option_of_which_little_is_known_says_how_more_comes(demo_page: Page, camera: Camera) -> None:
    demo_page.goto("/app/s/pygments/options/formatter")
    expect(demo_page.get_by_role("heading", level=1)).to_have_text("What formatter costs is not known yet")
    expect(demo_page.get_by_text("An analysis runs the program a few times")).to_be_visible()
    expect(demo_page.get_by_role("link", name="Measure revisions")).to_be_visible()
    camera.every_look(demo_page, "option-unknown")
    demo_page.goto("/app/s/pygments/options/nothing")
    expect(demo_page.get_by_text("Pygments has no option 'nothing'")).to_be_visible()
