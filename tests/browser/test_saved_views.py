"""From a page with a selection to a saved view, and back by its link."""

import re

from playwright.sync_api import Page, expect

from tests.browser.pictures import Camera


def test_a_view_is_saved_found_renamed_deleted_and_brought_back(demo_page: Page, camera: Camera) -> None:
    page = demo_page
    page.goto("/app/s/markdown/influences?term=codehilite&threshold=5")
    page.get_by_role("button", name="Save this view").click()
    dialog = page.locator("#save-view")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_contain_text("Give the view a name.")
    dialog.get_by_label("Name").fill("What codehilite costs")
    dialog.get_by_label("Shared with all").check()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_contain_text("Saved as")
    camera.every_look(page, "save-view")
    link = dialog.locator("code").inner_text()
    assert re.search(r"/views/\d+/what-codehilite-costs/$", link)

    dialog.get_by_role("link", name="All views").click()
    views = page.locator("#views-list")
    expect(views).to_contain_text("Influences · term codehilite")
    camera.every_look(page, "views")
    views.get_by_text("Rename", exact=True).first.click()
    views.get_by_label("New name of What codehilite costs").fill("Codehilite")
    views.get_by_role("button", name="Rename: What codehilite costs").click()
    expect(page.locator("#views-said")).to_contain_text("Renamed to “Codehilite”.")
    page.get_by_role("button", name="Make private: Codehilite").click()
    expect(views).to_contain_text("private")

    page.goto(link)
    expect(page).to_have_url(re.compile(r"/app/s/markdown/influences\?term=codehilite&threshold=5$"))
    expect(page.locator(".search-button")).to_be_visible()
    page.keyboard.press("/")
    page.get_by_role("textbox", name="Search").fill("codehilite")
    page.locator(".search-row", has_text=re.compile("^Codehilite")).first.click()
    expect(page).to_have_url(re.compile("term=codehilite&threshold=5$"))

    page.goto("/app/s/markdown/views")
    page.get_by_role("button", name="Delete: Codehilite").click()
    expect(views).to_contain_text("No view yet")
    page.get_by_role("button", name="Undo: Codehilite").click()
    expect(views).to_contain_text("Codehilite")
    page.get_by_role("button", name="Delete: Codehilite").click()
    expect(page.locator("#views-said")).to_contain_text("is deleted")


def test_a_report_is_written_of_a_view_and_a_number_and_published(demo_page: Page, camera: Camera) -> None:
    page = demo_page
    page.goto("/app/s/markdown/influences")
    page.get_by_role("button", name="Save this view").click()
    page.locator("#save-view").get_by_label("Name").fill("All terms")
    page.keyboard.press("Enter")
    expect(page.locator("#save-view")).to_contain_text("Saved as")
    page.goto("/app/s/markdown/reports")
    page.get_by_role("link", name="Write a report").click()
    # The page before has a title, too.
    expect(page.get_by_role("heading", level=1)).to_have_text("Write a report of several views")
    page.get_by_label("Title").fill("What markdown costs")
    text = page.get_by_label("Text in Markdown")
    text.fill("# Why\n\nIt errs by {{ eror }}.")
    expect(page.locator("#report-faults")).to_contain_text("Line 3: there is no number 'eror'")
    page.get_by_role("button", name="Publish").click()
    expect(page.locator("#report-said")).to_contain_text("Line 3")
    text.fill(
        "# Why\n\nIt errs by {{ error }}; codehilite adds {{ influence codehilite }}.\n\n{{ view:All terms }}\n"
    )
    expect(page.locator("#report-preview")).to_contain_text("It errs by 3.1")
    expect(page.locator("#report-preview .point").first).to_be_attached()
    expect(page.locator("#report-faults")).to_be_empty()
    expect(page.locator("#report-said")).to_be_empty()
    camera.every_look(page, "write-a-report")
    # A draft outlives the page, and the last words are published, too.
    page.reload()
    expect(page.locator("#report-preview .point").first).to_be_attached()
    text.press("Control+End")
    page.keyboard.insert_text("\nWritten *last*.")
    page.get_by_role("button", name="Publish").click()
    with page.expect_popup() as opened:
        page.locator("#report-said").get_by_role("link", name="Open it").click()
    report = opened.value
    expect(report.get_by_role("heading", level=2, name="Why")).to_be_visible()
    expect(report.locator("[data-figure] .point").first).to_be_attached()
    expect(report.get_by_text("Written last.")).to_be_visible()
    camera.every_look(report, "written-report")
    page.goto("/app/s/markdown/views")
    page.get_by_role("button", name="Delete: All terms").click()
    expect(page.locator("#views-said")).to_contain_text("is deleted")
